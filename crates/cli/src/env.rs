//! The one place that reads the environment: once, at the start, into one value.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use etcetera::BaseStrategy;

/// Everything of the environment that a command may want.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// The variables whose names and values are text. Values are never shown.
    pub(crate) vars: seatfork_launch::CallerEnv,
    /// Where state is kept for a user, by the XDG rules; `None` where there is no home.
    pub(crate) state_home: Option<Utf8PathBuf>,
    /// Where sockets are kept for a user, where the system says so.
    pub(crate) runtime_home: Option<Utf8PathBuf>,
    /// The working directory; `None` where it is gone or no text.
    pub(crate) cwd: Option<Utf8PathBuf>,
}

impl Environment {
    /// Reads it.
    pub(crate) fn read() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the module that may")]
        let all = std::env::vars_os();
        // What is no text can be no key, path or setting of ours, and is not passed on.
        let vars: BTreeMap<_, _> = all
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let xdg = etcetera::base_strategy::Xdg::new().ok();
        let text = |path: std::path::PathBuf| Utf8PathBuf::from_path_buf(path).ok();
        Self {
            state_home: xdg.as_ref().and_then(BaseStrategy::state_dir).and_then(text),
            runtime_home: xdg.as_ref().and_then(BaseStrategy::runtime_dir).and_then(text),
            cwd: std::env::current_dir().ok().and_then(text),
            vars: seatfork_launch::CallerEnv(vars),
        }
    }
}

/// Whether a variable that switches something on is set to anything but a word for no.
pub(crate) fn is_set(name: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "this is the module that may")]
    let value = std::env::var_os(name);
    value.is_some_and(|value| {
        let value = value.to_string_lossy().to_ascii_lowercase();
        !matches!(value.as_str(), "" | "0" | "f" | "false" | "n" | "no" | "off")
    })
}
