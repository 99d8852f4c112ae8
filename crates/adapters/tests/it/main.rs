//! The integration tests of seatfork-adapters.

mod binary;
mod process;
mod support;
