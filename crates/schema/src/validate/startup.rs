//! `startup` (SPEC 2).

use super::cx::{Cx, Entry};
use super::source_refs::plain_number;
use super::table::{Table, blankable, optional, own_optional, required};
use crate::diags::At;
use crate::diags::document::EmptyList;
use crate::diags::startup::{ActionRepeatsOnRestore, StartupKeyMisplaced, StartupShellUnsupported};
use crate::json_schema::{self, at_least_one, flag, list_of, object, text, word};
use crate::path::Path;
use crate::spec::{
    ActionPhase, ActionType, AppliesOn, DeliveryHint, FileKind, ImageName, ImageVersion, SafePath,
    Script, StartKind, Startup, StartupAction, StartupContent, StartupFile,
};
use crate::tree::NodeId;

pub(crate) const STARTUP: Table<2> = Table {
    what: "startup",
    keys: [
        optional("files", || list_of(&json_schema::startup_file(object(&FILE)))),
        optional("actions", || list_of(&json_schema::startup_action(object(&ACTION)))),
    ],
    refused: &[],
};

const FILE: Table<7> = Table {
    what: "a startup file",
    keys: [
        blankable("kind", word::<FileKind>),
        own_optional("path", text::<SafePath>),
        own_optional("name", text::<ImageName>),
        blankable("version", json_schema::image_version),
        blankable("delivery_hint", word::<DeliveryHint>),
        blankable("required", flag),
        optional("applies_on", || at_least_one(&word::<StartKind>())),
    ],
    refused: &[],
};

const ACTION: Table<5> = Table {
    what: "a startup action",
    keys: [
        required("type", word::<ActionType>),
        required("value", text::<Script>),
        blankable("phase", word::<ActionPhase>),
        required("idempotent", flag),
        optional("applies_on", || at_least_one(&word::<StartKind>())),
    ],
    refused: &[],
};

/// Reads a `startup`.
pub(crate) fn startup(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Startup> {
    let [files, actions] = cx.fields(node, path, &STARTUP)?;
    let files = cx.read(files, path, |cx, node, path| cx.list(node, path, file));
    let actions = cx.read(actions, path, |cx, node, path| cx.list(node, path, action));
    Some(Startup { files: files.unwrap_or_default(), actions: actions.unwrap_or_default() })
}

fn file(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<StartupFile> {
    let [kind, file, name, version, hint, required, applies_on] = cx.fields(node, path, &FILE)?;
    let content = match kind {
        None => Some(FileKind::File),
        Some(_) => cx.read(kind, path, Cx::word::<FileKind>),
    };
    let content = match content {
        Some(FileKind::File) => {
            misplaced(cx, [name, version], path, FileKind::File);
            let file = cx.needed(file, node, path, "path", "a startup file");
            let path = cx.read(file, path, Cx::parse::<SafePath>);
            path.map(|path| StartupContent::File { path })
        }
        Some(FileKind::ContextPack) => {
            misplaced(cx, [file, None], path, FileKind::ContextPack);
            let name = cx.needed(name, node, path, "name", "a context pack");
            let name = cx.read(name, path, Cx::parse::<ImageName>);
            let version = cx.read(version, path, pack_version);
            name.map(|name| StartupContent::ContextPack { name, version })
        }
        None => None,
    };
    let delivery_hint = cx.read(hint, path, Cx::word::<DeliveryHint>);
    let required = cx.read(required, path, Cx::flag);
    let applies_on = cx.read(applies_on, path, starts);
    Some(StartupFile {
        content: content?,
        delivery_hint,
        required: required.unwrap_or(true),
        applies_on: applies_on.unwrap_or_default(),
    })
}

fn misplaced(cx: &mut Cx<'_>, entries: [Option<Entry>; 2], path: &Path<'_>, kind: FileKind) {
    for entry in entries.into_iter().flatten() {
        let at = At { path: path.key(entry.name).text(), span: cx.tree.node(entry.key).span };
        cx.no(StartupKeyMisplaced { at, key: entry.name, kind: kind.as_str() });
    }
}

fn pack_version(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<ImageVersion> {
    match plain_number(cx, node).map(ImageVersion::new) {
        Some(Ok(version)) => Some(version),
        // Text, or a number that cannot be a version: the general rule tells it.
        Some(Err(_)) | None => cx.parse(node, path),
    }
}

fn action(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<StartupAction> {
    let [kind, value, phase, idempotent, applies_on] = cx.fields(node, path, &ACTION)?;
    let action = cx.read(kind, path, |cx, node, path| {
        if cx.raw(node) == Some("shell") {
            let at = cx.at(node, path);
            cx.no(StartupShellUnsupported { at });
            return None;
        }
        cx.word::<ActionType>(node, path)
    });
    let value = cx.read(value, path, Cx::parse::<Script>);
    let phase = cx.read(phase, path, Cx::word::<ActionPhase>);
    let says = applies_on;
    let applies_on = match says {
        None => Some(AppliesOn::Both),
        Some(_) => cx.read(says, path, starts),
    };
    let idempotent_at = idempotent.map(|it| cx.at(it.value, &path.key(it.name)));
    let idempotent = cx.read(idempotent, path, Cx::flag);
    if let (Some(false), Some(applies), Some(idempotent)) = (idempotent, applies_on, idempotent_at)
        && applies.includes(StartKind::Restore)
    {
        cx.no(ActionRepeatsOnRestore {
            at: At { path: path.text(), span: cx.head(node) },
            idempotent,
            applies_on: says.map(|it| cx.at(it.value, &path.key(it.name))),
        });
    }
    Some(StartupAction {
        action: action?,
        value: value?,
        phase,
        idempotent: idempotent?,
        applies_on: applies_on?,
    })
}

/// Reads an `applies_on`: at least one start, in any order, repeated or not.
fn starts(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<AppliesOn> {
    let empty = cx.items(node, path)?.is_empty();
    if empty {
        let at = cx.at(node, path);
        cx.no(EmptyList { at, needs: "a start it applies on" });
    }
    let starts = cx.list(node, path, Cx::word::<StartKind>)?;
    AppliesOn::of(&starts)
}
