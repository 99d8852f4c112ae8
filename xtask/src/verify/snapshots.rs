//! No snapshot waits for review, and none is kept that no test reads.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{E2E, Finished, Outcome, TESTS};
use crate::failure::{Failure, Finding};
use crate::workspace::{Workspace, has_extension};

/// The file in which insta notes each snapshot a test reads.
pub(super) fn references(workspace: &Workspace) -> Result<PathBuf, Failure> {
    Ok(workspace.target()?.join("xtask-snapshot-references"))
}

/// Removes what an earlier run noted; insta only ever adds.
pub(super) fn forget_references(workspace: &Workspace) -> Result<(), Failure> {
    let path = references(workspace)?;
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::file("remove", &path)(error))
        }
        _ => {
            // The folder may not be there before the first build; insta does not make it.
            let dir = path.parent().unwrap_or(&path);
            fs::create_dir_all(dir).map_err(Failure::file("create", dir))
        }
    }
}

/// Refuses pending snapshots, and unreferenced ones as far as the tests that would read them passed.
pub(super) fn check(workspace: &Workspace, earlier: &[Finished]) -> Result<Outcome, Failure> {
    let paths = workspace.paths()?;
    let mut findings: Vec<Finding> = paths
        .iter()
        .filter(|path| has_extension(path, "new") || has_extension(path, "pending-snap"))
        .map(|path| Finding::new(path, 0, "waits for review; accept or remove it"))
        .collect();

    let passed = |name: &str| {
        earlier.iter().any(|step| step.name == name && step.outcome == Outcome::Passed)
    };
    let mut unchecked = Vec::new();
    if passed(TESTS) {
        let path = references(workspace)?;
        let noted = if path.exists() {
            fs::read_to_string(&path).map_err(Failure::file("read", &path))?
        } else {
            String::new()
        };
        let (of_e2e, others): (Vec<_>, Vec<_>) = unreferenced(&workspace.root, &paths, &noted)
            .into_iter()
            .partition(|path| path.contains(&format!("/tests/{}/", crate::e2e::TARGET)));
        let e2e_is_checked = passed(E2E) || of_e2e.is_empty();
        let stale = if e2e_is_checked { [of_e2e, others].concat() } else { others };
        findings.extend(
            stale.iter().map(|path| Finding::new(path, 0, "is read by no test; remove it")),
        );
        if !e2e_is_checked {
            unchecked.push(
                "unreferenced snapshots of the end-to-end tests, which did not pass in this run"
                    .to_owned(),
            );
        }
    } else {
        unchecked
            .push("unreferenced snapshots, because the tests did not pass in this run".to_owned());
    }
    Ok(match (findings.is_empty(), unchecked.is_empty()) {
        (false, _) => return super::found(Ok(findings)),
        (true, true) => Outcome::Passed,
        (true, false) => Outcome::PassedBut(unchecked),
    })
}

/// The snapshots among `paths` that `noted` does not name.
fn unreferenced(root: &Path, paths: &[String], noted: &str) -> Vec<String> {
    let noted: BTreeSet<PathBuf> = noted.lines().map(|line| plain(Path::new(line))).collect();
    let snapshots = paths.iter().filter(|path| has_extension(path, "snap"));
    snapshots.filter(|path| !noted.contains(&plain(&root.join(path)))).cloned().collect()
}

/// A path with `.` and `..` taken out: insta notes `tests/it/../snapshots` for a module in a folder.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn workspace(files: &[&str]) -> (tempfile::TempDir, Workspace) {
        let temp = tempfile::tempdir().unwrap();
        for file in files {
            let path = temp.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let workspace = Workspace { root: temp.path().to_owned() };
        (temp, workspace)
    }

    #[test]
    fn a_snapshot_is_unreferenced_when_no_noted_path_leads_to_it() {
        let paths = ["c/snapshots/a.snap", "c/snapshots/b.snap", "c/x.rs"].map(str::to_owned);
        let noted = "/w/c/src/../snapshots/a.snap\n/elsewhere/b.snap\n";
        assert_eq!(unreferenced(Path::new("/w"), &paths, noted), ["c/snapshots/b.snap"]);
    }

    #[test]
    fn pending_snapshots_are_refused_whatever_else_ran() {
        let (_temp, workspace) =
            workspace(&["c/snapshots/a.snap.new", "c/src/.lib.rs.pending-snap"]);
        let Outcome::Failed(lines) = check(&workspace, &[]).unwrap() else { panic!("must fail") };
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn without_a_passed_test_run_nothing_is_claimed_of_unreferenced_ones() {
        let (_temp, workspace) = workspace(&["c/snapshots/a.snap"]);
        assert!(
            matches!(check(&workspace, &[]).unwrap(), Outcome::PassedBut(parts) if parts.len() == 1)
        );
        let failed =
            Finished { name: TESTS, outcome: Outcome::Failed(Vec::new()), took: Duration::ZERO };
        assert!(matches!(check(&workspace, &[failed]).unwrap(), Outcome::PassedBut(_)));
    }
}
