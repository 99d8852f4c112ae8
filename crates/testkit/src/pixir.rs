//! Session logs as Pixir reads them: an independent checker, and logs made by hand.
//!
//! What is here follows the documented format and shares nothing with the product's reader and
//! writer, so that the two check each other. [`fold`] takes what Pixir takes and refuses what it
//! refuses; [`faults`] is stricter: what a log that we wrote must hold besides; [`check_fork`] and
//! [`check_warm_start`] compare a child with its seed, byte for byte where bytes are promised.

mod child;
mod event;
mod workspace;

pub use child::{check_cold, check_fork, check_resources, check_warm_start};
pub use event::{CANONICAL, Event, REPLAYED, Refused, faults, fold, fold_bytes, replayed, root_of};
pub use workspace::Workspace;
