//! Ids of our own rows: newtypes, so that none can stand where another is meant.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use uuid::{NoContext, Uuid};

/// Why a text is no id of ours.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} is {wanted}, not {given:?}")]
pub struct IdError {
    /// Which id was meant.
    pub what: &'static str,
    /// What it looks like.
    pub wanted: &'static str,
    /// What was given.
    pub given: String,
}

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident = $what:literal),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id, sorted by the time it was made.
            pub fn new(at: jiff::Timestamp) -> Self {
                let seconds = u64::try_from(at.as_second()).unwrap_or(0);
                let nanos = u32::try_from(at.subsec_nanosecond()).unwrap_or(0);
                Self(Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, nanos)))
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                match Uuid::try_parse(text) {
                    Ok(uuid) if uuid.hyphenated().to_string() == text => Ok(Self(uuid)),
                    _ => Err(IdError {
                        what: $what,
                        wanted: "a lower-case hyphenated uuid",
                        given: text.to_owned(),
                    }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

ids! {
    /// One rig: a name and the real path of its spec's directory (SPEC 7).
    RigId = "a rig id",
    /// One seat (SPEC 1). A retired seat keeps its id; its name is free.
    SeatId = "a seat id",
    /// One attempt to fill a seat (SPEC 1, 7).
    ///
    /// ```
    /// use seatfork_store::LaunchId;
    /// let id = LaunchId::new("2026-01-02T03:04:05Z".parse().unwrap());
    /// assert_eq!(id.to_string().parse::<LaunchId>().unwrap(), id);
    /// ```
    LaunchId = "a launch id",
}

/// The mark of a launch in its process and in its child's record: 32 or more hex digits (SPEC 7).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nonce(String);

impl Nonce {
    /// A new random one.
    pub fn random() -> Self {
        Self(Uuid::new_v4().simple().to_string())
    }

    /// Takes a text that is one already: at least 32 lower-case hex digits.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        let text = text.into();
        let hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if hex && (32..=128).contains(&text.len()) {
            Ok(Self(text))
        } else {
            Err(IdError {
                what: "a nonce",
                wanted: "32 or more lower-case hex digits",
                given: text,
            })
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7: ids and nonces are read back as themselves and nothing else is one.
    #[test]
    fn an_id_has_one_spelling() {
        let id = SeatId::new("2026-01-02T03:04:05Z".parse().unwrap());
        assert_eq!(id.to_string().parse::<SeatId>(), Ok(id));
        assert!(id.to_string().to_uppercase().parse::<SeatId>().is_err());
        assert!("".parse::<SeatId>().is_err());
        let nonce = Nonce::random();
        assert_eq!(Nonce::new(nonce.as_str()), Ok(nonce));
        assert!(Nonce::new("ab").is_err() && Nonce::new("G".repeat(32)).is_err());
    }
}
