//! A network namespace that holds nothing but the loopback, so that a real runtime under test
//! cannot reach anything but the stub.

use std::{
    ffi::OsStr,
    fs, io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, ExitCode},
    time::Duration,
};

use crate::process::{self, command};

/// Set in processes started by [`command_offline`], so that a namespace that turns out not to be
/// one is an error and not an endless chain of processes.
const MARK: &str = "SEATFORK_TESTKIT_OFFLINE";
const UP_AND_RUN: &str = r#"ip link set lo up && exec "$@""#;
const PROBE_DEADLINE: Duration = Duration::from_secs(10);

/// Why the network cannot be taken away.
#[derive(Debug, thiserror::Error)]
pub enum OfflineError {
    /// No way of making the namespace worked here.
    #[error(
        "make a loopback-only network namespace: `unshare` and `ip` of this machine did not \
         (tried: {tried}); run as root, or where user namespaces are allowed"
    )]
    Impossible {
        /// Each command tried, with what it said.
        tried: String,
    },
    /// The process was started as if inside a namespace, but there are ways out of it.
    #[error("be alone with the loopback: packets can leave by: {0}")]
    NotAlone(String),
    /// There is no other network, but the loopback does not work either.
    #[error("reach 127.0.0.1: the loopback of this namespace is down (`ip link set lo up`)")]
    Loopback(#[source] io::Error),
    /// The routing table could not be read.
    #[error("read the routing table {path}")]
    Routes {
        /// The file read.
        path: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The process could not be replaced.
    #[error("start this program again inside the namespace")]
    Exec(#[source] io::Error),
}

/// Whether this process sees no network but the loopback.
pub fn is_offline() -> Result<bool, OfflineError> {
    Ok(other_interfaces()?.is_empty())
}

/// Whether this process was started by [`command_offline`], so that its mounts are its own.
pub(crate) fn has_own_mounts() -> bool {
    process::var(MARK).is_some()
}

/// Goes on only inside a loopback-only namespace: returns there, else starts this very program
/// again inside one, in place of this process. To be called first thing in `main`, before any
/// thread is started.
pub fn enter() -> Result<(), OfflineError> {
    let others = other_interfaces()?;
    if others.is_empty() {
        return check_loopback();
    }
    if process::var(MARK).is_some() {
        return Err(OfflineError::NotAlone(others.join(", ")));
    }
    let exe = std::env::current_exe().map_err(OfflineError::Exec)?;
    let mut again = command_offline(&exe)?;
    again.args(std::env::args_os().skip(1));
    Err(OfflineError::Exec(again.exec()))
}

/// A command that runs `program` inside a fresh loopback-only namespace; its arguments are to be
/// added. Inside one already, the program itself. The mounts are its own too, so that tests may
/// mount what they need ([`Mount`](crate::Mount)).
pub fn command_offline(program: &Path) -> Result<Command, OfflineError> {
    if is_offline()? {
        return Ok(command(program));
    }
    let mut tried = Vec::new();
    for flags in ["-mn", "-rmn"] {
        let wrap = |program: &OsStr| {
            let mut unshare = command("unshare");
            unshare.args([flags, "sh", "-c", UP_AND_RUN, "sh"]).arg(program).env(MARK, "1");
            unshare
        };
        match process::finish(wrap(OsStr::new("true")), PROBE_DEADLINE) {
            Ok(probe) if probe.status.is_some_and(|s| s.success()) => {
                return Ok(wrap(program.as_os_str()));
            }
            Ok(probe) => {
                let said = String::from_utf8_lossy(&probe.stderr).trim().to_owned();
                tried.push(format!("unshare {flags}: {said}"));
            }
            Err(source) => tried.push(format!("unshare {flags}: {source}")),
        }
    }
    Err(OfflineError::Impossible { tried: tried.join("; ") })
}

/// For a `main` that must be offline: enters, or says on stderr why not and gives the exit code.
pub fn enter_or_say() -> Result<(), ExitCode> {
    use std::io::Write as _;
    enter().map_err(|err| {
        let source = std::error::Error::source(&err).map(|s| format!(": {s}")).unwrap_or_default();
        // With stderr gone there is nobody left to tell; the exit code still says it.
        writeln!(io::stderr(), "cannot {err}{source}").ok();
        ExitCode::from(7)
    })
}

/// The interfaces that packets of this process could leave by, read off the routing tables.
fn other_interfaces() -> Result<Vec<String>, OfflineError> {
    // IPv4: one header line, the device is the first word; IPv6: no header, it is the last.
    let v4 = read("/proc/self/net/route")?;
    let v6 = read("/proc/self/net/ipv6_route")?;
    let v4 = v4.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let v6 = v6.lines().filter_map(|line| line.split_whitespace().last());
    let mut names: Vec<_> = v4.chain(v6).filter(|name| *name != "lo").map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// A routing table; a protocol the kernel does not have has no routes.
fn read(path: &'static str) -> Result<String, OfflineError> {
    match fs::read_to_string(path) {
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|source| OfflineError::Routes { path, source }),
    }
}

/// The stub must be reachable: a namespace whose loopback is down is of no use.
fn check_loopback() -> Result<(), OfflineError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(OfflineError::Loopback)?;
    let port = listener.local_addr().map_err(OfflineError::Loopback)?.port();
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(OfflineError::Loopback).map(drop)
}
