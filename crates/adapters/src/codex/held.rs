//! Who writes a thread: the lock its writer holds, and the files a process holds open.
//!
//! The lock file outlives a kill, the lock does not; so the kernel is asked
//! who holds it, and never by trying to take it: that would turn away a Codex
//! that wants it at this moment. On Linux alone; elsewhere it is tried.

use super::layout::{Layout, Rollout};
use crate::contract::evidence::InUse;
use crate::contract::failure::FindError;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::NativeId;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// Every thread with a living writer.
pub(super) fn written(layout: &Layout) -> Result<Vec<(NativeId, InUse)>, FindError> {
    let mut found = Vec::new();
    for path in super::layout::list(&layout.locks())? {
        let id = path.file_name().and_then(|name| name.strip_suffix(".lock"));
        let Some(id) = id.and_then(|id| NativeId::new(id).ok()) else { continue };
        if id.is_lowercase_uuid()
            && let Some(by) = held_by(layout, &id, holder)?
        {
            found.push((id, by));
        }
    }
    Ok(found)
}

/// The process that holds a thread's lock.
pub(super) fn writer(layout: &Layout, thread: &NativeId) -> Result<Option<InUse>, FindError> {
    held_by(layout, thread, |path, meta| {
        settled(|| holder(path, meta), || is_open(path), || std::thread::sleep(BETWEEN_LOOKS))
    })
}

fn held_by(
    layout: &Layout,
    thread: &NativeId,
    holder: impl Fn(&Utf8Path, &std::fs::Metadata) -> io::Result<Option<u32>>,
) -> Result<Option<InUse>, FindError> {
    let path = layout.lock(thread);
    let failed = |error: io::Error| FindError { path: path.clone(), why: error.to_string() };
    let meta = match std::fs::symlink_metadata(&path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let pid = holder(&path, &meta).map_err(failed)?;
    Ok(pid.map(|pid| {
        let shared =
            if is_shared_server(layout, pid) { ", held by the shared Codex server" } else { "" };
        InUse { pid, seen_in: format!("thread-writer-locks/{thread}.lock{shared}") }
    }))
}

/// How often the kernel's list is read for a lock that somebody has open.
const LOOKS: u32 = 6;
const BETWEEN_LOOKS: Duration = Duration::from_millis(15);

/// Who holds a lock, where the list of locks may pass one over: the kernel hands it out a page at a time, and what ends
/// between two pages moves the rest. A lock whose file somebody has open is looked for again before it is called free.
fn settled(
    mut holder: impl FnMut() -> io::Result<Option<u32>>,
    is_open: impl Fn() -> io::Result<bool>,
    wait: impl Fn(),
) -> io::Result<Option<u32>> {
    for _ in 1..LOOKS {
        if let Some(pid) = holder()? {
            return Ok(Some(pid));
        }
        if !is_open()? {
            return Ok(None);
        }
        wait();
    }
    holder()
}

/// Whether a process that lets us look has the file open.
fn is_open(path: &Utf8Path) -> io::Result<bool> {
    let Ok(real) = path.canonicalize_utf8() else { return Ok(false) };
    let all = seatfork_process::all().map_err(io::Error::other)?;
    // One that lets nobody look is another user's, who has no business with this lock.
    let open = |pid| open_files(pid).is_ok_and(|files| files.contains(&real));
    Ok(all.iter().any(|one| !one.ended && open(one.id.pid)))
}

#[cfg(target_os = "linux")]
fn holder(path: &Utf8Path, meta: &std::fs::Metadata) -> io::Result<Option<u32>> {
    let (device, inode) = (meta.dev(), meta.ino());
    let locks = std::fs::read_to_string("/proc/locks")?;
    for (pid, major, minor, locked) in locks.lines().filter_map(parse_lock) {
        if locked != inode {
            continue;
        }
        let same_device = (major, minor) == (rustix::fs::major(device), rustix::fs::minor(device));
        // Some file systems tell another device there than for the file.
        let holds = || {
            // A lock file that is gone by now is held by nobody who could be named.
            let real = path.canonicalize_utf8().ok();
            open_files(pid).is_ok_and(|open| open.iter().any(|one| Some(one) == real.as_ref()))
        };
        if same_device || holds() {
            return Ok(Some(pid));
        }
    }
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
fn holder(path: &Utf8Path, _meta: &std::fs::Metadata) -> io::Result<Option<u32>> {
    match std::fs::File::open(path)?.try_lock_shared() {
        Ok(()) => Ok(None),
        // Who it is cannot be told here.
        Err(std::fs::TryLockError::WouldBlock) => Ok(Some(0)),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// `7: FLOCK  ADVISORY  WRITE 20683 fe:00:10018970 0 EOF`; one that waits has an arrow and holds nothing.
#[cfg(any(target_os = "linux", test))]
fn parse_lock(line: &str) -> Option<(u32, u32, u32, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (_number, kind, _how, _access) =
        (words.next()?, words.next()?, words.next()?, words.next()?);
    if kind != "FLOCK" {
        return None;
    }
    let pid = words.next()?.parse().ok()?;
    let mut place = words.next()?.split(':');
    let major = u32::from_str_radix(place.next()?, 16).ok()?;
    let minor = u32::from_str_radix(place.next()?, 16).ok()?;
    Some((pid, major, minor, place.next()?.parse().ok()?))
}

/// Whether a process is the server that several Codex windows share, and that outlives them.
fn is_shared_server(layout: &Layout, pid: u32) -> bool {
    #[derive(serde::Deserialize)]
    struct Account {
        pid: u32,
    }
    // It only adds a word to who holds the lock: what cannot be read leaves that word out, never the holder.
    let account = std::fs::read(layout.daemon()).ok();
    let account = account.and_then(|bytes| serde_json::from_slice::<Account>(&bytes).ok());
    if account.is_some_and(|account| account.pid == pid) {
        return true;
    }
    // Words alone are weaker, and all there is when it wrote nothing of itself.
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut words = words.split(|byte| *byte == 0);
    words.any(|word| word == b"--managed-daemon")
}

/// A thread that a process holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// The thread.
    pub(super) thread: NativeId,
    /// Its record, where that is open too.
    pub(super) rollout: Option<Rollout>,
}

/// The threads whose locks a process holds open.
pub(super) fn by(pid: u32, layout: &Layout) -> io::Result<Vec<Held>> {
    let Ok(home) = layout.home().canonicalize_utf8() else { return Ok(Vec::new()) };
    let real = Layout::at(home);
    let (locks, sessions) = (real.locks(), real.sessions());
    let open = open_files(pid)?;
    let thread_of = |path: &Utf8PathBuf| {
        let name = path.file_name().filter(|_| path.parent() == Some(&locks))?;
        NativeId::new(name.strip_suffix(".lock")?).ok().filter(NativeId::is_lowercase_uuid)
    };
    let mut held: Vec<Held> = Vec::new();
    for thread in open.iter().filter_map(thread_of) {
        if held.iter().all(|one| one.thread != thread) {
            held.push(Held { thread, rollout: None });
        }
    }
    let records = open.into_iter().filter(|path| path.starts_with(&sessions));
    for record in records.filter_map(|path| Rollout::of(path, false)) {
        if let Some(one) = held.iter_mut().find(|one| one.thread == record.thread) {
            one.rollout = Some(record);
        }
    }
    Ok(held)
}

/// The files a process has open, by their real paths.
fn open_files(pid: u32) -> io::Result<Vec<Utf8PathBuf>> {
    if cfg!(not(target_os = "linux")) {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))? {
        // One that was closed meanwhile is not open.
        let Ok(target) = std::fs::read_link(entry?.path()) else { continue };
        found.extend(Utf8PathBuf::from_path_buf(target).ok());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{LOOKS, parse_lock, settled};
    use std::io;

    // SPEC 6: a list that passes a lock over does not make it free while somebody has its file open.
    #[test]
    fn a_lock_that_somebody_has_open_is_looked_for_again() {
        let after = |misses: u32, open: bool| {
            let mut looks = 0;
            let holder = || {
                looks += 1;
                Ok((looks > misses).then_some(7))
            };
            let found = settled(holder, || Ok(open), || {}).unwrap();
            (found, looks)
        };
        assert_eq!(after(0, false), (Some(7), 1));
        assert_eq!(after(2, true), (Some(7), 3));
        assert_eq!(after(2, false), (None, 1), "nobody has it open");
        assert_eq!(after(99, true), (None, LOOKS), "it is open and nobody holds it");
        let failed = || Err(io::Error::other("no list"));
        assert!(settled(failed, || Ok(true), || {}).is_err(), "an error is not an absence");
    }

    // SPEC 6: who holds a lock is read from the kernel's list; one that waits, or locks otherwise, holds nothing of it.
    #[test]
    fn the_kernels_list_of_locks_is_read_by_its_columns() {
        let line = "7: FLOCK  ADVISORY  WRITE 20683 fe:00:10018970 0 EOF";
        assert_eq!(parse_lock(line), Some((20683, 0xfe, 0, 10_018_970)));
        for other in [
            "1: POSIX  ADVISORY  READ 20683 fe:00:10018988 1073741826 1073742335",
            "7: -> FLOCK  ADVISORY  WRITE 20684 fe:00:10018970 0 EOF",
            "",
            "7: FLOCK ADVISORY",
        ] {
            assert_eq!(parse_lock(other), None, "{other}");
        }
    }
}
