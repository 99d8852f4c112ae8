//! `log seed` and `log validate`: a warm start, or what one would be.

use camino::Utf8PathBuf;
use clap::ValueEnum;
use clap::builder::FalseyValueParser;
use seatfork_launch::Clock as _;
use seatfork_sessionlog::{
    CacheFacts, PermissionMode, Posture, SeedError, SeedLineage, SeedRequest, Seeded,
    WorkspaceMode, WritePolicy, seed_child_log,
};
use serde::Serialize;
use serde_json::Value;

use super::fork::new_id;
use super::{WorkspaceArgs, fail, session, workspace};
use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use crate::places::{absolute, given};
use crate::show::lines::put;
use seatfork_schema::LaunchCode;

/// The arguments of `log validate`.
#[derive(Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// The session
    #[arg(value_name = "ID")]
    session: String,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// The arguments of `log seed`.
#[derive(Debug, clap::Args)]
pub(crate) struct SeedArgs {
    /// The session to start from
    #[arg(value_name = "ID")]
    session: String,
    /// The new session's id; made up where left out
    #[arg(long, env = "SEATFORK_CHILD", value_name = "ID")]
    child: Option<String>,
    /// Where the new log goes [default: the seed's workspace]
    #[arg(long, env = "SEATFORK_CHILD_WORKSPACE", value_name = "DIR")]
    child_workspace: Option<Utf8PathBuf>,
    /// What the new session may do: its own, whatever the seed's was
    #[arg(long, env = "SEATFORK_POSTURE", value_name = "POSTURE", default_value = "ask")]
    posture: PostureArg,
    /// Whom it is for, in your words
    #[arg(
        long = "for",
        env = "SEATFORK_FOR",
        value_name = "NAME",
        default_value = "seatfork log seed"
    )]
    holder: String,
    /// Show what would be given, and make nothing
    #[arg(long, env = "SEATFORK_DRY_RUN", value_parser = FalseyValueParser::new())]
    dry_run: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// What a new session may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum PostureArg {
    /// It reads.
    ReadOnly,
    /// It asks.
    Ask,
    /// It writes within its workspace.
    Workspace,
}

impl PostureArg {
    fn posture(self, holder: &str) -> Posture {
        let permission = match self {
            Self::ReadOnly => PermissionMode::ReadOnly,
            Self::Ask => PermissionMode::Ask,
            Self::Workspace => PermissionMode::Auto(WritePolicy::bounded(
                "seatfork-workspace",
                vec!["**/*".to_owned()],
                vec![".pixir/**".to_owned()],
            )),
        };
        Posture { permission, workspace_mode: WorkspaceMode::Shared, holder: holder.to_owned() }
    }
}

#[derive(Debug, Serialize)]
struct Validated<'s> {
    schema_version: u32,
    ok: bool,
    lineage: &'s SeedLineage,
}

/// Exit 6 where no child could be seeded from it: checking is looking, and that is what was found.
pub(super) fn validate(
    args: &ValidateArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let workspace = args.workspace.open(env)?;
    let seed = session(&args.session)?;
    match seatfork_sessionlog::validate(&workspace, &seed) {
        Ok(lineage) => {
            told(&lineage, output);
            Ok(Exit::Ok)
        }
        Err(error) => {
            let failure = fail::seed(&error);
            let exit = match error {
                SeedError::Read(seatfork_sessionlog::ReadError::NotFound { .. }) => failure.exit,
                _ => Exit::Findings,
            };
            Err(Failure { exit, ..failure })
        }
    }
}

fn told(lineage: &SeedLineage, output: &mut Output) {
    if output.is_json() {
        output.object(&Validated { schema_version: SCHEMA_VERSION, ok: true, lineage });
        return;
    }
    let seed = &lineage.seed_session_id;
    let mut text = format!(
        "{seed}: a child would be given {} of {} events, root {}\n",
        lineage.replay_event_count, lineage.reading.events, lineage.fork_root_session_id
    );
    if lineage.resources > 0 {
        put(
            &mut text,
            format_args!("payloads: {}, {} bytes\n", lineage.resources, lineage.resource_bytes),
        );
    }
    if lineage.reading.torn_bytes > 0 {
        let torn = lineage.reading.torn_bytes;
        put(
            &mut text,
            format_args!("the last record is not whole: its {torn} bytes are not given\n"),
        );
    }
    put(&mut text, format_args!("Nothing was made. Next: seatfork log seed {seed}\n"));
    output.data(&text);
}

pub(super) fn run(
    args: &SeedArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let home = args.workspace.open(env)?;
    let seed = session(&args.session)?;
    let at = SystemClock.now();
    let child = new_id(args.child.as_deref(), at)?;
    let child_home = match given(args.child_workspace.as_deref()) {
        Some(dir) => workspace(&absolute(dir, env)?)?,
        None => home.clone(),
    };
    if args.dry_run {
        let lineage =
            seatfork_sessionlog::validate(&home, &seed).map_err(|error| fail::seed(&error))?;
        told(&lineage, output);
        return Ok(Exit::Ok);
    }
    let posture = args.posture.posture(&args.holder);
    let seeded = seed_child_log(&SeedRequest {
        workspace: &home,
        seed: &seed,
        child_workspace: &child_home,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at,
    })
    .map_err(|error| fail::seed(&error))?;
    if output.is_json() {
        output.object(&object(&seeded)?);
    } else {
        output.data(&text(&seeded));
    }
    Ok(Exit::Ok)
}

/// The child, with the six keys every presenter shows beside it.
fn object(seeded: &Seeded) -> Result<Value, Failure> {
    let unwritten = |error: serde_json::Error| {
        Failure::new(Exit::Failed, LaunchCode::OutputNotWritten, error.to_string())
    };
    let mut object = serde_json::to_value(seeded).map_err(unwritten)?;
    object["schema_version"] = SCHEMA_VERSION.into();
    object["ok"] = true.into();
    object["warm_start"] = serde_json::to_value(seeded.envelope()).map_err(unwritten)?;
    Ok(object)
}

fn text(seeded: &Seeded) -> String {
    let (child, lineage) = (&seeded.child_session_id, &seeded.lineage);
    format!(
        "{child}: started from prior conversation source {}, {} events, boundary at seq {}\n{}\nNext: seatfork log show {child} --workspace {}\n",
        lineage.seed_session_id,
        lineage.replay_event_count,
        seeded.boundary_seq,
        seeded.child_log_path,
        seeded.child_workspace
    )
}
