//! The `ref` of a session source, per mode: the refusal matrix (SPEC 3, 4).

use super::cx::{Cx, Entry};
use super::got::got;
use super::member::RuntimeSeen;
use super::seats::NativeIdSeen;
use super::session_source::{FORK_REF, IMAGE_REF, REBUILD_REF, SourceSeen, place};
use crate::conversation::NativeId;
use crate::diags::At;
use crate::diags::rebuild::{
    ArtifactPathUnsafe, ImageKindUnsupported, ImageNameMissing, ImageNameUnsafe,
    ImageVersionInvalid, RebuildEntryInvalid, RebuildKindUnsupported, RebuildKindWrongMode,
    RebuildValueEmpty, RebuildValueNotAList,
};
use crate::diags::source::{
    ForkKindDeferred, ForkKindUnsupported, ForkKindWeaker, ForkKindWrongMode, ForkValueMissing,
};
use crate::path::Path;
use crate::spec::{ArtifactPath, ImageName, ImageVersion, SessionSource, TextProblem};
use crate::tree::{Core, NodeId, NodeKind};

/// The kinds the SPEC names, one of which a value may be meant for.
fn named_kind(cx: &Cx<'_>, entry: Option<Entry>) -> Option<&'static str> {
    const KINDS: [&str; 6] =
        ["native_id", "artifact_path", "name", "last", "artifact_set", "image_name"];
    let text = cx.quiet_text(entry?.value)?;
    KINDS.into_iter().find(|kind| *kind == text)
}

/// Reads the ref of a fork.
pub(crate) fn fork<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    member: RuntimeSeen,
    seen: &mut SourceSeen<'t>,
) {
    let Some([kind_entry, value_entry]) = cx.fields(node, path, &FORK_REF) else { return };
    let kind = named_kind(cx, kind_entry);
    if kind != Some("native_id") {
        let at = cx.at_entry(kind_entry, node, path, "kind");
        match kind {
            Some("artifact_path") => cx.no(ForkKindDeferred { at }),
            Some(kind @ ("name" | "last")) => cx.no(ForkKindWeaker { at, kind }),
            Some("artifact_set") => cx.no(ForkKindWrongMode { at }),
            _ => {
                let got = got(cx.tree, kind_entry.map(|kind| kind.value));
                cx.no(ForkKindUnsupported { at, got });
            }
        }
    }
    // The value of another known kind is not an id, so nothing is said of it.
    if !matches!(kind, None | Some("native_id")) {
        return;
    }
    let Some((text, value)) = text_of(cx, value_entry) else {
        let at = cx.at_entry(value_entry, node, path, "value");
        let hint = hint(cx, value_entry);
        cx.no(ForkValueMissing { at, hint });
        return;
    };
    if kind.is_none() {
        return;
    }
    let id = match member.runtime {
        Some(runtime) => NativeId::for_runtime(runtime, text),
        // A runtime that cannot be read is told already; only what no runtime could take is told here.
        None => NativeId::for_any_runtime(text),
    };
    let fault = match id {
        Ok(native_id) => {
            seen.source = Some(SessionSource::Fork { native_id });
            None
        }
        Err(error) => Some(error),
    };
    seen.native_id = Some(NativeIdSeen { text, node: value, fault });
}

/// Reads the ref of a rebuild.
pub(crate) fn rebuild(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<SessionSource> {
    let [kind_entry, value_entry] = cx.fields(node, path, &REBUILD_REF)?;
    let kind = named_kind(cx, kind_entry);
    if kind != Some("artifact_set") {
        let at = cx.at_entry(kind_entry, node, path, "kind");
        if let Some(kind @ ("native_id" | "artifact_path" | "name" | "last")) = kind {
            cx.no(RebuildKindWrongMode { at, kind });
        } else {
            let got = got(cx.tree, kind_entry.map(|kind| kind.value));
            cx.no(RebuildKindUnsupported { at, got });
        }
    }
    if !matches!(kind, None | Some("artifact_set")) {
        return None;
    }
    let value_path = path.key("value");
    let items = value_entry.and_then(|it| match &cx.tree.node(it.value).kind {
        NodeKind::Sequence(items) => Some(items),
        NodeKind::Scalar { .. } | NodeKind::Mapping(_) => None,
    });
    let Some(items) = items else {
        let at = cx.at_entry(value_entry, node, path, "value");
        cx.no(RebuildValueNotAList { at });
        return None;
    };
    if items.is_empty() {
        let at = cx.at_entry(value_entry, node, path, "value");
        cx.no(RebuildValueEmpty { at });
    }
    let mut paths = Vec::with_capacity(items.len());
    for (index, &item) in items.iter().enumerate() {
        let here = value_path.index(index);
        let Some((text, _)) = text_node(cx, item) else {
            let at = cx.at(item, &here);
            let hint = quote(cx, item);
            cx.no(RebuildEntryInvalid { at, hint });
            continue;
        };
        match ArtifactPath::new(text) {
            Ok(path) => paths.push(path),
            Err(error) => {
                let at = cx.at(item, &here);
                let why = error.problem.to_string();
                cx.no(ArtifactPathUnsafe { at, text: text.to_owned(), why });
            }
        }
    }
    kind.map(|_| SessionSource::Rebuild { paths })
}

/// Reads the ref of an agent image.
pub(crate) fn image(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<SessionSource> {
    let [kind_entry, value_entry, version_entry] = cx.fields(node, path, &IMAGE_REF)?;
    let kind = named_kind(cx, kind_entry);
    if kind != Some("image_name") {
        let at = cx.at_entry(kind_entry, node, path, "kind");
        let got = got(cx.tree, kind_entry.map(|kind| kind.value));
        cx.no(ImageKindUnsupported { at, got });
    }
    let version = version_entry.map(|entry| image_version(cx, entry, path));
    if !matches!(kind, None | Some("image_name")) {
        return None;
    }
    let Some((text, value)) = text_of(cx, value_entry) else {
        let at = cx.at_entry(value_entry, node, path, "value");
        let hint = hint(cx, value_entry);
        cx.no(ImageNameMissing { at, hint });
        return None;
    };
    match ImageName::new(text) {
        Ok(name) => Some(SessionSource::AgentImage { name, version: version.flatten() }),
        Err(error) => {
            let at = cx.at(value, &path.key("value"));
            cx.no(image_unsafe(at, text, &error.problem));
            None
        }
    }
}

fn image_version(cx: &mut Cx<'_>, entry: Entry, path: &Path<'_>) -> Option<ImageVersion> {
    let path = path.key(entry.name);
    let text = text_node(cx, entry.value).map(|(text, _)| text);
    let Some(text) = text.or_else(|| plain_number(cx, entry.value)) else {
        let at = place(cx, entry, &path);
        let hint = quote(cx, entry.value);
        cx.no(ImageVersionInvalid { at, hint });
        return None;
    };
    match ImageVersion::new(text) {
        Ok(version) => Some(version),
        Err(error) => {
            let at = cx.at(entry.value, &path);
            cx.no(image_unsafe(at, text, &error.problem));
            None
        }
    }
}

fn image_unsafe(at: At, text: &str, problem: &TextProblem) -> ImageNameUnsafe {
    ImageNameUnsafe { at, text: text.to_owned(), why: problem.to_string() }
}

/// A plain number `[0-9]+(\.[0-9]+)*`, as its source text.
pub(crate) fn plain_number<'t>(cx: &Cx<'t>, node: NodeId) -> Option<&'t str> {
    if cx.tree.core(node) != Some(Core::Number) {
        return None;
    }
    let text = cx.raw(node)?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split('.').all(digits).then_some(text)
}

/// Text that is text to YAML and is not blank.
fn text_of<'t>(cx: &Cx<'t>, entry: Option<Entry>) -> Option<(&'t str, NodeId)> {
    text_node(cx, entry?.value)
}

fn text_node<'t>(cx: &Cx<'t>, node: NodeId) -> Option<(&'t str, NodeId)> {
    let text = cx.quiet_text(node).filter(|text| !text.trim().is_empty())?;
    Some((text, node))
}

fn hint(cx: &Cx<'_>, entry: Option<Entry>) -> Option<String> {
    quote(cx, entry?.value)
}

/// What the general rule adds: a plain scalar that YAML reads as something else needs quotes.
pub(crate) fn quote(cx: &Cx<'_>, node: NodeId) -> Option<String> {
    let text = cx.raw(node).filter(|text| !text.is_empty())?;
    match cx.tree.core(node)? {
        Core::Text => None,
        Core::Null | Core::Bool(_) | Core::Number => {
            Some(format!("quote this value: \"{}\"", crate::path::shown(text)))
        }
    }
}
