//! The adapters a build has, by runtime, and the environment they get.

use camino::Utf8Path;
use seatfork_adapters::Adapter;
use seatfork_adapters::contract::environment::SeatEnv;
use seatfork_adapters::contract::plan::Description;
use seatfork_schema::{ConversationId, PlannedChild, Runtime};
use seatfork_store::Location;
use std::collections::BTreeMap;

/// One adapter per runtime this build can launch. A runtime without one is `not-in-this-build`.
#[derive(Debug, Clone, Default)]
pub struct Adapters(BTreeMap<Runtime, &'static dyn Adapter>);

impl Adapters {
    /// Those this build has.
    ///
    /// ```
    /// use seatfork_launch::Adapters;
    /// use seatfork_schema::Runtime;
    /// assert!(Adapters::of_this_build().get(Runtime::Terminal).is_some());
    /// ```
    pub fn of_this_build() -> Self {
        Self::new(seatfork_adapters::adapters())
    }

    /// The given ones; the last of two for one runtime counts.
    pub fn new(adapters: impl IntoIterator<Item = &'static dyn Adapter>) -> Self {
        Self(adapters.into_iter().map(|adapter| (adapter.runtime(), adapter)).collect())
    }

    /// The adapter for a runtime.
    pub fn get(&self, runtime: Runtime) -> Option<&'static dyn Adapter> {
        self.0.get(&runtime).copied()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Adapter> {
        self.0.values().copied()
    }
}

/// The variables the caller has, read once at the rim. Values are never shown and never stored.
#[derive(Clone, Default)]
pub struct CallerEnv(pub BTreeMap<String, String>);

impl std::fmt::Debug for CallerEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The runtime's location variables as they were when a seat was planned: name and value, or unset.
///
/// They are no secrets, and they are given identically to resolve, every phase and every later
/// start, so that a seat never looks into one home and runs in another (SPEC 14).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Locations(pub BTreeMap<String, Option<String>>);

impl Locations {
    /// What the caller has now.
    pub fn of(caller: &CallerEnv, description: &Description) -> Self {
        let pairs = description.location_vars.iter().map(|name| {
            let value = caller.0.get(*name).filter(|value| !value.is_empty()).cloned();
            ((*name).to_owned(), value)
        });
        Self(pairs.collect())
    }
}

/// The location variables the store has a column for.
const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
const CODEX_HOME: &str = "CODEX_HOME";

impl Locations {
    /// As the store keeps them.
    pub(crate) fn to_store(&self) -> Location {
        let value = |name: &str| self.0.get(name).cloned().flatten();
        Location { claude_config_dir: value(CLAUDE_CONFIG_DIR), codex_home: value(CODEX_HOME) }
    }

    /// As a seat was made with.
    pub(crate) fn from_store(stored: &Location) -> Self {
        let pairs = [
            (CLAUDE_CONFIG_DIR.to_owned(), stored.claude_config_dir.clone()),
            (CODEX_HOME.to_owned(), stored.codex_home.clone()),
        ];
        Self(pairs.into())
    }
}

/// Builds a seat's environment: base, the adapter's pass list, the user's names, and the recorded
/// locations in place of whatever the caller has now.
pub fn seat_env(
    caller: &CallerEnv,
    description: &Description,
    pass: &[String],
    locations: &Locations,
) -> SeatEnv {
    let mut inherited = caller.0.clone();
    for name in description.location_vars {
        inherited.remove(*name);
    }
    let env = SeatEnv::build(&inherited, description.pass_vars, pass);
    let of_runtime = |name: &str| description.location_vars.contains(&name);
    locations.0.iter().filter(|(name, _)| of_runtime(name)).fold(env, |env, (name, value)| {
        match value {
            Some(value) => env.with(name, value),
            None => env,
        }
    })
}

/// A new id for a child that will be kept for a directory, where the runtime lets us choose it.
pub(crate) fn planned_child(adapter: &dyn Adapter, kept_in: &Utf8Path) -> Option<PlannedChild> {
    let ConversationId { runtime, native_id, .. } = adapter.plan_child()?.conversation().clone();
    let scope = adapter.scope(kept_in);
    Some(PlannedChild::new(ConversationId { runtime, scope, native_id }))
}

/// Whether a path lies in a directory or is it. Both are real paths.
pub(crate) fn is_within(path: &Utf8Path, dir: &Utf8Path) -> bool {
    path.starts_with(dir)
}
