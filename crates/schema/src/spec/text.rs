//! One macro for every validated text of a spec, and what can be wrong with a text.

use std::fmt;
use thiserror::Error;

/// What is wrong with a text. Lower-case fragments, fit to stand after `PATH: `.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TextProblem {
    /// Nothing in it, or nothing but white space.
    #[error("must not be blank")]
    Blank,
    /// White space at an end.
    #[error("must not begin or end with white space")]
    Padded,
    /// Over its limit.
    #[error("has {bytes} bytes, at most {max} are allowed")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// A character that may not stand there.
    #[error("may not hold {found:?} (character {place})")]
    Character {
        /// The first such character.
        found: char,
        /// Which character of the text it is, from 1.
        place: usize,
    },
    /// A line break where one line is needed.
    #[error("must be one line")]
    SeveralLines,
    /// `..` where it may not stand.
    #[error("may not hold \"..\"")]
    Climbs,
    /// A leading `/`, `\` or drive letter where a relative path is needed.
    #[error("must be relative")]
    Absolute,
    /// A relative path where an absolute one is needed.
    #[error("must be absolute")]
    Relative,
    /// `a//b`, or a `/` at the end.
    #[error("has an empty segment")]
    EmptySegment,
    /// A leading `~`.
    #[error("`~` is not expanded")]
    Tilde,
    /// `$NAME` or `${NAME}`.
    #[error("`${name}` is not expanded")]
    Variable {
        /// The name.
        name: String,
    },
    /// Its shape is another one.
    #[error("must be shaped {wanted}")]
    Shape {
        /// The shape, for people.
        wanted: &'static str,
    },
    /// The bare name of a built-in permission policy.
    #[error("\"{name}\" is the bare name of a built-in policy")]
    BareBuiltin {
        /// That name.
        name: &'static str,
    },
}

/// Why a text is not what it was to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// What it was to be: `a pod id`.
    pub what: &'static str,
    /// What is wrong with it.
    pub problem: TextProblem,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.problem)
    }
}

impl std::error::Error for TextError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}

/// Declares validated texts: `Name, "what it is", check`, where `check` is a `fn(&str) -> Result<(), TextProblem>`.
macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident = $what:literal, $check:expr;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// What such a text is, for messages.
            pub const WHAT: &'static str = $what;

            /// Takes a text exactly as it is, or says what is wrong with it.
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::spec::TextError> {
                let text = text.into();
                match $check(&text) {
                    Ok(()) => Ok(Self(text)),
                    Err(problem) => Err($crate::spec::TextError { what: $what, problem }),
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::spec::TextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    )+};
}
pub(crate) use texts;

/// Holds a text to a first and a following character class.
pub(crate) fn chars(
    text: &str,
    first: impl Fn(char) -> bool,
    next: impl Fn(char) -> bool,
) -> Result<(), TextProblem> {
    for (at, found) in text.chars().enumerate() {
        if !(if at == 0 { first(found) } else { next(found) }) {
            return Err(TextProblem::Character { found, place: at + 1 });
        }
    }
    Ok(())
}

/// Refuses nothing but white space, and nothing at all.
pub(crate) fn not_blank(text: &str) -> Result<(), TextProblem> {
    if text.trim().is_empty() { Err(TextProblem::Blank) } else { Ok(()) }
}

/// Refuses more than so many bytes.
pub(crate) fn at_most(text: &str, max: usize) -> Result<(), TextProblem> {
    let bytes = text.len();
    if bytes > max { Err(TextProblem::TooLong { bytes, max }) } else { Ok(()) }
}

/// Refuses the characters of a class, naming the first.
pub(crate) fn none_of(text: &str, bad: impl Fn(char) -> bool) -> Result<(), TextProblem> {
    match text.chars().enumerate().find(|&(_, c)| bad(c)) {
        Some((at, found)) => Err(TextProblem::Character { found, place: at + 1 }),
        None => Ok(()),
    }
}
