//! `sessions --print-spec ID`: a member that forks a conversation, as YAML to paste; it is valid as it stands.

use seatfork_adapters::SessionSummary;
use seatfork_codec::{Hints, emit, parse};
use seatfork_launch::{Locations, seat_env};
use seatfork_schema::{LaunchCode, SourceId};
use serde::Serialize;
use serde_json::json;

use super::find::Found;
use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::adapters;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use crate::wait::block_on;

/// The shortest part of an id that may stand for it.
const PREFIX_MIN: usize = 4;

/// What `--json` says.
#[derive(Debug, Serialize)]
struct Object<'o> {
    schema_version: u32,
    ok: bool,
    runtime: &'o str,
    native_id: &'o str,
    spec: &'o str,
}

pub(super) fn run(
    asked: &str,
    found: &Found,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = one(asked, found)?;
    let conversation = &session.conversation;
    let not = match (&session.not_forkable, session.records) {
        (None, None) => block_on(read_whole(session, env))?,
        (not, _) => not.clone(),
    };
    if let Some(why) = not {
        let message =
            format!("{} {} cannot be forked: {why}", conversation.runtime, conversation.native_id);
        return Err(Failure::new(Exit::Failed, LaunchCode::SourceNotForkable, message)
            .hint("seatfork sessions lists those that can"));
    }
    let spec = spec(session)?;
    if output.is_json() {
        output.object(&Object {
            schema_version: SCHEMA_VERSION,
            ok: true,
            runtime: conversation.runtime.as_str(),
            native_id: conversation.native_id.as_str(),
            spec: &spec,
        });
    } else {
        output.data(&spec);
        output.talk(
            "Paste the member into a pod of a rig spec, then mend its id, agent_ref and profile.\n",
        );
    }
    Ok(Exit::Ok)
}

/// Why a conversation that was too large for a list cannot be forked, by the same look as `plan`'s.
async fn read_whole(session: &SessionSummary, env: &Environment) -> Option<String> {
    let adapters = adapters();
    let adapter = adapters.get(session.conversation.runtime)?;
    let description = adapter.describe();
    let seat = seat_env(&env.vars, description, &[], &Locations::of(&env.vars, description));
    let cwd = session.cwd.as_deref().unwrap_or("/");
    let source = SourceId::new(session.conversation.clone());
    adapter.resolve(&source, &seat, cwd.into()).await.err().map(|error| error.to_string())
}

/// The one conversation an id or a prefix of it names.
fn one<'f>(asked: &str, found: &'f Found) -> Result<&'f SessionSummary, Failure> {
    let id = |session: &&SessionSummary| session.conversation.native_id.to_string();
    let whole: Vec<_> = found.sessions.iter().filter(|session| id(session) == asked).collect();
    let named: Vec<_> = if whole.is_empty() && asked.len() >= PREFIX_MIN {
        found.sessions.iter().filter(|session| id(session).starts_with(asked)).collect()
    } else {
        whole
    };
    match &named[..] {
        [one] => Ok(one),
        [] => {
            let mut failure = Failure::new(
                Exit::NotFound,
                LaunchCode::SourceNotFound,
                format!("no conversation has the id \"{asked}\""),
            );
            for (runtime, error) in &found.unread {
                failure = failure.detail(runtime.as_str(), error.message.clone());
            }
            Err(failure.hint("seatfork sessions --all lists what is there"))
        }
        several => {
            let candidates: Vec<_> = several
                .iter()
                .map(|session| {
                    format!("{} {}", session.conversation.runtime, session.conversation.native_id)
                })
                .collect();
            let message = format!("\"{asked}\" may mean {}", candidates.join(", "));
            Err(Failure::new(Exit::NotFound, LaunchCode::IdAmbiguous, message)
                .hint("give more of the id, or --runtime")
                .detail("candidates", candidates))
        }
    }
}

/// The member as a document of its own, through the codec: what cannot be written is never printed.
fn spec(session: &SessionSummary) -> Result<String, Failure> {
    let id = session.conversation.native_id.as_str();
    let short: String = id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let document = json!({"members": [{
        "id": format!("fork-{short}"),
        "runtime": session.conversation.runtime.as_str(),
        "agent_ref": "agents/agent.yaml",
        "profile": "default",
        "cwd": session.cwd.as_deref().unwrap_or("."),
        "session_source": {"mode": "fork", "ref": {"kind": "native_id", "value": id}},
    }]});
    let outcome = parse(document.to_string().as_bytes(), &Hints::default());
    if let Some(document) = outcome.document {
        return Ok(emit(&document));
    }
    let why: Vec<_> = outcome.diagnostics.iter().map(|found| found.message.clone()).collect();
    let message = format!("a member for {id} cannot be written: {}", why.join("; "));
    Err(Failure::new(Exit::Failed, LaunchCode::SpecRefused, message)
        .hint("write the member by hand; the id is what counts"))
}
