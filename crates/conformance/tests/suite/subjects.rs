//! The runtimes as subjects: each in a home of its own.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{Adapter, ProcessPlan, SeatEnv, adapter_for};
use seatfork_conformance::{Misdeed, Pane, Source, Subject};
use seatfork_schema::Runtime;
use seatfork_testkit::codex::{CodexHome as _, CodexThread, Config, make_parent};
use seatfork_testkit::fake::codex::recorded_thread;
use seatfork_testkit::fake::{
    Act, ChildChange, FakeClaude, FakeCodex, Installed, Phase, Script, fake_claude_binary,
    fake_codex_binary, recorded_parent,
};
use seatfork_testkit::world::{Parent, World};
use seatfork_testkit::{TestEnv, Traps};

use super::pane::Tmux;

/// Which adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Claude,
    Codex,
    Terminal,
    /// Its subject is one of its own ([`super::logs`]).
    Pixir,
}

/// Where a runtime lives.
#[derive(Debug)]
enum Home {
    Fake { env: Box<TestEnv>, fake: Option<Installed> },
    Real(Box<World>),
}

/// A prior conversation, as its runtime's kit has it.
#[derive(Clone, Debug)]
enum Prior {
    Claude(Parent),
    Codex(CodexThread),
}

/// A runtime in a home of its own.
#[derive(Debug)]
pub(crate) struct Bed {
    kind: Kind,
    home: Home,
    root: Utf8PathBuf,
    cwd: Utf8PathBuf,
    other: Utf8PathBuf,
    known: RefCell<Vec<Prior>>,
    traps: Option<Traps>,
    panes: Cell<usize>,
}

impl Bed {
    /// The real program, or a fake one; with things of the user's that must not run, if `trapped`.
    pub(crate) fn new(kind: Kind, program: Option<&Path>, trapped: bool) -> Self {
        let mut home = match (kind, program) {
            (Kind::Claude, Some(program)) => {
                Home::Real(Box::new(World::new("/nowhere", program).unwrap()))
            }
            (Kind::Codex, Some(program)) => {
                Home::Real(Box::new(World::with_codex("/nowhere", program).unwrap()))
            }
            _ => Home::Fake { env: Box::new(TestEnv::new("/nowhere")), fake: None },
        };
        let [cwd, other] = ["work", "elsewhere"].map(|name| home.env().dir(name));
        match &mut home {
            Home::Real(world) => {
                for dir in [&cwd, &other] {
                    world.trust(dir);
                }
            }
            Home::Fake { env, fake } => match kind {
                Kind::Claude => {
                    let ready = FakeClaude::ready(env, fake_claude_binary(), &[&cwd, &other]);
                    *fake = Some((*ready).clone());
                }
                Kind::Codex => *fake = Some((*FakeCodex::ready(env, fake_codex_binary())).clone()),
                Kind::Terminal | Kind::Pixir => {}
            },
        }
        let utf8 = |path: &Path| Utf8PathBuf::from_path_buf(path.to_owned()).unwrap();
        let root = utf8(&home.env().home());
        let (cwd, other) = (utf8(&cwd), utf8(&other));
        let traps = trapped.then(|| trap(&home, kind, cwd.as_std_path())).flatten();
        let known = RefCell::default();
        Self { kind, home, root, cwd, other, known, traps, panes: Cell::new(0) }
    }

    fn prior(&self, turns: usize) -> Prior {
        let cwd = self.cwd.as_std_path();
        match (&self.home, self.kind) {
            (Home::Real(world), Kind::Claude) => Prior::Claude(world.make_parent(cwd, turns)),
            (Home::Real(world), _) => Prior::Codex(make_parent(world, cwd, turns)),
            (Home::Fake { env, .. }, Kind::Codex) => Prior::Codex(recorded_thread(env, cwd, turns)),
            (Home::Fake { env, .. }, _) => Prior::Claude(recorded_parent(env, cwd, turns)),
        }
    }

    fn known(&self, source: &Source) -> Prior {
        let known = self.known.borrow();
        known.iter().find(|one| one.source().id == source.id).unwrap().clone()
    }

    fn keep(&self, prior: Prior) -> Source {
        let source = prior.source();
        self.known.borrow_mut().push(prior);
        source
    }
}

/// Hooks and servers of the user's, each of which leaves a mark when it runs.
fn trap(home: &Home, kind: Kind, cwd: &Path) -> Option<Traps> {
    match (home, kind) {
        (Home::Real(world), Kind::Codex) => {
            let marks = world.dir("marks");
            let server = format!(
                "[mcp_servers.trap]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"touch '{}/mcp-server'\"]",
                marks.display()
            );
            world.configure_codex(&Config::with_stub(&world.stub.base_url()).and(&server));
            Some(Traps::marked_in(&marks))
        }
        (Home::Real(world), _) => Some(Traps::set(world, cwd)),
        // A fake one runs nothing of the user's by construction.
        (Home::Fake { .. }, _) => None,
    }
}

impl Home {
    fn env(&self) -> &TestEnv {
        match self {
            Self::Fake { env, .. } => env,
            Self::Real(world) => world,
        }
    }
}

impl Prior {
    fn source(&self) -> Source {
        let (id, path, cwd) = match self {
            Self::Claude(Parent { id, path, cwd, .. })
            | Self::Codex(CodexThread { id, path, cwd, .. }) => (id, path, cwd),
        };
        let utf8 = |path: &Path| Utf8PathBuf::from_path_buf(path.to_owned()).unwrap();
        Source { id: id.clone(), path: utf8(path), cwd: utf8(cwd) }
    }
}

impl Subject for Bed {
    fn adapter(&self) -> &'static dyn Adapter {
        let runtime = match self.kind {
            Kind::Claude => Runtime::ClaudeCode,
            Kind::Codex => Runtime::Codex,
            Kind::Terminal => Runtime::Terminal,
            Kind::Pixir => Runtime::Pixir,
        };
        adapter_for(runtime).unwrap()
    }

    fn env(&self) -> SeatEnv {
        let like = self.home.env().command("true");
        let text = |text: &std::ffi::OsStr| text.to_str().unwrap().to_owned();
        let vars: BTreeMap<_, _> =
            like.get_envs().filter_map(|(name, value)| Some((text(name), text(value?)))).collect();
        SeatEnv::build(&vars, self.adapter().describe().pass_vars, &[])
    }

    fn home(&self) -> &Utf8Path {
        &self.root
    }

    fn cwd(&self) -> Utf8PathBuf {
        self.cwd.clone()
    }

    fn other_cwd(&self) -> Utf8PathBuf {
        self.other.clone()
    }

    fn source(&self, turns: usize) -> Option<Source> {
        if self.kind == Kind::Terminal {
            return None;
        }
        let source = self.keep(self.prior(turns));
        // Its making was the user's own doing, and springs what it springs.
        if let Some(traps) = &self.traps {
            traps.forget();
        }
        if let Home::Real(world) = &self.home {
            world.stub.forget();
        }
        Some(source)
    }

    fn damaged(&self, of: &Source) -> Source {
        self.keep(match self.known(of) {
            Prior::Claude(parent) => Prior::Claude(parent.with_garbage().0),
            Prior::Codex(thread) => Prior::Codex(thread.with_garbage().0),
        })
    }

    fn unspoken(&self, of: &Source) -> Source {
        self.keep(match self.known(of) {
            Prior::Claude(parent) => Prior::Claude(parent.only_meta_rows()),
            Prior::Codex(thread) => Prior::Codex(thread.only_header()),
        })
    }

    fn tell(&self, misdeed: Option<&Misdeed>) -> bool {
        let Home::Fake { fake: Some(fake), .. } = &self.home else { return false };
        let script = match self.kind {
            Kind::Codex => Script::faithful_codex(),
            _ => Script::faithful(),
        };
        let acts = misdeed.map(act);
        fake.script(&match acts {
            Some(act) => script.on(Phase::Fork, [act]),
            None => script,
        });
        true
    }

    fn starts(&self) -> usize {
        match &self.home {
            Home::Fake { fake: Some(fake), .. } => fake.invocations().len(),
            _ => 0,
        }
    }

    fn side_effects(&self) -> Vec<String> {
        let mut effects = self.traps.as_ref().map(Traps::sprung).unwrap_or_default();
        if let Home::Real(world) = &self.home {
            let calls = world.stub.model_calls();
            effects.extend(calls.iter().map(|call| format!("model call {}", call.number)));
        }
        effects
    }

    fn open(&self, plan: &ProcessPlan) -> Box<dyn Pane> {
        self.panes.set(self.panes.get() + 1);
        Box::new(Tmux::open(self.home.env(), self.panes.get(), plan))
    }
}

/// A misdeed as the fakes know it.
fn act(misdeed: &Misdeed) -> Act {
    let child = |change| Act::Child { change };
    match misdeed {
        Misdeed::Hang => Act::Hang { stubborn: true },
        Misdeed::Fail { words } => {
            let (stdout, stderr) = (String::new(), format!("{words}\n"));
            Act::Exit { code: 3, stdout, stderr }
        }
        Misdeed::Lie => Act::LieSuccess,
        Misdeed::TellId { id } => Act::AnswerId { id: id.clone() },
        Misdeed::TellSourceId => Act::AnswerSourceId,
        Misdeed::EmptyChild => child(ChildChange::Empty),
        Misdeed::OtherHistory { id } => child(ChildChange::OtherHistory { id: id.clone() }),
        Misdeed::ChangeSource => Act::ChangeSource,
    }
}
