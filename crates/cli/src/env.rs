//! The one place that reads the environment.

/// Whether a variable that switches something on is set to anything but a word for no.
pub(crate) fn is_set(name: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "this is the module that may")]
    let value = std::env::var_os(name);
    value.is_some_and(|value| {
        let value = value.to_string_lossy().to_ascii_lowercase();
        !matches!(value.as_str(), "" | "0" | "f" | "false" | "n" | "no" | "off")
    })
}
