#![doc = include_str!("../README.md")]

mod adapters;
mod cancel;
mod clock;
pub mod converge;
mod crash;
mod doctor;
mod down;
mod exit;
mod fail;
mod foresee;
mod ground;
mod lineage;
mod living;
mod machine;
mod mask;
mod observer;
mod owner;
mod pane;
mod phase1;
mod pins;
pub mod plan;
mod ps;
mod reconcile;
mod recover;
mod report;
mod resume;
mod seat_pane;
mod seat_report;
mod sessions;
mod state;
mod store_thread;
mod target;
mod tasks;
mod turn;
mod up;
mod verify;
mod words;

pub use adapters::{Adapters, CallerEnv, Locations, seat_env};
pub use cancel::Cancel;
pub use clock::{Clock, CountingClock};
pub use crash::{CrashPoint, CrashPoints};
pub use doctor::{Patient, doctor};
pub use down::{DownDepth, down, forgotten, own_seat};
pub use exit::ExitClass;
pub use foresee::{ForeseeError, foresee};
pub use ground::{Ground, Offline, Patience};
pub use lineage::{LineageAsked, lineage};
pub use living::{STORE_GONE_NEXT, living_panes, store_gone};
pub use observer::{Event, Observer, Silent};
pub use owner::{OwnerError, this_process};
pub use pane::chain;
pub use plan::{PlanOptions, PlanReport, Refusal, RigPlan, SeatPlan, SourceLook, SpecOrigin, plan};
pub use ps::{AttachError, attach, ps};
pub use reconcile::{AdoptSeatError, ReconcileOptions, adopt_orphan, adopt_seat, reconcile};
pub use report::{
    Action, Check, CheckStatus, ConversationReport, DoctorReport, DownAction, DownReport, DownSeat,
    ErrorReport, Finding, LineageEdgeReport, LineageNodeReport, LineageReport, ProofReport,
    PsReport, ReconcileItem, ReconcileReport, SCHEMA_VERSION, SeatReport, Step, UpReport,
    VerifiedSeat, VerifyReport,
};
pub use seatfork_schema::LaunchCode;
pub use sessions::{RuntimeSessions, sessions};
pub use store_thread::StoreThread;
pub use target::{Target, TargetError, target};
pub use up::{UpError, UpOptions, up};
pub use verify::verify;
