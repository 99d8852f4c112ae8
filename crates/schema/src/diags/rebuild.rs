//! Refusals of `mode: rebuild` and `mode: agent_image` (SPEC 3, 4).

use super::refusals;
use crate::path::shown;

refusals! {
    /// A rebuild without a ref.
    RebuildRefMissing = RebuildRefMissing {} |_me| {
        message: "required object with \"kind: artifact_set\" and \"value: [paths...]\" for rebuild mode",
        help: "write `ref: {kind: artifact_set, value: [\"CULTURE.md\", …]}`, highest trust first",
    }

    /// A rebuild from a conversation.
    RebuildKindWrongMode = RebuildKindWrongMode {
        /// The kind given.
        kind: &'static str,
    } |me| {
        message: format!("rebuild mode requires ref.kind: \"artifact_set\"; the named kinds (\"{}\") belong to mode: \"fork\"", me.kind),
        help: "to start from files write kind: artifact_set; to fork a conversation write mode: fork",
    }

    /// A rebuild from anything else.
    RebuildKindUnsupported = RebuildKindUnsupported {
        /// What stands there, as JSON.
        got: String,
    } |me| {
        message: format!("required; v1 rebuild mode supports \"artifact_set\" only (got {})", me.got),
        help: "write `kind: artifact_set`",
    }

    /// Artifacts that are no list.
    RebuildValueNotAList = RebuildValueNotAList {} |_me| {
        message: "required non-empty array of artifact paths in trust-precedence order (highest-trust first: rig CULTURE, role doc, handover packet, queue file, pod shared session log, member session log)",
        help: "write a list, also for a single path: `value: [\"CULTURE.md\"]`",
    }

    /// No artifacts.
    RebuildValueEmpty = RebuildValueEmpty {} |_me| {
        message: "rebuild requires at least one artifact path; declare paths in trust-precedence order (highest-trust first)",
        help: "name at least one file, or remove session_source to start a fresh conversation",
    }

    /// An artifact that is no path.
    RebuildEntryInvalid = RebuildEntryInvalid {
        /// What the general rule for text adds.
        hint: Option<String>,
    } |me| {
        message: "each entry must be a non-empty string (file path)",
        help: me.hint.clone().or_else(|| Some("write the path of one file".to_owned())),
    }

    /// An artifact path that is padded, invisible or unexpanded.
    ArtifactPathUnsafe = ArtifactPathUnsafe {
        /// The path.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" cannot be used as an artifact path: it {}", shown(&me.text), me.why),
        help: "write the path of the file exactly, absolute or relative to the directory of the spec file, without `~`, `$VAR`, control characters or white space at its ends",
    }

    /// An image fork without a ref.
    ImageRefMissing = ImageRefMissing {} |_me| {
        message: "required object with \"kind: image_name\" and \"value: <name>\" for agent_image mode",
        help: "write `ref: {kind: image_name, value: \"<name>\"}`; `seatfork image list` lists names",
    }

    /// An image fork by anything but a name.
    ImageKindUnsupported = ImageKindUnsupported {
        /// What stands there, as JSON.
        got: String,
    } |me| {
        message: format!("agent_image mode supports \"image_name\" only at v0 (got {})", me.got),
        help: "write `kind: image_name`",
    }

    /// An image fork without a name.
    ImageNameMissing = ImageNameMissing {
        /// What the general rule for text adds.
        hint: Option<String>,
    } |me| {
        message: "required non-empty string when ref.kind is \"image_name\"",
        help: me.hint.clone().or_else(|| Some("write the image's name; `seatfork image list` lists names".to_owned())),
    }

    /// A version that is neither a name nor a number.
    ImageVersionInvalid = ImageVersionInvalid {
        /// What the general rule for text adds.
        hint: Option<String>,
    } |me| {
        message: "optional; must be a string or number when present",
        help: me.hint.clone().or_else(|| Some("write a version such as 3, 1.10 or \"2026-06\", or remove the key for the newest one".to_owned())),
    }

    /// An image name or version outside its charset.
    ImageNameUnsafe = ImageNameUnsafe {
        /// The text.
        text: String,
        /// Why, as a fragment.
        why: String,
    } |me| {
        message: format!("\"{}\" cannot name an image or its version: it {}", shown(&me.text), me.why),
        help: "at most 128 of: letters, digits, `_`, `.`, `-`; it starts with a letter or digit and has no `..`",
    }
}
