//! `cargo xtask vectors`: spec vectors through the `seatfork` binary itself, round trips included.
//!
//! A vector file has one JSON object a line: `id`, `yaml` or `yaml_b64`, `expect` (`valid` or
//! `refused`) and, where known, `paths`. A folder has `verdicts.json`, which says of each file in it
//! what to expect. Each spec is given to `seatfork validate --json --normal-form -` on its input:
//!
//! - a refused one exits 3 and reports an error at, above or below each of its `paths` (an error of the
//!   document as a whole points at none of them);
//! - a valid one exits 0 with a normal form, whose YAML reads back as the same normal form and prints
//!   byte for byte the same again (SPEC 5).

mod answer;
mod path;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use self::answer::Answer;
use self::rows::{Expect, Row};
use crate::args::Args;
use crate::failure::Failure;
use crate::process::{Call, Captured};
use crate::workspace::Workspace;

/// How many specs are validated side by side.
const AT_ONCE: usize = 2;

/// No spec of a mebibyte takes this long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(30);

/// Runs the task.
pub(crate) fn run(workspace: &Workspace, mut args: Args) -> Result<bool, Failure> {
    let binary = args.value("--binary")?;
    let files = args.names()?;
    if files.is_empty() {
        return Err(Failure::Usage(
            "`vectors` needs a vector file, or a folder with verdicts.json".to_owned(),
        ));
    }
    let mut rows = Vec::new();
    for file in &files {
        rows.extend(rows::read(Path::new(file))?);
    }
    let binary = match binary {
        Some(path) => {
            std::path::absolute(&path).map_err(Failure::file("find", Path::new(&path)))?
        }
        None => build(workspace)?,
    };
    let failures = failures(&Validator { binary, dir: workspace.root.clone() }, &rows);
    for failure in &failures {
        println!("{failure}");
    }
    println!("{} passed, {} failed", rows.len() - failures.len(), failures.len());
    Ok(failures.is_empty())
}

/// Builds the CLI and returns the path of its binary, as cargo names it.
fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let args = [
        "build",
        "--locked",
        "-p",
        "seatfork",
        "--bin",
        "seatfork",
        "--message-format",
        "json-render-diagnostics",
    ];
    let call = workspace.cargo(&args);
    let output = call.output()?;
    let executable = output.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    executable.ok_or_else(|| Failure::Process {
        command: call.to_string(),
        why: "named no executable".to_owned(),
    })
}

/// One line for each row that is not as it must be, in the order of the rows.
fn failures(validator: &Validator, rows: &[Row]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let mut found: Vec<(usize, String)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(|| {
                    let mut found = Vec::new();
                    while let Some((at, row)) = next_of(rows, &next) {
                        if let Err(why) = validator.check(row) {
                            found.push((at, format!("{}: {}", row.id, one_line(&why))));
                        }
                    }
                    found
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    found.sort();
    found.into_iter().map(|(_, failure)| failure).collect()
}

fn next_of<'a>(rows: &'a [Row], next: &AtomicUsize) -> Option<(usize, &'a Row)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, rows.get(at)?))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The binary that validates.
struct Validator {
    binary: PathBuf,
    dir: PathBuf,
}

impl Validator {
    /// Checks one row; the error says in which way the answer is not the one expected.
    fn check(&self, row: &Row) -> Result<(), String> {
        let answer = self.json(&row.yaml)?;
        match &row.expect {
            Expect::Refused { paths } => refused_at(&answer, paths),
            Expect::Valid => {
                let normal_form = valid(&answer, "it")?;
                let text = self.text(&row.yaml)?;
                let again = self.json(&text)?;
                let second = valid(&again, "its normal form")?;
                if second != normal_form {
                    return Err(format!(
                        "its normal form reads back as another: {normal_form} became {second}"
                    ));
                }
                let printed = self.text(&text)?;
                if printed != text {
                    return Err(format!(
                        "its normal form prints differently again, {}",
                        first_difference(&text, &printed)
                    ));
                }
                Ok(())
            }
        }
    }

    fn json(&self, yaml: &[u8]) -> Result<Answer, String> {
        let captured = self.run(&["validate", "--json", "--normal-form", "-"], yaml)?;
        Answer::read(captured.status.code(), &captured.stdout).map_err(|why| ended(&captured, &why))
    }

    fn text(&self, yaml: &[u8]) -> Result<Vec<u8>, String> {
        let captured = self.run(&["validate", "--normal-form", "-"], yaml)?;
        if captured.status.code() == Some(0) {
            Ok(captured.stdout)
        } else {
            Err(ended(&captured, "printed no normal form"))
        }
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Result<Captured, String> {
        let call = Call::new(&self.binary, &self.dir).args(args);
        call.captured(input, DEADLINE).map_err(|failure| failure.to_string())
    }
}

/// What a process said last, behind what was wrong with it.
fn ended(captured: &Captured, why: &str) -> String {
    let stderr = String::from_utf8_lossy(&captured.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{why} ({}) {last}", captured.status)
}

fn valid<'a>(answer: &'a Answer, what: &str) -> Result<&'a serde_json::Value, String> {
    if let Some(error) = answer.errors.first() {
        return Err(format!("{what} is valid but was refused: {error}"));
    }
    answer
        .normal_form
        .as_ref()
        .ok_or_else(|| format!("{what} is valid but came without a normal form"))
}

fn refused_at(answer: &Answer, paths: &[path::SpecPath]) -> Result<(), String> {
    if answer.errors.is_empty() {
        return Err("must be refused but was accepted".to_owned());
    }
    for path in paths {
        if !answer.errors.iter().any(|error| error.path.is_on_one_line_with(path)) {
            let told: Vec<String> = answer.errors.iter().map(ToString::to_string).collect();
            return Err(format!(
                "no refusal at, above or below {path}; there are {}",
                told.join("; ")
            ));
        }
    }
    Ok(())
}

fn first_difference(before: &[u8], after: &[u8]) -> String {
    let at = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let line = before[..at].split(|&byte| byte == b'\n').count();
    format!("first in line {line}, byte {at}")
}

#[cfg(test)]
mod tests;
