//! The environment of a seat: built, not inherited (SPEC 14).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The names every seat gets, where they are set. A trailing `*` stands for any ending.
pub const BASE_NAMES: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TERM",
    "TZ",
    "TMPDIR",
    "XDG_*",
    "SSH_AUTH_SOCK",
];

/// The variable that carries a launch's nonce into every process it starts: how a process of ours is told from others (SPEC 7).
pub const NONCE_VAR: &str = "SEATFORK_NONCE";

/// Names that never reach a seat, whoever asks: session markers of the caller.
pub const NEVER_NAMES: &[&str] = &[
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_THREAD_ID",
    "TMUX*",
    "SEATFORK_*",
];

/// A built environment. Names are shown; values never are.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SeatEnv {
    vars: BTreeMap<String, String>,
    /// Names that are there for the pane alone: a runtime's keys, base URLs and proxies, and what the user adds.
    for_pane: BTreeSet<String>,
}

impl SeatEnv {
    /// Picks from what the caller has: the base, the adapter's pass list, and names the user adds.
    pub fn build(inherited: &BTreeMap<String, String>, passes: &[&str], extra: &[String]) -> Self {
        let is_base = |name: &str| BASE_NAMES.iter().any(|pattern| matches(pattern, name));
        let wanted = |name: &str| {
            is_base(name)
                || passes.iter().any(|pattern| matches(pattern, name))
                || extra.iter().any(|pattern| pattern == name)
        };
        let vars: BTreeMap<String, String> = inherited
            .iter()
            .filter(|(name, _)| wanted(name) && !never_passes(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let for_pane = vars.keys().filter(|name| !is_base(name)).cloned().collect();
        Self { vars, for_pane }
    }

    /// What a headless command gets: the base, and what was set by [`SeatEnv::with`]. None of the keys, base URLs,
    /// proxies and names of the user's that the pane gets (SPEC 6: phase 1 has no credential).
    ///
    /// ```
    /// use seatfork_adapters::SeatEnv;
    /// let caller = [("HOME", "/h"), ("AWS_SECRET_ACCESS_KEY", "s"), ("MINE", "m")];
    /// let caller = caller.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    /// let env = SeatEnv::build(&caller, &["AWS_*"], &["MINE".to_owned()]);
    /// assert_eq!(env.headless().names().collect::<Vec<_>>(), ["HOME"]);
    /// ```
    #[must_use]
    pub fn headless(&self) -> Self {
        let mut vars = self.vars.clone();
        vars.retain(|name, _| !self.for_pane.contains(name));
        Self { vars, for_pane: BTreeSet::new() }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.vars.keys().map(String::as_str)
    }

    /// Names and values, for the one place that starts a process.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same environment with one more variable, or one replaced.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.for_pane.remove(&name);
        self.vars.insert(name, value.into());
        self
    }
}

impl fmt::Debug for SeatEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.vars.keys()).finish()
    }
}

/// Whether a name is one of those that never reach a seat ([`NEVER_NAMES`]).
///
/// ```
/// use seatfork_adapters::contract::environment::never_passes;
/// assert!(never_passes("CLAUDECODE") && never_passes("TMUX_PANE"));
/// assert!(!never_passes("HOME"));
/// ```
pub fn never_passes(name: &str) -> bool {
    NEVER_NAMES.iter().any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 14: a seat's environment is built; session markers of the caller never pass; values are not shown.
    #[test]
    fn an_environment_holds_what_was_picked_and_shows_no_value() {
        let inherited: BTreeMap<String, String> = [
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("SECRET", "s3cret"),
            ("TMUX", "x"),
            ("TMUX_PANE", "%1"),
            ("SEATFORK_STORE", "y"),
            ("CLAUDECODE", "1"),
            ("ANTHROPIC_API_KEY", "k3y"),
            ("MINE", "m"),
        ]
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .into();
        let extra = ["MINE".to_owned(), "TMUX".to_owned(), "CLAUDECODE".to_owned()];
        let env = SeatEnv::build(&inherited, &["ANTHROPIC_API_KEY"], &extra);
        assert_eq!(
            env.names().collect::<Vec<_>>(),
            ["ANTHROPIC_API_KEY", "HOME", "LC_ALL", "MINE"]
        );
        assert!(!format!("{env:?}").contains("k3y"));
    }
}
