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
use crate::tree::NodeId;

pub(crate) const STARTER: Table<1> =
    Table { what: "starter_ref", keys: [own("name", json_schema::starter_name)], refused: &[] };

/// Reads the `starter_ref` of a member, beside the mode of its source.
pub(crate) fn read(
    cx: &mut Cx<'_>,
    entry: Entry,
    member: &Path<'_>,
    runtime: RuntimeSeen,
    mode: Option<(SourceMode, NodeId)>,
) -> Option<StarterRef> {
    let path = member.key(entry.name);
    let at = At { path: path.text(), span: cx.tree.node(entry.key).span };
    if let Some(runtime) = runtime.terminal(cx, member) {
        cx.no(StarterOnTerminal { at: at.clone(), runtime });
    }
    if let Some((mode, node)) = mode {
        let at = at.clone();
        let says_so = cx.at(node, &member.key("session_source").key("mode"));
        match mode {
            SourceMode::Fork => cx.no(StarterWithFork { at, mode: says_so }),
            SourceMode::AgentImage => cx.no(StarterWithAgentImage { at, mode: says_so }),
            SourceMode::Rebuild => {}
        }
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
