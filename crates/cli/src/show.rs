//! Reports as text for people: the same facts and words as their JSON (SPEC 13).

pub(crate) mod ids;
pub(crate) mod lines;
pub(crate) mod state;
pub(crate) mod time;
pub(crate) mod up;
