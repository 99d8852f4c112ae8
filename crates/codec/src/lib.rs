#![doc = include_str!("../README.md")]

mod blind;
mod emit;
mod events;
mod excerpt;
mod frames;
mod gate;
mod json;
mod lines;
mod read;
mod render;
mod source;
mod text;
mod value;

pub use emit::{emit, emit_payload, emit_rig, normal_form};
pub use json::{JsonDiagnostic, JsonRelated};
pub use read::parse;
pub use render::{Look, SHOWN, render};
pub use seatfork_schema::MAX_DEPTH;
pub use seatfork_schema::validate::{DocumentKind, Hints, Outcome};
pub use text::MAX_BYTES;
pub use value::{ValueError, from_value, to_value};
