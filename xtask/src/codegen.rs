//! Files that are generated and committed: written anew, or compared with what stands there.
//!
//! `xtask/generated.txt` lists those a program of ours prints, one a line:
//! `path | package | arguments`. The traceability page is made here.

use std::fs;

use crate::failure::{Failure, Finding};
use crate::traceability;
use crate::workspace::Workspace;

/// The list of files made by programs of ours.
const LIST: &str = "xtask/generated.txt";

/// The page `cargo xtask traceability` writes.
pub(crate) const TRACEABILITY: &str = traceability::PAGE;

/// How a generated file comes to be.
#[derive(Debug, PartialEq, Eq)]
enum Maker {
    /// By this crate, from the sources of the tests.
    Traceability,
    /// By `cargo run -p PACKAGE -- ARGUMENTS`, which prints it.
    Program { package: String, args: Vec<String> },
}

#[derive(Debug, PartialEq, Eq)]
struct Generated {
    path: String,
    maker: Maker,
}

/// Writes the files named in `only`, or all of them.
pub(crate) fn write(workspace: &Workspace, only: &[&str]) -> Result<bool, Failure> {
    for file in list(workspace)? {
        if !only.is_empty() && !only.contains(&file.path.as_str()) {
            continue;
        }
        let path = workspace.root.join(&file.path);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(Failure::file("create", dir))?;
        }
        fs::write(&path, made(workspace, &file.maker)?).map_err(Failure::file("write", &path))?;
        println!("wrote {}", file.path);
    }
    Ok(true)
}

/// Compares every file and prints those that differ.
pub(crate) fn check_and_print(workspace: &Workspace) -> Result<bool, Failure> {
    let findings = check(workspace)?;
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("all generated files are as they must be");
    }
    Ok(findings.is_empty())
}

/// The generated files that are missing or differ from what their maker makes.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for file in list(workspace)? {
        let path = workspace.root.join(&file.path);
        if !path.exists() {
            findings.push(Finding::new(
                &file.path,
                0,
                "is missing; run `cargo xtask codegen` and commit it",
            ));
            continue;
        }
        let stands = workspace.text(&file.path)?.text;
        if let Some(line) = first_difference(&stands, &made(workspace, &file.maker)?) {
            findings.push(Finding::new(
                &file.path,
                line,
                "is out of date from this line on; run `cargo xtask codegen`",
            ));
        }
    }
    Ok(findings)
}

/// Paths of every generated file.
pub(crate) fn paths(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    Ok(list(workspace)?.into_iter().map(|file| file.path).collect())
}

fn list(workspace: &Workspace) -> Result<Vec<Generated>, Failure> {
    let mut files = vec![Generated { path: TRACEABILITY.to_owned(), maker: Maker::Traceability }];
    files.extend(parse(&workspace.text(LIST)?.text)?);
    Ok(files)
}

fn parse(text: &str) -> Result<Vec<Generated>, Failure> {
    let rows = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    rows.map(|(index, line)| {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        match columns.as_slice() {
            &[path, package, args] if !path.is_empty() && !package.is_empty() => Ok(Generated {
                path: path.to_owned(),
                maker: Maker::Program {
                    package: package.to_owned(),
                    args: args.split_whitespace().map(str::to_owned).collect(),
                },
            }),
            _ => Err(Failure::Content {
                path: format!("{LIST}:{}", index + 1),
                why: "a row is `path | package | arguments`".to_owned(),
            }),
        }
    })
    .collect()
}

fn made(workspace: &Workspace, maker: &Maker) -> Result<String, Failure> {
    match maker {
        Maker::Traceability => traceability::page(workspace),
        Maker::Program { package, args } => workspace
            .cargo(&["run", "--quiet", "--locked", "-p", package, "--"])
            .args(args)
            .output(),
    }
}

/// The first line, counted from 1, in which two texts differ.
fn first_difference(stands: &str, made: &str) -> Option<usize> {
    if stands == made {
        return None;
    }
    let same = stands.lines().zip(made.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_a_path_a_package_and_arguments() {
        let files =
            parse("# head\nschemas/rig.schema.json | seatfork | schema --generate\n").unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].path, "schemas/rig.schema.json");
        let args = vec!["schema".to_owned(), "--generate".to_owned()];
        assert_eq!(files[0].maker, Maker::Program { package: "seatfork".to_owned(), args });
        assert!(parse("schemas/rig.schema.json | seatfork").is_err());
        assert!(parse(" | seatfork | x").is_err());
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
        assert_eq!(first_difference("a", "a\n"), Some(2));
    }

    #[test]
    fn a_page_that_is_missing_or_old_is_found_and_writing_mends_it() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("xtask")).unwrap();
        fs::write(temp.path().join(LIST), "").unwrap();
        fs::write(temp.path().join("xtask/later.txt"), "").unwrap();
        let workspace = Workspace { root: temp.path().to_owned() };
        assert!(check(&workspace).unwrap()[0].message.starts_with("is missing"));
        assert!(write(&workspace, &[]).unwrap());
        assert_eq!(check(&workspace).unwrap(), []);
        fs::write(temp.path().join("a.rs"), "// SPEC 9: x\n#[test]\nfn a() {}\n").unwrap();
        assert!(check(&workspace).unwrap()[0].message.starts_with("is out of date"));
    }
}
