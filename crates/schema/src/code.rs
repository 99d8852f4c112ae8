//! The stable codes of everything `validate` can say (SPEC 4).

use crate::words::words;

words! {
    /// A stable kebab-case code. Each has one struct, a fixture, two snapshots, a page and an `explain` entry.
    Code {
        /// A mapping, list or document could not be read as YAML.
        YamlSyntax = "yaml-syntax",
        /// `&anchor`.
        YamlAnchor = "yaml-anchor",
        /// `*alias`.
        YamlAlias = "yaml-alias",
        /// `<<:`.
        YamlMergeKey = "yaml-merge-key",
        /// `!tag`.
        YamlTag = "yaml-tag",
        /// A key that is a list or a mapping.
        YamlComplexKey = "yaml-complex-key",
        /// Over 1 MiB.
        TooLarge = "too-large",
        /// Over 64 levels.
        TooDeep = "too-deep",
        /// Bytes that are not UTF-8.
        NotUtf8 = "not-utf8",
        /// More than one document.
        MultipleDocuments = "multiple-documents",
        /// Nothing in it.
        EmptyDocument = "empty-document",
        /// The same key twice in one mapping.
        DuplicateKey = "duplicate-key",
    }
}
