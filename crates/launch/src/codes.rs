//! The stable codes of plan, launch and store: the second enum of SPEC 4.

macro_rules! codes {
    ($($(#[$vmeta:meta])* $variant:ident = $word:literal: $next:literal),+ $(,)?) => {
        crate::words::words! {
            /// What `plan`, `up` and their kin can say went wrong, or deserves a look. Each has a page, an
            /// `explain` entry and a test that provokes it.
            LaunchCode { $($(#[$vmeta])* $variant = $word),+ }
        }

        impl LaunchCode {
            /// What to do about it, in one line.
            pub const fn next(self) -> &'static str {
                match self { $(Self::$variant => $next),+ }
            }
        }
    };
}

codes! {
    // The environment: nothing was started.
    /// The spec asks what this build cannot do yet.
    NotInThisBuild = "not-in-this-build": "take it out of the spec, or use a build that has it",
    /// The working directory is no directory, or cannot be entered.
    CwdMissing = "cwd-missing": "make the directory, give yourself access to it, or mend the member's cwd",
    /// No binary of that runtime is on PATH.
    BinaryMissing = "binary-missing": "install the runtime, or put its directory on PATH",
    /// The binary lacks what a launch needs.
    BinaryTooOld = "binary-too-old": "update the runtime",
    /// The binary could not be started, did not answer in time, or not as a runtime we know.
    BinaryUnusable = "binary-unusable": "run the binary with --version yourself",
    /// The binary is not the one that was probed.
    BinaryChanged = "binary-changed": "run the command again; it will look at the new binary",
    /// A permission policy this build cannot give.
    PermissionPolicyUnsupported = "permission-policy-unsupported": "use none or one of the builtin: policies",
    /// `builtin:yolo` without `--allow-yolo`.
    YoloNotAllowed = "yolo-not-allowed": "use another policy, or say --allow-yolo",
    /// The child's id would be the source's.
    SourceIsChild = "source-is-child": "report this: a child's id is always new",
    /// A rig of this name comes from another directory.
    RigNameTaken = "rig-name-taken": "give this rig another name with --rig-name, or take the other one down for good",
    /// A live seat of another rig has this seat's name.
    SeatNameTaken = "seat-name-taken": "rename the rig or the member",
    /// The store cannot be written.
    StoreUnwritable = "store-unwritable": "mend the store's directory; seatfork doctor shows it",
    /// The store is damaged, or is not a store.
    StoreCorrupt = "store-corrupt": "do not delete it: copy it away, then look at it with seatfork doctor",
    /// tmux cannot be used.
    TmuxServerFailed = "tmux-server-failed": "seatfork doctor shows what is wrong with tmux",

    // A source that does not resolve fails its member alone.
    /// The runtime has no fork.
    RuntimeCannotFork = "runtime-cannot-fork": "remove session_source from the member",
    /// Not the shape this runtime's ids have.
    NativeIdMalformed = "native-id-malformed": "copy the id from seatfork sessions",
    /// No such conversation.
    SourceNotFound = "source-not-found": "seatfork sessions lists what is there",
    /// More than one record bears the id.
    SourceAmbiguous = "source-ambiguous": "move one of the records away",
    /// Nothing to inherit.
    SourceEmpty = "source-empty": "fork a conversation that holds at least one exchange",
    /// The record is damaged.
    SourceDamaged = "source-damaged": "look at the named line of the record",
    /// The record cannot be read.
    SourceUnreadable = "source-unreadable": "look at the record and its permissions",
    /// The record is archived.
    SourceArchived = "source-archived": "take it out of the archive with the runtime's own command",
    /// A look at the runtime's files failed; that is no absence.
    LookFailed = "look-failed": "look at the named path and run the command again",

    // Phase 1.
    /// A plan without a program by absolute path.
    ProgramMissing = "program-missing": "report this with the runtime's version",
    /// The headless command could not be started.
    Phase1NotStarted = "phase1-not-started": "run the named binary yourself",
    /// It was started and its process could not be written down.
    SpawnNotStored = "spawn-not-stored": "mend the store, then run up again",
    /// It could not be waited for.
    Phase1Lost = "phase1-lost": "run up again; it looks at what was made first",
    /// It did not end when killed.
    Phase1StillRunning = "phase1-still-running": "end the named process, then run up again",
    /// The runtime failed.
    Phase1Failed = "phase1-failed": "read the runtime's own words",
    /// The runtime did not end in time.
    Phase1Timeout = "phase1-timeout": "give it longer with --phase1-timeout, or see what it waits for",
    /// The runtime called its model.
    Phase1CalledTheModel = "phase1-called-the-model": "report this with the runtime's version",
    /// The runtime named another id than was asked for.
    ChildIdMismatch = "child-id-mismatch": "report this with the runtime's version",
    /// The runtime named the source as the child.
    ChildIsSource = "child-is-source": "report this with the runtime's version",
    /// The child is another seat's token.
    ChildIdTaken = "child-id-taken": "report this with the runtime's version",
    /// A process of an earlier attempt could not be ended.
    ProcessStillRunning = "process-still-running": "end the named process, then run the command again",

    // Proof.
    /// The child's history is not the source's.
    ProofFailed = "proof-failed": "look at both records; the child is left where it is",
    /// A difference nobody knows.
    ProofUnknownDifference = "proof-unknown-difference": "report this with the runtime's version",
    /// Success was said and nothing is on disk.
    ChildMissing = "child-missing": "see whether the runtime's home can be written",
    /// The child holds nothing.
    ChildEmpty = "child-empty": "see whether the disk is full",
    /// Bytes of the source changed while it was forked.
    SourceChanged = "source-changed": "find out who rewrote the source",
    /// The source is gone.
    SourceGone = "source-gone": "nothing can be proved without it; the seat itself is not touched",
    /// The child is gone.
    ChildGone = "child-gone": "the seat's conversation cannot be looked at",
    /// The evidence reaches too low a grade.
    ProofTooWeak = "proof-too-weak": "report this with the runtime's version",

    // The store between fork and seat.
    /// A child was made and its token could not be stored.
    TokenNotStored = "token-not-stored": "mend the store, then run up again: it finishes this launch without a second fork",
    /// A result could not be stored.
    ResultNotStored = "result-not-stored": "mend the store, then run the command again",
    /// Output of a runtime could not be kept.
    OutputNotKept = "output-not-kept": "mend the state directory",

    // Bringing back.
    /// Another process serves this conversation.
    ConversationInUse = "conversation-in-use": "end the named process, then run up again",
    /// The seat's conversation is gone.
    OwnConversationGone = "own-conversation-gone": "bring its record back, or start anew with down --forget and up",
    /// The policy keeps the seat down.
    CheckpointNotKept = "checkpoint-not-kept": "this version keeps no checkpoints; use another restore_policy",

    // The pane.
    /// The pane could not be opened, or its process ended.
    PaneFailed = "pane-failed": "read its last words, then run up again; the token is kept",
    /// The runtime asks whether to trust the directory.
    AttentionTrust = "attention-trust": "answer it yourself with seatfork attach",
    /// The runtime asks for a login.
    AttentionLogin = "attention-login": "answer it yourself with seatfork attach",
    /// The runtime offers an update.
    AttentionUpdate = "attention-update": "answer it yourself with seatfork attach",
    /// The runtime asks which directory to use.
    AttentionCwdChoice = "attention-cwd-choice": "answer it yourself with seatfork attach",
    /// The runtime asks whether to go on from a summary.
    AttentionSummaryChoice = "attention-summary-choice": "answer it yourself with seatfork attach; a summary is not the conversation",
    /// Another dialog waits for a person.
    AttentionRequired = "attention-required": "answer it yourself with seatfork attach",
    /// Nothing was seen ready in time.
    PaneTimeout = "pane-timeout": "look at it with seatfork attach, or with seatfork ps a little later",
    /// The pane serves another conversation than its token.
    ServesAnotherConversation = "serves-another-conversation": "seatfork reconcile --adopt SEAT takes the new one over",
    /// Nothing is known of the pane.
    PaneUnknown = "pane-unknown": "seatfork doctor shows what is wrong with tmux",

    // Ownership and time.
    /// Another process is launching this seat.
    LaunchInProgress = "launch-in-progress": "wait for it, then look with seatfork ps",
    /// The owner of the launch died and nothing was made.
    LaunchAbandoned = "launch-abandoned": "run up again",
    /// The seat was taken down while its launch was open.
    TakenDown = "taken-down": "run up again",
    /// The user interrupted the command before this seat was started.
    Interrupted = "interrupted": "run the command again",

    // Findings.
    /// The member's source, runtime or cwd is not the seat's.
    SeatDiffers = "seat-differs": "a seat keeps them; add a member for the other one, or start anew with down --forget and up",
    /// The member's model, profile or policy takes effect at the next start.
    TakesEffectLater = "takes-effect-later": "down and up start the seat with it",
    /// A seat is not in the spec any more.
    NotInSpec = "not-in-spec": "it is left as it is; down --forget retires it",
    /// A conversation bears the mark of a launch that did not end well.
    OrphanFound = "orphan-found": "seatfork reconcile --adopt ID binds it to its seat",
    /// A launch is open and its owner is gone.
    InterruptedLaunch = "interrupted-launch": "up, or reconcile --apply, finishes or abandons it",
    /// A realized seat whose pane was never opened.
    NoPane = "no-pane": "up, or reconcile --apply, opens it",
    /// A launch was interrupted and has been finished.
    FinishedInterrupted = "finished-interrupted-launch": "nothing to do",
    /// A fresh conversation was started in a seat that had one.
    RelaunchedFresh = "relaunched-fresh": "nothing to do; lineage names the old conversation",
    /// Something partial bears the mark of a launch.
    PartialChild = "partial-child": "its id is burned; look at the record and delete it yourself if you like",
    /// A pane of ours belongs to no launch we know.
    StrayPane = "stray-pane": "look at it; seatfork ends only what it can prove its own",
    /// A runtime's own state.
    SourceLive = "source-live": "nothing to do; a live source may be forked",
    /// The source was recorded in another directory than the seat's.
    RecordedElsewhere = "recorded-elsewhere": "nothing to do if that is meant",
    /// Something was seen that is worth a word.
    Remark = "remark": "nothing to do",
    /// A dialog is expected.
    DialogForetold = "dialog-foretold": "answer it beforehand, or in the pane",
    /// A cwd outside the rig's directory.
    CwdOutsideRig = "cwd-outside-rig": "nothing to do if that is meant",
    /// An agent file carries a key that is a member's.
    AgentCarriesSource = "agent-carries-source": "move session_source to the member that is to be forked",
    /// A file stays after an interrupted command.
    RescueFile = "rescue-file": "run up: it finishes the launch and the file is not needed any more",
}

impl LaunchCode {
    /// The code an adapter gave, as one of ours. `None` would be an adapter with a code of its own.
    pub fn of_adapter(word: &str) -> Option<Self> {
        Self::from_word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::LaunchCode;

    // SPEC 4: codes are stable kebab-case, each once.
    #[test]
    fn every_launch_code_is_kebab_case_and_stands_once() {
        let mut words: Vec<_> = LaunchCode::ALL.iter().map(|code| code.as_str()).collect();
        words.sort_unstable();
        let all = words.len();
        words.dedup();
        assert_eq!(words.len(), all);
        for code in LaunchCode::ALL {
            let word = code.as_str();
            assert!(
                word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{word}"
            );
            assert_eq!(LaunchCode::from_word(word), Some(*code));
            assert!(!code.next().is_empty() && !code.next().ends_with('.'), "{word}");
        }
    }
}
