//! Rig, payload, pod, member and edge as canonical YAML.

use std::fmt::Display;

use seatfork_schema::spec::{
    Doc, Edge, ManagedBlocks, Member, PayloadFields, Pod, RigFields, SessionSource, StarterRef,
};

use super::parts;
use super::writer::Writer;

pub(super) fn rig(w: &mut Writer, rig: &RigFields) {
    let RigFields {
        version,
        name,
        summary,
        culture_file,
        permission_policy,
        managed_blocks,
        docs,
        startup,
        services,
        workspace,
        pods,
        edges,
    } = rig;
    w.text("version", version.as_str());
    w.text("name", name.as_str());
    if let Some(summary) = summary {
        w.text("summary", summary.as_str());
    }
    if let Some(file) = culture_file {
        w.path("culture_file", file.as_str());
    }
    if let Some(policy) = permission_policy {
        w.path("permission_policy", &policy.to_string());
    }
    let ManagedBlocks { claude_code } = managed_blocks;
    w.map("managed_blocks", |w| {
        if let Some(block) = claude_code {
            w.word("claude-code", block.as_str());
        }
    });
    w.list("docs", docs, |w, Doc { path }| w.path("path", path.as_str()));
    parts::startup(w, startup);
    if let Some(services) = services {
        parts::services(w, services);
    }
    if let Some(workspace) = workspace {
        parts::workspace(w, workspace);
    }
    w.needed_list("pods", pods, pod);
    w.list("edges", edges, edge);
}

pub(super) fn payload(w: &mut Writer, payload: &PayloadFields) {
    let PayloadFields { pod, members, edges } = payload;
    if let Some(pod) = pod {
        w.text("pod", pod.as_str());
    }
    w.needed_list("members", members, member);
    w.list("edges", edges, edge);
}

fn pod(w: &mut Writer, pod: &Pod) {
    let Pod { id, label, summary, continuity_policy, startup, members, edges } = pod;
    w.text("id", id.as_str());
    w.text("label", label.as_str());
    if let Some(summary) = summary {
        w.text("summary", summary.as_str());
    }
    if let Some(policy) = continuity_policy {
        parts::continuity(w, policy);
    }
    parts::startup(w, startup);
    w.needed_list("members", members, member);
    w.list("edges", edges, edge);
}

fn member(w: &mut Writer, member: &Member) {
    let Member {
        id,
        label,
        agent_ref,
        profile,
        runtime,
        codex_config_profile,
        model,
        role,
        permission_policy,
        cwd,
        restore_policy,
        compaction_strategy,
        mechanic,
        startup,
        session_source,
        starter_ref,
    } = member;
    w.text("id", id.as_str());
    if let Some(label) = label {
        w.text("label", label.as_str());
    }
    w.path("agent_ref", &agent_ref.to_string());
    w.text("profile", profile.as_str());
    w.word("runtime", runtime.as_str());
    if let Some(profile) = codex_config_profile {
        w.text("codex_config_profile", profile.as_str());
    }
    if let Some(model) = model {
        w.text("model", model.as_str());
    }
    if let Some(role) = role {
        w.text("role", role.as_str());
    }
    if let Some(policy) = permission_policy {
        w.path("permission_policy", &policy.to_string());
    }
    w.path("cwd", cwd.as_str());
    if let Some(policy) = restore_policy {
        w.word("restore_policy", policy.as_str());
    }
    if let Some(strategy) = compaction_strategy {
        w.word("compaction_strategy", strategy.as_str());
    }
    if let Some(seat) = mechanic {
        w.text("mechanic", seat.as_str());
    }
    parts::startup(w, startup);
    if let Some(source) = session_source {
        w.map("session_source", |w| session_source_keys(w, source));
    }
    if let Some(StarterRef { name }) = starter_ref {
        w.map("starter_ref", |w| w.text("name", name.as_str()));
    }
}

fn session_source_keys(w: &mut Writer, source: &SessionSource) {
    w.word("mode", source.mode().as_str());
    w.map("ref", |w| match source {
        SessionSource::Fork { native_id } => {
            w.word("kind", "native_id");
            w.text("value", native_id.as_str());
        }
        SessionSource::Rebuild { paths } => {
            w.word("kind", "artifact_set");
            w.paths("value", paths);
        }
        SessionSource::AgentImage { name, version } => {
            w.word("kind", "image_name");
            w.text("value", name.as_str());
            if let Some(version) = version {
                w.text("version", version.as_str());
            }
        }
    });
}

fn edge<End: Display>(w: &mut Writer, edge: &Edge<End>) {
    let Edge { kind, from, to } = edge;
    w.word("kind", kind.as_str());
    w.text("from", &from.to_string());
    w.text("to", &to.to_string());
}
