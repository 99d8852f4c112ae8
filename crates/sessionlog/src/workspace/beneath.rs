//! One open call that neither follows a link nor leaves a folder, on kernels with and without `openat2`.

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Opens what stands below `folder` under these names. A link anywhere is `LOOP` or `NOTDIR`.
pub(super) fn open(
    folder: BorrowedFd<'_>,
    names: &[&str],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    check(names)?;
    #[cfg(target_os = "linux")]
    match by_kernel(folder, names, flags, mode) {
        // An old kernel, or a sandbox that knows no openat2.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
        done => return done,
    }
    by_steps(folder, names, flags, mode)
}

/// Names are single components, whoever made them.
fn check(names: &[&str]) -> Result<(), Errno> {
    let is_one = |name: &&str| {
        !name.is_empty() && !matches!(*name, "." | "..") && !name.contains(['/', '\0'])
    };
    if !names.is_empty() && names.iter().all(is_one) { Ok(()) } else { Err(Errno::INVAL) }
}

#[cfg(target_os = "linux")]
fn by_kernel(
    folder: BorrowedFd<'_>,
    names: &[&str],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let path = names.join("/");
    // The kernel asks to be asked again where something was renamed at that moment.
    for _ in 0..64 {
        match fs::openat2(folder, path.as_str(), flags, mode, how) {
            Err(Errno::AGAIN) => {}
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

/// One name at a time: each folder is opened by its own name in the one before, links not followed.
pub(super) fn by_steps(
    folder: BorrowedFd<'_>,
    names: &[&str],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let Some((last, before)) = names.split_last() else { return Err(Errno::INVAL) };
    let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here: Option<OwnedFd> = None;
    for name in before {
        let next = match &here {
            Some(fd) => fs::openat(fd, *name, step, Mode::empty())?,
            None => fs::openat(folder, *name, step, Mode::empty())?,
        };
        here = Some(next);
    }
    let flags = flags | OFlags::NOFOLLOW;
    match &here {
        Some(fd) => fs::openat(fd, *last, flags, mode),
        None => fs::openat(folder, *last, flags, mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    type Way = fn(BorrowedFd<'_>, &[&str], OFlags, Mode) -> Result<OwnedFd, Errno>;

    #[test]
    fn both_ways_refuse_every_link_and_every_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "x").unwrap();
        symlink("b", root.join("a/link")).unwrap();
        symlink("/etc", root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("b/file", root.join("a/to-file")).unwrap();
        let folder = fs::open(root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        for way in [open as Way, by_steps as Way] {
            let try_open =
                |names: &[&str]| way(folder.as_fd(), names, OFlags::RDONLY, Mode::empty());
            assert!(try_open(&["a", "b", "file"]).is_ok());
            for names in [
                &["a", "link", "file"][..],
                &["a", "to-file"],
                &["out", "passwd"],
                &["dangling"],
                &["a", "b", "file", "x"],
            ] {
                let errno = try_open(names).unwrap_err();
                assert!(matches!(errno, Errno::LOOP | Errno::NOTDIR), "{names:?}: {errno}");
            }
            assert_eq!(try_open(&["a", "c"]).unwrap_err(), Errno::NOENT);
        }
        for names in [&[".."][..], &["a", "..", "a"], &["a/b"], &["."], &[""], &[]] {
            let refused = open(folder.as_fd(), names, OFlags::RDONLY, Mode::empty());
            assert_eq!(refused.unwrap_err(), Errno::INVAL, "{names:?}");
        }
    }
}
