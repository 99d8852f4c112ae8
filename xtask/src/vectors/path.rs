//! Paths into a spec, `pods[0].members[1].session_source.ref.kind`, by their segments.

use std::fmt;

/// A place in a spec: keys and indices from the root down; none of them is the document itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpecPath(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Key(String),
    Index(usize),
}

impl SpecPath {
    /// Reads keys divided by `.`, indices as `[0]`, and keys that hold marks as `["a.b"]` in JSON's quotes.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let refused = || format!("`{text}` is no path into a spec, from `{rest}` on");
            let (segment, after) = if let Some(inside) = rest.strip_prefix('[') {
                bracket(inside).ok_or_else(refused)?
            } else {
                let key = if segments.is_empty() {
                    rest
                } else {
                    rest.strip_prefix('.').ok_or_else(refused)?
                };
                let end = key.find(['.', '[']).unwrap_or(key.len());
                if end == 0 {
                    return Err(refused());
                }
                (Segment::Key(key[..end].to_owned()), &key[end..])
            };
            segments.push(segment);
            rest = after;
        }
        Ok(Self(segments))
    }

    /// Whether the other path is this one, above it or below it: one's segments begin with the other's.
    ///
    /// The document is on one line with itself alone: a refusal of the whole points at no place in it.
    /// Siblings are not related, nor are `members[1]` and `members[10]`.
    pub(crate) fn is_on_one_line_with(&self, other: &Self) -> bool {
        self.0.is_empty() == other.0.is_empty()
            && self.0.iter().zip(&other.0).all(|(own, others)| own == others)
    }
}

/// An index or a quoted key, behind its `[`, and what follows its `]`.
fn bracket(inside: &str) -> Option<(Segment, &str)> {
    if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let key = strings.next()?.ok()?;
        let after = inside[strings.byte_offset()..].strip_prefix(']')?;
        return Some((Segment::Key(key), after));
    }
    let (index, after) = inside.split_once(']')?;
    let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    Some((Segment::Index(digits.then(|| index.parse().ok())??), after))
}

impl fmt::Display for SpecPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the document");
        }
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if key.contains(['.', '[', '"']) || key.is_empty() => {
                    write!(f, "[{key:?}]")?;
                }
                Segment::Key(key) if at == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> SpecPath {
        SpecPath::parse(text).unwrap()
    }

    #[test]
    fn paths_are_read_and_written_the_same() {
        for text in [
            "name",
            "pods[0].members[1].session_source.ref.kind",
            "members[0]",
            "a[\"b.c\"].d",
            "[\"x[0]\"]",
        ] {
            assert_eq!(path(text).to_string(), text);
        }
        assert_eq!(path("").to_string(), "the document");
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in [".", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[]", "[0]b", "a[\"b]", ".a"] {
            assert!(SpecPath::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_is_on_one_line_with_itself_what_is_above_and_what_is_below() {
        let here = path("pods[0].members[1].session_source");
        for related in [
            "pods",
            "pods[0]",
            "pods[0].members[1]",
            "pods[0].members[1].session_source.ref.value[2]",
        ] {
            assert!(here.is_on_one_line_with(&path(related)), "{related}");
            assert!(path(related).is_on_one_line_with(&here), "{related}");
        }
        assert!(here.is_on_one_line_with(&here));
        assert!(path("").is_on_one_line_with(&path("")));
    }

    #[test]
    fn siblings_and_longer_numbers_or_names_are_not_related() {
        let here = path("pods[0].members[1].session_source");
        for other in [
            "",
            "pods[1]",
            "pods[0].members[10].session_source",
            "pods[0].members[1].session_source_x",
            "pods[0].members[1].starter_ref",
            "pod",
            "edges",
        ] {
            assert!(!here.is_on_one_line_with(&path(other)), "{other}");
            assert!(!path(other).is_on_one_line_with(&here), "{other}");
        }
    }
}
