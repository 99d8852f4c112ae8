//! What stands between a file and a tree (SPEC 2). The reader of the text fills these in.

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::printable;

refusals! {
    /// The text is not YAML. After this nothing more is reported.
    YamlSyntax = YamlSyntax {
        /// What the parser says, in its words.
        reason: String,
    } |me| {
        message: format!("not valid YAML: {}", printable(&me.reason)),
        help: "mend the marked place; everything after it was not read",
    }

    /// `&anchor`.
    YamlAnchor = YamlAnchor {
        /// Its name.
        name: String,
    } |me| {
        message: format!("the anchor \"&{}\" is refused; a spec says everything where it stands", printable(&me.name)),
        help: "remove the anchor, and write the value out wherever it is needed",
    }

    /// `*alias`.
    YamlAlias = YamlAlias {
        /// Its name.
        name: String,
    } |me| {
        message: format!("the alias \"*{}\" is refused; a spec says everything where it stands", printable(&me.name)),
        help: "write the value out here; if it is text that begins with `*`, quote it",
    }

    /// `<<:`, reported at its mapping.
    YamlMergeKey = YamlMergeKey {} |_me| {
        message: "the merge key \"<<\" is refused; a spec says everything where it stands",
        label: "merged here",
        help: "write the merged keys out in this mapping",
    }

    /// `!tag`, reported at its node.
    YamlTag = YamlTag {
        /// The tag as written.
        tag: String,
    } |me| {
        message: format!("the tag \"{}\" is refused; values have the types of YAML 1.2 and no others", printable(&me.tag)),
        help: "remove the tag; quote the value if it is to be text",
    }

    /// A key that is a list or a mapping.
    YamlComplexKey = YamlComplexKey {} |_me| {
        message: "a key must be a plain word, this one is a list or a mapping",
        help: "write `key: value` with a key of section 2; an item of a list begins with `- `",
    }

    /// Over the size limit.
    TooLarge = TooLarge {
        /// Its size in bytes, or how many were read before it was given up.
        bytes: u64,
        /// The limit in bytes.
        max: u64,
    } |me| {
        message: format!("a spec has at most {} bytes, this has {} or more; nothing of it was read", me.max, me.bytes),
        help: "split the rig, or move long texts into files under `startup`",
    }

    /// Over the depth limit.
    TooDeep = TooDeep {
        /// The limit in levels.
        max: usize,
    } |me| {
        message: format!("a spec has at most {} levels of nesting; nothing deeper was read", me.max),
        help: "no key of a spec needs such depth; check the indentation above this place",
    }

    /// Bytes that are not UTF-8.
    NotUtf8 = NotUtf8 {
        /// The first such byte's offset in the file, from 0.
        offset: usize,
    } |me| {
        message: format!("a spec is UTF-8; the byte at offset {} is not", me.offset),
        help: "save the file as UTF-8",
    }

    /// More than one document.
    MultipleDocuments = MultipleDocuments {} |_me| {
        message: "one file holds one document; a second one begins here",
        help: "put it into a file of its own",
    }

    /// Nothing in it.
    EmptyDocument = EmptyDocument {} |_me| {
        message: "the document is empty",
        help: "a rig has at least `version`, `name` and `pods`; an expand payload has `members`",
    }

    /// The same key twice in one mapping.
    DuplicateKey = DuplicateKey {
        /// The key.
        key: String,
        /// Where it stood first.
        first: At,
    } |me| {
        message: format!("the key \"{}\" stands here for a second time", printable(&me.key)),
        label: "second time",
        help: "keep one of the two; which one was meant cannot be guessed",
        related: vec![Related {
            path: me.first.path.clone(),
            message: "first defined here".to_owned(),
            span: me.first.span,
        }],
    }
}
