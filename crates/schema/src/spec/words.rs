//! The closed vocabularies of the spec's own keys (SPEC 2).

use crate::words::words;

words! {
    /// How a stopped seat is brought back (SPEC 2, 7).
    RestorePolicy {
        /// Resume the seat's own token. The default.
        ResumeIfPossible = "resume_if_possible",
        /// Start a new conversation.
        RelaunchFresh = "relaunch_fresh",
        /// Not brought back in v1.
        CheckpointOnly = "checkpoint_only",
    }
}

words! {
    /// What happens when a conversation fills its window (SPEC 2).
    CompactionStrategy {
        /// The runtime's own compaction.
        DefaultCompaction = "default-compaction",
        /// A managed one.
        ManagedCompaction = "managed-compaction",
        /// A handover to a new seat.
        Handover = "handover",
        /// A handover with an overlap.
        ApprenticeHandover = "apprentice-handover",
    }
}

words! {
    /// The built-in permission policies (SPEC 2, 6).
    BuiltinPolicy {
        /// Plan, or read only.
        Locked = "locked",
        /// The runtime's own default, passed explicitly.
        Standard = "standard",
        /// Edits accepted.
        Open = "open",
        /// Everything bypassed.
        Yolo = "yolo",
    }
}

words! {
    /// The file a managed block lives in (SPEC 2).
    ManagedBlock {
        /// The shared file.
        Shared = "CLAUDE.md",
        /// The local file.
        Local = "CLAUDE.local.md",
    }
}

words! {
    /// What an edge says of its two members (SPEC 2).
    EdgeKind {
        /// `from` starts before `to`.
        DelegatesTo = "delegates_to",
        /// `to` starts before `from`.
        SpawnedBy = "spawned_by",
        /// `from` may look at `to`.
        CanObserve = "can_observe",
        /// They work together.
        CollaboratesWith = "collaborates_with",
        /// `from` turns to `to`.
        EscalatesTo = "escalates_to",
    }
}

impl EdgeKind {
    /// Whether this kind orders launches, and if so whether `from` comes first.
    pub const fn from_comes_first(self) -> Option<bool> {
        match self {
            Self::DelegatesTo => Some(true),
            Self::SpawnedBy => Some(false),
            Self::CanObserve | Self::CollaboratesWith | Self::EscalatesTo => None,
        }
    }
}

words! {
    /// What a startup file is (SPEC 2).
    FileKind {
        /// A file, the default.
        File = "file",
        /// A context pack, by its name.
        ContextPack = "context_pack",
    }
}

words! {
    /// How a startup file reaches the seat (SPEC 2).
    DeliveryHint {
        /// The runtime's best way.
        Auto = "auto",
        /// Merged into guidance.
        GuidanceMerge = "guidance_merge",
        /// Installed as a skill.
        SkillInstall = "skill_install",
        /// Typed into the seat, once.
        SendText = "send_text",
    }
}

words! {
    /// A way a seat starts, which startup entries may be for (SPEC 2).
    StartKind {
        /// A fresh start.
        FreshStart = "fresh_start",
        /// A restore.
        Restore = "restore",
    }
}

words! {
    /// What a startup action does (SPEC 2).
    ActionType {
        /// Types a slash command.
        SlashCommand = "slash_command",
        /// Types text.
        SendText = "send_text",
    }
}

words! {
    /// When a startup action is due (SPEC 2).
    ActionPhase {
        /// Once the files are delivered.
        AfterFiles = "after_files",
        /// Once the seat is ready.
        AfterReady = "after_ready",
    }
}

words! {
    /// When a pod's logs are brought up to date (SPEC 2).
    SyncTrigger {
        /// Before a compaction.
        PreCompaction = "pre_compaction",
        /// Before a shutdown.
        PreShutdown = "pre_shutdown",
        /// On request.
        Manual = "manual",
        /// At a milestone.
        Milestone = "milestone",
    }
}

words! {
    /// What a repository of a workspace is for (SPEC 2).
    RepoKind {
        /// The user's own.
        User = "user",
        /// The project.
        Project = "project",
        /// Knowledge.
        Knowledge = "knowledge",
        /// A place to try things.
        Lab = "lab",
        /// What is delivered.
        Delivery = "delivery",
    }
}

words! {
    /// Who runs a rig's services (SPEC 2).
    ServicesKind {
        /// A compose file.
        Compose = "compose",
    }
}

words! {
    /// What becomes of services when the rig goes down (SPEC 2).
    DownPolicy {
        /// They stay.
        LeaveRunning = "leave_running",
        /// They stop.
        Down = "down",
        /// They stop and their volumes go.
        DownAndVolumes = "down_and_volumes",
    }
}

words! {
    /// What to wait for in a service (SPEC 2).
    WaitCondition {
        /// Its health check passes.
        Healthy = "healthy",
    }
}

words! {
    /// The three modes of a session source (SPEC 3).
    SourceMode {
        /// A new conversation, started by the runtime from a prior one.
        Fork = "fork",
        /// A fresh conversation plus artifacts.
        Rebuild = "rebuild",
        /// A fork of a named image.
        AgentImage = "agent_image",
    }
}
