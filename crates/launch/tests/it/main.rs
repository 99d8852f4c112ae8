//! Tests of the launch state machine.

mod converge;
