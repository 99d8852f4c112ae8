//! A process that a fake runtime leaves behind, and that writes a child later.

use std::{
    fs, io,
    path::Path,
    process::{ExitCode, Stdio},
    thread,
    time::Duration,
};

use uuid::Uuid;

use super::{install::beside, told::Told};
use crate::process;

const LATE: &str = "--fake-write-late";

/// Leaves a process behind that writes a text to a path so many milliseconds later.
pub(super) fn leave(told: &Told, ms: u64, text: &str, to: &Path) -> io::Result<()> {
    use std::os::unix::process::CommandExt as _;
    let kept = beside(&told.program, &format!("late-{}", Uuid::new_v4()));
    fs::write(&kept, text)?;
    let mut late = process::command(&told.program);
    late.arg(LATE).arg(ms.to_string()).arg(&kept).arg(to);
    late.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    // Not waited for: outliving this process is what it is for.
    late.spawn().map(drop)
}

/// The process left behind: `--fake-write-late MS FROM TO`.
pub(super) fn written(args: &[String]) -> io::Result<Option<ExitCode>> {
    let [late, ms, from, to] = args else { return Ok(None) };
    if late != LATE {
        return Ok(None);
    }
    thread::sleep(Duration::from_millis(ms.parse().map_err(io::Error::other)?));
    let to = Path::new(to);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)?;
    Ok(Some(ExitCode::SUCCESS))
}
