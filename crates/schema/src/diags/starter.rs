//! Refusals of `starter_ref` (SPEC 3, 4).

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::path::shown;

refusals! {
    /// A starter that is not a mapping, or empty.
    StarterNotAMapping = StarterNotAMapping {
        /// What stands there: `nothing`, `text`, `a list`.
        found: &'static str,
    } |me| {
        message: "must be an object with a non-empty \"name\" string",
        label: format!("this is {}", me.found),
        help: "write `starter_ref: {name: <starter>}`, or remove the key",
    }

    /// A starter on a terminal.
    StarterOnTerminal = StarterOnTerminal {
        /// Where the member says `runtime: terminal`.
        runtime: At,
    } |me| {
        message: "terminal runtime has no agent context to seed; remove starter_ref for terminal members",
        help: "remove starter_ref, or give the member a runtime that holds conversations",
        related: vec![super::says_terminal(&me.runtime)],
    }

    /// A starter without a name.
    StarterNameMissing = StarterNameMissing {
        /// What the general rule for text adds.
        hint: Option<String>,
    } |me| {
        message: "required non-empty string",
        help: me.hint.clone().or_else(|| Some("write the starter's name".to_owned())),
    }

    /// A starter name outside its charset.
    StarterNameUnsafe = StarterNameUnsafe {
        /// The name.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" is no starter name: it {}", shown(&me.text), me.why),
        help: "a starter name is at most 128 of: letters, digits, `_`, `-`; it starts with a letter or digit",
    }

    /// A starter beside a fork.
    StarterWithFork = StarterWithFork {
        /// Where the source says `mode: fork`.
        mode: At,
    } |me| {
        message: "starter_ref + session_source.mode=\"fork\" composition is rejected in v0 (the v1+ \"Real native-fork-from-registered-thread-id starter proof\" trigger covers that combination); use either starter_ref alone or session_source.mode=\"rebuild\" for artifact-additive composition",
        help: "remove starter_ref or session_source",
        related: vec![Related {
            path: me.mode.path.clone(),
            message: "a fork".to_owned(),
            span: me.mode.span,
        }],
    }

    /// A starter beside a fork of an image.
    StarterWithAgentImage = StarterWithAgentImage {
        /// Where the source says `mode: agent_image`.
        mode: At,
    } |me| {
        message: "starter_ref does not compose with session_source.mode=\"agent_image\", which is a fork",
        help: "use either starter_ref alone or session_source.mode=\"rebuild\" for artifact-additive composition",
        related: vec![Related {
            path: me.mode.path.clone(),
            message: "a fork of an image".to_owned(),
            span: me.mode.span,
        }],
    }
}
