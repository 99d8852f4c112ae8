//! What is wrong with a document or with the keys of any mapping (SPEC 2).

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::path::shown;

refusals! {
    /// Neither a rig nor an expand payload.
    DocumentUnknown = DocumentUnknown {
        /// What it looks like, if it is a fragment: `a pod`, `a member`, `a list`.
        looks_like: Option<&'static str>,
    } |me| {
        message: match me.looks_like {
            Some(it) => format!("neither a rig nor an expand payload; this is {it} on its own"),
            None => "neither a rig (`pods`) nor an expand payload (`members`)".to_owned(),
        },
        help: "a rig has at least `version`, `name` and `pods`; an expand payload has `members`",
    }

    /// The flat form with `nodes:`.
    LegacyFlatSpec = LegacyFlatSpec {} |_me| {
        message: "this is the legacy flat form; seatfork reads rigs whose members stand in `pods`",
        label: "the legacy form's key",
        help: "write `pods:`, each with `id`, `label` and `members`, and move each node into `members`",
    }

    /// A key no such mapping has.
    UnknownKey = UnknownKey {
        /// The key.
        key: String,
        /// What the mapping is: `a member`.
        mapping: &'static str,
        /// The keys it has.
        known: Vec<&'static str>,
        /// The key that was probably meant.
        meant: Option<&'static str>,
        /// The mapping that has such a key, where this one does not.
        belongs_to: Option<&'static str>,
    } |me| {
        message: format!("unknown key \"{}\" in {}", shown(&me.key), me.mapping),
        help: match (me.meant, me.belongs_to) {
            (Some(meant), _) => format!("did you mean \"{meant}\"?"),
            (None, Some(place)) => format!("\"{}\" is a key of {place}", shown(&me.key)),
            (None, None) => format!("{} has: {}", me.mapping, me.known.join(", ")),
        },
    }

    /// A required key is absent.
    MissingKey = MissingKey {
        /// The key.
        key: &'static str,
        /// What the mapping is: `a member`.
        mapping: &'static str,
        /// The keys it requires.
        required: Vec<&'static str>,
    } |me| {
        message: format!("required, and absent from {}", me.mapping),
        label: format!("`{}` is missing here", me.key),
        help: if me.required.len() > 1 {
            format!("{} requires: {}", me.mapping, me.required.join(", "))
        } else {
            format!("add `{}:`", me.key)
        },
    }

    /// A key with nothing under it.
    EmptyKey = EmptyKey {
        /// The key.
        key: &'static str,
    } |me| {
        message: "has nothing under it",
        help: format!("give `{}` a value, or remove the key; if the text \"null\" or \"~\" is meant, quote this value", me.key),
    }

    /// An optional key with nothing under it, taken as absent.
    EmptyOptionalKey = EmptyOptionalKey, Warning {
        /// The key.
        key: &'static str,
    } |me| {
        message: "has nothing under it and counts as absent",
        help: format!("remove `{}:`, or give it a value; if the text \"null\" or \"~\" is meant, quote this value", me.key),
    }

    /// A list that must not be empty.
    EmptyList = EmptyList {
        /// What it needs: `a pod`.
        needs: &'static str,
    } |me| {
        message: format!("must not be empty; it needs at least {}", me.needs),
        help: format!("add {}, or remove what asks for it", me.needs),
    }

    /// The same id twice in one list.
    DuplicateId = DuplicateId {
        /// The id.
        id: String,
        /// What it is the id of: `pod`.
        of: &'static str,
        /// Where it stood first.
        first: At,
    } |me| {
        message: format!("another {} of this list has the id \"{}\"", me.of, shown(&me.id)),
        label: "second time",
        help: format!("give each {} of a list an id of its own", me.of),
        related: vec![Related {
            path: me.first.path.clone(),
            message: "first used here".to_owned(),
            span: me.first.span,
        }],
    }

    /// The same repository name twice.
    DuplicateRepo = DuplicateRepo {
        /// The name.
        name: String,
        /// Where it stood first.
        first: At,
    } |me| {
        message: format!("another repository of this workspace is named \"{}\"", shown(&me.name)),
        label: "second time",
        help: "give each repository a name of its own",
        related: vec![Related {
            path: me.first.path.clone(),
            message: "first used here".to_owned(),
            span: me.first.span,
        }],
    }

    /// A default repository that is not in the list.
    DefaultRepoUnknown = DefaultRepoUnknown {
        /// The name.
        name: String,
        /// The first few names there are.
        known: Vec<String>,
    } |me| {
        message: format!("no repository of this workspace is named \"{}\"", shown(&me.name)),
        help: if me.known.is_empty() {
            "`repos` is empty; add the repository there".to_owned()
        } else {
            format!("`repos` has: {}", me.known.join(", "))
        },
    }
}
