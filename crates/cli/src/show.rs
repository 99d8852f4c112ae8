//! Reports as text for people: the same facts and words as their JSON (SPEC 13).

pub(crate) mod doctor;
pub(crate) mod down;
pub(crate) mod ids;
pub(crate) mod lineage;
pub(crate) mod lines;
pub(crate) mod plan;
pub(crate) mod ps;
pub(crate) mod reconcile;
pub(crate) mod sessions;
pub(crate) mod state;
pub(crate) mod time;
pub(crate) mod up;
pub(crate) mod verify;
