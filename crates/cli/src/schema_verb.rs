//! `seatfork schema`: the JSON Schema of specs, made from the tables validation reads by (SPEC 5, 13).
//!
//! It is JSON either way, so `--json` changes nothing.

use crate::exit::Exit;
use crate::output::{Failure, Output};

/// The arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {}

#[expect(clippy::unnecessary_wraps, reason = "every verb answers alike")]
pub(crate) fn run(_args: &SchemaArgs, output: &mut Output) -> Result<Exit, Failure> {
    output.object(&seatfork_schema::json_schema());
    Ok(Exit::Ok)
}
