//! `log tree`: which session came from which, with what is damaged or missing.

use clap::ValueEnum;
use seatfork_sessionlog::Tree;
use serde::Serialize;

use super::{WorkspaceArgs, fail, session};
use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use seatfork_schema::LaunchCode;

/// The arguments of `log tree`.
#[derive(Debug, clap::Args)]
pub(crate) struct TreeArgs {
    /// A session: only what it leads to; the whole workspace where left out
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// At most so many steps below it
    #[arg(long, env = "SEATFORK_DEPTH", value_name = "NUMBER", requires = "session")]
    depth: Option<usize>,
    /// How to show it
    #[arg(long, env = "SEATFORK_FORMAT", value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// How a tree is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Indented lines.
    Text,
    /// One JSON object; the same as --json.
    Json,
    /// A Mermaid flowchart.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
}

#[derive(Debug, Serialize)]
struct Shown<'t> {
    schema_version: u32,
    ok: bool,
    tree: &'t Tree,
}

/// Exit 6 where a log could not be read to its end; what is missing or torn is shown and is no finding.
pub(super) fn run(
    args: &TreeArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let workspace = args.workspace.open(env)?;
    let whole = Tree::read(&workspace).map_err(|error| fail::read(&error.into()))?;
    let tree = match &args.session {
        None => whole,
        Some(asked) => {
            let id = session(asked)?;
            let Some(root) = whole.find(&id) else {
                let message = format!("{} has no session {id}", workspace.path());
                return Err(Failure::new(Exit::NotFound, LaunchCode::SourceNotFound, message)
                    .hint("seatfork log tree without an id shows all of them"));
            };
            whole.below(root, args.depth.unwrap_or(usize::MAX))
        }
    };
    let exit = if tree.is_damaged() { Exit::Findings } else { Exit::Ok };
    match args.format {
        _ if output.is_json() => object(&tree, exit, output),
        Format::Json => object(&tree, exit, output),
        Format::Text if tree.nodes.is_empty() => {
            output.data(&format!("{}No session has a log in {}.\n", tree.text(), tree.workspace));
        }
        Format::Text => output.data(&tree.text()),
        Format::Mermaid => output.data(&tree.mermaid()),
        Format::Dot => output.data(&tree.dot()),
    }
    Ok(exit)
}

fn object(tree: &Tree, exit: Exit, output: &mut Output) {
    output.object(&Shown { schema_version: SCHEMA_VERSION, ok: exit == Exit::Ok, tree });
}
