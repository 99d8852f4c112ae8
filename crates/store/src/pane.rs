//! Panes and what was observed of them (SPEC 7). An observation never changes an outcome.

use crate::column::{Columns, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{LaunchId, SeatId};
use crate::launch::ProcessMark;
use crate::open::Store;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::{Row, named_params};
use seatfork_schema::ProcessState;

/// A pane that was opened for a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPane {
    /// The socket of our tmux server.
    pub socket: Utf8PathBuf,
    /// The tmux session's name.
    pub session: String,
    /// The server.
    pub server: ProcessMark,
    /// tmux's id of the pane: `%3`.
    pub pane_id: String,
    /// The process in it.
    pub process: ProcessMark,
    /// What was observed at once: not [`ProcessState::None`], for here is a pane.
    pub observed: ProcessState,
    /// Now.
    pub at: Timestamp,
}

/// A pane as it is stored, with what was last observed of its process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// The launch it was opened for. A launch has one pane.
    pub launch: LaunchId,
    /// The socket of our tmux server.
    pub socket: Utf8PathBuf,
    /// The tmux session's name.
    pub session: String,
    /// The server.
    pub server: ProcessMark,
    /// tmux's id of the pane.
    pub pane_id: String,
    /// The process in it.
    pub process: ProcessMark,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// What was observed of the process.
    pub observed: ProcessState,
    /// Its exit code, where it was seen to end.
    pub exit_code: Option<i32>,
    /// When that was observed.
    pub observed_at: Timestamp,
}

impl Store {
    /// Records the pane of a launch that is forking or realized.
    pub fn record_pane(&mut self, launch: LaunchId, pane: &NewPane) -> Result<(), StoreError> {
        self.write("storing the pane", |db| {
            db.execute(
                "storing the pane",
                "INSERT INTO panes(launch_id,socket,session,server_pid,server_start,pane_id,pane_pid,pane_start,opened_at,observed,observed_at)
                 VALUES(:launch,:socket,:session,:server,:server_start,:pane,:pid,:start,:at,:observed,:at)",
                named_params! {
                    ":launch": launch.to_string(),
                    ":socket": pane.socket.as_str(),
                    ":session": pane.session,
                    ":server": pane.server.pid,
                    ":server_start": pane.server.start,
                    ":pane": pane.pane_id,
                    ":pid": pane.process.pid,
                    ":start": pane.process.start,
                    ":at": time_text(pane.at),
                    ":observed": pane.observed.as_str(),
                },
            )?;
            Ok(())
        })
    }

    /// Stores what was observed of a launch's pane; `false` where a newer observation stands, which is kept.
    pub fn observe_pane(
        &mut self,
        launch: LaunchId,
        observed: ProcessState,
        exit_code: Option<i32>,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write("storing the observation", |db| {
            let stored = db.execute(
                "storing the observation",
                "UPDATE panes SET observed=:observed, exit_code=:exit, observed_at=:at WHERE launch_id=:launch AND observed_at<=:at
                 AND NOT (observed='exited' AND :observed='lost')",
                named_params! {
                    ":observed": observed.as_str(),
                    ":exit": exit_code,
                    ":at": time_text(at),
                    ":launch": launch.to_string(),
                },
            )?;
            if stored == 0 && of_launch(db, launch)?.is_none() {
                return Err(db.missing("pane of launch", launch));
            }
            Ok(stored > 0)
        })
    }

    /// The pane of a launch.
    pub fn pane_of(&self, launch: LaunchId) -> Result<Option<Pane>, StoreError> {
        self.read("reading the pane", |db| of_launch(db, launch))
    }
}

fn of_launch(db: Db<'_>, launch: LaunchId) -> Result<Option<Pane>, StoreError> {
    db.first(
        "reading the pane",
        "SELECT * FROM panes WHERE launch_id=?",
        [launch.to_string()],
        read_pane,
    )
}

/// The pane opened last for a seat.
pub(crate) fn last_of(db: Db<'_>, seat: SeatId) -> Result<Option<Pane>, StoreError> {
    db.first(
        "reading the seat's last pane",
        "SELECT p.* FROM panes p JOIN launches l ON l.launch_id=p.launch_id
         WHERE l.seat_id=? ORDER BY l.attempt DESC LIMIT 1",
        [seat.to_string()],
        read_pane,
    )
}

fn read_pane(row: &Row<'_>) -> rusqlite::Result<Pane> {
    let mark = |pid: &str, start: &str| -> rusqlite::Result<ProcessMark> {
        Ok(ProcessMark { pid: row.get(pid)?, start: row.get(start)? })
    };
    Ok(Pane {
        launch: row.parsed("launch_id")?,
        socket: row.path("socket")?,
        session: row.get("session")?,
        server: mark("server_pid", "server_start")?,
        pane_id: row.get("pane_id")?,
        process: mark("pane_pid", "pane_start")?,
        opened_at: row.time("opened_at")?,
        observed: row.word("observed", ProcessState::from_word)?,
        exit_code: row.get("exit_code")?,
        observed_at: row.time("observed_at")?,
    })
}
