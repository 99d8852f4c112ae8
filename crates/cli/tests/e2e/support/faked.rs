//! A place whose runtime is the fake one, for what the real one cannot be made to do.

use std::ops::{Deref, DerefMut};

use seatfork_testkit::fake::codex::recorded_thread;
use seatfork_testkit::fake::{Installed, Phase, Script, recorded_parent};
use seatfork_testkit::world::Parent;

use super::place::installed_at;
use super::runtime::{Kind, codex};
use super::{Files, Place, Rig, Runtime, newest};

/// A [`Place`] (by deref) with a fake runtime on its PATH and a source to fork.
#[derive(Debug)]
pub(crate) struct Faked {
    /// The runtime: its script, and what it was asked.
    pub(crate) fake: Installed,
    /// The source.
    pub(crate) parent: Parent,
    source: Files,
    place: Place,
}

impl Faked {
    /// A place in which Claude Code behaves as the real one does.
    pub(crate) fn new() -> Self {
        Self::of(&newest())
    }

    /// A place in which Codex behaves as the real one does.
    pub(crate) fn codex() -> Self {
        Self::of(&codex())
    }

    fn of(runtime: &Runtime) -> Self {
        let place = Place::new(runtime);
        let name = runtime.kind.program();
        let fake = installed_at(runtime.kind, &place.dir("fake").join(name));
        place.install(name, fake.program());
        let parent = match runtime.kind {
            Kind::Claude => recorded_parent(&place, &place.work, 3),
            Kind::Codex => {
                let thread = recorded_thread(&place, &place.work, 3);
                Parent {
                    id: thread.id,
                    codewords: thread.codewords,
                    left_out: Vec::new(),
                    path: thread.path,
                    cwd: thread.cwd,
                }
            }
        };
        let source = Files::below([&parent.path]);
        Self { fake, parent, source, place }
    }

    /// The same with a script.
    pub(crate) fn told(script: &Script) -> Self {
        let faked = Self::new();
        faked.fake.script(script);
        faked
    }

    /// A rig of one member, `a`, that forks the source.
    pub(crate) fn fork_rig(&self) -> Rig {
        Rig::named("review").of(self.runtime.kind).fork("a", &self.parent.id)
    }

    /// How often a conversation was to be made.
    pub(crate) fn made(&self) -> usize {
        self.fake.asked(Phase::Fork).len() + self.fake.asked(Phase::Fresh).len()
    }

    /// The source is byte for byte what it was.
    #[track_caller]
    pub(crate) fn source_is_unchanged(&self) {
        assert_eq!(self.source.changes(&Files::below([&self.parent.path])), [""; 0]);
    }
}

impl Deref for Faked {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl DerefMut for Faked {
    fn deref_mut(&mut self) -> &mut Place {
        &mut self.place
    }
}
