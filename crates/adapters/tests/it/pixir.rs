//! Session logs: what is looked at, written, proved, and served by a program where one is installed.

mod home;
mod look;
mod program;
mod prove;
mod write;
