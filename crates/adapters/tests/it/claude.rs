//! Claude Code against transcripts on disk.

mod around;
mod dialogs;
mod home;
mod large;
mod live;
mod made;
mod naive;
mod onward;
mod probe;
mod real;
mod recorded;
mod resolve;
mod start;
mod tree;
mod twins;
