//! `seatfork schema`: the JSON Schema of specs, made from the tables validation reads by (SPEC 5, 13).
//!
//! As it is, for an editor to read; with `--json` inside one object as every verb has it.

use serde::Serialize;

use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};

/// The arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {}

#[derive(Debug, Serialize)]
struct Object {
    schema_version: u32,
    ok: bool,
    schema: serde_json::Value,
}

#[expect(clippy::unnecessary_wraps, reason = "every verb answers alike")]
pub(crate) fn run(_args: &SchemaArgs, output: &mut Output) -> Result<Exit, Failure> {
    let schema = seatfork_schema::json_schema();
    if output.is_json() {
        output.object(&Object { schema_version: SCHEMA_VERSION, ok: true, schema });
    } else {
        output.object(&schema);
    }
    Ok(Exit::Ok)
}
