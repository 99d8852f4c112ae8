//! The stable codes of everything `validate` can say (SPEC 4).
//!
//! A code, once given out, keeps its meaning. Codes of plan, launch and store
//! are a second enum: [`crate::LaunchCode`].

use crate::words::words;

/// Declares codes as words with a page each, `codes/<code>.md`.
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        words! { $(#[$meta])* $name { $($(#[$vmeta])* $variant = $word),+ } }

        impl $name {
            /// Its page, Markdown: what, why, and how to mend it. [`crate::explain`] takes it apart.
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$variant => include_str!(concat!("../codes/", $word, ".md"))),+
                }
            }
        }
    };
}
pub(crate) use codes;

codes! {
    /// A stable kebab-case code of a spec's refusal or warning. Each has one
    /// struct in [`crate::diags`], one page, and one `explain` entry.
    Code {
        // The text itself (SPEC 2).
        /// The text is not YAML.
        YamlSyntax = "yaml-syntax",
        /// `&anchor`.
        YamlAnchor = "yaml-anchor",
        /// `*alias`.
        YamlAlias = "yaml-alias",
        /// `<<:`.
        YamlMergeKey = "yaml-merge-key",
        /// `!tag`.
        YamlTag = "yaml-tag",
        /// A key that is a list or a mapping.
        YamlComplexKey = "yaml-complex-key",
        /// Over 1 MiB.
        TooLarge = "too-large",
        /// Over 64 levels.
        TooDeep = "too-deep",
        /// Bytes that are not UTF-8.
        NotUtf8 = "not-utf8",
        /// More than one document.
        MultipleDocuments = "multiple-documents",
        /// Nothing in it.
        EmptyDocument = "empty-document",
        /// The same key twice in one mapping.
        DuplicateKey = "duplicate-key",
        // Keys and values of any mapping (SPEC 2).
        /// Neither a rig nor an expand payload.
        DocumentUnknown = "document-unknown",
        /// The flat form with `nodes:`.
        LegacyFlatSpec = "legacy-flat-spec",
        /// A key no such mapping has.
        UnknownKey = "unknown-key",
        /// A required key is absent.
        MissingKey = "missing-key",
        /// A key with nothing under it.
        EmptyKey = "empty-key",
        /// An optional key with nothing under it, taken as absent: a warning.
        EmptyOptionalKey = "empty-optional-key",
        /// Text, list, mapping or bool: another one is needed.
        WrongType = "wrong-type",
        /// Text is needed, and YAML reads this as null, a bool or a number.
        UnquotedScalar = "unquoted-scalar",
        /// A word outside the closed list.
        UnknownWord = "unknown-word",
        /// An old word for a current one: a warning.
        DeprecatedWord = "deprecated-word",
        /// A list that must not be empty.
        EmptyList = "empty-list",
        /// Text of nothing but white space.
        TextBlank = "text-blank",
        /// Free text over 4 KiB.
        TextTooLong = "text-too-long",
        /// Text with an invisible or control character.
        TextCharacter = "text-character",
        /// Several lines where one is needed.
        TextSeveralLines = "text-several-lines",
        /// `~` or `$VAR` in a path.
        PathNotExpanded = "path-not-expanded",
        /// A path that could leave its root.
        PathUnsafe = "path-unsafe",
        // Rig, pods and members (SPEC 2).
        /// A rig name outside its charset.
        RigNameMalformed = "rig-name-malformed",
        /// A pod or member id outside its charset.
        IdMalformed = "id-malformed",
        /// The same id twice in one list.
        DuplicateId = "duplicate-id",
        /// Two seats that would share a name.
        SeatNameClash = "seat-name-clash",
        /// A runtime nobody knows.
        RuntimeUnknown = "runtime-unknown",
        /// An agent reference of no known form.
        AgentRefMalformed = "agent-ref-malformed",
        /// A part of the terminal triple without the others.
        TerminalTriple = "terminal-triple",
        /// A role outside its charset.
        RoleMalformed = "role-malformed",
        /// A role on a terminal.
        RoleOnTerminal = "role-on-terminal",
        /// A Codex profile outside its charset.
        CodexConfigProfileMalformed = "codex-config-profile-malformed",
        /// A Codex profile on another runtime.
        CodexConfigProfileOffCodex = "codex-config-profile-off-codex",
        /// `custom_prompt`.
        CompactionStrategyUnsupported = "compaction-strategy-unsupported",
        /// A mechanic that is no seat name.
        MechanicMalformed = "mechanic-malformed",
        /// A policy of no known form.
        PermissionPolicyMalformed = "permission-policy-malformed",
        /// A built-in policy without `builtin:`.
        PermissionPolicyBareName = "permission-policy-bare-name",
        /// A policy on a terminal.
        PermissionPolicyOnTerminal = "permission-policy-on-terminal",
        /// A token in a spec.
        ResumeInSpec = "resume-in-spec",
        // Edges (SPEC 2).
        /// An end of another shape than its place needs.
        EdgeEndMalformed = "edge-end-malformed",
        /// An end that is no member.
        EdgeEndUnknown = "edge-end-unknown",
        /// Both ends are one member.
        EdgeToItself = "edge-to-itself",
        /// A rig's edge inside one pod.
        EdgeInsideOnePod = "edge-inside-one-pod",
        /// Edges that order launches in a circle.
        EdgeCycle = "edge-cycle",
        // Startup, services, workspace (SPEC 2).
        /// A `shell` action.
        StartupShellUnsupported = "startup-shell-unsupported",
        /// A key of the other kind of startup file.
        StartupKeyMisplaced = "startup-key-misplaced",
        /// A context pack's name or version outside its charset.
        ContextPackNameMalformed = "context-pack-name-malformed",
        /// An action that is not idempotent and applies on restore.
        ActionRepeatsOnRestore = "action-repeats-on-restore",
        /// A compose project outside its charset.
        ProjectNameMalformed = "project-name-malformed",
        /// Not exactly one thing to wait for.
        WaitForAmbiguous = "wait-for-ambiguous",
        /// A condition without a service.
        WaitConditionMisplaced = "wait-condition-misplaced",
        /// The same repository name twice.
        DuplicateRepo = "duplicate-repo",
        /// A default repository that is not in the list.
        DefaultRepoUnknown = "default-repo-unknown",
        // The refusal matrix (SPEC 4).
        /// A source that is not a mapping.
        SessionSourceNotAMapping = "session-source-not-a-mapping",
        /// A source on a terminal.
        SessionSourceOnTerminal = "session-source-on-terminal",
        /// No such mode.
        ModeUnsupported = "mode-unsupported",
        /// A fork without a ref.
        ForkRefMissing = "fork-ref-missing",
        /// A fork from a file.
        ForkKindDeferred = "fork-kind-deferred",
        /// A fork by name or recency.
        ForkKindWeaker = "fork-kind-weaker",
        /// A fork from an artifact set.
        ForkKindWrongMode = "fork-kind-wrong-mode",
        /// A fork by anything else.
        ForkKindUnsupported = "fork-kind-unsupported",
        /// A fork without an id.
        ForkValueMissing = "fork-value-missing",
        /// A rebuild without a ref.
        RebuildRefMissing = "rebuild-ref-missing",
        /// A rebuild from a conversation.
        RebuildKindWrongMode = "rebuild-kind-wrong-mode",
        /// A rebuild from anything else.
        RebuildKindUnsupported = "rebuild-kind-unsupported",
        /// Artifacts that are no list.
        RebuildValueNotAList = "rebuild-value-not-a-list",
        /// No artifacts.
        RebuildValueEmpty = "rebuild-value-empty",
        /// An artifact that is no path.
        RebuildEntryInvalid = "rebuild-entry-invalid",
        /// An image fork without a ref.
        ImageRefMissing = "image-ref-missing",
        /// An image fork by anything but a name.
        ImageKindUnsupported = "image-kind-unsupported",
        /// An image fork without a name.
        ImageNameMissing = "image-name-missing",
        /// A version that is neither a name nor a number.
        ImageVersionInvalid = "image-version-invalid",
        /// A starter that is not a mapping.
        StarterNotAMapping = "starter-not-a-mapping",
        /// A starter on a terminal.
        StarterOnTerminal = "starter-on-terminal",
        /// A starter without a name.
        StarterNameMissing = "starter-name-missing",
        /// A starter beside a fork.
        StarterWithFork = "starter-with-fork",
        /// A starter beside a fork of an image.
        StarterWithAgentImage = "starter-with-agent-image",
        /// An id outside the safety charset.
        NativeIdUnsafe = "native-id-unsafe",
        /// An id that is a member or a seat of the same file.
        NativeIdNamesASeat = "native-id-names-a-seat",
        /// A fork across hosts.
        ForkHostDeferred = "fork-host-deferred",
        /// An image name or version outside its charset.
        ImageNameUnsafe = "image-name-unsafe",
        /// An artifact path that is padded, invisible or unexpanded.
        ArtifactPathUnsafe = "artifact-path-unsafe",
        /// A starter name outside its charset.
        StarterNameUnsafe = "starter-name-unsafe",
    }
}
