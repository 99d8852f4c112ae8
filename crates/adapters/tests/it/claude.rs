//! Claude Code against transcripts on disk.

mod home;
mod made;
mod recorded;
mod resolve;
mod tree;
mod twins;
