//! The launch state machine: from a member of a rig to a proved, stored, running seat.

mod adapters;
mod cancel;
mod clock;
mod codes;
pub mod converge;
mod crash;
mod exit;
mod fail;
mod ground;
mod machine;
mod mask;
mod observer;
mod owner;
mod pane;
mod phase1;
pub mod plan;
mod recover;
mod report;
mod resume;
mod seat_pane;
mod seat_report;
mod state;
mod store_thread;
mod tasks;
mod turn;
mod up;
mod words;

pub use adapters::{Adapters, CallerEnv, Locations, seat_env};
pub use cancel::Cancel;
pub use clock::{Clock, CountingClock};
pub use codes::LaunchCode;
pub use crash::{CrashPoint, CrashPoints};
pub use exit::ExitClass;
pub use ground::{Ground, Patience};
pub use observer::{Event, Observer, Silent};
pub use owner::{OwnerError, this_process};
pub use report::{
    Action, Check, CheckStatus, ConversationReport, DoctorReport, DownAction, DownReport, DownSeat,
    ErrorReport, Finding, LineageEdgeReport, LineageNodeReport, LineageReport, ProofReport,
    PsReport, ReconcileItem, ReconcileReport, SCHEMA_VERSION, SeatReport, Step, UpReport,
    VerifiedSeat, VerifyReport,
};
pub use store_thread::StoreThread;
pub use up::{UpError, UpOptions, up};
