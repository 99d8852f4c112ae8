//! The `seatfork` command.
fn main() {}
