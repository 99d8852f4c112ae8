//! `log append`: one event, by the log's only writer.

use std::io::Read as _;

use clap::builder::FalseyValueParser;
use seatfork_launch::Clock as _;
use seatfork_sessionlog::{Durability, LogWriter, create_log, repair_torn_tail};
use serde::Serialize;

use super::{WorkspaceArgs, fail, session};
use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::input::STDIN;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use seatfork_schema::LaunchCode;

/// The longest data taken from stdin: what a log's line may have.
const MOST: u64 = 64 * 1024 * 1024;

/// The arguments of `log append`.
#[derive(Debug, clap::Args)]
pub(crate) struct AppendArgs {
    /// The session
    #[arg(value_name = "ID")]
    session: String,
    /// The event's type, such as `user_message`
    #[arg(long = "type", env = "SEATFORK_TYPE", value_name = "TYPE")]
    kind: String,
    /// The event's data, a JSON object; `-` reads stdin
    #[arg(long, env = "SEATFORK_DATA", value_name = "JSON")]
    data: String,
    /// Make the log where there is none
    #[arg(long, env = "SEATFORK_CREATE", value_parser = FalseyValueParser::new())]
    create: bool,
    /// Remove a last record that is not whole first
    #[arg(long, env = "SEATFORK_REPAIR", value_parser = FalseyValueParser::new())]
    repair: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Debug, Serialize)]
struct Appended {
    schema_version: u32,
    ok: bool,
    session: String,
    seq: u64,
    /// Whether the log was made for it.
    created: bool,
    /// Bytes of a record that was not whole and was removed first.
    removed_bytes: usize,
}

pub(super) fn run(
    args: &AppendArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let workspace = args.workspace.open(env)?;
    let id = session(&args.session)?;
    let data = data(&args.data)?;
    let now = || SystemClock.now();
    let missing = || !workspace.log_path(&id).as_std_path().exists();
    let created = args.create && missing();
    if created {
        create_log(&workspace, &id, None, now()).map_err(|error| fail::create(&error))?;
    }
    let mut removed_bytes = 0;
    if args.repair {
        let repair =
            repair_torn_tail(&workspace, &id, now()).map_err(|error| fail::append(&error))?;
        if let Some(repair) = repair {
            removed_bytes = repair.removed.len();
            let said = seatfork_schema::printable(&String::from_utf8_lossy(&repair.removed));
            output.talk(&format!("removed {removed_bytes} bytes at {}: {said}\n", repair.byte));
        }
    }
    let append = || {
        let mut writer = LogWriter::open(&workspace, &id, Durability::EachRecord, now())?;
        let seq = writer.append(&args.kind, &data, now());
        writer.close()?;
        seq
    };
    let seq = append().map_err(|error| fail::append(&error))?;
    let appended = Appended {
        schema_version: SCHEMA_VERSION,
        ok: true,
        session: id.to_string(),
        seq,
        created,
        removed_bytes,
    };
    if output.is_json() {
        output.object(&appended);
    } else {
        let made = if created { ", which is new" } else { "" };
        output.data(&format!("appended seq {seq} to {id}{made}. Next: seatfork log show {id}\n"));
    }
    Ok(Exit::Ok)
}

fn data(argument: &str) -> Result<String, Failure> {
    if argument != STDIN {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    match std::io::stdin().lock().take(MOST).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let message = format!("stdin could not be read as text: {error}");
            Err(Failure::new(Exit::Usage, LaunchCode::Usage, message)
                .hint("give one JSON object in UTF-8"))
        }
    }
}
