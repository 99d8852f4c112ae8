//! Members (SPEC 2).

use super::cx::{Cx, Entry};
use super::seats::MemberSeat;
use super::session_source::{self, SourceSeen};
use super::starter::{self, STARTER};
use super::startup;
use super::table::{Refused, Table, blankable, meant, own_optional, required};
use crate::diags::At;
use crate::diags::member::{
    CodexConfigProfileOffCodex, CompactionStrategyUnsupported, PermissionPolicyOnTerminal,
    ResumeInSpec, RoleOnTerminal, RuntimeUnknown, TerminalTriple,
};
use crate::diags::value::DeprecatedWord;
use crate::json_schema::{self, object, text, word};
use crate::path::Path;
use crate::spec::{
    AgentRef, CodexConfigProfile, CompactionStrategy, Line, Member, MemberId, PermissionPolicy,
    RestorePolicy, Role, SeatName, SpecPath,
};
use crate::tree::NodeId;
use crate::words::{Runtime, Word};

pub(crate) const MEMBER: Table<16> = Table {
    what: "a member",
    keys: [
        required("id", text::<MemberId>),
        blankable("label", text::<Line>),
        required("agent_ref", text::<AgentRef>),
        required("profile", text::<Line>),
        required("runtime", word::<Runtime>),
        blankable("codex_config_profile", text::<CodexConfigProfile>),
        blankable("model", text::<Line>),
        blankable("role", text::<Role>),
        blankable("permission_policy", json_schema::permission_policy),
        required("cwd", text::<SpecPath>),
        blankable("restore_policy", word::<RestorePolicy>),
        blankable("compaction_strategy", json_schema::compaction_strategy),
        blankable("mechanic", text::<SeatName>),
        blankable("startup", json_schema::startup),
        own_optional("session_source", json_schema::session_source_ref),
        own_optional("starter_ref", || object(&STARTER)),
    ],
    refused: &[RESUME_TOKEN, RESUME_TOKEN_CAMEL, RESUME],
};

const RESUME_TOKEN: Refused =
    ("resume_token", |at| ResumeInSpec { at, key: "resume_token" }.into());
const RESUME_TOKEN_CAMEL: Refused =
    ("resumeToken", |at| ResumeInSpec { at, key: "resumeToken" }.into());
const RESUME: Refused = ("resume", |at| ResumeInSpec { at, key: "resume" }.into());

/// Old words of `compaction_strategy`, and the current ones.
pub(crate) const OLD_STRATEGIES: [(&str, CompactionStrategy); 2] = [
    ("harness_native", CompactionStrategy::DefaultCompaction),
    ("pod_continuity", CompactionStrategy::Handover),
];

/// What was read of a member.
pub(crate) struct MemberSeen<'t> {
    /// Its normal form, where it has one.
    pub(crate) member: Option<Member>,
    /// What the rules between members need.
    pub(crate) seat: MemberSeat<'t>,
}

/// A member's runtime, as far as it is known. Its place is put together only where something is said of it.
#[derive(Clone, Copy)]
pub(crate) struct RuntimeSeen {
    /// The runtime.
    pub(crate) runtime: Option<Runtime>,
    entry: Option<Entry>,
}

impl RuntimeSeen {
    /// Where the member says `runtime: terminal`, if it does.
    pub(crate) fn terminal(&self, cx: &Cx<'_>, member: &Path<'_>) -> Option<At> {
        if self.runtime == Some(Runtime::Terminal) { self.place(cx, member) } else { None }
    }

    fn place(&self, cx: &Cx<'_>, member: &Path<'_>) -> Option<At> {
        self.entry.map(|entry| cx.at(entry.value, &member.key("runtime")))
    }
}

/// Reads a member.
pub(crate) fn member<'t>(cx: &mut Cx<'t>, node: NodeId, path: &Path<'_>) -> MemberSeen<'t> {
    let Some(entries) = cx.fields(node, path, &MEMBER) else {
        return MemberSeen { member: None, seat: MemberSeat::default() };
    };
    let [
        id,
        label,
        agent_ref,
        profile,
        runtime,
        codex_config_profile,
        model,
        role,
        permission_policy,
        cwd,
        restore_policy,
        compaction_strategy,
        mechanic,
        startup,
        session_source,
        starter_ref,
    ] = entries;
    let seat_id = id.and_then(|id| Some((cx.quiet_text(id.value)?, id.value)));
    let parts = Triple { runtime, agent_ref, profile };

    let id = cx.read(id, path, Cx::parse::<MemberId>);
    let label = cx.read(label, path, Cx::parse::<Line>);
    let agent_ref = cx.read(agent_ref, path, Cx::parse::<AgentRef>);
    let profile = cx.read(profile, path, Cx::parse::<Line>);
    let runtime = cx.read(runtime, path, read_runtime);
    let seen = RuntimeSeen { runtime, entry: parts.runtime };
    parts.check(cx, node, path, runtime, agent_ref.as_ref(), profile.as_ref());

    let codex_profile = cx.read(codex_config_profile, path, Cx::parse::<CodexConfigProfile>);
    off_codex(cx, codex_config_profile, path, &seen);
    let model = cx.read(model, path, Cx::parse::<Line>);
    let role_entry = role;
    let role = cx.read(role, path, Cx::parse::<Role>);
    if let (Some(entry), Some(runtime)) = (role_entry, seen.terminal(cx, path)) {
        let at = cx.at(entry.value, &path.key("role"));
        cx.no(RoleOnTerminal { at, runtime });
    }
    let policy_entry = permission_policy;
    let permission_policy = cx.read(permission_policy, path, Cx::parse::<PermissionPolicy>);
    if let (Some(entry), Some(runtime)) = (policy_entry, seen.terminal(cx, path)) {
        let at = cx.at(entry.value, &path.key("permission_policy"));
        cx.no(PermissionPolicyOnTerminal { at, runtime });
    }
    let cwd = cx.read(cwd, path, Cx::parse::<SpecPath>);
    let restore_policy = cx.read(restore_policy, path, Cx::word::<RestorePolicy>);
    let compaction_strategy = cx.read(compaction_strategy, path, strategy);
    let mechanic = cx.read(mechanic, path, Cx::parse::<SeatName>);
    let startup = cx.read(startup, path, startup::startup);

    let source = session_source
        .map_or_else(SourceSeen::default, |entry| session_source::read(cx, entry, path, seen));
    let starter_ref =
        starter_ref.and_then(|entry| starter::read(cx, entry, path, seen, source.mode));

    let member = (|| {
        Some(Member {
            id: id?,
            label,
            agent_ref: agent_ref?,
            profile: profile?,
            runtime: runtime?,
            codex_config_profile: codex_profile,
            model,
            role,
            permission_policy,
            cwd: cwd?,
            restore_policy,
            compaction_strategy,
            mechanic,
            startup: startup.unwrap_or_default(),
            session_source: source.source,
            starter_ref,
        })
    })();
    MemberSeen { member, seat: MemberSeat { id: seat_id, source: source.native_id } }
}

fn read_runtime(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Runtime> {
    let text = cx.text(node, path)?;
    let runtime = Runtime::from_word(text);
    if runtime.is_none() {
        let got = super::got::got(cx.tree, Some(node));
        let at = cx.at(node, path);
        cx.no(RuntimeUnknown { at, got, meant: meant_runtime(text) });
    }
    runtime
}

fn meant_runtime(text: &str) -> Option<&'static str> {
    match text.trim().to_ascii_lowercase().as_str() {
        "claude" => Some(Runtime::ClaudeCode.as_str()),
        "shell" | "bash" | "tmux" => Some(Runtime::Terminal.as_str()),
        _ => meant(text.trim(), Runtime::WORDS),
    }
}

fn off_codex(cx: &mut Cx<'_>, entry: Option<Entry>, path: &Path<'_>, seen: &RuntimeSeen) {
    let (Some(entry), Some(runtime)) = (entry, seen.runtime) else { return };
    if runtime == Runtime::Codex {
        return;
    }
    if let Some(says_so) = seen.place(cx, path) {
        let at = cx.at(entry.value, &path.key("codex_config_profile"));
        cx.no(CodexConfigProfileOffCodex { at, runtime, says_so });
    }
}

fn strategy(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<CompactionStrategy> {
    let text = cx.raw(node);
    if text == Some("custom_prompt") {
        let at = cx.at(node, path);
        cx.no(CompactionStrategyUnsupported { at });
        return None;
    }
    if let Some((word, current)) = OLD_STRATEGIES.iter().find(|(old, _)| text == Some(*old)) {
        let at = cx.at(node, path);
        cx.no(DeprecatedWord { at, word, current: current.as_str() });
        return Some(*current);
    }
    cx.word(node, path)
}

/// The three keys that make a terminal together (SPEC 2).
struct Triple {
    runtime: Option<Entry>,
    agent_ref: Option<Entry>,
    profile: Option<Entry>,
}

impl Triple {
    /// Refuses a part of the triple without the others. A part that is absent or could not be read is told already.
    fn check(
        &self,
        cx: &mut Cx<'_>,
        node: NodeId,
        path: &Path<'_>,
        runtime: Option<Runtime>,
        agent_ref: Option<&AgentRef>,
        profile: Option<&Line>,
    ) {
        let parts = [
            (self.runtime, runtime.map(|it| it == Runtime::Terminal), "runtime: terminal"),
            (
                self.agent_ref,
                agent_ref.map(|it| *it == AgentRef::Terminal),
                "agent_ref: builtin:terminal",
            ),
            (self.profile, profile.map(|it| it.as_str() == "none"), "profile: none"),
        ];
        let mut terminal = Vec::new();
        let mut others = Vec::new();
        for (entry, is_terminal, text) in parts {
            match (entry, is_terminal) {
                (Some(entry), Some(true)) => {
                    terminal.push((text, cx.at(entry.value, &path.key(entry.name))));
                }
                (_, Some(false)) => others.push(text),
                _ => {}
            }
        }
        if !terminal.is_empty() && !others.is_empty() {
            let at = At { path: path.text(), span: cx.head(node) };
            cx.no(TerminalTriple { at, terminal, others });
        }
    }
}
