//! Every launch code is provoked by a test, named by a marker above it: `// code: rig-name-taken` (SPEC 4).

use seatfork_schema::LaunchCode;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands before the codes, at the start of a line right above a test.
const MARK: &str = "// code: ";

/// Every file below a directory, but for what was built.
fn below(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The crates of the workspace, each with its Rust files and the text of its snapshots.
fn crates() -> Vec<(Vec<(PathBuf, String)>, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let crates = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    crates
        .map(|of| {
            let mut files = Vec::new();
            for part in ["src", "tests"] {
                let dir = of.join(part);
                if dir.is_dir() {
                    below(&dir, &mut files);
                }
            }
            let ends = |ending: &str| {
                let all = files.iter().filter(|path| path.extension().is_some_and(|e| e == ending));
                all.map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
                    .collect::<Vec<_>>()
            };
            let snapshots = ends("snap").into_iter().map(|(_, text)| text).collect();
            (ends("rs"), snapshots)
        })
        .collect()
}

// SPEC 4: each launch code has a test that provokes it, and the test's file or its snapshots show the code.
#[test]
fn every_launch_code_is_provoked_by_a_test() {
    let mut provoked: BTreeMap<&str, usize> =
        LaunchCode::ALL.iter().map(|code| (code.as_str(), 0)).collect();
    for (files, snapshots) in crates() {
        for (path, text) in files {
            let place = path.display();
            let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
            let said = lines.iter().filter(|line| !line.starts_with(MARK));
            let said = said.copied().collect::<Vec<_>>().join("\n");
            for (at, line) in lines.iter().enumerate() {
                let Some(codes) = line.strip_prefix(MARK) else { continue };
                let test = lines[at..].iter().find(|line| !line.starts_with("//"));
                assert_eq!(test, Some(&"#[test]"), "{place}:{}: a marker is above a test", at + 1);
                for word in codes.split(", ") {
                    let code = LaunchCode::from_word(word)
                        .unwrap_or_else(|| panic!("{place}:{}: {word} is no code", at + 1));
                    let variant = format!("LaunchCode::{code:?}");
                    assert!(
                        said.contains(word) || said.contains(&variant) || snapshots.contains(word),
                        "{place}:{}: neither the test nor a snapshot shows {word}",
                        at + 1
                    );
                    *provoked.get_mut(word).unwrap() += 1;
                }
            }
        }
    }
    let never: Vec<_> = provoked.into_iter().filter(|(_, tests)| *tests == 0).collect();
    assert!(never.is_empty(), "no test provokes {never:?}");
}
