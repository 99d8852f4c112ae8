//! Where the gate could not read, and validation therefore must not speak.
//!
//! An alias stands for a value we do not look up, a merge key for keys we do
//! not see. The tree holds a placeholder there; without this note a person who
//! wrote one alias would be told about an alias *and* a missing value.

use std::collections::{BTreeSet, HashSet};

use seatfork_schema::{Code, Diagnostic};

/// The paths at which validation has nothing true to say.
#[derive(Debug, Default)]
pub(crate) struct Blind {
    at: HashSet<String>,
    below: HashSet<String>,
    keys: HashSet<String>,
    deep: BTreeSet<String>,
}

impl Blind {
    /// The value itself is unreadable, what is in it is not.
    pub(crate) fn at(&mut self, path: String) {
        self.at.insert(path);
    }

    /// The value and all in it are unreadable.
    pub(crate) fn at_and_below(&mut self, path: String) {
        self.below.insert(path);
    }

    /// The value is nested too deep to be read.
    ///
    /// Nothing of a spec is nested so deep: some value above it is of a wrong
    /// type or under an unknown key, which is the same mistake.
    pub(crate) fn too_deep(&mut self, path: String) {
        self.below.insert(path.clone());
        self.deep.insert(path);
    }

    /// The mapping has keys that were not read, so none of them is known to be missing.
    pub(crate) fn keys_of(&mut self, path: String) {
        self.keys.insert(path);
    }

    /// Whether the whole document is unreadable.
    pub(crate) fn is_all(&self) -> bool {
        self.below.contains("")
    }

    /// Whether a finding of validation is about something the gate could not read.
    pub(crate) fn hides(&self, diagnostic: &Diagnostic) -> bool {
        let path = diagnostic.path.as_str();
        if self.at.contains(path) {
            return true;
        }
        if diagnostic.code == Code::MissingKey && !self.keys.is_empty() {
            let parent = path.rfind(['.', '[']).map_or("", |cut| &path[..cut]);
            if self.keys.contains(path) || self.keys.contains(parent) {
                return true;
            }
        }
        if matches!(diagnostic.code, Code::WrongType | Code::UnknownKey) && self.is_above_deep(path)
        {
            return true;
        }
        !self.below.is_empty() && prefixes(path).any(|prefix| self.below.contains(prefix))
    }
}

impl Blind {
    /// Whether a value that is nested too deep stands somewhere in the value of a path.
    fn is_above_deep(&self, path: &str) -> bool {
        ['.', '['].iter().any(|step| {
            let inside = format!("{path}{step}");
            let first = self.deep.range(inside.clone()..).next();
            first.is_some_and(|deep| deep.starts_with(&inside))
        })
    }
}

/// A path and everything above it: `a.b[0]`, `a.b`, `a`, and the document.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path)
        .chain(path.rmatch_indices(['.', '[']).map(|(cut, _)| &path[..cut]))
        .chain(std::iter::once(""))
}
