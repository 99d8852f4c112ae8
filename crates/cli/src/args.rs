//! The command line: one root, one variant per verb, each verb's arguments in its own module (SPEC 13).

use anstream::ColorChoice;
use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::attach::AttachArgs;
use crate::completions::CompletionsArgs;
use crate::doctor::DoctorArgs;
use crate::down::DownArgs;
use crate::explain::ExplainArgs;
use crate::lineage::LineageArgs;
use crate::log::LogArgs;
use crate::man::ManArgs;
use crate::plan::PlanArgs;
use crate::ps::PsArgs;
use crate::reconcile::ReconcileArgs;
use crate::schema_verb::SchemaArgs;
use crate::sessions::SessionsArgs;
use crate::up::UpArgs;
use crate::validate::ValidateArgs;
use crate::verify::VerifyArgs;

/// Starts a new agent seat from a prior conversation, proves what came out, and never claims more than it saw.
#[derive(Debug, Parser)]
#[command(name = "seatfork", version = crate::version::LONG, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// What every verb knows.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The verb.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What every verb knows.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON object on stdout instead of text; errors too.
    #[arg(long, global = true, env = "SEATFORK_JSON", value_parser = FalseyValueParser::new())]
    pub(crate) json: bool,
    /// When to use colours. `auto` asks the terminal and `NO_COLOR`.
    #[arg(
        long,
        global = true,
        env = "SEATFORK_COLOR",
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Check specs and say everything that is wrong with them. Starts, stops and changes nothing.
    ///
    /// Refusals and warnings go to stderr with the lines they are about, and one
    /// line per file with the verdict to stdout; with `--normal-form` stdout is
    /// the canonical YAML and nothing else. Exit 0: every spec is valid; 3: one is
    /// refused; 4: a file could not be read.
    Validate(ValidateArgs),
    /// Explain a code: what it means, an example that triggers it, what to do.
    Explain(ExplainArgs),
    /// Print the JSON Schema of specs, for editors.
    ///
    /// As it is; with `--json` it is the `schema` of one object, as every verb has one.
    Schema(SchemaArgs),
    /// Show what `up` would do and what it would refuse. Starts and changes nothing.
    Plan(PlanArgs),
    /// List prior conversations, and whether each can be forked. Changes nothing.
    Sessions(SessionsArgs),
    /// Bring every member of a rig to a running seat.
    Up(UpArgs),
    /// End a rig's processes and keep its seats' tokens.
    Down(DownArgs),
    /// Show the seats as they are now.
    Ps(PsArgs),
    /// Show a seat's pane in this terminal.
    Attach(AttachArgs),
    /// Show which conversation came from which.
    Lineage(LineageArgs),
    /// Work with session logs by themselves: show, validate, tree, append, fork, seed.
    ///
    /// Exit 4: there is no such session in the workspace; 5: the new id is taken, or somebody
    /// writes the log; 6: `validate` or `tree` found something wrong.
    Log(LogArgs),
    /// Look at every stored proof again, offline.
    Verify(VerifyArgs),
    /// Compare the store with what is there; act only with --apply or --adopt.
    Reconcile(ReconcileArgs),
    /// Check whether seats could be launched here, and what is left from before.
    ///
    /// Exit 0: all is well; 6: there are warnings, which stop nothing, such as a runtime that
    /// is not installed; 7: a problem would stop a launch.
    Doctor(DoctorArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual as roff, of the whole command or of one verb.
    Man(ManArgs),
}
