//! The steps that are cargo's: formatting, lints, documentation, tests.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Outcome, snapshots};
use crate::e2e;
use crate::failure::Failure;
use crate::process::{self, Call, Ended};
use crate::workspace::Workspace;

/// Formatting is what rustfmt makes of it.
pub(super) fn fmt(workspace: &Workspace) -> Result<Outcome, Failure> {
    run(&workspace.cargo(&["fmt", "--all", "--check"]))
}

/// No lint of the workspace speaks up, in tests neither.
pub(super) fn clippy(workspace: &Workspace) -> Result<Outcome, Failure> {
    run(&workspace.cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))
}

/// Documentation builds and every link in it leads somewhere.
pub(super) fn rustdoc(workspace: &Workspace) -> Result<Outcome, Failure> {
    let flags = match process::environment("RUSTDOCFLAGS") {
        Some(given) => format!("{} -D warnings", given.to_string_lossy()),
        None => "-D warnings".to_owned(),
    };
    run(&workspace
        .cargo(&["doc", "--workspace", "--no-deps", "--locked"])
        .env("RUSTDOCFLAGS", flags))
}

/// Every unit and integration test but the end-to-end ones, by nextest where it is installed.
pub(super) fn tests(workspace: &Workspace) -> Result<Outcome, Failure> {
    // Programs first: tests of one crate start programs of another, which no test target builds.
    let programs = run(&workspace.cargo(&["build", "--workspace", "--bins", "--locked"]))?;
    if programs != Outcome::Passed {
        return Ok(programs);
    }
    let nextest = workspace.cargo(&["nextest", "--version"]).succeeds();
    let runner: &[&str] = if nextest { &["nextest", "run"] } else { &["test"] };
    let which = ["--workspace", "--locked", "--no-fail-fast", "--lib", "--bins"];
    let mut call = workspace.cargo(runner).args(which);
    for target in test_targets(&workspace.metadata(false)?) {
        call = call.args(["--test", &target]);
    }
    run(&with_snapshots_held(workspace, call)?)
}

/// Every example in the documentation runs.
pub(super) fn doctests(workspace: &Workspace) -> Result<Outcome, Failure> {
    let call = workspace.cargo(&["test", "--workspace", "--doc", "--locked", "--no-fail-fast"]);
    run(&with_snapshots_held(workspace, call)?)
}

/// The call with snapshots neither written nor waved through, and those it reads noted.
pub(crate) fn with_snapshots_held(workspace: &Workspace, call: Call) -> Result<Call, Failure> {
    Ok(call
        .env("INSTA_UPDATE", "no")
        .env("INSTA_FORCE_PASS", "0")
        .env("INSTA_SNAPSHOT_REFERENCES_FILE", snapshots::references(workspace)?))
}

/// The outcome of a process whose own words, already shown, are the report.
pub(crate) fn outcome_of(ended: &Ended) -> Outcome {
    if ended.ok {
        return Outcome::Passed;
    }
    let mut lines = ended.tail.clone();
    lines.push(format!("({})", ended.status));
    Outcome::Failed(lines)
}

/// The outcome of a call.
pub(super) fn run(call: &Call) -> Result<Outcome, Failure> {
    Ok(outcome_of(&call.streamed()?))
}

/// Names of the integration tests of the workspace, without the end-to-end one.
fn test_targets(metadata: &Value) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .filter(|target| {
            target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "test"))
        })
        .filter_map(|target| target["name"].as_str())
        .filter(|name| *name != e2e::TARGET)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_end_to_end_tests_are_no_ordinary_tests() {
        let target = |name: &str, kind: &str| json!({"name": name, "kind": [kind]});
        let metadata = json!({"packages": [
            {"targets": [target("a", "lib"), target("it", "test")]},
            {"targets": [target("it", "test"), target("e2e", "test"), target("seatfork", "bin")]},
        ]});
        assert_eq!(test_targets(&metadata).into_iter().collect::<Vec<_>>(), ["it"]);
    }
}
