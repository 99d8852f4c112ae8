//! Dependencies by `deny.toml`, where cargo-deny is installed.

use super::{Outcome, compiled};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// Licences, bans and sources; advisories need a database from the network and are a person's to ask for.
pub(super) fn check(workspace: &Workspace) -> Result<Outcome, Failure> {
    if !workspace.cargo(&["deny", "--version"]).succeeds() {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    compiled::run(&workspace.cargo(&["deny", "--locked", "check", "bans", "licenses", "sources"]))
}
