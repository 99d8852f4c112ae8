//! Ids shortened for tables, only ever to a prefix that is still unique.

use std::collections::BTreeSet;

use seatfork_schema::printable;

/// The shortest an id is ever shown.
const SHORTEST: usize = 8;

/// How many characters of an id tell all the ids of one report apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Short(usize);

impl Short {
    /// For these ids; one that comes twice is one.
    pub(crate) fn among<'i>(ids: impl IntoIterator<Item = &'i str>) -> Self {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        let ordered: Vec<_> = ids.into_iter().collect();
        // In order, the two that share the longest prefix are neighbours.
        let longest = ordered.windows(2).map(|pair| shared(pair[0], pair[1])).max().unwrap_or(0);
        Self(SHORTEST.max(longest + 1))
    }

    /// An id as far as it is needed.
    pub(crate) fn of(self, id: &str) -> String {
        let short: String = id.chars().take(self.0).collect();
        // A dash at the end says nothing.
        printable(short.trim_end_matches('-'))
    }
}

fn shared(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 13: ids may be a unique prefix, so a shortened id must be one.
    #[test]
    fn an_id_is_cut_only_as_far_as_it_is_still_unique() {
        let far = Short::among(["0b0165d7-cb4d", "7c1f09aa-0000", "0b0165d7-cb4d"]);
        assert_eq!(
            (far.of("0b0165d7-cb4d"), far.of("7c1f09aa-0000")),
            ("0b0165d7".into(), "7c1f09aa".into())
        );
        let near = Short::among(["019e2531-aa11", "019e2531-aa12", "x"]);
        assert_eq!(near.of("019e2531-aa11"), "019e2531-aa11");
        assert_eq!(near.of("x"), "x");
        assert_eq!(Short::among(["019e2531a-1", "019e2531b-1"]).of("019e2531a-1"), "019e2531a");
        assert_eq!(Short::among([]).of("0123456789"), "01234567");
    }
}
