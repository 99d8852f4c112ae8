//! The closed vocabularies of SPEC 1, 6, 7 and 9.
//!
//! Each enum has one spelling per value, used alike in specs, JSON, text and
//! the store.

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every value, in the order of the SPEC.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the one spelling; nothing else is understood.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl $crate::words::Word for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn read(word: &str) -> Option<Self> {
                Self::from_word(word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::from_word(&word).ok_or_else(|| {
                    serde::de::Error::unknown_variant(&word, &[$($word),+])
                })
            }
        }
    };
}
pub(crate) use words;

/// A closed vocabulary, for code that works on any of them.
pub trait Word: Sized + Copy + 'static {
    /// Every spelling, in the order of the SPEC.
    const WORDS: &'static [&'static str];

    /// Reads the one spelling; nothing else is understood.
    fn read(word: &str) -> Option<Self>;
}

words! {
    /// A program that holds conversations (SPEC 1).
    Runtime {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex CLI.
        Codex = "codex",
        /// A plain shell, which holds no conversation.
        Terminal = "terminal",
        /// Session logs, embedded.
        Pixir = "pixir",
        /// Known to the schema, refused at plan time by builds without its adapter.
        Pi = "pi",
    }
}

words! {
    /// How a launch ended, from evidence (SPEC 9). `None` until it ends.
    ContinuityOutcome {
        /// A new conversation proved to come from the source.
        Forked = "forked",
        /// A new conversation for which no source was used.
        Fresh = "fresh",
        /// An existing occupant's own token.
        Resumed = "resumed",
        /// A fresh conversation plus delivered artifacts.
        Rebuilt = "rebuilt",
        /// Nothing that may be called any of the others.
        Failed = "failed",
    }
}

words! {
    /// What became of binding a candidate to a seat in a handover (SPEC 9).
    BindingOutcome {
        /// The seat has the candidate.
        HandedOver = "handed_over",
        /// Part of it was done.
        Partial = "partial",
        /// None of it was done, and it was tried.
        Failed = "failed",
        /// The seat is as it was.
        Unchanged = "unchanged",
    }
}

words! {
    /// The states of a launch (SPEC 7).
    LaunchState {
        /// Seat, nonce, source and pre-assigned child id are written down.
        Declared = "declared",
        /// The adapter's evidence about the source is written down.
        Resolved = "resolved",
        /// The runtime may be running.
        Forking = "forking",
        /// Conversation, occupant, proof and lineage are stored.
        Realized = "realized",
        /// It ended without a seat, for a named reason.
        Failed = "failed",
        /// Its owner died and nothing was made.
        Abandoned = "abandoned",
    }
}

impl LaunchState {
    /// Whether the launch is still open: declared, resolved or forking.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Declared | Self::Resolved | Self::Forking)
    }
}

words! {
    /// What a launch is to do (SPEC 7).
    Intent {
        /// Start a new conversation from a prior one.
        Fork = "fork",
        /// Start a new conversation from nothing.
        Fresh = "fresh",
        /// Bring the occupant's own conversation back.
        Resume = "resume",
        /// Start a new conversation and deliver artifacts to it.
        Rebuild = "rebuild",
        /// Take over what a pane was observed to serve.
        Adopt = "adopt",
    }
}

words! {
    /// What was last observed of a seat's process (SPEC 7). It never changes the outcome.
    ProcessState {
        /// No process: none was started, or none is needed.
        None = "none",
        /// Started, not yet seen ready.
        Starting = "starting",
        /// Seen serving the stored token.
        Ready = "ready",
        /// It waits for a person.
        AttentionRequired = "attention_required",
        /// It ended.
        Exited = "exited",
        /// It cannot be found, and its end was not seen.
        Lost = "lost",
    }
}

words! {
    /// How a conversation came to be (SPEC 11).
    CreatedVia {
        /// Forked by its runtime.
        Fork = "fork",
        /// Seeded from a session log.
        WarmStart = "warm_start",
        /// Fresh, with artifacts delivered.
        Rebuild = "rebuild",
        /// Forked through an agent image.
        AgentImage = "agent_image",
        /// Fresh.
        Fresh = "fresh",
        /// Observed in a seat's own pane in place of its token.
        Rotated = "rotated",
        /// An orphan of ours, bound by its mark.
        Adopted = "adopted",
    }
}

words! {
    /// Whether a forked seat was told what it is (SPEC 6).
    NoticeState {
        /// The notice stands in the conversation.
        Injected = "injected",
        /// It goes out with the first text seatfork delivers.
        WithFirstText = "with_first_text",
        /// It was not given.
        None = "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 9: one spelling per outcome word, read back as itself.
    #[test]
    fn every_word_reads_back_as_itself() {
        for outcome in ContinuityOutcome::ALL {
            assert_eq!(ContinuityOutcome::from_word(outcome.as_str()), Some(*outcome));
            let json = serde_json::to_string(outcome).unwrap();
            assert_eq!(serde_json::from_str::<ContinuityOutcome>(&json).unwrap(), *outcome);
        }
        assert_eq!(ContinuityOutcome::from_word("Forked"), None);
        assert!(LaunchState::Forking.is_open() && !LaunchState::Abandoned.is_open());
    }
}
