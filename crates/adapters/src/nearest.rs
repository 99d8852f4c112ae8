//! The known ids nearest to one that was not found (SPEC 10 row 1).

use jiff::{SignedDuration, Timestamp};
use seatfork_schema::{NativeId, printable};

/// How many are named.
const MOST: usize = 3;
/// Edits up to which an id counts as a misspelling of another.
const EDITS: usize = 6;
/// Characters two ids begin with in common to count as alike.
const COMMON: usize = 6;

/// A conversation that is known.
#[derive(Debug)]
pub(crate) struct Known<T> {
    /// Its id.
    pub(crate) id: NativeId,
    /// When its record changed.
    pub(crate) changed: Option<Timestamp>,
    /// Where its title comes from, for those that are named.
    pub(crate) of: T,
}

/// The nearest known ids, one line each: those spelled alike first, then the newest.
pub(crate) fn to<T>(
    id: &NativeId,
    mut all: Vec<Known<T>>,
    preview: impl Fn(&T) -> Option<String>,
) -> Vec<String> {
    let rank = |one: &Known<T>| {
        let (a, b) = (id.as_str(), one.id.as_str());
        let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        let edits = strsim::levenshtein(a, b);
        let unlike = edits > EDITS && common < COMMON;
        (unlike, if unlike { 0 } else { edits }, std::cmp::Reverse(one.changed))
    };
    all.sort_by_cached_key(rank);
    all.truncate(MOST);
    // The one moment this crate asks for the time of day: ages are for people.
    let now = Timestamp::now();
    all.into_iter().map(|one| line(&one, preview(&one.of), now)).collect()
}

fn line<T>(one: &Known<T>, preview: Option<String>, now: Timestamp) -> String {
    let id = &one.id;
    let age = one.changed.map(|at| age(now.duration_since(at)));
    match (age, preview) {
        (Some(age), Some(title)) => format!("{id} ({age}, \"{}\")", printable(&title)),
        (Some(age), None) => format!("{id} ({age})"),
        (None, Some(title)) => format!("{id} (\"{}\")", printable(&title)),
        (None, None) => id.to_string(),
    }
}

fn age(span: SignedDuration) -> String {
    match span.as_secs() {
        ..60 => "just now".to_owned(),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::age;
    use jiff::SignedDuration;

    // SPEC 10: row 1, ages of the nearest known conversations are told in one unit.
    #[test]
    fn ages_are_told_in_one_unit() {
        let told = |seconds| age(SignedDuration::from_secs(seconds));
        assert_eq!(
            [-5, 59, 60, 3599, 7200, 86_400, 172_800].map(told),
            ["just now", "just now", "1 min ago", "59 min ago", "2 h ago", "24 h ago", "2 d ago"]
        );
    }
}
