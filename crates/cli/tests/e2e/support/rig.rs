//! Rig specs.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::runtime::Kind;

/// A rig spec being written: one pod, `dev`.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    name: String,
    runtime: Kind,
    members: String,
}

impl Rig {
    /// An empty rig.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), runtime: Kind::Claude, members: String::new() }
    }

    /// Members added from now on are of this runtime.
    pub(crate) fn of(mut self, runtime: Kind) -> Self {
        self.runtime = runtime;
        self
    }

    /// Adds a member that forks a conversation, in the directory of the spec.
    pub(crate) fn fork(self, id: &str, source: &str) -> Self {
        self.fork_in(id, source, Path::new("."))
    }

    /// Adds a member that forks a conversation in a directory.
    pub(crate) fn fork_in(self, id: &str, source: &str, cwd: &Path) -> Self {
        let source = quoted(source);
        self.agent(id, cwd).with(&format!(
            "session_source: {{mode: fork, ref: {{kind: native_id, value: {source}}}}}"
        ))
    }

    /// Adds a member with a conversation of its own, in the directory of the spec.
    pub(crate) fn fresh(self, id: &str) -> Self {
        self.agent(id, Path::new("."))
    }

    /// Adds a plain shell.
    pub(crate) fn terminal(mut self, id: &str) -> Self {
        let member = format!(
            "      - id: {id}\n        runtime: terminal\n        agent_ref: builtin:terminal\n        \
             profile: none\n        cwd: .\n"
        );
        self.members.push_str(&member);
        self
    }

    /// Gives the last member one more key, as it stands in YAML.
    pub(crate) fn with(mut self, key: &str) -> Self {
        writeln!(self.members, "        {key}").unwrap();
        self
    }

    fn agent(mut self, id: &str, cwd: &Path) -> Self {
        let cwd = quoted(&cwd.to_string_lossy());
        let runtime = self.runtime.word();
        let member = format!(
            "      - id: {id}\n        runtime: {runtime}\n        agent_ref: agent.yaml\n        \
             profile: default\n        cwd: {cwd}\n"
        );
        self.members.push_str(&member);
        self
    }

    /// The spec.
    pub(crate) fn yaml(&self) -> String {
        let Self { name, members, .. } = self;
        format!(
            "version: \"0.2\"\nname: {name}\npods:\n  - id: dev\n    label: Dev\n    members:\n{members}"
        )
    }
}

/// A scalar that YAML reads as this text whatever is in it: a JSON string is one.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
