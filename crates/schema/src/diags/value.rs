//! What is wrong with a value of any key (SPEC 2).

use super::refusals;
use crate::path::shown;
use crate::tree::Core;

refusals! {
    /// Text, list, mapping or bool: another one is needed.
    WrongType = WrongType {
        /// What is needed: `a list`.
        wanted: &'static str,
        /// What stands there: `a mapping`, `text`.
        found: &'static str,
        /// What would make it right, where that can be said.
        hint: Option<&'static str>,
    } |me| {
        message: format!("must be {}, this is {}", me.wanted, me.found),
        help: me.hint.map_or_else(|| format!("write {} here", me.wanted), str::to_owned),
    }

    /// Text is needed, and YAML 1.2 reads this as null, a bool or a number.
    UnquotedScalar = UnquotedScalar {
        /// The text as written.
        text: String,
        /// What YAML reads it as.
        core: Core,
    } |me| {
        message: format!("must be text, and YAML reads {} as {}", shown(&me.text), match me.core {
            Core::Null => "null",
            Core::Bool(_) => "true or false",
            Core::Number => "a number",
            Core::Text => "text",
        }),
        help: format!("quote this value: \"{}\"", shown(&me.text)),
    }

    /// A word outside the closed list.
    UnknownWord = UnknownWord {
        /// The word.
        word: String,
        /// The words there are.
        known: Vec<&'static str>,
        /// The one that was probably meant.
        meant: Option<&'static str>,
    } |me| {
        message: format!("\"{}\" is none of {}", shown(&me.word), me.known.join(", ")),
        help: match me.meant {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("write one of: {}", me.known.join(", ")),
        },
    }

    /// An old word for a current one.
    DeprecatedWord = DeprecatedWord, Warning {
        /// The old word.
        word: &'static str,
        /// The current one.
        current: &'static str,
    } |me| {
        message: format!("\"{}\" is an old word for \"{}\"", me.word, me.current),
        help: format!("write \"{}\"", me.current),
    }

    /// Text of nothing but white space.
    TextBlank = TextBlank {} |_me| {
        message: "must not be blank",
        help: "write the text, or remove the key where it is optional",
    }

    /// Free text over its limit.
    TextTooLong = TextTooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The limit in bytes.
        max: usize,
    } |me| {
        message: format!("has {} bytes, at most {} are allowed", me.bytes, me.max),
        help: "shorten it; long texts belong into a file under `startup`",
    }

    /// Text with an invisible or control character.
    TextCharacter = TextCharacter {
        /// The first such character.
        found: char,
        /// Which character of the text it is, from 1.
        place: usize,
    } |me| {
        message: format!("may not hold '{}' (character {})", me.found.escape_unicode(), me.place),
        help: "remove the character; control, bidi, zero-width, private-use and unassigned characters are refused because people cannot see them",
    }

    /// Several lines where one is needed.
    TextSeveralLines = TextSeveralLines {} |_me| {
        message: "must be one line",
        help: "write it on one line; a block scalar keeps its last line break unless it is written `>-` or `|-`",
    }

    /// `~` or `$VAR` in a path.
    PathNotExpanded = PathNotExpanded {
        /// What would have been expanded: `~`, `$HOME`.
        what: String,
    } |me| {
        message: format!("`{}` is not expanded in a path", shown(&me.what)),
        help: "write the path out, absolute or relative to the directory of the spec file",
    }

    /// A path that could leave its root.
    PathUnsafe = PathUnsafe {
        /// Why, as a fragment: `must be relative`.
        why: String,
    } |me| {
        message: format!("not a safe relative path: it {}", me.why),
        help: "write a path below the directory of the spec file, without a leading `/`, a drive letter, `..`, or an empty segment; a backslash counts as a slash",
    }
}
