//! What the groups share: the runtimes, a place with the built `seatfork`, rigs, panes, files to compare.

mod calls;
mod failure;
mod faked;
mod files;
mod locked;
mod pane;
mod place;
mod process;
mod report;
mod rig;
mod room;
mod runtime;
mod shape;
mod words;

pub(crate) use calls::{Call, Calls};
pub(crate) use failure::{assert_failed, assert_failed_resume, kept};
pub(crate) use faked::Faked;
pub(crate) use files::Files;
pub(crate) use locked::Locked;
pub(crate) use pane::Pane;
pub(crate) use place::{Place, id_of};
pub(crate) use process::{runs, words_of};
pub(crate) use report::{codes, seat, text};
pub(crate) use rig::Rig;
pub(crate) use room::Room;
pub(crate) use runtime::{Kind, Runtime, codex, each_version, is_newest, newest, timed};
pub(crate) use shape::assert_lineage;
