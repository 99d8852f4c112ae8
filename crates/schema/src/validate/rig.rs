//! Rig, payload and pod (SPEC 2).

use super::cx::Cx;
use super::edges::{self, LaunchOrder};
use super::member;
use super::seats::{PodSeats, Seats};
use super::startup;
use super::table::{Table, blankable, optional, required};
use super::workspace::{self, CONTINUITY, WORKSPACE};
use super::{Hints, services};
use crate::diags::document::LegacyFlatSpec;
use crate::json_schema::{self, at_least_one, list_of, object, text, word};
use crate::path::Path;
use crate::spec::{
    Doc, Line, ManagedBlock, ManagedBlocks, Member, Payload, PayloadFields, PermissionPolicy, Pod,
    PodId, RigFields, RigName, RigSpec, RigVersion, SafePath, Summary,
};
use crate::tree::NodeId;

pub(crate) const RIG: Table<12> = Table {
    what: "a rig",
    keys: [
        required("version", text::<RigVersion>),
        required("name", text::<RigName>),
        blankable("summary", text::<Summary>),
        blankable("culture_file", text::<SafePath>),
        blankable("permission_policy", json_schema::permission_policy),
        optional("managed_blocks", || object(&MANAGED_BLOCKS)),
        optional("docs", || list_of(&object(&DOC))),
        blankable("startup", json_schema::startup),
        optional("services", || object(&services::SERVICES)),
        blankable("workspace", || object(&WORKSPACE)),
        required("pods", || at_least_one(&json_schema::pod())),
        optional("edges", || list_of(&edges::rig_edge_shape())),
    ],
    refused: &[("nodes", |at| LegacyFlatSpec { at }.into())],
};

pub(crate) const PAYLOAD: Table<3> = Table {
    what: "an expand payload",
    keys: [
        blankable("pod", text::<PodId>),
        required("members", || at_least_one(&json_schema::member_ref())),
        optional("edges", || list_of(&edges::payload_edge_shape())),
    ],
    refused: &[("nodes", |at| LegacyFlatSpec { at }.into())],
};

pub(crate) const POD: Table<7> = Table {
    what: "a pod",
    keys: [
        required("id", text::<PodId>),
        required("label", text::<Line>),
        blankable("summary", text::<Summary>),
        optional("continuity_policy", || object(&CONTINUITY)),
        blankable("startup", json_schema::startup),
        required("members", || list_of(&json_schema::member_ref())),
        optional("edges", || list_of(&edges::pod_edge_shape())),
    ],
    refused: &[],
};

const DOC: Table<1> =
    Table { what: "a document", keys: [required("path", text::<SafePath>)], refused: &[] };

const MANAGED_BLOCKS: Table<1> = Table {
    what: "managed_blocks",
    keys: [blankable("claude-code", word::<ManagedBlock>)],
    refused: &[],
};

/// Reads a rig.
pub(crate) fn rig(cx: &mut Cx<'_>, root: NodeId) -> Option<RigSpec> {
    let path = Path::ROOT;
    let [
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
    ] = cx.fields(root, &path, &RIG)?;

    let version = cx.read(version, &path, Cx::parse::<RigVersion>);
    let name = cx.read(name, &path, Cx::parse::<RigName>);
    let summary = cx.read(summary, &path, Cx::parse::<Summary>);
    let culture_file = cx.read(culture_file, &path, Cx::parse::<SafePath>);
    let permission_policy = cx.read(permission_policy, &path, Cx::parse::<PermissionPolicy>);
    let managed_blocks = cx.read(managed_blocks, &path, managed);
    let docs = cx.read(docs, &path, |cx, node, path| cx.list(node, path, doc));
    let startup = cx.read(startup, &path, startup::startup);
    let services = cx.read(services, &path, services::services);
    let workspace = cx.read(workspace, &path, workspace::workspace);

    let mut seats = Seats::of_rig();
    let mut order = LaunchOrder::default();
    let pods = cx.read(pods, &path, |cx, node, path| {
        let pods =
            cx.list(node, path, |cx, node, path| pod(cx, node, path, &mut seats, &mut order));
        seats.need_a_member(cx, node, path);
        pods
    });
    let edges =
        cx.read(edges, &path, |cx, node, path| edges::in_rig(cx, node, path, &seats, &mut order));
    seats.check(cx, name.as_ref());
    order.check(cx);

    Some(RigSpec::validated(RigFields {
        version: version?,
        name: name?,
        summary,
        culture_file,
        permission_policy,
        managed_blocks: managed_blocks.unwrap_or_default(),
        docs: docs.unwrap_or_default(),
        startup: startup.unwrap_or_default(),
        services,
        workspace,
        pods: pods?,
        edges: edges.unwrap_or_default(),
    }))
}

/// Reads an expand payload.
pub(crate) fn payload<'t>(cx: &mut Cx<'t>, root: NodeId, hints: &'t Hints) -> Option<Payload> {
    let path = Path::ROOT;
    let [pod, members, edges] = cx.fields(root, &path, &PAYLOAD)?;
    let own = pod.and_then(|pod| cx.quiet_text(pod.value));
    let home = own.or_else(|| hints.pod.as_ref().map(PodId::as_str));
    let pod = cx.read(pod, &path, Cx::parse::<PodId>);

    let mut seats = Seats::of_payload(home);
    let mut order = LaunchOrder::default();
    let members = cx.read(members, &path, |cx, node, path| {
        let members = read_members(cx, node, path, &mut seats);
        seats.need_a_member(cx, node, path);
        members
    });
    let edges =
        cx.read(edges, &path, |cx, node, path| edges::in_payload(cx, node, path, home, &mut order));
    seats.check(cx, None);
    order.check(cx);

    Some(Payload::validated(PayloadFields {
        pod,
        members: members?,
        edges: edges.unwrap_or_default(),
    }))
}

fn pod<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    seats: &mut Seats<'t>,
    order: &mut LaunchOrder<'t>,
) -> Option<Pod> {
    // A pod that cannot be read keeps its place, so that numbers stay those of the file.
    seats.pods.push(PodSeats::default());
    let [id, label, summary, continuity, startup, members, edges] = cx.fields(node, path, &POD)?;
    if let (Some(pod), Some(id)) = (seats.pods.last_mut(), id) {
        pod.id = cx.quiet_text(id.value).map(|text| (text, Some(id.value)));
    }
    let id = cx.read(id, path, Cx::parse::<PodId>);
    let label = cx.read(label, path, Cx::parse::<Line>);
    let summary = cx.read(summary, path, Cx::parse::<Summary>);
    let continuity_policy = cx.read(continuity, path, workspace::continuity);
    let startup = cx.read(startup, path, startup::startup);
    let members = cx.read(members, path, |cx, node, path| read_members(cx, node, path, seats));
    let edges = cx.read(edges, path, |cx, node, path| edges::in_pod(cx, node, path, seats, order));
    Some(Pod {
        id: id?,
        label: label?,
        summary,
        continuity_policy,
        startup: startup.unwrap_or_default(),
        members: members?,
        edges: edges.unwrap_or_default(),
    })
}

/// Reads the members of the last pod of `seats`.
fn read_members<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    seats: &mut Seats<'t>,
) -> Option<Vec<Member>> {
    if let (Some(items), Some(pod)) = (cx.items(node, path), seats.pods.last_mut()) {
        pod.members_read = true;
        pod.members.reserve(items.len());
    } else {
        return None;
    }
    cx.list(node, path, |cx, node, path| {
        let seen = member::member(cx, node, path);
        if let Some(pod) = seats.pods.last_mut() {
            pod.members.push(seen.seat);
        }
        seen.member
    })
}

fn doc(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Doc> {
    let [file] = cx.fields(node, path, &DOC)?;
    Some(Doc { path: cx.read(file, path, Cx::parse::<SafePath>)? })
}

fn managed(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<ManagedBlocks> {
    let [claude_code] = cx.fields(node, path, &MANAGED_BLOCKS)?;
    Some(ManagedBlocks { claude_code: cx.read(claude_code, path, Cx::word::<ManagedBlock>) })
}
