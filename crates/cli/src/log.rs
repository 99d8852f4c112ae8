//! `seatfork log`: session logs by themselves, without a rig (SPEC 13). No verb of it writes a row of the store.

mod append;
mod fail;
mod fork;
mod seed;
mod show;
mod tree;

use camino::Utf8PathBuf;
use clap::Subcommand;
use seatfork_sessionlog::{SessionId, Workspace};

use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output};
use crate::places::{absolute, given};
use seatfork_schema::LaunchCode;

/// The arguments of `log`.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    verb: LogVerb,
}

/// What is done with a log.
#[derive(Debug, Subcommand)]
enum LogVerb {
    /// Show what a log holds: counts, lineage, posture, writer. Changes nothing.
    Show(show::ShowArgs),
    /// Say whether a child could be seeded from a log, and what it would be given. Changes nothing.
    Validate(seed::ValidateArgs),
    /// Show which session of a workspace came from which. Changes nothing.
    Tree(tree::TreeArgs),
    /// Append one event, as the log's only writer.
    Append(append::AppendArgs),
    /// Fork a log in its workspace, whole or up to an event.
    Fork(fork::ForkArgs),
    /// Start a new log warm from a seed: all its events, a boundary, a posture of its own.
    Seed(seed::SeedArgs),
}

/// Where a log is.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct WorkspaceArgs {
    /// The workspace whose .pixir holds the logs [default: the working directory]
    #[arg(long, env = "SEATFORK_WORKSPACE", value_name = "DIR")]
    workspace: Option<Utf8PathBuf>,
}

impl WorkspaceArgs {
    /// It, opened.
    fn open(&self, env: &Environment) -> Result<Workspace, Failure> {
        let dir = given(self.workspace.as_deref()).unwrap_or(".".into());
        workspace(&absolute(dir, env)?)
    }
}

fn workspace(dir: &camino::Utf8Path) -> Result<Workspace, Failure> {
    Workspace::open(dir).map_err(|error| {
        let message = crate::failing::chain(&error);
        Failure::new(Exit::NotReady, LaunchCode::WorkingDirectoryMissing, message)
            .hint("name a directory that is there with --workspace")
    })
}

/// A session named on the command line.
fn session(text: &str) -> Result<SessionId, Failure> {
    SessionId::new(text).map_err(|error| {
        Failure::new(Exit::Usage, LaunchCode::Usage, error.to_string())
            .hint("seatfork log tree lists the sessions of a workspace")
            .detail("reason", error.reason())
    })
}

pub(crate) fn run(args: &LogArgs, env: &Environment, output: &mut Output) -> Result<Exit, Failure> {
    match &args.verb {
        LogVerb::Show(args) => show::run(args, env, output),
        LogVerb::Validate(args) => seed::validate(args, env, output),
        LogVerb::Tree(args) => tree::run(args, env, output),
        LogVerb::Append(args) => append::run(args, env, output),
        LogVerb::Fork(args) => fork::run(args, env, output),
        LogVerb::Seed(args) => seed::run(args, env, output),
    }
}
