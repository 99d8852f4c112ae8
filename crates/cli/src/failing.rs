//! Errors of the libraries as failures of a command: one exit code each (SPEC 13).

use std::error::Error;

use seatfork_launch::LaunchCode;
use seatfork_store::{OpenError, StoreError};

use crate::exit::Exit;
use crate::output::Failure;

/// An error with what caused it, in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // A transparent error says its cause's words already.
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// A store that cannot be opened: the environment is not ready, and nothing was started.
pub(crate) fn store_open(error: &OpenError) -> Failure {
    let code = match error {
        OpenError::NotWritable { .. }
        | OpenError::Busy { .. }
        | OpenError::Io { .. }
        | OpenError::DirectoryOpenToOthers { .. }
        | OpenError::FileOpenToOthers { .. } => LaunchCode::StoreUnwritable,
        _ => LaunchCode::StoreUnusable,
    };
    let message = format!("{}; nothing was started", chain(error));
    Failure::new(Exit::NotReady, code.as_str(), message).hint(code.next())
}

/// A store that was opened and does not answer.
pub(crate) fn store(error: &StoreError) -> Failure {
    let code = LaunchCode::StoreUnusable;
    Failure::new(Exit::NotReady, code.as_str(), chain(error)).hint(code.next())
}
