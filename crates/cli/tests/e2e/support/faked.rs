//! A place whose runtime is the fake one, for what the real one cannot be made to do.

use std::ops::{Deref, DerefMut};

use seatfork_testkit::fake::{FakeClaude, Phase, Script, fake_claude_binary, recorded_parent};
use seatfork_testkit::world::Parent;

use super::{Files, Place, Rig, newest};

/// A [`Place`] (by deref) with the fake runtime on its PATH and a source to fork.
#[derive(Debug)]
pub(crate) struct Faked {
    /// The runtime: its script, and what it was asked.
    pub(crate) fake: FakeClaude,
    /// The source.
    pub(crate) parent: Parent,
    source: Files,
    place: Place,
}

impl Faked {
    /// A place in which the runtime behaves as the real one does.
    pub(crate) fn new() -> Self {
        let place = Place::new(&newest());
        let program = place.dir("fake").join("claude");
        let fake = FakeClaude::install_as(&program, fake_claude_binary());
        place.install("claude", fake.program());
        let parent = recorded_parent(&place, &place.work, 3);
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
        Rig::named("review").fork("a", &self.parent.id)
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
