//! What is wrong with a rig, a pod or a member (SPEC 2).

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::path::shown;
use crate::words::Runtime;

refusals! {
    /// A rig name outside its charset.
    RigNameMalformed = RigNameMalformed {
        /// The name.
        name: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no rig name: it {}", shown(&me.name), me.why),
        help: "a rig name is at most 64 of: letters, digits, `_`, `-`, `.`; it starts with a letter, digit or `_` and has no `..`",
    }

    /// A pod or member id outside its charset.
    IdMalformed = IdMalformed {
        /// The id.
        id: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no id: it {}", shown(&me.id), me.why),
        help: "an id is at most 64 of: letters, digits, `_`, `-`; it starts with a letter, digit or `_`",
    }

    /// Two seats that would share a name, or differ only by case.
    SeatNameClash = SeatNameClash {
        /// The seat name of the later one, without the rig.
        seat: String,
        /// The seat name of the earlier one, without the rig.
        other: String,
        /// Where the earlier one is.
        first: At,
    } |me| {
        message: if me.seat == me.other {
            format!("the seat of this member would be named \"{}\", as another seat of this file is", me.seat)
        } else {
            format!("the seats \"{}\" and \"{}\" differ only by case", me.seat, me.other)
        },
        label: "second seat",
        help: "a seat is named <pod>-<member>; change one of the ids so that the names differ",
        related: vec![Related {
            path: me.first.path.clone(),
            message: "first seat".to_owned(),
            span: me.first.span,
        }],
    }

    /// A runtime nobody knows.
    RuntimeUnknown = RuntimeUnknown {
        /// What stands there, as JSON.
        got: String,
        /// The one that was probably meant.
        meant: Option<&'static str>,
    } |me| {
        message: format!("no such runtime (got {}); the runtimes are {}", me.got, runtimes()),
        help: match me.meant {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("write one of: {}", runtimes()),
        },
    }

    /// An agent reference of no known form.
    AgentRefMalformed = AgentRefMalformed {
        /// The reference.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no agent reference: it {}", shown(&me.text), me.why),
        help: "write local:<path relative to the spec file>, path:<absolute path>, a bare relative path, or builtin:terminal",
    }

    /// A part of the terminal triple without the others. Reported at the member.
    TerminalTriple = TerminalTriple {
        /// The parts that are terminal's, as written: `runtime: terminal`.
        terminal: Vec<(&'static str, At)>,
        /// The parts that are not, as `key: value it would need`.
        others: Vec<&'static str>,
    } |me| {
        message: format!(
            "a terminal is runtime \"terminal\", agent_ref \"builtin:terminal\" and profile \"none\" together; this member has {} alone",
            me.terminal.iter().map(|&(text, _)| text).collect::<Vec<_>>().join(" and ")
        ),
        help: format!("for a terminal write {}; for an agent change {}", me.others.join(" and "),
            me.terminal.iter().map(|(text, _)| format!("`{text}`")).collect::<Vec<_>>().join(" and ")),
        related: me.terminal.iter().map(|(_, at)| Related {
            path: at.path.clone(),
            message: "terminal's".to_owned(),
            span: at.span,
        }).collect(),
    }

    /// A role outside its charset.
    RoleMalformed = RoleMalformed {
        /// The role.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no role: it {}", shown(&me.text), me.why),
        help: "a role holds letters, digits, `_`, `.`, `-`, and does not start with `-`",
    }

    /// A role on a terminal.
    RoleOnTerminal = RoleOnTerminal {
        /// Where the member says `runtime: terminal`.
        runtime: At,
    } |me| {
        message: "a terminal has no agent and so no role",
        help: "remove role for terminal members",
        related: vec![super::says_terminal(&me.runtime)],
    }

    /// A Codex profile outside its charset.
    CodexConfigProfileMalformed = CodexConfigProfileMalformed {
        /// The profile.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no Codex configuration profile: it {}", shown(&me.text), me.why),
        help: "a profile holds letters, digits, `_`, `.`, `-`, and does not start with `-`",
    }

    /// A Codex profile on another runtime.
    CodexConfigProfileOffCodex = CodexConfigProfileOffCodex {
        /// The member's runtime.
        runtime: Runtime,
        /// Where it says so.
        says_so: At,
    } |me| {
        message: format!("only codex has configuration profiles, this member runs {}", me.runtime),
        help: "remove codex_config_profile, or use runtime codex",
        related: vec![Related {
            path: me.says_so.path.clone(),
            message: format!("runtime {}", me.runtime),
            span: me.says_so.span,
        }],
    }

    /// `custom_prompt`.
    CompactionStrategyUnsupported = CompactionStrategyUnsupported {} |_me| {
        message: "\"custom_prompt\" is unsupported in v1",
        help: "write one of: default-compaction, managed-compaction, handover, apprentice-handover",
    }

    /// A mechanic that is no seat name.
    MechanicMalformed = MechanicMalformed {
        /// The text.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no seat name: it {}", shown(&me.text), me.why),
        help: "a mechanic is a seat: <pod>-<member>@<rig>",
    }

    /// A policy of no known form.
    PermissionPolicyMalformed = PermissionPolicyMalformed {
        /// The policy.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no permission policy: it {}", shown(&me.text), me.why),
        help: "write none, builtin:locked, builtin:standard, builtin:open, builtin:yolo, or a relative path whose segments start with a letter or digit and hold letters, digits, `.`, `_`, `-`",
    }

    /// A built-in policy without `builtin:`.
    PermissionPolicyBareName = PermissionPolicyBareName {
        /// Its name.
        name: &'static str,
    } |me| {
        message: format!("\"{}\" is the bare name of a built-in policy, and could be a file's", me.name),
        help: format!("write builtin:{}", me.name),
    }

    /// A policy on a terminal.
    PermissionPolicyOnTerminal = PermissionPolicyOnTerminal {
        /// Where the member says `runtime: terminal`.
        runtime: At,
    } |me| {
        message: "a terminal has no agent whose permissions could be set",
        help: "remove permission_policy for terminal members",
        related: vec![super::says_terminal(&me.runtime)],
    }

    /// A token in a spec.
    ResumeInSpec = ResumeInSpec {
        /// The key: `resume_token`, `resumeToken`, `resume`.
        key: &'static str,
    } |me| {
        message: format!("\"{}\" is refused: a spec never carries a seat's token", me.key),
        help: "a seat's own token lives in the store, and `seatfork restore` brings the seat back by it; to start a new seat from a prior conversation use session_source with mode fork",
    }
}

fn runtimes() -> String {
    Runtime::ALL.iter().map(|runtime| runtime.as_str()).collect::<Vec<_>>().join(", ")
}
