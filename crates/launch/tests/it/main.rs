//! Tests of the launch state machine.

mod converge;
mod crash;
mod failures;
mod machine;
mod support;
