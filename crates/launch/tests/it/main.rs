//! Tests of the launch state machine.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod codes;
mod converge;
mod crash;
mod doubt;
mod failures;
mod in_pane;
mod machine;
mod order;
mod panes;
mod pixir;
mod races;
mod support;
mod verbs;
