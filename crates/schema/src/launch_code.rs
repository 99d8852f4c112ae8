//! The stable codes of what plan, launch and store can say (SPEC 4, 6, 7, 8, 10).
//!
//! A code, once given out, keeps its meaning. What `validate` can say is
//! [`crate::Code`].

use crate::code::codes;
use crate::words::words;

codes! {
    /// A stable kebab-case code of a failure or a finding outside the spec itself.
    /// Each has one page and one `explain` entry.
    LaunchCode {
        // The command's own arguments (SPEC 12, 13).
        /// A file the command was given cannot be read.
        FileUnreadable = "file-unreadable",
        /// The spec has refusals; nothing was planned from it.
        SpecRefused = "spec-refused",
        /// No such rig in the store.
        RigUnknown = "rig-unknown",
        /// No such seat.
        SeatUnknown = "seat-unknown",
        /// An id, prefix or name with several answers.
        IdAmbiguous = "id-ambiguous",
        /// A rig of that name from another directory.
        RigNameTaken = "rig-name-taken",
        /// A payload that names no pod, and no `--pod`.
        PayloadPodMissing = "payload-pod-missing",
        /// A payload and `--pod` that name different pods.
        PayloadPodContradicted = "payload-pod-contradicted",
        /// A payload's edge to a member the rig does not have.
        PayloadEndUnknown = "payload-end-unknown",
        /// A payload's member that the rig already has.
        MemberExists = "member-exists",
        // What a plan finds in the environment (SPEC 6, 7).
        /// Something this build cannot do yet.
        NotInThisBuild = "not-in-this-build",
        /// A policy that cannot be put into flags.
        PermissionPolicyUnsupported = "permission-policy-unsupported",
        /// `builtin:yolo` without `--allow-yolo`.
        YoloNotAllowed = "yolo-not-allowed",
        /// A `cwd` that is no directory.
        CwdMissing = "cwd-missing",
        /// No runtime binary.
        BinaryMissing = "binary-missing",
        /// A runtime binary that lacks what the spec asks.
        BinaryTooOld = "binary-too-old",
        /// Another runtime binary than the one planned with.
        BinaryChanged = "binary-changed",
        /// No artifact of a rebuild can be read.
        ArtifactMissing = "artifact-missing",
        /// A file outside the rig's directory.
        ArtifactOutsideRoot = "artifact-outside-root",
        /// No such agent image.
        ImageUnknown = "image-unknown",
        /// An agent image of that name and version.
        ImageExists = "image-exists",
        /// An agent image that is in use.
        ImagePinned = "image-pinned",
        /// No such starter.
        StarterUnknown = "starter-unknown",
        // Resolving a source, before anything is started (SPEC 6, 10).
        /// A source the adapter refuses, though the schema should have.
        SourceUnsupported = "source-unsupported",
        /// An id of a shape the runtime does not have.
        NativeIdMalformed = "native-id-malformed",
        /// No such conversation.
        SessionNotFound = "session-not-found",
        /// Several conversations of that id.
        SessionAmbiguous = "session-ambiguous",
        /// A conversation with nothing to inherit.
        SessionEmpty = "session-empty",
        /// A conversation whose record is broken.
        SessionDamaged = "session-damaged",
        /// A conversation whose record cannot be opened.
        SessionUnreadable = "session-unreadable",
        /// An archived conversation.
        SessionArchived = "session-archived",
        /// A conversation of another directory, where the runtime looks in one only.
        SessionElsewhere = "session-elsewhere",
        /// A seed that ends inside a tool call.
        SeedUnfinished = "seed-unfinished",
        // Making and proving the child (SPEC 6, 8).
        /// Another process serves the conversation.
        ConversationInUse = "conversation-in-use",
        /// The runtime ended with an error.
        Phase1Failed = "phase1-failed",
        /// The runtime did not end in time.
        Phase1Timeout = "phase1-timeout",
        /// The runtime said success and left no record.
        Phase1Lied = "phase1-lied",
        /// The runtime gave no id of the child.
        ChildIdUnknown = "child-id-unknown",
        /// The child has another id than was assigned.
        ChildIdMismatch = "child-id-mismatch",
        /// The child has the source's own id.
        ChildIsSource = "child-is-source",
        /// The child's id is another seat's token.
        ChildIdTaken = "child-id-taken",
        /// The child has no records.
        ChildEmpty = "child-empty",
        /// The child is not the source's effective history.
        ProofFailed = "proof-failed",
        /// The child differs in a way the proof does not know.
        ProofUnknownDifference = "proof-unknown-difference",
        /// Bytes of the source changed while it was forked.
        SourceChanged = "source-changed",
        /// The child exists and its token could not be stored.
        TokenNotStored = "token-not-stored",
        // The pane and the seat (SPEC 6, 7).
        /// The pane could not be made, or died.
        PaneFailed = "pane-failed",
        /// The seat was not seen ready in time.
        PaneTimeout = "pane-timeout",
        /// Text or artifacts did not arrive.
        DeliveryFailed = "delivery-failed",
        /// The runtime asks whether to trust the directory.
        AttentionTrust = "attention-trust",
        /// The runtime asks for a login.
        AttentionLogin = "attention-login",
        /// The runtime offers an update.
        AttentionUpdate = "attention-update",
        /// The runtime asks which directory to use.
        AttentionCwdChoice = "attention-cwd-choice",
        /// The runtime asks whether to resume from a summary.
        AttentionSummaryChoice = "attention-summary-choice",
        /// The pane waits at something nobody knows.
        AttentionUnknown = "attention-unknown",
        // Seats that are there already (SPEC 7, 12).
        /// Another process is launching the seat.
        LaunchInProgress = "launch-in-progress",
        /// A pane serves another conversation than its token.
        ServesAnotherConversation = "serves-another-conversation",
        /// The conversation of a seat's token is gone.
        OwnConversationGone = "own-conversation-gone",
        /// A seat that is not brought back by its policy.
        CheckpointNotKept = "checkpoint-not-kept",
        /// A child of a failed launch appeared later.
        OrphanFound = "orphan-found",
        /// A conversation that must not become this seat's.
        AdoptRefused = "adopt-refused",
        /// The candidate was not bound to the seat.
        HandoverFailed = "handover-failed",
        /// The command was told to stop.
        Interrupted = "interrupted",
        // The store (SPEC 11).
        /// There is no store yet.
        StoreMissing = "store-missing",
        /// The store cannot be written.
        StoreUnwritable = "store-unwritable",
        /// The store was written by a newer seatfork.
        StoreNewer = "store-newer",
        /// The store is damaged.
        StoreCorrupt = "store-corrupt",
        /// The file is no store of seatfork.
        StoreForeign = "store-foreign",
        /// Others can write where the store lies.
        StoreUnsafeDirectory = "store-unsafe-directory",
        /// The store lies on a network file system.
        StoreNetworkFilesystem = "store-network-filesystem",
        /// The store is locked by another process.
        StoreBusy = "store-busy",
        // tmux (SPEC 14).
        /// No tmux.
        TmuxMissing = "tmux-missing",
        /// A tmux that lacks what seatfork needs.
        TmuxTooOld = "tmux-too-old",
        /// The socket's directory is not ours alone.
        TmuxSocketUnsafe = "tmux-socket-unsafe",
        /// The socket's path is over the limit.
        TmuxSocketTooLong = "tmux-socket-too-long",
        /// The tmux server does not answer.
        TmuxServerFailed = "tmux-server-failed",
        /// A tmux command was refused.
        TmuxCommandFailed = "tmux-command-failed",
    }
}
