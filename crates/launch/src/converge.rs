//! What `up` does with one member, decided from facts alone (SPEC 7 "Convergence").
//!
//! [`decide`] is pure: it takes what the store, the pane and the spec say of
//! one seat and gives the first line of the SPEC that fits. Everything that
//! has to be looked up stands in [`Facts`]; nothing is looked up here.

use seatfork_schema::{Intent, LaunchCode, Runtime};

/// What is known of a seat when its turn comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The seat's runtime.
    pub runtime: Runtime,
    /// What its member wants of a new conversation.
    pub source: Wanted,
    /// Its restore policy.
    pub policy: Policy,
    /// An open launch whose owner is dead, or an owner who is at work on the seat.
    pub open: Option<Owner>,
    /// Its current occupant.
    pub occupant: Option<Occupancy>,
}

/// Whether the member names a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// It does.
    Fork,
    /// It does not.
    Fresh,
}

/// The member's `restore_policy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// `resume_if_possible`, and the default.
    ResumeIfPossible,
    /// `relaunch_fresh`.
    RelaunchFresh,
    /// `checkpoint_only`.
    CheckpointOnly,
}

/// Whether the owner of a launch lives, by its kernel lock, which is held until the launch's pane was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The lock is held.
    Alive,
    /// The lock is free.
    Dead,
}

/// The current occupant of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Whether its token is stored; terminal has none, Codex may have none yet.
    pub has_token: bool,
    /// Its pane.
    pub pane: Pane,
}

/// What is known of an occupant's pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// No pane was ever opened for it.
    NeverOpened,
    /// Its process runs.
    Running,
    /// Its process runs and serves another conversation than the token.
    ServesAnother,
    /// It needs no process on this machine.
    NotNeeded,
    /// Its process is gone: taken down, ended, or lost in a reboot.
    Gone,
    /// It could not be looked at. An error is not an absence.
    Unknown,
}

/// What to do with the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Leave it to the living owner of its open launch; `skipped`.
    Leave,
    /// Deal with its open launch first, whose owner is dead; then decide again.
    Recover,
    /// Nothing; `unchanged`.
    Nothing,
    /// Open the first pane of its realized launch, by a plain resume.
    OpenFirstPane,
    /// Bring it back with its own token, by a launch of intent `resume`.
    Resume,
    /// Start a fresh conversation in it; the old occupant ends as `relaunched`.
    RelaunchFresh(WhyFresh),
    /// Leave it down; `skipped`.
    LeaveDown(LaunchCode),
    /// Say that nothing can be said; `failed`, nothing started.
    Refuse(LaunchCode),
    /// A new attempt with the spec's source, or fresh where it names none.
    Attempt(Intent),
}

/// Why a seat that had an occupant gets a fresh conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyFresh {
    /// Its policy says so.
    Policy,
    /// A terminal holds no conversation.
    Terminal,
    /// Its token was never stored.
    NoToken,
}

/// The first line of SPEC 7 "Convergence" that fits.
///
/// ```
/// use seatfork_launch::converge::{Act, Facts, Occupancy, Pane, Policy, Wanted, decide};
/// use seatfork_schema::Runtime;
/// let facts = Facts {
///     runtime: Runtime::ClaudeCode,
///     source: Wanted::Fork,
///     policy: Policy::ResumeIfPossible,
///     open: None,
///     occupant: Some(Occupancy { has_token: true, pane: Pane::Gone }),
/// };
/// // A seat with an occupant never forks again, though its member still names a source.
/// assert_eq!(decide(facts), Act::Resume);
/// ```
pub fn decide(facts: Facts) -> Act {
    match (facts.open, facts.occupant) {
        (Some(Owner::Alive), _) => Act::Leave,
        (Some(Owner::Dead), _) => Act::Recover,
        (None, Some(occupant)) => with_occupant(facts, occupant),
        (None, None) => Act::Attempt(match facts.source {
            Wanted::Fork => Intent::Fork,
            Wanted::Fresh => Intent::Fresh,
        }),
    }
}

fn with_occupant(facts: Facts, occupant: Occupancy) -> Act {
    match occupant.pane {
        Pane::Running | Pane::ServesAnother | Pane::NotNeeded => Act::Nothing,
        Pane::Unknown => Act::Refuse(LaunchCode::PaneUnknown),
        Pane::NeverOpened => Act::OpenFirstPane,
        Pane::Gone if facts.runtime == Runtime::Terminal => Act::RelaunchFresh(WhyFresh::Terminal),
        Pane::Gone if !occupant.has_token => Act::RelaunchFresh(WhyFresh::NoToken),
        Pane::Gone => match facts.policy {
            Policy::ResumeIfPossible => Act::Resume,
            Policy::RelaunchFresh => Act::RelaunchFresh(WhyFresh::Policy),
            Policy::CheckpointOnly => Act::LeaveDown(LaunchCode::CheckpointNotKept),
        },
    }
}
