//! What a turn says in the end, where the store does not say it.

use crate::machine::Failure;
use crate::owner::told;
use crate::pane::chain;
use crate::report::{Action, ErrorReport, Step};
use crate::seat_report::Said;
use seatfork_schema::LaunchCode;
use seatfork_store::{Launch, StoreError};

/// A seat that is left to the owner of its open launch.
pub(super) fn left(launch: Option<&Launch>) -> Said {
    let who = launch.map_or_else(|| "another process".to_owned(), |launch| told(&launch.owner));
    let error = ErrorReport::new(
        LaunchCode::LaunchInProgress,
        format!("{who} is launching this seat; it was left alone"),
    );
    Said {
        action: Some(Action::Skipped),
        error: Some((Step::Declare.to_string(), error)),
        ..Said::default()
    }
}

/// A seat that was not begun because the user asked to stop.
pub(crate) fn interrupted() -> Said {
    let error = ErrorReport::new(
        LaunchCode::Interrupted,
        "interrupted before it was begun; nothing was started for it",
    );
    Said {
        action: Some(Action::Skipped),
        error: Some((Step::Declare.to_string(), error)),
        ..Said::default()
    }
}

pub(super) fn failed(step: Step, error: ErrorReport, action: Option<Action>) -> Said {
    Said {
        action: Some(action.unwrap_or(Action::Failed)),
        error: Some((step.to_string(), error)),
        ..Said::default()
    }
}

pub(super) fn failed_by(failure: Failure, action: Option<Action>) -> Said {
    let (step, report) = failure.told();
    failed(step, report, action)
}

pub(super) fn cannot_look(why: &str) -> Said {
    let error = ErrorReport::new(LaunchCode::LookFailed, format!("{why}; nothing was started"));
    failed(Step::Recover, error, None)
}

pub(super) fn store_failed(error: &StoreError) -> Said {
    let message = format!("the store could not be read: {}; nothing was started", chain(error));
    failed(Step::Recover, ErrorReport::new(LaunchCode::StoreCorrupt, message), None)
}
