//! A place with a fake Claude Code, a prior conversation, and rigs that fork it.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{FakeClaude, fake_claude_binary, recorded_parent};
use seatfork_testkit::world::Parent;
use seatfork_testkit::{Redactor, TestEnv};

use crate::rig::{Rig, place};

/// How many turns the prior conversation has.
const TURNS: usize = 6;

/// A [`TestEnv`] (by deref) with a trusted directory `work`.
#[derive(Debug)]
pub(crate) struct Claude {
    /// The runtime.
    pub(crate) fake: FakeClaude,
    /// A conversation recorded in `work`.
    pub(crate) parent: Parent,
    /// The trusted directory.
    pub(crate) work: PathBuf,
    redactor: Redactor,
    env: TestEnv,
}

impl Claude {
    /// A place of its own.
    pub(crate) fn new() -> Self {
        let mut env = place();
        let work = env.dir("work");
        let fake = FakeClaude::ready(&mut env, fake_claude_binary(), &[&work]);
        let parent = recorded_parent(&env, &work, TURNS);
        let project = env.project_dir(&work);
        env.redactor().path(&project, "PROJECT");
        let redactor = env.redactor().clone();
        let claude = Self { fake, parent, work, redactor, env };
        claude.number(&claude.parent.id);
        claude
    }

    /// Numbers an id for redaction, so that it is known by its short form from now on.
    pub(crate) fn number(&self, id: &str) {
        drop(self.redactor.redact(id));
    }

    /// Numbers the tokens of all seats.
    pub(crate) fn number_tokens(&self) {
        let ps = self.run(["ps", "--json"]).json();
        for seat in ps["seats"].as_array().unwrap() {
            self.number(seat["token"].as_str().unwrap_or_default());
        }
    }

    /// Another conversation recorded in `work`.
    pub(crate) fn another(&self) -> Parent {
        let parent = recorded_parent(&self.env, &self.work, TURNS);
        self.number(&parent.id);
        parent
    }

    /// A rig in `work`.
    pub(crate) fn rig(&self, rig: &Rig) {
        rig.write(&self.env, "work/rig.yaml");
    }

    /// A rig in `work` with one fork of the prior conversation, `reviewer`.
    pub(crate) fn one_fork(&self) {
        self.rig(&Rig::named("review").fork("reviewer", &self.parent.id));
    }

    /// The last codeword of the prior conversation, and that no file of a child lost the first.
    pub(crate) fn codewords(&self) -> &[String] {
        &self.parent.codewords
    }
}

impl Deref for Claude {
    type Target = TestEnv;

    fn deref(&self) -> &TestEnv {
        &self.env
    }
}

impl DerefMut for Claude {
    fn deref_mut(&mut self) -> &mut TestEnv {
        &mut self.env
    }
}

impl Rig {
    /// Adds a member that forks a conversation.
    pub(crate) fn fork(self, id: &str, source: &str) -> Self {
        self.member(&format!(
            "{{id: {id}, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: ., \
             session_source: {{mode: fork, ref: {{kind: native_id, value: '{source}'}}}}}}"
        ))
    }

    /// Adds a member with a conversation of its own.
    pub(crate) fn fresh(self, id: &str, cwd: &str) -> Self {
        self.member(&format!(
            "{{id: {id}, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: '{cwd}'}}"
        ))
    }
}
