//! The stable codes of what every command but `validate` can say (SPEC 4, 6, 7, 8, 10, 13).
//!
//! A code, once given out, keeps its meaning. What `validate` can say is
//! [`crate::Code`].

use crate::code::codes;
use crate::words::words;

/// Declares launch codes: as [`codes`], each with what to do about it in one line.
macro_rules! launch_codes {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal: $next:literal),+ $(,)? }) => {
        codes! { $(#[$meta])* $name { $($(#[$vmeta])* $variant = $word),+ } }

        impl $name {
            /// What to do about it, in one line.
            pub const fn next(self) -> &'static str {
                match self { $(Self::$variant => $next),+ }
            }
        }
    };
}

launch_codes! {
    /// A stable kebab-case code of a failure or a finding outside the spec itself.
    /// Each has one page, one `explain` entry, and a test that provokes it.
    LaunchCode {
        // The command line and its arguments (SPEC 13).
        /// The command line was not understood.
        Usage = "usage": "seatfork VERB --help shows how it is written",
        /// No such file.
        FileNotFound = "file-not-found": "give the path of a spec file, or - to read stdin",
        /// A file the command was given cannot be read.
        FileUnreadable = "file-unreadable": "check the path and its permissions",
        /// The spec has refusals; nothing was planned from it.
        SpecRefused = "spec-refused": "seatfork validate shows every refusal",
        /// No such rig in the store.
        RigUnknown = "rig-unknown": "seatfork ps lists the rigs and their seats",
        /// No such seat.
        SeatUnknown = "seat-unknown": "seatfork ps lists the rigs and their seats",
        /// An id, prefix or name with several answers.
        IdAmbiguous = "id-ambiguous": "give the whole name of one",
        /// No such code.
        CodeUnknown = "code-unknown": "seatfork explain lists the codes",
        /// No such verb.
        VerbUnknown = "verb-unknown": "seatfork --help lists the verbs",
        /// A pane can be shown in a terminal only.
        NotATerminal = "not-a-terminal": "run it in a terminal",
        // Where the command runs (SPEC 11, 13).
        /// Nothing says where the store is.
        HomeMissing = "home-missing": "set HOME, or name the store with --store",
        /// The working directory cannot be told.
        WorkingDirectoryMissing = "working-directory-missing": "go to a directory that is there",
        /// A path that is no UTF-8.
        PathNotUtf8 = "path-not-utf8": "move the spec to a path that is UTF-8",
        /// The operating system refused what every command needs.
        SystemRefused = "system-refused": "see what limits this user's files and processes",
        /// The result could not be written.
        OutputNotWritten = "output-not-written": "see where standard output goes",
        // What a plan refuses or finds, before anything is started (SPEC 6, 7, 14).
        /// Something this build cannot do yet.
        NotInThisBuild = "not-in-this-build": "take it out of the spec, or use a build that has it",
        /// A policy that cannot be put into flags.
        PermissionPolicyUnsupported = "permission-policy-unsupported": "use none or one of the builtin: policies",
        /// `builtin:yolo` without `--allow-yolo`.
        YoloNotAllowed = "yolo-not-allowed": "use another policy, or say --allow-yolo",
        /// A `cwd` that is no directory, or cannot be entered.
        CwdMissing = "cwd-missing": "make the directory, give yourself access to it, or mend the member's cwd",
        /// No runtime binary.
        BinaryMissing = "binary-missing": "install the runtime, or put its directory on PATH",
        /// A runtime binary that lacks what the spec asks.
        BinaryTooOld = "binary-too-old": "update the runtime",
        /// A binary that could not be started, did not answer in time, or not as a runtime we know.
        BinaryUnusable = "binary-unusable": "run the binary with --version yourself",
        /// Another runtime binary than the one planned with.
        BinaryChanged = "binary-changed": "run the command again; it will look at the new binary",
        /// A rig of that name from another directory.
        RigNameTaken = "rig-name-taken": "give this rig another name with --rig-name, or take the other one down for good",
        /// Another live seat has that name.
        SeatNameTaken = "seat-name-taken": "rename the rig or the member, or retire the other seat with down --forget",
        /// A cwd outside the rig's directory.
        CwdOutsideRig = "cwd-outside-rig": "nothing to do if that is meant",
        /// An agent file carries a key that is a member's.
        AgentCarriesSource = "agent-carries-source": "move session_source to the member that is to be forked",
        /// A dialog is expected.
        DialogForetold = "dialog-foretold": "answer it beforehand, or in the pane",
        // Resolving a source, before anything is started (SPEC 6, 10).
        /// A source the adapter refuses, though the schema should have.
        SourceUnsupported = "source-unsupported": "remove session_source from the member",
        /// An id of a shape the runtime does not have.
        NativeIdMalformed = "native-id-malformed": "copy the id from seatfork sessions",
        /// No such conversation.
        SourceNotFound = "source-not-found": "seatfork sessions lists what is there",
        /// Several conversations of that id.
        SourceAmbiguous = "source-ambiguous": "move one of the records away",
        /// A conversation its runtime has put away.
        SourceArchived = "source-archived": "bring it back with the runtime's own command, or fork another conversation",
        /// A conversation whose own history goes on from a record that is gone.
        SourceAncestorGone = "source-ancestor-gone": "put the missing record back, or fork another conversation",
        /// A conversation with nothing to inherit.
        SourceEmpty = "source-empty": "fork a conversation that holds at least one exchange",
        /// A conversation whose record is broken.
        SourceDamaged = "source-damaged": "look at the named line of the record",
        /// A conversation whose record cannot be opened.
        SourceUnreadable = "source-unreadable": "look at the record and its permissions",
        /// A conversation that `sessions` lists as not forkable.
        SourceNotForkable = "source-not-forkable": "seatfork sessions lists those that can be forked",
        /// A process works on the source.
        SourceLive = "source-live": "nothing to do; a live source may be forked",
        /// The source was recorded in another directory than the seat's.
        SourceElsewhere = "source-elsewhere": "nothing to do if that is meant",
        // Making the child: phase 1 (SPEC 6, 10).
        /// A plan that contradicts itself was refused.
        PlanInconsistent = "plan-inconsistent": "report this with the seatfork and runtime versions",
        /// The headless command could not be started.
        Phase1NotStarted = "phase1-not-started": "run the named binary yourself",
        /// The runtime ended with an error.
        Phase1Failed = "phase1-failed": "read the runtime's own words",
        /// The runtime did not end in time.
        Phase1Timeout = "phase1-timeout": "give it longer with --phase1-timeout, or see what it waits for",
        /// The runtime called its model.
        Phase1CalledTheModel = "phase1-called-the-model": "report this with the runtime's version",
        /// The child has another id than was assigned.
        ChildIdMismatch = "child-id-mismatch": "report this with the runtime's version",
        /// The child has the source's own id.
        ChildIsSource = "child-is-source": "report this with the runtime's version",
        /// The child's id is another seat's token.
        ChildIdTaken = "child-id-taken": "report this with the runtime's version",
        // Proving the child (SPEC 8).
        /// The child is not the source's effective history.
        ProofFailed = "proof-failed": "look at both records; the child is left where it is",
        /// The child differs in a way the proof does not know.
        ProofUnknownDifference = "proof-unknown-difference": "report this with the runtime's version",
        /// The evidence reaches too low a grade.
        ProofTooWeak = "proof-too-weak": "report this with the runtime's version",
        /// No record of the child is on disk.
        ChildMissing = "child-missing": "see whether the runtime's home can be written",
        /// The child has no records.
        ChildEmpty = "child-empty": "see whether the disk is full",
        /// Bytes of the source changed while it was forked.
        SourceChanged = "source-changed": "find out who rewrote the source",
        /// The source is gone, so nothing can be compared with it.
        SourceGone = "source-gone": "nothing can be proved without it; the seat itself is not touched",
        // The store between fork and seat (SPEC 7).
        /// The child exists and its token could not be stored.
        TokenNotStored = "token-not-stored": "mend the store, then run up again: it finishes this launch without a second fork",
        /// A seat's token is not stored yet, and can be now.
        TokenLate = "token-late": "up, or reconcile --apply, stores it",
        /// A pane serves a conversation that is not taken as its seat's own.
        TokenNotTaken = "token-not-taken": "go back to the seat's own conversation in its pane, or down and up start it anew",
        /// What was done or seen could not be stored.
        ResultNotStored = "result-not-stored": "mend the store, then run the command again",
        /// A runtime's own words could not be kept.
        OutputNotKept = "output-not-kept": "mend the state directory",
        /// A file that keeps a token the store refused.
        RescueFile = "rescue-file": "run up: it finishes the launch and the file is not needed any more",
        // Bringing a seat back (SPEC 7).
        /// Another process serves the conversation.
        ConversationInUse = "conversation-in-use": "end the named process, then run up again",
        /// The conversation of a seat's token is gone.
        OwnConversationGone = "own-conversation-gone": "bring its record back, or start anew with down --forget and up",
        /// A seat that is not brought back by its policy.
        CheckpointNotKept = "checkpoint-not-kept": "this version keeps no checkpoints; use another restore_policy",
        /// A fresh conversation was started in a seat that had one.
        RelaunchedFresh = "relaunched-fresh": "nothing to do; lineage names the old conversation",
        // The pane (SPEC 6, 7).
        /// The pane could not be made, or its process ended.
        PaneFailed = "pane-failed": "read its last words, then run up again",
        /// The seat was not seen ready in time.
        PaneTimeout = "pane-timeout": "look at it with seatfork attach, or with seatfork ps a little later",
        /// Nothing can be said of the pane.
        PaneUnknown = "pane-unknown": "seatfork doctor shows what is wrong with tmux",
        /// A seat without a pane.
        NoPane = "no-pane": "up, or reconcile --apply, opens it",
        /// A pane on our server that belongs to no seat.
        StrayPane = "stray-pane": "look at it; seatfork ends only what it can prove its own",
        /// A pane serves another conversation than its token.
        ServesAnotherConversation = "serves-another-conversation": "seatfork reconcile --adopt SEAT takes the new one over",
        /// The runtime asks whether to trust the directory.
        AttentionTrust = "attention-trust": "answer it yourself with seatfork attach",
        /// The runtime asks what it asks at its first start.
        AttentionOnboarding = "attention-onboarding": "answer it yourself with seatfork attach",
        /// The runtime asks whether to use the key from the environment.
        AttentionApiKey = "attention-api-key": "answer it yourself with seatfork attach",
        /// The runtime asks whether to use a project's MCP server.
        AttentionMcpServer = "attention-mcp-server": "answer it yourself with seatfork attach",
        /// The runtime warns of running with permissions bypassed.
        AttentionBypassWarning = "attention-bypass-warning": "answer it yourself with seatfork attach",
        /// The runtime asks which conversation is meant.
        AttentionSessionPicker = "attention-session-picker": "answer it yourself with seatfork attach",
        /// The runtime asks whether to resume from a summary.
        AttentionSummaryChoice = "attention-summary-choice": "answer it yourself with seatfork attach; a summary is not the conversation",
        /// The runtime asks whether to update itself first.
        AttentionUpdate = "attention-update": "answer it yourself with seatfork attach",
        /// The runtime asks for a login.
        AttentionLogin = "attention-login": "sign in yourself with seatfork attach",
        /// The runtime asks for its hooks to be reviewed.
        AttentionHooks = "attention-hooks": "answer it yourself with seatfork attach",
        /// The runtime asks which directory to work in.
        AttentionDirectory = "attention-directory": "answer it yourself with seatfork attach",
        /// The runtime says that the conversation is open elsewhere.
        AttentionOpenElsewhere = "attention-open-elsewhere": "close it in the other program, then go on with seatfork attach",
        // Launches and their owners (SPEC 7).
        /// Another process is launching the seat.
        LaunchInProgress = "launch-in-progress": "wait for it, then look with seatfork ps",
        /// The owner of a launch died and nothing was made.
        LaunchAbandoned = "launch-abandoned": "run up again",
        /// The seat was taken down while its launch was open.
        TakenDown = "taken-down": "run up again",
        /// The command was told to stop.
        Interrupted = "interrupted": "run the command again",
        /// A launch is open and its owner is gone.
        InterruptedLaunch = "interrupted-launch": "up, or reconcile --apply, finishes or abandons it",
        /// A launch was interrupted and has been finished.
        FinishedInterrupted = "finished-interrupted-launch": "nothing to do",
        /// A process that was started for a seat still runs.
        ProcessStillRunning = "process-still-running": "end the named process, then run the command again",
        /// Something partial bears the mark of a launch.
        PartialChild = "partial-child": "its id is burned; look at the record and delete it yourself if you like",
        /// A child of a failed launch appeared later.
        OrphanFound = "orphan-found": "seatfork reconcile --adopt ID binds it to its seat",
        /// A fork of a seat's source that somebody else made.
        ForkNotOurs = "fork-not-ours": "nothing to do; it is left where it is",
        /// A conversation that must not become this seat's.
        AdoptRefused = "adopt-refused": "seatfork reconcile shows what there is to adopt",
        // What deserves a word (SPEC 7).
        /// The member's source, runtime or cwd is not the seat's.
        SeatDiffers = "seat-differs": "a seat keeps them; add a member for the other one, or start anew with down --forget and up",
        /// The member's model or policy takes effect at the next start.
        TakesEffectLater = "takes-effect-later": "down and up start the seat with it",
        /// A seat is not in the spec any more.
        NotInSpec = "not-in-spec": "it is left as it is; down --forget retires it",
        /// A look failed; that is no absence.
        LookFailed = "look-failed": "look at the named path and run the command again",
        /// Something was seen that is worth a word.
        Remark = "remark": "nothing to do",
        // The store (SPEC 11).
        /// No store stands where seats of one live.
        StoreMissing = "store-missing": "bring the store back, or name it with --store",
        /// The store cannot be written.
        StoreUnwritable = "store-unwritable": "mend the store's directory; seatfork doctor shows it",
        /// The store was written by a newer seatfork.
        StoreNewer = "store-newer": "use the newer seatfork",
        /// The store is damaged.
        StoreCorrupt = "store-corrupt": "do not delete it: copy it away, then look at the copy",
        /// The file is no store of seatfork.
        StoreForeign = "store-foreign": "name a store of seatfork with --store",
        /// Others can write where the store lies.
        StoreUnsafeDirectory = "store-unsafe-directory": "name a store in a directory of yours alone with --store, or make the store's own directory yours alone",
        /// The store lies on a network file system.
        StoreNetworkFilesystem = "store-network-filesystem": "name a place on a local disk with --store",
        /// The store is locked by another process.
        StoreBusy = "store-busy": "wait for the other command, then run this one again",
        // tmux (SPEC 14).
        /// No tmux.
        TmuxMissing = "tmux-missing": "install tmux, or put it on PATH",
        /// The socket's directory is not ours alone.
        TmuxSocketUnsafe = "tmux-socket-unsafe": "name a directory of yours alone with --runtime-dir; it is made where it is not there",
        /// The socket's path is over the limit.
        TmuxSocketTooLong = "tmux-socket-too-long": "give a shorter --runtime-dir",
        /// The tmux server does not answer.
        TmuxServerFailed = "tmux-server-failed": "seatfork doctor shows what is wrong with tmux",
    }
}

/// A code is its spelling.
impl PartialEq<&str> for LaunchCode {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
