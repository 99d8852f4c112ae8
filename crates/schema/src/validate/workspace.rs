//! `workspace` and `continuity_policy` (SPEC 2).

use super::cx::Cx;
use super::table::{Table, blankable, optional, required};
use crate::diags::At;
use crate::diags::document::{DefaultRepoUnknown, DuplicateRepo};
use crate::json_schema::{flag, list_of, object, text, word};
use crate::path::{Path, shown};
use crate::spec::{
    ContinuityArtifacts, ContinuityPolicy, Line, Repo, RepoKind, RestoreProtocol, SpecPath,
    SyncTrigger, Workspace,
};
use crate::tree::NodeId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub(crate) const WORKSPACE: Table<4> = Table {
    what: "workspace",
    keys: [
        required("workspace_root", text::<SpecPath>),
        required("repos", || list_of(&object(&REPO))),
        blankable("default_repo", text::<Line>),
        blankable("knowledge_root", text::<SpecPath>),
    ],
    refused: &[],
};

const REPO: Table<3> = Table {
    what: "a repository",
    keys: [
        required("name", text::<Line>),
        required("path", text::<SpecPath>),
        required("kind", word::<RepoKind>),
    ],
    refused: &[],
};

pub(crate) const CONTINUITY: Table<4> = Table {
    what: "continuity_policy",
    keys: [
        required("enabled", flag),
        optional("sync_triggers", || list_of(&word::<SyncTrigger>())),
        optional("artifacts", || object(&ARTIFACTS)),
        optional("restore_protocol", || object(&RESTORE_PROTOCOL)),
    ],
    refused: &[],
};

const ARTIFACTS: Table<3> = Table {
    what: "artifacts",
    keys: [
        blankable("session_log", flag),
        blankable("restore_brief", flag),
        blankable("quiz", flag),
    ],
    refused: &[],
};

const RESTORE_PROTOCOL: Table<2> = Table {
    what: "restore_protocol",
    keys: [blankable("peer_driven", flag), blankable("verify_via_quiz", flag)],
    refused: &[],
};

/// How many repositories a message names.
const NAMED: usize = 8;

/// Reads a `workspace`.
pub(crate) fn workspace(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Workspace> {
    let [root, repos, default_repo, knowledge_root] = cx.fields(node, path, &WORKSPACE)?;
    let workspace_root = cx.read(root, path, Cx::parse::<SpecPath>);
    let mut names: HashMap<&str, At> = HashMap::new();
    let mut unclear = false;
    let repos = cx.read(repos, path, |cx, node, path| {
        cx.list(node, path, |cx, node, path| {
            let [name, dir, kind] = cx.fields(node, path, &REPO)?;
            match name.and_then(|name| Some((cx.quiet_text(name.value)?, name.value))) {
                Some((text, node)) => {
                    let at = cx.at(node, &path.key("name"));
                    match names.entry(text) {
                        Entry::Vacant(entry) => {
                            entry.insert(at);
                        }
                        Entry::Occupied(entry) => {
                            let first = entry.get().clone();
                            cx.no(DuplicateRepo { at, name: text.to_owned(), first });
                        }
                    }
                }
                None => unclear = true,
            }
            let name = cx.read(name, path, Cx::parse::<Line>);
            let dir = cx.read(dir, path, Cx::parse::<SpecPath>);
            let kind = cx.read(kind, path, Cx::word::<RepoKind>);
            Some(Repo { name: name?, path: dir?, kind: kind? })
        })
    });
    let default_repo = cx.read(default_repo, path, |cx, node, path| {
        let name = cx.parse::<Line>(node, path)?;
        if !names.contains_key(name.as_str()) && repos.is_some() && !unclear {
            let at = cx.at(node, path);
            let known = repos.iter().flatten().take(NAMED).map(|repo| shown(repo.name.as_str()));
            cx.no(DefaultRepoUnknown { at, name: name.to_string(), known: known.collect() });
        }
        Some(name)
    });
    let knowledge_root = cx.read(knowledge_root, path, Cx::parse::<SpecPath>);
    Some(Workspace { workspace_root: workspace_root?, repos: repos?, default_repo, knowledge_root })
}

/// Reads a `continuity_policy`.
pub(crate) fn continuity(
    cx: &mut Cx<'_>,
    node: NodeId,
    path: &Path<'_>,
) -> Option<ContinuityPolicy> {
    let [enabled, triggers, artifacts, protocol] = cx.fields(node, path, &CONTINUITY)?;
    let enabled = cx.read(enabled, path, Cx::flag);
    let sync_triggers =
        cx.read(triggers, path, |cx, node, path| cx.list(node, path, Cx::word::<SyncTrigger>));
    let artifacts = cx.read(artifacts, path, |cx, node, path| {
        let [session_log, restore_brief, quiz] = cx.fields(node, path, &ARTIFACTS)?;
        Some(ContinuityArtifacts {
            session_log: cx.read(session_log, path, Cx::flag),
            restore_brief: cx.read(restore_brief, path, Cx::flag),
            quiz: cx.read(quiz, path, Cx::flag),
        })
    });
    let restore_protocol = cx.read(protocol, path, |cx, node, path| {
        let [peer_driven, verify_via_quiz] = cx.fields(node, path, &RESTORE_PROTOCOL)?;
        Some(RestoreProtocol {
            peer_driven: cx.read(peer_driven, path, Cx::flag),
            verify_via_quiz: cx.read(verify_via_quiz, path, Cx::flag),
        })
    });
    Some(ContinuityPolicy {
        enabled: enabled?,
        sync_triggers: sync_triggers.unwrap_or_default(),
        artifacts: artifacts.unwrap_or_default(),
        restore_protocol: restore_protocol.unwrap_or_default(),
    })
}
