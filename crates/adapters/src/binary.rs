//! Finding the binary that answers for a runtime, and asking it what it is (SPEC 6, 14).

use crate::contract::environment::SeatEnv;
use crate::contract::failure::ProbeError;
use crate::contract::plan::{Phase1Output, ProcessPlan};
use crate::process::{RunError, RunOptions, run};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::printable;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// How long a binary may take to say its version or its help.
pub const PROBE_DEADLINE: Duration = Duration::from_secs(10);

/// What tells one file from another and from its own later content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its length and modification time.
    pub stamp: String,
}

/// Reads a file's stamp.
pub fn stamp_of(path: &Utf8Path) -> io::Result<Stamp> {
    let meta = std::fs::metadata(path)?;
    Ok(Stamp {
        device: meta.dev(),
        inode: meta.ino(),
        stamp: format!("{} bytes at {}.{:09}", meta.len(), meta.mtime(), meta.mtime_nsec()),
    })
}

/// Finds `program` on the seat's PATH and returns its absolute real path.
///
/// An entry that is relative, or that lies inside `rig_root` by its real path,
/// is skipped, and so is a program whose real path lies there: a rig's own
/// tree never supplies the runtime (SPEC 14).
pub fn find(program: &str, env: &SeatEnv, rig_root: &Utf8Path) -> Result<Utf8PathBuf, ProbeError> {
    let root = rig_root.canonicalize_utf8().unwrap_or_else(|_| rig_root.to_owned());
    let (mut looked_in, mut skipped) = (0, 0);
    for entry in env.get("PATH").unwrap_or_default().split(':') {
        let entry = Utf8Path::new(entry);
        // An empty entry means the working directory, and is as relative as `.`.
        if !entry.is_absolute() {
            skipped += 1;
            continue;
        }
        // A directory that cannot be read holds nothing for us, as for any shell.
        let Ok(real_entry) = entry.canonicalize_utf8() else {
            looked_in += 1;
            continue;
        };
        if real_entry.starts_with(&root) {
            skipped += 1;
            continue;
        }
        looked_in += 1;
        let Ok(real) = real_entry.join(program).canonicalize_utf8() else { continue };
        if real.starts_with(&root) {
            skipped += 1;
            continue;
        }
        if real.is_file()
            && rustix::fs::access(real.as_std_path(), rustix::fs::Access::EXEC_OK).is_ok()
        {
            return Ok(real);
        }
    }
    Err(ProbeError::Missing { program: program.to_owned(), looked_in, skipped })
}

/// Asks a binary one question and returns its whole answer.
pub async fn ask(
    path: &Utf8Path,
    question: &[&str],
    env: &SeatEnv,
    set_env: &[(&str, &str)],
    deadline: Duration,
) -> Result<String, ProbeError> {
    let plan = ProcessPlan {
        argv: std::iter::once(path.as_str())
            .chain(question.iter().copied())
            .map(ToOwned::to_owned)
            .collect(),
        cwd: Utf8PathBuf::from("/"),
        set_env: set_env
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        unset_env: Vec::new(),
        deadline,
        dialogue: None,
    };
    let question = question.join(" ");
    let nobody = async |_| {};
    let done = run(&plan, env, None, RunOptions::default(), nobody).await.map_err(|error| {
        let source = match error {
            RunError::Spawn { source, .. } | RunError::Wait { source, .. } => source,
            other => io::Error::other(other),
        };
        ProbeError::Io { path: path.to_owned(), source }
    })?;
    let Phase1Output { exit_code, stdout, stderr, timed_out, .. } = done.output;
    if timed_out {
        return Err(ProbeError::Silent {
            path: path.to_owned(),
            asked: question,
            seconds: deadline.as_secs(),
        });
    }
    match (exit_code, String::from_utf8(stdout)) {
        (Some(0), Ok(text)) => Ok(text),
        (code, text) => {
            let said = match text {
                Ok(text) if !text.trim().is_empty() => text,
                Ok(_) => String::from_utf8_lossy(&stderr).into_owned(),
                Err(_) => "bytes that are not UTF-8".to_owned(),
            };
            let code = code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
            Err(strange(path, &question, &format!("{code}: {said}")))
        }
    }
}

/// The error of an answer that is none of a runtime we know, escaped and cut.
pub fn strange(path: &Utf8Path, asked: &str, answer: &str) -> ProbeError {
    let mut cut: String = answer.trim().chars().take(200).collect();
    if cut.len() < answer.trim().len() {
        cut.push('…');
    }
    let answer = format!("\"{}\"", printable(&cut));
    ProbeError::Strange { path: path.to_owned(), asked: asked.to_owned(), answer }
}
