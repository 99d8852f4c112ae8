//! Waiting for a process without reaping it, and ending its whole group.
//!
//! The leader is reaped last. While it is a zombie its id and the id of its
//! group cannot be given to anybody else, so a signal to the group never
//! reaches a stranger.

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use std::io;
use std::time::Duration;
use tokio::time::Instant;

/// A process group of ours, ended when it is dropped before it was let go.
pub(super) struct Group {
    leader: Pid,
    ours: bool,
}

impl Group {
    /// The group whose leader has this id.
    pub(super) fn of(pid: u32) -> io::Result<Self> {
        let leader = i32::try_from(pid)
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other(format!("{pid} is no process id")))?;
        Ok(Self { leader, ours: true })
    }

    /// Waits until the leader has ended, leaving it unreaped. `false` when the moment came first.
    pub(super) async fn ended_by(&self, moment: Instant) -> io::Result<bool> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let mut pause = Duration::from_millis(1);
        loop {
            match waitid(WaitId::Pid(self.leader), look) {
                Ok(Some(_)) => return Ok(true),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let now = Instant::now();
            if now >= moment {
                return Ok(false);
            }
            tokio::time::sleep(pause.min(moment - now)).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Sends a signal to every member.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        match kill_process_group(self.leader, signal) {
            // No member left is what was wanted.
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether any member is there.
    pub(super) fn has_members(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }

    /// The leader is about to be reaped: from here on the id may belong to others.
    pub(super) fn let_go(mut self) {
        self.ours = false;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.ours
            && self.has_members()
            && let Err(error) = self.signal(Signal::KILL)
        {
            // Nobody is left to be told; the launch row still names the process.
            drop(error);
        }
    }
}
