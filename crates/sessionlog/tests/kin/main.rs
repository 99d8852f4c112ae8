//! Logs that another program's rules made, read by ours, and ours read by its rules.

mod tree;
