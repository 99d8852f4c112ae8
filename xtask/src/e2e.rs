//! The end-to-end tests with real runtimes, in a network that consists of the loopback alone.
//!
//! What needs the network (the pinned npm packages) and the compiler is done before; then the tests run
//! in a network namespace of their own, so that a runtime that would call home finds nobody. Absence of
//! what this needs is a skip that says so, or an error with `SEATFORK_E2E=require`.

use std::path::Path;

use serde_json::Value;

use crate::args::Args;
use crate::failure::Failure;
use crate::process::{self, Call};
use crate::verify::{self, Outcome};
use crate::workspace::Workspace;

/// The integration test of the CLI package that holds them.
pub(crate) const TARGET: &str = "e2e";

/// `require` makes it an error when the tests cannot run; the tests see `require` in any case.
const SWITCH: &str = "SEATFORK_E2E";

/// How cargo's test runner closes when a filter took every test away.
const NOTHING_RAN: &str = "test result: ok. 0 passed";

/// Programs the tests cannot do without, and what for.
const NEEDED: &[(&str, &str)] = &[
    ("npm", "installs the runtimes"),
    ("tmux", "holds the panes"),
    ("unshare", "makes the network namespace"),
    ("ip", "raises the loopback in it"),
];

/// What part of the tests is to run.
#[derive(Debug, Default)]
struct Part {
    group: Option<u32>,
    version: Option<String>,
}

impl Part {
    /// The call, told which version alone is asked for.
    fn version_of(&self, call: Call) -> Call {
        match &self.version {
            Some(version) => call.env("SEATFORK_E2E_VERSION", version),
            None => call,
        }
    }
}

/// The task: what is missing is an error, because the tests were asked for by name.
pub(crate) fn run(workspace: &Workspace, mut args: Args) -> Result<bool, Failure> {
    let group = args.value("--group")?.map(|group| {
        group.parse().map_err(|_| Failure::Usage(format!("`{group}` is no number of a group")))
    });
    let part = Part { group: group.transpose()?, version: args.value("--version")? };
    args.finish()?;
    if let Some(missing) = missing() {
        return Err(Failure::Missing(missing));
    }
    let outcome = tested(workspace, &part)?;
    Ok(!matches!(outcome, Outcome::Failed(_)))
}

/// The step of `verify` that runs these tests.
pub(crate) fn step(workspace: &Workspace) -> Result<Outcome, Failure> {
    unless_missing(|| tested(workspace, &Part::default()))
}

/// The step of `verify` that installs the pinned runtimes, before the first test that starts one: tests of
/// single crates do so too, where the runtimes are.
pub(crate) fn runtimes_step(workspace: &Workspace) -> Result<Outcome, Failure> {
    unless_missing(|| {
        let call = installing(workspace, &workspace.target()?.join(TARGET), &Part::default());
        Ok(verify::outcome_of(&call.streamed()?))
    })
}

/// What `run` comes to, where this machine has what the real runtimes need.
fn unless_missing(run: impl FnOnce() -> Result<Outcome, Failure>) -> Result<Outcome, Failure> {
    match missing() {
        Some(missing) if process::environment(SWITCH).is_some_and(|value| value == "require") => {
            Err(Failure::Missing(format!("{missing}, and {SWITCH}=require")))
        }
        Some(missing) => Ok(Outcome::Skipped(missing)),
        None => run(),
    }
}

/// What this machine lacks, in one line.
fn missing() -> Option<String> {
    let missing: Vec<String> = NEEDED
        .iter()
        .filter(|(program, _)| !process::installed(program))
        .map(|(program, purpose)| format!("{program} is not installed ({purpose})"))
        .collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

fn tested(workspace: &Workspace, part: &Part) -> Result<Outcome, Failure> {
    if !has_tests(&workspace.metadata(false)?) {
        return Err(Failure::Missing(format!("package seatfork has no test target `{TARGET}`")));
    }
    let target = workspace.target()?;
    let runtimes = target.join(TARGET);
    let prepared = [
        installing(workspace, &runtimes, part),
        workspace.cargo(&[
            "build",
            "--locked",
            "--bins",
            "-p",
            "seatfork",
            "-p",
            "seatfork-testkit",
        ]),
        workspace.cargo(&["test", "--locked", "--no-run", "-p", "seatfork", "--test", TARGET]),
    ];
    for call in prepared {
        let outcome = verify::outcome_of(&call.streamed()?);
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    let mut call =
        workspace.cargo(&["test", "--locked", "--offline", "-p", "seatfork", "--test", TARGET]);
    if let Some(group) = part.group {
        call = call.args([&filter(group)]);
    }
    let call = part.version_of(call).env(SWITCH, "require").env("SEATFORK_E2E_RUNTIMES", &runtimes);
    let call = verify::with_snapshots_held(workspace, call.beneath(namespace(workspace)?))?;
    let ended = call.streamed()?;
    if ended.ok && ended.tail.iter().any(|line| line.starts_with(NOTHING_RAN)) {
        return Err(Failure::Process { command: call.to_string(), why: "ran no test".to_owned() });
    }
    Ok(verify::outcome_of(&ended))
}

/// The call that installs the pinned runtimes into `runtimes`.
fn installing(workspace: &Workspace, runtimes: &Path, part: &Part) -> Call {
    let installer =
        ["run", "--locked", "-p", "seatfork-testkit", "--bin", "install-runtimes", "--"];
    part.version_of(workspace.cargo(&installer).args([runtimes]))
}

/// The name that the tests of a group, and no others, have in their path: they live in such a module.
fn filter(group: u32) -> String {
    format!("group_{group}::")
}

/// A call that runs the words after it in a network namespace whose loopback is up.
fn namespace(workspace: &Workspace) -> Result<Call, Failure> {
    let mut refused = Vec::new();
    for flags in ["-n", "-rn"] {
        let unshare = Call::new("unshare", &workspace.root).args([flags, "sh", "-c"]);
        let probe = unshare.clone().args(["ip link set lo up"]);
        match probe.output() {
            Ok(_) => return Ok(unshare.args(["ip link set lo up && exec \"$@\"", "sh"])),
            Err(failure) => refused.push(failure.to_string()),
        }
    }
    Err(Failure::Missing(format!(
        "cannot make a network namespace, without which the end-to-end tests are not run (they must reach nobody): {}; \
         run as root, or allow unprivileged user namespaces",
        refused.join("; ")
    )))
}

fn has_tests(metadata: &Value) -> bool {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["name"] == "seatfork")
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .any(|target| {
            target["name"] == TARGET
                && target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"test".into()))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_filter_of_a_group_takes_no_other_group_along() {
        assert!("e2e::group_1::forks".contains(&filter(1)));
        assert!(!"e2e::group_10::forks".contains(&filter(1)));
    }

    #[test]
    fn only_a_test_target_of_the_cli_package_counts() {
        let metadata = |package: &str, kind: &str| json!({"packages": [{"name": package, "targets": [{"name": "e2e", "kind": [kind]}]}]});
        assert!(has_tests(&metadata("seatfork", "test")));
        assert!(!has_tests(&metadata("seatfork", "bin")));
        assert!(!has_tests(&metadata("seatfork-launch", "test")));
    }

    // SPEC 14: what the end-to-end tests run can reach nobody but this machine
    #[test]
    fn the_namespace_has_the_loopback_and_nothing_else_or_says_why_there_is_none() {
        let workspace = Workspace { root: "/".into() };
        match namespace(&workspace) {
            Ok(outer) => {
                let inner = Call::new("cat", &workspace.root).args(["/proc/net/dev"]);
                let devices = inner.beneath(outer).output().unwrap();
                let names: Vec<&str> = devices
                    .lines()
                    .filter_map(|line| Some(line.split_once(':')?.0.trim()))
                    .collect();
                assert_eq!(names, ["lo"], "{devices}");
            }
            Err(failure) => {
                let why = failure.to_string();
                assert!(why.contains("`unshare -n ") && why.contains("`unshare -rn "), "{why}");
            }
        }
    }
}
