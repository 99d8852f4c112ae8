//! `session_source`: its mode, and the table of each mode's ref (SPEC 3, 4).

use super::cx::{Cx, Entry};
use super::got::{found, got};
use super::member::RuntimeSeen;
use super::seats::NativeIdSeen;
use super::source_refs::{fork, image, rebuild};
use super::table::{Refused, Table, meant, own, own_optional};
use crate::diags::At;
use crate::diags::rebuild::{ImageRefMissing, RebuildRefMissing};
use crate::diags::source::{
    ForkHostDeferred, ForkRefMissing, ModeUnsupported, SessionSourceNotAMapping,
    SessionSourceOnTerminal,
};
use crate::json_schema;
use crate::path::Path;
use crate::spec::{SessionSource, SourceMode};
use crate::tree::NodeId;
use crate::words::Word;
use serde_json::Value;

const HOST: Refused = ("host", |at| ForkHostDeferred { at }.into());

pub(crate) const SOURCE: Table<2> = Table {
    what: "a session source",
    keys: [own("mode", json_schema::word::<SourceMode>), own("ref", json_schema::anything)],
    refused: &[HOST],
};

pub(crate) const FORK_REF: Table<2> = Table {
    what: "the ref of a fork",
    keys: [own("kind", || json_schema::only("native_id")), own("value", json_schema::native_id)],
    refused: &[HOST],
};

pub(crate) const REBUILD_REF: Table<2> = Table {
    what: "the ref of a rebuild",
    keys: [
        own("kind", || json_schema::only("artifact_set")),
        own("value", json_schema::artifact_paths),
    ],
    refused: &[HOST],
};

pub(crate) const IMAGE_REF: Table<3> = Table {
    what: "the ref of an agent_image",
    keys: [
        own("kind", || json_schema::only("image_name")),
        own("value", json_schema::image_name),
        own_optional("version", json_schema::image_version),
    ],
    refused: &[HOST],
};

/// The JSON Schema of a session source: one shape per mode.
pub(crate) fn shape() -> Value {
    json_schema::session_source(
        [
            (SourceMode::Fork, json_schema::object(&FORK_REF)),
            (SourceMode::Rebuild, json_schema::object(&REBUILD_REF)),
            (SourceMode::AgentImage, json_schema::object(&IMAGE_REF)),
        ],
        json_schema::object(&SOURCE),
    )
}

/// What was read of a source.
#[derive(Default)]
pub(crate) struct SourceSeen<'t> {
    /// Its normal form, where it has one.
    pub(crate) source: Option<SessionSource>,
    /// The mode, where it is one, and its node.
    pub(crate) mode: Option<(SourceMode, NodeId)>,
    /// The native id as written, for the rules between members.
    pub(crate) native_id: Option<NativeIdSeen<'t>>,
}

/// Reads the `session_source` of a member.
pub(crate) fn read<'t>(
    cx: &mut Cx<'t>,
    entry: Entry,
    path: &Path<'_>,
    member: RuntimeSeen,
) -> SourceSeen<'t> {
    let runtime = member.terminal(cx, path);
    let path = path.key(entry.name);
    if let Some(runtime) = runtime {
        let at = At { path: path.text(), span: cx.tree.node(entry.key).span };
        cx.no(SessionSourceOnTerminal { at, runtime });
    }
    if cx.pairs(entry.value).is_none() {
        let at = place(cx, entry, &path);
        cx.no(SessionSourceNotAMapping { at, found: found(cx.tree, entry.value) });
        return SourceSeen::default();
    }
    let Some([mode_entry, ref_entry]) = cx.fields(entry.value, &path, &SOURCE) else {
        return SourceSeen::default();
    };
    let node = mode_entry.map(|mode| mode.value);
    let mode = node.and_then(|node| SourceMode::from_word(cx.quiet_text(node)?));
    let Some(mode) = mode else {
        let at = cx.at_entry(mode_entry, entry.value, &path, "mode");
        let meant = node.and_then(|node| cx.raw(node)).and_then(|it| meant(it, SourceMode::WORDS));
        cx.no(ModeUnsupported { at, got: got(cx.tree, node), meant });
        // Without a mode the widest table tells unknown keys.
        if let Some(reference) = ref_entry.filter(|it| cx.pairs(it.value).is_some()) {
            cx.fields(reference.value, &path.key("ref"), &IMAGE_REF);
        }
        return SourceSeen::default();
    };
    let mut seen = SourceSeen { mode: node.map(|node| (mode, node)), ..SourceSeen::default() };
    let reference = ref_entry.filter(|it| cx.pairs(it.value).is_some());
    let Some(reference) = reference else {
        let at = cx.at_entry(ref_entry, entry.value, &path, "ref");
        match mode {
            SourceMode::Fork => cx.no(ForkRefMissing { at }),
            SourceMode::Rebuild => cx.no(RebuildRefMissing { at }),
            SourceMode::AgentImage => cx.no(ImageRefMissing { at }),
        }
        return seen;
    };
    let path = path.key("ref");
    let node = reference.value;
    match mode {
        SourceMode::Fork => fork(cx, node, &path, member, &mut seen),
        SourceMode::Rebuild => seen.source = rebuild(cx, node, &path),
        SourceMode::AgentImage => seen.source = image(cx, node, &path),
    }
    seen
}

/// The place of an entry's value, or of its key where nothing stands under it.
pub(crate) fn place(cx: &Cx<'_>, entry: Entry, path: &Path<'_>) -> At {
    let node = if cx.raw(entry.value) == Some("") { entry.key } else { entry.value };
    cx.at(node, path)
}
