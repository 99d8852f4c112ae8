//! Startup, services, workspace and continuity policy as canonical YAML.

use seatfork_schema::spec::{
    AppliesOn, Checkpoint, ContinuityArtifacts, ContinuityPolicy, Repo, RestoreProtocol, Services,
    StartKind, Startup, StartupAction, StartupContent, StartupFile, SurfaceCommand, SurfaceUrl,
    Surfaces, SyncTrigger, WaitFor, Workspace,
};

use super::writer::Writer;

pub(super) fn startup(w: &mut Writer, startup: &Startup) {
    let Startup { files, actions } = startup;
    w.map("startup", |w| {
        w.list("files", files, startup_file);
        w.list("actions", actions, startup_action);
    });
}

fn startup_file(w: &mut Writer, file: &StartupFile) {
    let StartupFile { content, delivery_hint, required, applies_on: starts } = file;
    match content {
        StartupContent::File { path } => w.path("path", path.as_str()),
        StartupContent::ContextPack { name, version } => {
            w.word("kind", "context_pack");
            w.text("name", name.as_str());
            if let Some(version) = version {
                w.text("version", version.as_str());
            }
        }
    }
    if let Some(hint) = delivery_hint {
        w.word("delivery_hint", hint.as_str());
    }
    if !required {
        w.flag("required", false);
    }
    applies_on(w, *starts);
}

fn startup_action(w: &mut Writer, action: &StartupAction) {
    let StartupAction { action, value, phase, idempotent, applies_on: starts } = action;
    w.word("type", action.as_str());
    w.text("value", value.as_str());
    if let Some(phase) = phase {
        w.word("phase", phase.as_str());
    }
    w.flag("idempotent", *idempotent);
    applies_on(w, *starts);
}

fn applies_on(w: &mut Writer, starts: AppliesOn) {
    if !starts.is_default() {
        w.words("applies_on", starts.starts(), StartKind::as_str);
    }
}

pub(super) fn services(w: &mut Writer, services: &Services) {
    let Services {
        kind,
        compose_file,
        project_name,
        profiles,
        down_policy,
        wait_for,
        surfaces: Surfaces { urls, commands },
        checkpoints,
    } = services;
    w.map("services", |w| {
        w.word("kind", kind.as_str());
        w.path("compose_file", compose_file.as_str());
        if let Some(name) = project_name {
            w.text("project_name", name.as_str());
        }
        w.texts("profiles", profiles);
        if let Some(policy) = down_policy {
            w.word("down_policy", policy.as_str());
        }
        w.list("wait_for", wait_for, |w, wait| match wait {
            WaitFor::Service { service, condition } => {
                w.text("service", service.as_str());
                w.word("condition", condition.as_str());
            }
            WaitFor::Url { url } => w.text("url", url.as_str()),
            WaitFor::Tcp { tcp } => w.text("tcp", tcp.as_str()),
        });
        w.map("surfaces", |w| {
            w.list("urls", urls, |w, SurfaceUrl { name, url }| {
                w.text("name", name.as_str());
                w.text("url", url.as_str());
            });
            w.list("commands", commands, |w, SurfaceCommand { name, command }| {
                w.text("name", name.as_str());
                w.text("command", command.as_str());
            });
        });
        w.list("checkpoints", checkpoints, |w, Checkpoint { id, export, import }| {
            w.text("id", id.as_str());
            w.text("export", export.as_str());
            if let Some(import) = import {
                w.text("import", import.as_str());
            }
        });
    });
}

pub(super) fn workspace(w: &mut Writer, workspace: &Workspace) {
    let Workspace { workspace_root, repos, default_repo, knowledge_root } = workspace;
    w.map("workspace", |w| {
        w.path("workspace_root", workspace_root.as_str());
        w.needed_list("repos", repos, |w, Repo { name, path, kind }| {
            w.text("name", name.as_str());
            w.path("path", path.as_str());
            w.word("kind", kind.as_str());
        });
        if let Some(repo) = default_repo {
            w.text("default_repo", repo.as_str());
        }
        if let Some(root) = knowledge_root {
            w.path("knowledge_root", root.as_str());
        }
    });
}

pub(super) fn continuity(w: &mut Writer, policy: &ContinuityPolicy) {
    let ContinuityPolicy {
        enabled,
        sync_triggers,
        artifacts: ContinuityArtifacts { session_log, restore_brief, quiz },
        restore_protocol: RestoreProtocol { peer_driven, verify_via_quiz },
    } = policy;
    w.map("continuity_policy", |w| {
        w.flag("enabled", *enabled);
        w.words("sync_triggers", sync_triggers, SyncTrigger::as_str);
        w.map("artifacts", |w| {
            flag(w, "session_log", *session_log);
            flag(w, "restore_brief", *restore_brief);
            flag(w, "quiz", *quiz);
        });
        w.map("restore_protocol", |w| {
            flag(w, "peer_driven", *peer_driven);
            flag(w, "verify_via_quiz", *verify_via_quiz);
        });
    });
}

fn flag(w: &mut Writer, key: &str, flag: Option<bool>) {
    if let Some(flag) = flag {
        w.flag(key, flag);
    }
}
