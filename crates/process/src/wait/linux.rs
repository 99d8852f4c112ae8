//! Waiting with inotify and pidfd.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{WaitError, Watched, Woken};
use crate::error::ProcessError;
use crate::table::ProcessId;

/// The descriptors that wake.
#[derive(Debug, Default)]
pub(super) struct Waker {
    /// Made with the first watch: a system has few of them.
    inotify: Option<OwnedFd>,
    processes: Vec<(ProcessId, OwnedFd)>,
}

impl Waker {
    pub(super) fn watch_dir(&mut self, dir: &Path) -> Result<Watched, WaitError> {
        let failed = |e: Errno| WaitError::Watch { dir: dir.to_owned(), source: e.into() };
        if self.inotify.is_none() {
            let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
            self.inotify = Some(inotify::init(flags).map_err(failed)?);
        }
        let Some(fd) = &self.inotify else { return Ok(Watched::TicksOnly) };
        let flags = WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        for ancestor in dir.ancestors() {
            match inotify::add_watch(fd, ancestor, flags) {
                Ok(_) if ancestor == dir => return Ok(Watched::Itself),
                Ok(_) => return Ok(Watched::Ancestor(ancestor.to_owned())),
                Err(Errno::NOENT) => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Err(failed(Errno::NOENT))
    }

    pub(super) fn watch_process(&mut self, process: ProcessId) -> Result<bool, ProcessError> {
        let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
        let Some(pid) = pid else { return Ok(false) };
        let fd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(fd) => fd,
            Err(Errno::SRCH) => return Ok(false),
            Err(e) => {
                let (what, pid, source) = ("pidfd", process.pid, e.into());
                return Err(ProcessError::Unreadable { what, pid, source });
            }
        };
        // Looked at after opening: the descriptor is then this process's, not a later one's.
        if !process.alive()? {
            return Ok(false);
        }
        if self.processes.iter().all(|(known, _)| *known != process) {
            self.processes.push((process, fd));
        }
        Ok(true)
    }

    pub(super) fn wait(&mut self, at_most: Duration) -> Result<Woken, WaitError> {
        let mut fds: Vec<PollFd<'_>> =
            self.processes.iter().map(|(_, fd)| PollFd::new(fd, PollFlags::IN)).collect();
        if let Some(fd) = &self.inotify {
            fds.push(PollFd::new(fd, PollFlags::IN));
        }
        let timeout = Timespec {
            tv_sec: at_most.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        match poll(&mut fds, Some(&timeout)) {
            // A signal is a waking like any other: the caller looks again.
            Ok(0) | Err(Errno::INTR) => return Ok(Woken::Tick),
            Ok(_) => {}
            Err(e) => return Err(WaitError::Poll(e.into())),
        }
        let ready = fds.iter().position(|fd| !fd.revents().is_empty());
        // A descriptor of an ended process stays ready for ever, so it is reported and dropped.
        match ready.filter(|at| *at < self.processes.len()) {
            Some(at) => Ok(Woken::Process(self.processes.swap_remove(at).0)),
            None => self.drain().map(|()| Woken::Directory),
        }
    }

    /// Takes all events; what they say does not matter, not even that some were lost.
    fn drain(&self) -> Result<(), WaitError> {
        let Some(fd) = &self.inotify else { return Ok(()) };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(fd, &mut buffer);
        loop {
            match events.next() {
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(e) => return Err(WaitError::Poll(e.into())),
            }
        }
    }
}
