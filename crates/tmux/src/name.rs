//! The names and ids tmux knows a pane by, as types that can only hold what is exact.

use std::fmt;
use std::str::FromStr;

/// The longest session name, in bytes.
const NAME_MAX: usize = 128;

/// The name of a session: `[A-Za-z0-9_-]`, at most 128 bytes, as derived from a launch id.
///
/// tmux rewrites `.` and `:` in names and gives `=`, `$`, `@`, `%` and patterns a meaning in
/// targets; a name of these characters is taken as it is, and `=name:` means it alone (SPEC 14).
///
/// ```
/// use seatfork_tmux::SessionName;
/// let name: SessionName = "launch-0193f2c4".parse()?;
/// assert_eq!(name.as_str(), "launch-0193f2c4");
/// assert!("dev.rev:2".parse::<SessionName>().is_err());
/// # Ok::<(), seatfork_tmux::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName(String);

impl SessionName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the exact target `=name:`. Without the `:` tmux falls back to prefixes.
    pub(crate) fn target(&self) -> String {
        format!("={}:", self.0)
    }
}

impl FromStr for SessionName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > NAME_MAX {
            return Err(NameError::TooLong { len: text.len(), max: NAME_MAX });
        }
        if text.starts_with('-') {
            return Err(NameError::Character { name: text.to_owned(), found: '-' });
        }
        match text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
            Some(found) => Err(NameError::Character { name: text.to_owned(), found }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is no [`SessionName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("session name is empty")]
    Empty,
    /// The text is longer than a session name may be.
    #[error("session name has {len} bytes, at most {max} are allowed")]
    TooLong {
        /// Bytes given.
        len: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// A character outside `[A-Za-z0-9_-]`, or a `-` in front.
    #[error(
        "session name {name:?} has the character {found:?}; only A-Z a-z 0-9 _ and, not first, - are exact in tmux"
    )]
    Character {
        /// The text given.
        name: String,
        /// The first character that may not be there.
        found: char,
    },
}

/// Why a text is no id of tmux's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no tmux {kind} id ({sigil} and a number)")]
pub struct IdError {
    /// The text given.
    pub text: String,
    /// `session` or `pane`.
    pub kind: &'static str,
    /// `$` or `%`.
    pub sigil: char,
}

macro_rules! tmux_id {
    ($name:ident, $sigil:literal, $kind:literal, $doc:literal) => {
        #[doc = $doc]
        ///
        /// Never given twice by one server; another server starts from 0 again.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix($sigil)
                    .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                    .and_then(|digits| digits.parse().ok())
                    .map(Self)
                    .ok_or_else(|| IdError { text: text.to_owned(), kind: $kind, sigil: $sigil })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $sigil, self.0)
            }
        }
    };
}

tmux_id!(SessionId, '$', "session", "tmux's id of a session, `$n`.");
tmux_id!(PaneId, '%', "pane", "tmux's id of a pane, `%n`.");
