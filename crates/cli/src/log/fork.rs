//! `log fork`: a new log in the same workspace, from a prior one.

use clap::builder::FalseyValueParser;
use seatfork_launch::Clock as _;
use seatfork_sessionlog::{ForkRequest, Forked, SessionId, fork, plan_fork};
use serde_json::Value;

use super::{WorkspaceArgs, fail, session};
use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use seatfork_schema::LaunchCode;

/// The arguments of `log fork`.
#[derive(Debug, clap::Args)]
pub(crate) struct ForkArgs {
    /// The session to fork from
    #[arg(value_name = "ID")]
    session: String,
    /// The last event to copy, by its number; all of them where left out
    #[arg(long, env = "SEATFORK_TO_SEQ", value_name = "NUMBER")]
    to_seq: Option<u64>,
    /// Add a summary of what was copied, counted and cut, made by no model
    #[arg(long, env = "SEATFORK_SUMMARIZE", value_parser = FalseyValueParser::new())]
    summarize: bool,
    /// The new session's id; made up where left out
    #[arg(long, env = "SEATFORK_CHILD", value_name = "ID")]
    child: Option<String>,
    /// Show what would be made, and make nothing
    #[arg(long, env = "SEATFORK_DRY_RUN", value_parser = FalseyValueParser::new())]
    dry_run: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

pub(super) fn run(
    args: &ForkArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let workspace = args.workspace.open(env)?;
    let parent = session(&args.session)?;
    let at = SystemClock.now();
    let child = new_id(args.child.as_deref(), at)?;
    let request = ForkRequest {
        workspace: &workspace,
        parent: &parent,
        child: &child,
        to_seq: args.to_seq,
        summarize: args.summarize,
        at,
    };
    let made = if args.dry_run { plan_fork(&request) } else { fork(&request) };
    let made = made.map_err(|error| fail::fork(&error))?;
    if output.is_json() {
        output.object(&object(&made)?);
    } else {
        output.data(&text(&made));
    }
    Ok(Exit::Ok)
}

/// The id a new log is to have.
pub(super) fn new_id(given: Option<&str>, at: jiff::Timestamp) -> Result<SessionId, Failure> {
    match given.filter(|id| !id.is_empty()) {
        Some(id) => session(id),
        None => SessionId::generate(at).map_err(|error| {
            Failure::new(Exit::NotReady, LaunchCode::SystemRefused, error.to_string())
                .hint("give an id with --child")
        }),
    }
}

/// The plan's own fields, with what was learned beside them.
fn object(made: &Forked) -> Result<Value, Failure> {
    let unwritten = |error: serde_json::Error| {
        Failure::new(Exit::Failed, LaunchCode::OutputNotWritten, error.to_string())
    };
    let mut object = serde_json::to_value(&made.plan).map_err(unwritten)?;
    let more = serde_json::to_value(made).map_err(unwritten)?;
    object["schema_version"] = SCHEMA_VERSION.into();
    if let Value::Object(more) = more {
        for (name, value) in more.into_iter().filter(|(name, _)| name != "plan") {
            object[name] = value;
        }
    }
    Ok(object)
}

fn text(made: &Forked) -> String {
    let plan = &made.plan;
    let (parent, child) = (&plan.parent_session_id, &plan.child_session_id);
    let events = crate::show::lines::count(
        usize::try_from(plan.event_count).unwrap_or(usize::MAX),
        "event",
        "events",
    );
    let open = match &made.first_dangling {
        Some(call) => format!(
            "note: tool call {:?} on line {} has no result among them\n",
            call.call_id, call.line
        ),
        None => String::new(),
    };
    let beyond = match made.requested_to_seq {
        Some(asked) if asked > plan.to_seq => {
            format!("note: seq {asked} was asked for, the last one copied is {}\n", plan.to_seq)
        }
        _ => String::new(),
    };
    if plan.recorded {
        format!(
            "{child}: forked from source session {parent}, {events} up to seq {}\n{open}{beyond}{}\nNext: seatfork log show {child}\n",
            plan.to_seq, plan.child_log_path
        )
    } else {
        format!(
            "{events} of {parent} up to seq {} would be copied; nothing was made\n{open}{beyond}Next: seatfork log fork {parent}\n",
            plan.to_seq
        )
    }
}
