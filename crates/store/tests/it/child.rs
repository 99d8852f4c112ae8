//! Processes of their own: this test binary, run again in a role.

use crate::support::*;
use camino::Utf8Path;
use seatfork_store::{DeclareError, LaunchId, Mode, OwnerLock, Realized, SeatId, Store};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

const ROLE: &str = "SEATFORK_STORE_TEST_ROLE";

/// Starts a role; its arguments are separated by line feeds.
pub(crate) fn command(role: &str, args: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place of these tests that starts a process: ourselves"
    )]
    let mut command = Command::new(std::env::current_exe().unwrap());
    let mut words = vec![role];
    words.extend(args);
    command
        .args(["child::a_role_is_played_to_its_end", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, words.join("\n"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Runs a role to its end; what it said.
pub(crate) fn run(role: &str, args: &[&str]) -> String {
    let output = command(role, args).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

/// A role that runs while the test looks.
pub(crate) struct Player {
    pub(crate) child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Player {
    pub(crate) fn start(role: &str, args: &[&str]) -> Self {
        let mut child = command(role, args).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, said }
    }

    /// The next thing it says that begins so; the rest of that line.
    pub(crate) fn hear(&mut self, start: &str) -> String {
        self.hear_or_end(start).unwrap_or_else(|| panic!("it ended without saying {start:?}"))
    }

    pub(crate) fn hear_or_end(&mut self, start: &str) -> Option<String> {
        loop {
            let line = self.said.next()?.unwrap();
            if let Some(at) = line.find(start) {
                return Some(line[at + start.len()..].to_owned());
            }
        }
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Plays the role this process was started for; without one, plays one through a process of its own.
#[test]
fn a_role_is_played_to_its_end() {
    #[expect(clippy::disallowed_methods, reason = "how the test binary knows its role")]
    let Ok(role) = std::env::var(ROLE) else {
        let home = Home::new();
        let said = run("open", &[home.store.path().as_str()]);
        assert!(said.contains("opened, 1 rigs"), "{said}");
        return;
    };
    let words: Vec<&str> = role.split('\n').collect();
    let path = Utf8Path::new(words[1]);
    match words[0] {
        "open" => {
            let store = Store::open(path, Mode::ReadWrite).unwrap();
            say(&format!("opened, {} rigs", store.rigs().unwrap().len()));
        }
        "read" => read(path),
        "realize" => realize(path, words[2].parse().unwrap()),
        "work" => work(path),
        "declare" => declare(path, words[2].parse().unwrap()),
        "create" => create(path),
        "lock" => lock(path, words[2].parse().unwrap()),
        other => panic!("no role {other}"),
    }
}

fn say(line: &str) {
    // A line of its own whatever the harness wrote before it.
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").unwrap();
    out.flush().unwrap();
}

fn wait_for_a_line() {
    std::io::stdin().lines().next();
}

fn read(path: &Utf8Path) {
    match Store::open(path, Mode::ReadOnly) {
        Ok(store) => say(&format!("read {} rigs", store.rigs().unwrap().len())),
        Err(error) => say(&format!("refused {error:?}")),
    }
    let write = |mode| match Store::open(path, mode) {
        Ok(_) => "opened".to_owned(),
        Err(error) => format!("{error:?}"),
    };
    say(&format!("observe {}", write(Mode::Observe)));
    say(&format!("write {}", write(Mode::ReadWrite)));
}

/// Realizes one launch that is forking.
fn realize(path: &Utf8Path, launch: LaunchId) {
    let mut store = Store::open(path, Mode::ReadWrite).unwrap();
    let facts = Realized { ranges: vec![range()], ..realized(9) };
    say("begins");
    let token = store.realize(launch, &forked(&source("s1"), &claude("c1")), &facts).unwrap();
    say(&format!("stored {token}"));
    wait_for_a_line();
}

/// Takes launch after launch from declaration to its pane, saying each commit.
fn work(path: &Utf8Path) {
    let mut store = Store::open(path, Mode::ReadWrite).unwrap();
    let rig = store.rig_by_name("review").unwrap().unwrap();
    for n in 0..100_000 {
        let new = new_seat(&rig, &format!("w{n}"), seatfork_schema::Runtime::ClaudeCode);
        let seat = store.ensure_seat(&new).unwrap().seat;
        say(&format!("did seat {}", seat.id));
        let lock = OwnerLock::acquire(&store.locks_dir(), LaunchId::new(at(1))).unwrap();
        let child = format!("child-{}", lock.launch());
        let launch = store.declare(&lock, &Home::new_launch(&seat, fork("s1", &child))).unwrap();
        say(&format!("did declared {}", launch.id));
        let resolution =
            seatfork_store::Resolution { evidence: Some(evidence()), artifacts: vec![] };
        store.resolved(launch.id, &resolution, at(2)).unwrap();
        say(&format!("did resolved {}", launch.id));
        store.forking(launch.id, at(3)).unwrap();
        say(&format!("did forking {}", launch.id));
        let proved = forked(&source("s1"), &claude(&child));
        store.realize(launch.id, &proved, &realized(9)).unwrap();
        say(&format!("did realized {}", launch.id));
    }
}

fn declare(path: &Utf8Path, seat: SeatId) {
    let mut store = Store::open(path, Mode::ReadWrite).unwrap();
    let seat = store.seat(seat).unwrap();
    let lock = OwnerLock::acquire(&store.locks_dir(), LaunchId::new(at(1))).unwrap();
    let child = format!("child-{}", lock.launch());
    let new = Home::new_launch(&seat, fork("s1", &child));
    say("begins");
    wait_for_a_line();
    match store.declare(&lock, &new) {
        Ok(launch) => say(&format!("won {}", launch.id)),
        Err(DeclareError::Open { open }) => say(&format!("lost {}", open.id)),
        Err(other) => say(&format!("broke {other:?}")),
    }
    wait_for_a_line();
}

fn create(path: &Utf8Path) {
    say("begins");
    wait_for_a_line();
    match Store::open_or_create(path) {
        Ok(_) => say("won"),
        Err(error) => say(&format!("broke {error:?}")),
    }
}

fn lock(locks: &Utf8Path, launch: LaunchId) {
    match OwnerLock::take_over(locks, launch) {
        Ok(_lock) => {
            say("holds");
            wait_for_a_line();
        }
        Err(error) => say(&format!("refused {error}")),
    }
}
