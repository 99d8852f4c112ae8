//! `log show`: what a log holds, without what was said in it.

use seatfork_launch::Clock as _;
use seatfork_schema::printable;
use seatfork_sessionlog::{
    EnvelopeProjection, LeaseState, Lineage, LogReader, Reading, SessionId, current_posture,
    envelope_projection, lease_state,
};
use serde::Serialize;

use super::{WorkspaceArgs, fail, session};
use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use crate::show::lines::{count, put};
use clap::builder::FalseyValueParser;

/// The arguments of `log show`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The session
    #[arg(value_name = "ID")]
    session: String,
    /// List the events too: number, time, type, bytes; never what was said
    #[arg(long, env = "SEATFORK_EVENTS", value_parser = FalseyValueParser::new())]
    events: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// One event, without its data.
#[derive(Debug, Serialize)]
struct EventRow {
    seq: u64,
    ts: String,
    #[serde(rename = "type")]
    kind: String,
    bytes: usize,
}

#[derive(Debug, Serialize)]
struct Shown {
    schema_version: u32,
    ok: bool,
    session: SessionId,
    path: String,
    bytes: u64,
    reading: Reading,
    lineage: Option<Lineage>,
    warm_start: EnvelopeProjection,
    /// The permission mode its own posture says; null where none governs it, for the reason beside it.
    permission_mode: Option<String>,
    posture_unavailable: Option<String>,
    writer: &'static str,
    writer_pid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventRow>>,
}

pub(super) fn run(
    args: &ShowArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let workspace = args.workspace.open(env)?;
    let id = session(&args.session)?;
    let mut log = LogReader::open(&workspace, &id).map_err(|error| fail::read(&error))?;
    let mut rows = Vec::new();
    while let Some(event) = log.next_event().map_err(|error| fail::read(&error))? {
        if args.events {
            rows.push(EventRow {
                seq: event.seq,
                ts: printable(&event.ts),
                kind: printable(&event.type_name),
                bytes: event.data.len(),
            });
        }
    }
    let lease = lease_state(&workspace, &id, SystemClock.now())
        .map_err(|error| fail::read(&error.into()))?;
    let writer_pid = match &lease {
        LeaseState::Active(lease) | LeaseState::Stale(lease) => Some(lease.os_pid.0.clone()),
        LeaseState::Available | LeaseState::Ambiguous { .. } => None,
    };
    let (permission_mode, posture_unavailable) = match current_posture(&workspace, &id) {
        Ok(posture) => (Some(posture.permission_mode), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let shown = Shown {
        schema_version: SCHEMA_VERSION,
        ok: true,
        path: log.path().to_string(),
        bytes: log.identity().bytes,
        reading: log.reading().clone(),
        lineage: log.lineage().cloned(),
        warm_start: envelope_projection(log.lineage()),
        permission_mode,
        posture_unavailable,
        writer: lease.name(),
        writer_pid,
        events: args.events.then_some(rows),
        session: id,
    };
    if output.is_json() {
        output.object(&shown);
    } else {
        output.data(&text(&shown));
    }
    Ok(Exit::Ok)
}

fn text(shown: &Shown) -> String {
    let mut text = String::new();
    let reading = &shown.reading;
    let events = count(usize::try_from(reading.events).unwrap_or(usize::MAX), "event", "events");
    put(&mut text, format_args!("{}\n{events}, {} bytes\n", shown.path, shown.bytes));
    for (kind, number) in &reading.by_type {
        put(&mut text, format_args!("  {number} {kind}\n"));
    }
    if reading.unknown() > 0 {
        put(
            &mut text,
            format_args!("  {} of a type this build does not know\n", reading.unknown()),
        );
    }
    if let (Some(first), Some(last)) = (&reading.first_ts, &reading.last_ts) {
        put(&mut text, format_args!("from {} to {}\n", printable(first), printable(last)));
    }
    if reading.torn_bytes > 0 {
        put(
            &mut text,
            format_args!(
                "the last record is not whole: {} bytes, being written or cut off\n",
                reading.torn_bytes
            ),
        );
    }
    match &shown.lineage {
        Some(lineage) => {
            let how = if lineage.warm { "started warm from" } else { "forked from" };
            let copied = lineage.replay_event_count.unwrap_or_default();
            let (parent, root) = (&lineage.parent, &lineage.root);
            put(&mut text, format_args!("{how} {parent}: {copied} events; root {root}\n"));
        }
        None => text.push_str("comes from no other session\n"),
    }
    match (&shown.permission_mode, &shown.posture_unavailable) {
        (Some(mode), _) => put(&mut text, format_args!("permission mode {mode}\n")),
        (None, Some(why)) => put(&mut text, format_args!("{}\n", printable(why))),
        (None, None) => {}
    }
    match &shown.writer_pid {
        Some(pid) => {
            put(&mut text, format_args!("writer {}: process {}\n", shown.writer, printable(pid)));
        }
        None => put(&mut text, format_args!("writer {}\n", shown.writer)),
    }
    for row in shown.events.iter().flatten() {
        put(
            &mut text,
            format_args!("{:>6}  {}  {}  {} bytes\n", row.seq, row.ts, row.kind, row.bytes),
        );
    }
    text
}
