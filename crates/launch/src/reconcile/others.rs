//! Forks of the seats' sources that somebody else made (SPEC 7): told, and left alone.

use crate::ground::Ground;
use crate::ps::equipment;
use crate::report::Finding;
use seatfork_adapters::{Adapter, SeatEnv};
use seatfork_schema::{ConversationId, LaunchCode};
use seatfork_store::{SeatRow, StoreError};

/// The sources of all seats looked at, by the runtime's home they stand in: each home is looked through once.
#[derive(Default)]
pub(super) struct Others(Vec<Home>);

struct Home {
    adapter: &'static dyn Adapter,
    env: SeatEnv,
    sources: Vec<ConversationId>,
}

impl Others {
    /// Adds every source a seat ever had.
    pub(super) async fn add(&mut self, ground: &Ground, row: &SeatRow) -> Result<(), StoreError> {
        let Some((adapter, env)) = equipment(ground, &row.seat) else { return Ok(()) };
        let id = row.seat.id;
        let launches = ground.store.ask(move |store| store.launches_of(id)).await?;
        let sources = launches.iter().filter_map(|launch| launch.source.as_ref());
        let sources = sources.map(|source| source.conversation().clone());
        let same =
            |home: &&mut Home| home.adapter.runtime() == adapter.runtime() && home.env == env;
        match self.0.iter_mut().find(same) {
            Some(home) => home.sources.extend(sources),
            None => self.0.push(Home { adapter, env, sources: sources.collect() }),
        }
        Ok(())
    }

    /// What there is, each once; what could not be looked at becomes a warning.
    pub(super) async fn notes(self, warnings: &mut Vec<Finding>) -> Vec<Finding> {
        let mut notes = Vec::new();
        for home in self.0 {
            if home.sources.is_empty() {
                continue;
            }
            match home.adapter.forks_by_others(&home.sources, &home.env).await {
                Ok(forks) => notes.extend(forks.into_iter().map(|fork| {
                    let message = format!(
                        "{} ({}) is a fork of this source, not ours: {}",
                        fork.conversation.native_id, fork.path, fork.source.native_id
                    );
                    Finding::new(LaunchCode::ForkNotOurs, message)
                })),
                Err(error) => {
                    warnings.push(Finding::new(LaunchCode::LookFailed, error.to_string()));
                }
            }
        }
        notes
    }
}
