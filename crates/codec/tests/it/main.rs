//! The codec through its public interface: refusals, round trips, hostile texts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod generate;
mod hostile;
mod json_schema;
mod place;
mod refusals;
mod round_trip;
mod values;
