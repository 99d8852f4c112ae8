//! What went wrong with a log: one exit code and one code each, and what to do next.

use seatfork_schema::LaunchCode;
use seatfork_sessionlog::{
    AppendError, CreateError, ForkError, HoldError, ReadError, ResourceError, SeedError, SessionId,
};

use crate::exit::Exit;
use crate::failing::chain;
use crate::output::Failure;

/// A failure with the log's own stable word for it.
fn failure(
    exit: Exit,
    code: LaunchCode,
    kind: &str,
    error: &(dyn std::error::Error + 'static),
) -> Failure {
    Failure::new(exit, code, chain(error)).detail("kind", kind)
}

/// A log that cannot be read to its end.
pub(super) fn read(error: &ReadError) -> Failure {
    let kind = error.kind();
    match error {
        ReadError::NotFound { .. } => {
            failure(Exit::NotFound, LaunchCode::SourceNotFound, kind, error)
                .hint("seatfork log tree lists the sessions of a workspace; --workspace names another")
        }
        ReadError::Corrupt { line, byte, .. } => {
            failure(Exit::Failed, LaunchCode::SourceDamaged, kind, error)
                .hint("nothing was passed over and nothing was changed; mend that line, or choose another log")
                .detail("line", *line)
                .detail("byte", *byte)
        }
        ReadError::Shrunk { .. } => failure(Exit::Failed, LaunchCode::SourceChanged, kind, error)
            .hint("find out who rewrites the log, then try again"),
        ReadError::State(_) => failure(Exit::Failed, LaunchCode::SourceUnreadable, kind, error)
            .hint("see what stands at the named path; links are not followed"),
    }
}

fn resource(error: &ResourceError, whole: &(dyn std::error::Error + 'static)) -> Failure {
    failure(Exit::Failed, LaunchCode::SourceUnreadable, error.kind(), whole)
        .hint("put the payload back under the named path; nothing was written")
}

fn exists(kind: &str, child: &SessionId, error: &(dyn std::error::Error + 'static)) -> Failure {
    failure(Exit::Conflict, LaunchCode::ChildIdTaken, kind, error)
        .hint("leave --child out: a new id is made up")
        .detail("child", child.as_str())
}

fn leased(kind: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
    failure(Exit::Conflict, LaunchCode::ConversationInUse, kind, error)
        .hint("wait for its writer to end, or choose another id")
}

fn not_written(kind: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
    failure(Exit::Failed, LaunchCode::OutputNotWritten, kind, error)
        .hint("see whether the workspace can be written and has room; no log of that id is there")
}

fn not_durable(kind: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
    failure(Exit::Failed, LaunchCode::OutputNotWritten, kind, error)
        .hint("the log is there, whole; see whether the disk reports errors")
}

/// A seed no child came of.
pub(super) fn seed(error: &SeedError) -> Failure {
    let kind = error.kind();
    match error {
        SeedError::Read(error) => read(error),
        SeedError::Empty { .. } => failure(Exit::Failed, LaunchCode::SourceEmpty, kind, error)
            .hint("choose a log with at least one message"),
        SeedError::Dangling { call, whole_at, .. } => {
            let hint = match whole_at {
                Some(seq) => format!("seatfork log fork --to-seq {seq} makes a fork that is whole"),
                None => "let the turn end, then try again".to_owned(),
            };
            failure(Exit::Failed, LaunchCode::SourceNotForkable, kind, error)
                .hint(hint)
                .detail("line", call.line)
                .detail("whole_at", *whole_at)
        }
        SeedError::ChildId(_) | SeedError::PostureWithoutHolder => {
            failure(Exit::Usage, LaunchCode::Usage, kind, error)
                .hint("leave --child out: a new id is made up")
        }
        SeedError::AlreadyExists { child, .. } => exists(kind, child, error),
        SeedError::Leased { .. } => leased(kind, error),
        SeedError::Resource { source, .. } => resource(source, error),
        SeedError::Write { .. } => not_written(kind, error),
        SeedError::NotDurable { .. } => not_durable(kind, error),
    }
}

/// A parent no fork came of.
pub(super) fn fork(error: &ForkError) -> Failure {
    let kind = error.kind();
    match error {
        ForkError::Read(error) => read(error),
        ForkError::Empty { .. } => failure(Exit::Failed, LaunchCode::SourceEmpty, kind, error)
            .hint("choose a log with at least one event"),
        ForkError::ChildId(_) => failure(Exit::Usage, LaunchCode::Usage, kind, error)
            .hint("leave --child out: a new id is made up"),
        ForkError::AlreadyExists { child, .. } => exists(kind, child, error),
        ForkError::Leased { .. } => leased(kind, error),
        ForkError::Resource { source, .. } => resource(source, error),
        ForkError::Write { .. } => not_written(kind, error),
        ForkError::NotDurable { .. } => not_durable(kind, error),
    }
}

/// A log that was not made.
pub(super) fn create(error: &CreateError) -> Failure {
    let kind = error.kind();
    match error {
        CreateError::Id(_) => failure(Exit::Usage, LaunchCode::Usage, kind, error)
            .hint("choose an id that neither ends in .ndjson nor holds .ndjson.tmp-"),
        CreateError::AlreadyExists { session, .. } => exists(kind, session, error),
        CreateError::Leased { .. } => leased(kind, error),
        CreateError::Write { .. } => not_written(kind, error),
        CreateError::NotDurable { .. } => not_durable(kind, error),
    }
}

/// An event that was not appended.
pub(super) fn append(error: &AppendError) -> Failure {
    let kind = error.kind();
    match error {
        AppendError::Read(error) => read(error),
        AppendError::TornTail { bytes, .. } => failure(
            Exit::Failed,
            LaunchCode::SourceDamaged,
            kind,
            error,
        )
        .hint("if nobody writes it, --repair removes those bytes first and says what they were")
        .detail("torn_bytes", *bytes),
        AppendError::Lease(HoldError::Leased { .. } | HoldError::Locked { .. }) => {
            leased(kind, error)
        }
        AppendError::Ephemeral { .. } | AppendError::Type { .. } | AppendError::Data { .. } => {
            failure(Exit::Usage, LaunchCode::Usage, kind, error)
                .hint("--type takes a type of a log, --data one JSON object")
        }
        AppendError::Changed { .. } => {
            failure(Exit::Conflict, LaunchCode::ConversationInUse, kind, error)
                .hint("find out who else writes the log, then try again")
        }
        AppendError::NotDurable { .. } => not_durable(kind, error),
        AppendError::Lease(_)
        | AppendError::CutOff { .. }
        | AppendError::State(_)
        | AppendError::Random(_) => {
            failure(Exit::Failed, LaunchCode::OutputNotWritten, kind, error)
                .hint("see whether the workspace can be written and has room")
        }
    }
}
