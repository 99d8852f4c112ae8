//! The launch state machine: from a member of a rig to a proved, stored, running seat.

mod adapters;
mod cancel;
mod clock;
mod codes;
pub mod converge;
mod crash;
mod exit;
mod fail;
mod observer;
pub mod plan;
mod report;
mod words;

pub use adapters::{Adapters, CallerEnv, Locations, seat_env};
pub use cancel::Cancel;
pub use clock::{Clock, CountingClock};
pub use codes::LaunchCode;
pub use crash::{CrashPoint, CrashPoints};
pub use exit::ExitClass;
pub use observer::{Event, Observer, Silent};
pub use report::{
    Action, ConversationReport, ErrorReport, Finding, ProofReport, SCHEMA_VERSION, SeatReport,
    Step, UpReport,
};
