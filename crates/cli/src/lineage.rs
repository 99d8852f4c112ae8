//! `seatfork lineage`: which conversation came from which (SPEC 11, 13). Changes nothing.

mod kin;

use clap::ValueEnum;
use clap::builder::FalseyValueParser;
use seatfork_launch::{
    Clock as _, LineageAsked, LineageReport, Offline, SCHEMA_VERSION, TargetError, lineage, target,
};
use seatfork_schema::{ConversationId, NativeId, Runtime, Scope};

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, offline};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::wait::block_on;
use crate::{failing, naming, show};

/// The arguments of `lineage`.
#[derive(Debug, clap::Args)]
pub(crate) struct LineageArgs {
    /// A rig, a seat, or a conversation by its id or a prefix of it; everything where left out
    #[arg(value_name = "RIG|SEAT|ID")]
    which: Option<String>,
    /// How to show it
    #[arg(long, env = "SEATFORK_FORMAT", value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Only what it came from
    #[arg(long, env = "SEATFORK_ANCESTORS", value_parser = FalseyValueParser::new(), conflicts_with = "descendants", requires = "which")]
    ancestors: bool,
    /// Only what came from it
    #[arg(long, env = "SEATFORK_DESCENDANTS", value_parser = FalseyValueParser::new(), requires = "which")]
    descendants: bool,
    #[command(flatten)]
    places: PlaceArgs,
}

/// How lineage is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A tree.
    Text,
    /// One JSON object; the same as --json.
    Json,
    /// A Mermaid flowchart.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
}

pub(crate) fn run(
    args: &LineageArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if args.format == Format::Json {
        output.make_json();
    }
    let report = block_on(async {
        let ground = offline(env, &args.places, Access::Read)?;
        match (ground, &args.which) {
            (Some(ground), Some(asked)) => of(&ground, asked, args).await,
            (Some(ground), None) => ask(&ground, &LineageAsked::All).await,
            (None, Some(asked)) => Err(naming::no_store(Some(asked))),
            (None, None) => Ok(LineageReport {
                schema_version: SCHEMA_VERSION,
                ok: true,
                nodes: Vec::new(),
                edges: Vec::new(),
            }),
        }
    })??;
    match args.format {
        _ if output.is_json() => output.object(&report),
        Format::Json => output.object(&report),
        Format::Text => output.data(&show::lineage::text(&report, SystemClock.now())),
        Format::Mermaid => output.data(&show::lineage::mermaid(&report)),
        Format::Dot => output.data(&show::lineage::dot(&report)),
    }
    Ok(Exit::Ok)
}

async fn ask(ground: &Offline, asked: &LineageAsked) -> Result<LineageReport, Failure> {
    lineage(ground, asked).await.map_err(|error| failing::store(&error))
}

/// The lineage of what a word names: a rig or seat first, then any conversation the store knows.
async fn of(ground: &Offline, asked: &str, args: &LineageArgs) -> Result<LineageReport, Failure> {
    let (report, focus) = match target(&ground.store, asked).await {
        Ok(target) => {
            let focus = kin::Focus::of(&target);
            (ask(ground, &LineageAsked::Target(target)).await?, focus)
        }
        Err(error @ TargetError::NotFound { .. }) => {
            let Some(id) = conversation(ground, asked).await? else {
                return Err(naming::unnamed(&error));
            };
            let focus = kin::Focus::Conversation(id.clone());
            (ask(ground, &LineageAsked::Conversation(id)).await?, focus)
        }
        Err(error) => return Err(naming::unnamed(&error)),
    };
    Ok(match (args.ancestors, args.descendants) {
        (true, _) => kin::ancestors(&report, &focus),
        (_, true) => kin::descendants(&report, &focus),
        _ => report,
    })
}

/// The shortest part of an id that may stand for it.
const PREFIX_MIN: usize = 4;

/// The one conversation an id or a prefix of it names; `None` where the store never saw one.
async fn conversation(ground: &Offline, asked: &str) -> Result<Option<ConversationId>, Failure> {
    let known = ask(ground, &LineageAsked::All).await?;
    let starts = |id: &str| {
        asked.len() >= PREFIX_MIN
            && id.get(..asked.len()).is_some_and(|start| start.eq_ignore_ascii_case(asked))
    };
    let mut named: Vec<_> = known.nodes.iter().filter(|node| starts(&node.native_id)).collect();
    if let Some(whole) = named.iter().find(|node| node.native_id == asked) {
        named = vec![whole];
    }
    match &named[..] {
        [one] => return Ok(kin::conversation(one)),
        [] => {}
        several => {
            let ids: Vec<_> = several.iter().map(|node| node.native_id.clone()).collect();
            return Err(naming::ambiguous(asked, &ids));
        }
    }
    // One that never lived in a seat is known by its whole id.
    for runtime in Runtime::ALL {
        let Ok(native_id) = NativeId::for_runtime(*runtime, asked) else { continue };
        let id = ConversationId { runtime: *runtime, scope: Scope::everywhere(), native_id };
        if !ask(ground, &LineageAsked::Conversation(id.clone())).await?.nodes.is_empty() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
