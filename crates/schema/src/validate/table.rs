//! The tables of keys: what a mapping may hold (SPEC 2).
//!
//! One table per mapping is the only place that lists its keys. Validation
//! takes required and empty keys from it, "did you mean" its candidates, and
//! the JSON Schema its properties.

use crate::diagnostic::Diagnostic;
use crate::diags::At;
use serde_json::Value;

/// What a key needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It must be there, and not empty.
    Required,
    /// It may be absent; nothing under it is refused.
    Optional,
    /// It may be absent; nothing under it counts as absent, with a warning.
    Blankable,
    /// Its own code tells what is wrong, absent and empty too. Required in the JSON Schema.
    Own,
    /// Like `Own`, but it may be absent.
    OwnOptional,
}

/// One key.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it needs.
    pub(crate) need: Need,
    /// Its value's JSON Schema.
    pub(crate) shape: fn() -> Value,
}

/// A key that must be there.
pub(crate) const fn required(name: &'static str, shape: fn() -> Value) -> Key {
    Key { name, need: Need::Required, shape }
}

/// A key that may be absent.
pub(crate) const fn optional(name: &'static str, shape: fn() -> Value) -> Key {
    Key { name, need: Need::Optional, shape }
}

/// A key that may be absent or empty: text, words, bools, `startup`, `workspace`.
pub(crate) const fn blankable(name: &'static str, shape: fn() -> Value) -> Key {
    Key { name, need: Need::Blankable, shape }
}

/// A required key whose own codes tell everything.
pub(crate) const fn own(name: &'static str, shape: fn() -> Value) -> Key {
    Key { name, need: Need::Own, shape }
}

/// An optional key whose own codes tell everything.
pub(crate) const fn own_optional(name: &'static str, shape: fn() -> Value) -> Key {
    Key { name, need: Need::OwnOptional, shape }
}

/// A key that is refused by a code of its own.
pub(crate) type Refused = (&'static str, fn(At) -> Diagnostic);

/// The keys of one mapping, in canonical order.
pub(crate) struct Table<const N: usize> {
    /// What the mapping is: `a member`.
    pub(crate) what: &'static str,
    /// Its keys.
    pub(crate) keys: [Key; N],
    /// Table refused by a code of their own.
    pub(crate) refused: &'static [Refused],
}

impl<const N: usize> Table<N> {
    /// The place of a key.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| key.name == name)
    }

    /// The names, in canonical order.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The names of those that must be there.
    pub(crate) fn required(&self) -> Vec<&'static str> {
        let must = |key: &&Key| matches!(key.need, Need::Required | Need::Own);
        self.keys.iter().filter(must).map(|key| key.name).collect()
    }
}

/// The longest key or word that is compared with the known ones; a longer one was not a slip of the hand.
const MAX_MEANT_BYTES: usize = 64;

/// The word that was probably meant: the same but for case, `_`, `-`, space, or a slip or two away.
pub(crate) fn meant(word: &str, known: &[&'static str]) -> Option<&'static str> {
    if word.is_empty() || word.len() > MAX_MEANT_BYTES {
        return None;
    }
    let folded = fold(word);
    let mut best = None;
    for &candidate in known {
        let other = fold(candidate);
        if other == folded {
            return Some(candidate);
        }
        if folded.len().abs_diff(other.len()) > 2 {
            continue;
        }
        let slips = strsim::osa_distance(&folded, &other);
        let allowed = if other.len() < 4 { 1 } else { 2 };
        // More slips than half the word are another word.
        if slips <= allowed
            && slips * 2 < other.len()
            && best.is_none_or(|(least, _)| slips < least)
        {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::meant;

    // SPEC 2: "did you mean" finds slips and other spellings, and stays silent about other words.
    #[test]
    fn slips_and_other_spellings_are_recognised() {
        let known = ["session_source", "id", "cwd", "role", "agent_ref", "starter_ref"];
        for (word, want) in [
            ("sessionSource", Some("session_source")),
            ("Session-Source", Some("session_source")),
            ("sesion_source", Some("session_source")),
            ("session_sorce", Some("session_source")),
            ("rolle", Some("role")),
            ("agentref", Some("agent_ref")),
            ("dwc", None),
            ("color", None),
            ("", None),
            ("ID", Some("id")),
        ] {
            assert_eq!(meant(word, &known), want, "{word:?}");
        }
        assert_eq!(meant(&"x".repeat(1 << 20), &known), None);
    }
}
