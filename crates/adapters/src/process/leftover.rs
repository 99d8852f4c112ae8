//! What outlives the process of a plan: found by its group and by its mark, and ended (SPEC 7, 10 row 4).

use super::failure::Unseen;
use super::group::Group;
use crate::contract::environment::NONCE_VAR;
use rustix::process::Signal;
use seatfork_process::{Census, ProcessError, ProcessId, all, with_environ};
use std::io;
use std::time::Duration;
use tokio::time::Instant;

/// How long one that was killed may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process that outlived the one we started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leftover {
    /// Who.
    pub process: ProcessId,
    /// Whether it was ended.
    pub ended: bool,
}

/// Ends what outlived the leader, while the leader's id is still ours, and says why that may not be all.
pub(super) async fn end_leftovers(
    group: &Group,
    leader: ProcessId,
    nonce: Option<&str>,
) -> io::Result<(Vec<Leftover>, Option<Unseen>)> {
    let mut looks = Looks(None);
    let mut found = looks.at(members(leader.pid)).unwrap_or_default();
    group.signal(Signal::KILL)?;
    if let Some(nonce) = nonce {
        let census = looks.at(with_environ(NONCE_VAR, nonce)).unwrap_or_default();
        let closed = closed(&census, leader);
        for one in census.found {
            if one != leader && !found.contains(&one) {
                looks.at(one.signal(seatfork_process::Signal::Kill));
                found.push(one);
            }
        }
        if !closed.is_empty() {
            looks.0.get_or_insert(Unseen::Closed(closed));
        }
    }
    let mut leftovers = Vec::with_capacity(found.len());
    let limit = Instant::now() + PATIENCE;
    for process in found {
        while looks.at(process.alive()) == Some(true) && Instant::now() < limit {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        leftovers.push(Leftover { process, ended: looks.at(process.alive()) == Some(false) });
    }
    Ok((leftovers, looks.0))
}

/// The other living members of the leader's group.
fn members(leader: u32) -> Result<Vec<ProcessId>, ProcessError> {
    let mut members = all()?;
    members.retain(|one| one.group == leader && one.id.pid != leader && !one.ended);
    Ok(members.into_iter().map(|one| one.id).collect())
}

/// Those that would not say whether they bear the mark, and may: what was there before cannot be a child of what we started.
fn closed(census: &Census, leader: ProcessId) -> Vec<ProcessId> {
    census.unreadable.iter().filter(|one| one.start >= leader.start).copied().collect()
}

/// The first look that failed.
struct Looks(Option<Unseen>);

impl Looks {
    fn at<T>(&mut self, look: Result<T, ProcessError>) -> Option<T> {
        match look {
            Ok(seen) => Some(seen),
            Err(error) => {
                self.0.get_or_insert(Unseen::Table(error));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7: what would not say and began with the plan or after it may be its; what was there before is not.
    #[test]
    fn only_what_began_after_the_leader_may_be_left_of_it() {
        let at = |pid, start| ProcessId { pid, start };
        let census = Census { found: Vec::new(), unreadable: vec![at(3, 9), at(4, 10), at(5, 11)] };
        assert_eq!(closed(&census, at(7, 10)), [at(4, 10), at(5, 11)]);
    }
}
