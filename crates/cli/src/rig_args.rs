//! What `plan` and `up` are asked alike (SPEC 6, 7, 13).

use std::path::PathBuf;

use camino::Utf8PathBuf;
use clap::builder::FalseyValueParser;
use seatfork_adapters::contract::environment::never_passes;
use seatfork_launch::plan::PlanOptions;
use seatfork_schema::spec::RigName;

use crate::env::Environment;
use crate::exit::Exit;
use crate::output::Failure;
use crate::places::{absolute, given};
use seatfork_schema::LaunchCode;

/// The spec and how it is to be read.
#[derive(Debug, clap::Args)]
pub(crate) struct RigArgs {
    /// The rig spec; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Another name for the rig
    #[arg(long, env = "SEATFORK_RIG_NAME", value_name = "NAME")]
    rig_name: Option<RigName>,
    /// Allow members whose permission policy is builtin:yolo
    #[arg(long, env = "SEATFORK_ALLOW_YOLO", value_parser = FalseyValueParser::new())]
    allow_yolo: bool,
    /// Pass a variable of this environment on to the seats; several with commas, or by giving it again
    #[arg(long, env = "SEATFORK_PASS_ENV", value_name = "NAME", value_delimiter = ',')]
    pass_env: Vec<String>,
    /// Where the session logs of pixir members go; their seeds are read from the members' cwd
    #[arg(long, env = "SEATFORK_WORKSPACE", value_name = "DIR")]
    workspace: Option<Utf8PathBuf>,
    /// Do not tell forked seats what they are; a session log's boundary stays
    #[arg(long, env = "SEATFORK_NO_NOTICE", value_parser = FalseyValueParser::new())]
    no_notice: bool,
    /// Keep a link to every record that a forked conversation lives in (Codex), so that a lost one can be put back
    #[arg(long, env = "SEATFORK_PIN_SOURCE", value_parser = FalseyValueParser::new())]
    pin_source: bool,
}

impl RigArgs {
    /// As the plan wants them.
    pub(crate) fn options(
        &self,
        env: &Environment,
        skip_sources: bool,
    ) -> Result<PlanOptions, Failure> {
        let workspace =
            given(self.workspace.as_deref()).map(|dir| absolute(dir, env)).transpose()?;
        let pass_env: Vec<_> =
            self.pass_env.iter().filter(|name| !name.is_empty()).cloned().collect();
        if let Some(odd) = pass_env.iter().find(|name| !is_variable(name)) {
            let message = format!("--pass-env takes names of variables, and \"{odd}\" is none");
            return Err(Failure::new(Exit::Usage, LaunchCode::Usage, message)
                .hint("give the name alone, without a value"));
        }
        if let Some(never) = pass_env.iter().find(|name| never_passes(name)) {
            let message = format!(
                "--pass-env {never}: it says in which session or seat a program was started, and never passes to another seat"
            );
            return Err(Failure::new(Exit::Usage, LaunchCode::Usage, message)
                .hint("leave it out: a seat is told its own by what starts it")
                .detail("name", never.as_str()));
        }
        Ok(PlanOptions {
            rig_name: self.rig_name.clone(),
            allow_yolo: self.allow_yolo,
            pass_env,
            workspace,
            no_notice: self.no_notice,
            pin_source: self.pin_source,
            skip_sources,
        })
    }
}

fn is_variable(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(word)
}
