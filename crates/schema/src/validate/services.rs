//! `services` (SPEC 2).

use super::cx::Cx;
use super::table::{Table, blankable, optional, required};
use crate::diags::startup::{WaitConditionMisplaced, WaitForAmbiguous};
use crate::json_schema::{self, list_of, object, text, word};
use crate::path::Path;
use crate::spec::{
    Checkpoint, DownPolicy, Line, ProjectName, SafePath, Script, Services, ServicesKind,
    SurfaceCommand, SurfaceUrl, Surfaces, WaitCondition, WaitFor,
};
use crate::tree::NodeId;

pub(crate) const SERVICES: Table<8> = Table {
    what: "services",
    keys: [
        required("kind", word::<ServicesKind>),
        required("compose_file", text::<SafePath>),
        blankable("project_name", text::<ProjectName>),
        optional("profiles", || list_of(&text::<Line>())),
        blankable("down_policy", word::<DownPolicy>),
        optional("wait_for", || list_of(&json_schema::wait_for(object(&WAIT_FOR)))),
        optional("surfaces", || object(&SURFACES)),
        optional("checkpoints", || list_of(&object(&CHECKPOINT))),
    ],
    refused: &[],
};

const WAIT_FOR: Table<4> = Table {
    what: "an entry of wait_for",
    keys: [
        blankable("service", text::<Line>),
        blankable("condition", word::<WaitCondition>),
        blankable("url", text::<Line>),
        blankable("tcp", text::<Line>),
    ],
    refused: &[],
};

const SURFACES: Table<2> = Table {
    what: "surfaces",
    keys: [
        optional("urls", || list_of(&object(&URL))),
        optional("commands", || list_of(&object(&COMMAND))),
    ],
    refused: &[],
};

const URL: Table<2> = Table {
    what: "a surface's url",
    keys: [required("name", text::<Line>), required("url", text::<Line>)],
    refused: &[],
};

const COMMAND: Table<2> = Table {
    what: "a surface's command",
    keys: [required("name", text::<Line>), required("command", text::<Script>)],
    refused: &[],
};

const CHECKPOINT: Table<3> = Table {
    what: "a checkpoint",
    keys: [
        required("id", text::<Line>),
        required("export", text::<Script>),
        blankable("import", text::<Script>),
    ],
    refused: &[],
};

/// Reads a `services`.
pub(crate) fn services(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Services> {
    let [kind, compose_file, project_name, profiles, down_policy, wait_for, surfaces, checkpoints] =
        cx.fields(node, path, &SERVICES)?;
    let kind = cx.read(kind, path, Cx::word::<ServicesKind>);
    let compose_file = cx.read(compose_file, path, Cx::parse::<SafePath>);
    let project_name = cx.read(project_name, path, Cx::parse::<ProjectName>);
    let profiles = cx.read(profiles, path, |cx, node, path| cx.list(node, path, Cx::parse::<Line>));
    let down_policy = cx.read(down_policy, path, Cx::word::<DownPolicy>);
    let wait_for = cx.read(wait_for, path, |cx, node, path| cx.list(node, path, wait));
    let surfaces = cx.read(surfaces, path, read_surfaces);
    let checkpoints = cx.read(checkpoints, path, |cx, node, path| cx.list(node, path, checkpoint));
    Some(Services {
        kind: kind?,
        compose_file: compose_file?,
        project_name,
        profiles: profiles.unwrap_or_default(),
        down_policy,
        wait_for: wait_for.unwrap_or_default(),
        surfaces: surfaces.unwrap_or_default(),
        checkpoints: checkpoints.unwrap_or_default(),
    })
}

fn wait(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<WaitFor> {
    let [service, condition, url, tcp] = cx.fields(node, path, &WAIT_FOR)?;
    let named: Vec<_> = [service, url, tcp].into_iter().flatten().map(|it| it.name).collect();
    let is_one = named.len() == 1;
    if !is_one {
        let at = crate::diags::At { path: path.text(), span: cx.head(node) };
        cx.no(WaitForAmbiguous { at, named });
    }
    if let (Some(condition), None) = (condition, service) {
        let at = cx.at(condition.value, &path.key("condition"));
        cx.no(WaitConditionMisplaced { at });
    }
    if service.is_some() && condition.is_none() {
        cx.missing(node, path, "condition", "a wait for a service", vec!["service", "condition"]);
    }
    let service = cx.read(service, path, Cx::parse::<Line>);
    let condition = cx.read(condition, path, Cx::word::<WaitCondition>);
    let url = cx.read(url, path, Cx::parse::<Line>);
    let tcp = cx.read(tcp, path, Cx::parse::<Line>);
    match (service, url, tcp) {
        (Some(service), None, None) => Some(WaitFor::Service { service, condition: condition? }),
        (None, Some(url), None) => Some(WaitFor::Url { url }),
        (None, None, Some(tcp)) => Some(WaitFor::Tcp { tcp }),
        _ => None,
    }
}

fn read_surfaces(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Surfaces> {
    let [urls, commands] = cx.fields(node, path, &SURFACES)?;
    let urls = cx.read(urls, path, |cx, node, path| cx.list(node, path, surface_url));
    let commands = cx.read(commands, path, |cx, node, path| cx.list(node, path, surface_command));
    Some(Surfaces { urls: urls.unwrap_or_default(), commands: commands.unwrap_or_default() })
}

fn surface_url(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<SurfaceUrl> {
    let [name, url] = cx.fields(node, path, &URL)?;
    let name = cx.read(name, path, Cx::parse::<Line>);
    let url = cx.read(url, path, Cx::parse::<Line>);
    Some(SurfaceUrl { name: name?, url: url? })
}

fn surface_command(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<SurfaceCommand> {
    let [name, command] = cx.fields(node, path, &COMMAND)?;
    let name = cx.read(name, path, Cx::parse::<Line>);
    let command = cx.read(command, path, Cx::parse::<Script>);
    Some(SurfaceCommand { name: name?, command: command? })
}

fn checkpoint(cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) -> Option<Checkpoint> {
    let [id, export, import] = cx.fields(node, path, &CHECKPOINT)?;
    let id = cx.read(id, path, Cx::parse::<Line>);
    let export = cx.read(export, path, Cx::parse::<Script>);
    let import = cx.read(import, path, Cx::parse::<Script>);
    Some(Checkpoint { id: id?, export: export?, import })
}
