//! Refusals of `session_source` in any mode, and of `mode: fork` (SPEC 3, 4).

use super::{At, refusals};
use crate::conversation::NativeIdError;
use crate::diagnostic::Related;
use crate::path::shown;

refusals! {
    /// A source that is not a mapping, or empty.
    SessionSourceNotAMapping = SessionSourceNotAMapping {
        /// What stands there: `nothing`, `text`, `a list`.
        found: &'static str,
    } |me| {
        message: "must be an object",
        label: format!("this is {}", me.found),
        help: "write a mapping with mode and ref, or remove session_source to start a fresh conversation",
    }

    /// A source on a terminal.
    SessionSourceOnTerminal = SessionSourceOnTerminal {
        /// Where the member says `runtime: terminal`.
        runtime: At,
    } |me| {
        message: "terminal runtime has no native fork primitive and no agent context to rebuild; remove session_source for terminal members",
        help: "remove session_source, or give the member a runtime that holds conversations",
        related: vec![super::says_terminal(&me.runtime)],
    }

    /// No such mode.
    ModeUnsupported = ModeUnsupported {
        /// What stands there, as JSON.
        got: String,
        /// The one that was probably meant.
        meant: Option<&'static str>,
    } |me| {
        message: format!("supports \"fork\", \"rebuild\", or \"agent_image\" (got {})", me.got),
        help: match me.meant {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => "fork starts a new conversation from a prior one, rebuild from files, agent_image from a named image".to_owned(),
        },
    }

    /// A fork without a ref.
    ForkRefMissing = ForkRefMissing {} |_me| {
        message: "required object with \"kind\" and (when kind=native_id) \"value\"",
        help: "write `ref: {kind: native_id, value: \"<the conversation's id>\"}`",
    }

    /// A fork from a file.
    ForkKindDeferred = ForkKindDeferred {} |_me| {
        message: "\"artifact_path\" deferred to follow-up slice; v1 fork mode supports \"native_id\" only",
        help: "name the conversation by its native id; to start from files use mode: rebuild",
    }

    /// A fork by name or recency.
    ForkKindWeaker = ForkKindWeaker {
        /// `name` or `last`.
        kind: &'static str,
    } |me| {
        message: format!("\"{}\" is weaker than \"native_id\"; v1 fork mode supports \"native_id\" only", me.kind),
        help: "a name or \"the last one\" may mean another conversation tomorrow; `seatfork sessions` lists native ids",
    }

    /// A fork from an artifact set.
    ForkKindWrongMode = ForkKindWrongMode {} |_me| {
        message: "\"artifact_set\" belongs to mode \"rebuild\"; for fork mode use ref.kind: \"native_id\"",
        help: "to start from files write mode: rebuild; to fork a conversation write kind: native_id",
    }

    /// A fork by anything else.
    ForkKindUnsupported = ForkKindUnsupported {
        /// What stands there, as JSON.
        got: String,
    } |me| {
        message: format!("required; v1 fork mode supports \"native_id\" only (got {})", me.got),
        help: "write `kind: native_id`",
    }

    /// A fork without an id.
    ForkValueMissing = ForkValueMissing {
        /// What the general rule for text adds.
        hint: Option<String>,
    } |me| {
        message: "required non-empty string when ref.kind is \"native_id\"",
        help: me.hint.clone().or_else(|| Some("write the conversation's id in quotes; `seatfork sessions` lists ids".to_owned())),
    }

    /// An id outside the safety charset.
    NativeIdUnsafe = NativeIdUnsafe {
        /// Why.
        error: NativeIdError,
    } |me| {
        message: me.error.to_string(),
        help: "copy the id exactly as the runtime or `seatfork sessions` shows it; it is never changed, so nothing is trimmed or escaped here",
    }

    /// An id that is a member or a seat of the same file.
    NativeIdNamesASeat = NativeIdNamesASeat {
        /// The text.
        text: String,
        /// What it is: `a member id`, `a seat name`.
        is: &'static str,
        /// The member.
        member: At,
    } |me| {
        message: format!("\"{}\" is {} of this file: it names a seat, not a conversation", shown(&me.text), me.is),
        help: "a fork starts from a conversation's native id; `seatfork ps` shows the token of a seat, `seatfork sessions` lists conversations",
        related: vec![Related {
            path: me.member.path.clone(),
            message: "that member".to_owned(),
            span: me.member.span,
        }],
    }

    /// A fork across hosts.
    ForkHostDeferred = ForkHostDeferred {} |_me| {
        message: "forks across hosts are deferred; v1 forks a conversation of this machine only",
        help: "remove host; run seatfork on the machine that holds the conversation",
    }
}
