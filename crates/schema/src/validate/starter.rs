//! `starter_ref` (SPEC 3, 4).

use super::cx::{Cx, Entry};
use super::got::found;
use super::member::RuntimeSeen;
use super::source_refs::quote;
use super::table::{Table, own};
use crate::diags::At;
use crate::diags::starter::{
    StarterNameMissing, StarterNameUnsafe, StarterNotAMapping, StarterOnTerminal,
    StarterWithAgentImage, StarterWithFork,
};
use crate::json_schema;
use crate::path::Path;
use crate::spec::{SourceMode, StarterName, StarterRef};

pub(crate) const STARTER: Table<1> =
    Table { what: "starter_ref", keys: [own("name", json_schema::starter_name)], refused: &[] };

/// Reads the `starter_ref` of a member, beside the mode of its source.
pub(crate) fn read(
    cx: &mut Cx<'_>,
    entry: Entry,
    path: &Path<'_>,
    member: &RuntimeSeen,
    mode: Option<&(SourceMode, At)>,
) -> Option<StarterRef> {
    let path = path.key(entry.name);
    let at = At { path: path.text(), span: cx.tree.node(entry.key).span };
    if let Some(runtime) = member.terminal() {
        cx.no(StarterOnTerminal { at: at.clone(), runtime });
    }
    match mode {
        Some((SourceMode::Fork, mode)) => {
            cx.no(StarterWithFork { at: at.clone(), mode: mode.clone() });
        }
        Some((SourceMode::AgentImage, mode)) => {
            cx.no(StarterWithAgentImage { at: at.clone(), mode: mode.clone() });
        }
        Some((SourceMode::Rebuild, _)) | None => {}
    }
    if cx.pairs(entry.value).is_none() {
        cx.no(StarterNotAMapping { at, found: found(cx.tree, entry.value) });
        return None;
    }
    let [name] = cx.fields(entry.value, &path, &STARTER)?;
    let node = name.map(|name| name.value);
    let text = node.and_then(|node| cx.quiet_text(node)).filter(|text| !text.trim().is_empty());
    let Some(text) = text else {
        let at = cx.at_entry(name, entry.value, &path, "name");
        let hint = node.and_then(|node| quote(cx, node));
        cx.no(StarterNameMissing { at, hint });
        return None;
    };
    match StarterName::new(text) {
        Ok(name) => Some(StarterRef { name }),
        Err(error) => {
            let at = cx.at_entry(name, entry.value, &path, "name");
            let why = error.problem.to_string();
            cx.no(StarterNameUnsafe { at, text: text.to_owned(), why });
            None
        }
    }
}
