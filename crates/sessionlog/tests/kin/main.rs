//! Logs that another program's rules made, read by ours, and ours read by its rules.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test as the test itself would")]

mod interop;
mod support;
mod tree;
