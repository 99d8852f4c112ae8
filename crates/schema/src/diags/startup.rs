//! What is wrong with `startup` and `services` (SPEC 2).

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::path::shown;

refusals! {
    /// A `shell` action.
    StartupShellUnsupported = StartupShellUnsupported {} |_me| {
        message: "\"shell\" is unsupported in v1; seatfork runs no commands of a spec",
        help: "use send_text or slash_command, which type into the seat",
    }

    /// A key of the other kind of startup file.
    StartupKeyMisplaced = StartupKeyMisplaced {
        /// The key.
        key: &'static str,
        /// The kind of this entry.
        kind: &'static str,
    } |me| {
        message: format!("\"{}\" does not belong to a startup file of kind {}", me.key, me.kind),
        help: "kind file (the default) has path; kind context_pack has name and version",
    }

    /// A context pack's name or version outside its charset.
    ContextPackNameMalformed = ContextPackNameMalformed {
        /// The text.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" cannot name a context pack or its version: it {}", shown(&me.text), me.why),
        help: "at most 128 of: letters, digits, `_`, `.`, `-`; it starts with a letter or digit and has no `..`",
    }

    /// An action that is not idempotent and applies on restore. Reported at the action.
    ActionRepeatsOnRestore = ActionRepeatsOnRestore {
        /// Where it says `idempotent: false`.
        idempotent: At,
        /// Where it says `applies_on`, where it does.
        applies_on: Option<At>,
    } |me| {
        message: "an action that is not idempotent must not apply on restore, where it would be done again",
        help: "add `applies_on: [fresh_start]`, or make the action one that may be repeated",
        related: std::iter::once((&me.idempotent, "not idempotent"))
            .chain(me.applies_on.iter().map(|at| (at, "applies on restore")))
            .map(|(at, message)| Related {
                path: at.path.clone(),
                message: message.to_owned(),
                span: at.span,
            })
            .collect(),
    }

    /// A compose project outside its charset.
    ProjectNameMalformed = ProjectNameMalformed {
        /// The text.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no compose project name: it {}", shown(&me.text), me.why),
        help: "a project name holds lower-case letters, digits, `_`, `-`, and starts with a letter or digit",
    }

    /// Not exactly one thing to wait for.
    WaitForAmbiguous = WaitForAmbiguous {
        /// Those that are named.
        named: Vec<&'static str>,
    } |me| {
        message: if me.named.is_empty() {
            "names nothing to wait for".to_owned()
        } else {
            format!("names {} at once", me.named.join(" and "))
        },
        help: "each entry has exactly one of: service (with condition), url, tcp",
    }

    /// A condition without a service.
    WaitConditionMisplaced = WaitConditionMisplaced {} |_me| {
        message: "only a service has a condition",
        help: "remove condition; a url or a tcp address is ready once it answers",
    }
}
