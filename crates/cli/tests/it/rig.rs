//! Rig specs and places of their own for tests of verbs that touch seats.

use std::path::PathBuf;

use seatfork_testkit::TestEnv;

/// A place with the command and nothing else.
pub(crate) fn place() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_seatfork"))
}

/// A rig spec being written: one pod, `dev`.
#[derive(Debug)]
pub(crate) struct Rig {
    name: &'static str,
    members: Vec<String>,
}

impl Rig {
    /// An empty rig.
    pub(crate) fn named(name: &'static str) -> Self {
        Self { name, members: Vec::new() }
    }

    /// Adds a plain shell.
    pub(crate) fn shell(self, id: &str, cwd: &str) -> Self {
        self.member(&format!(
            "{{id: {id}, runtime: terminal, agent_ref: 'builtin:terminal', profile: none, cwd: '{cwd}'}}"
        ))
    }

    /// Adds a member as it stands in the spec's list, in flow style.
    pub(crate) fn member(mut self, member: &str) -> Self {
        self.members.push(format!("      - {member}\n"));
        self
    }

    /// The spec.
    pub(crate) fn yaml(&self) -> String {
        let (name, members) = (self.name, self.members.concat());
        format!(
            "version: '0.2'\nname: {name}\npods:\n  - id: dev\n    label: Dev\n    members:\n{members}"
        )
    }

    /// Writes the spec below the root of a place.
    pub(crate) fn write(&self, env: &TestEnv, file: &str) -> PathBuf {
        env.write(file, self.yaml())
    }
}

/// The one seat of that member in a report.
pub(crate) fn seat(report: &serde_json::Value, member: &str) -> serde_json::Value {
    let seats = report["seats"].as_array().unwrap();
    let mut of_member = seats.iter().filter(|seat| seat["member"] == member);
    let seat = of_member.next().unwrap_or_else(|| panic!("no seat {member} in {report}"));
    assert!(of_member.next().is_none(), "{member} twice in {report}");
    seat.clone()
}
