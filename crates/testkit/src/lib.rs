#![doc = include_str!("../README.md")]

pub mod fixtures;
pub mod model_stub;
pub mod npm;
pub mod offline;
mod process;
pub mod transcript;
