//! Claude Code against transcripts on disk.

mod home;
mod recorded;
