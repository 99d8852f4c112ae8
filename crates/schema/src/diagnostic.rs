//! A refusal or a warning, with its place (SPEC 2, 4, 13).

use crate::code::Code;
use crate::tree::Span;

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted; something deserves a look.
    Warning,
}

/// One problem, told once, with everything a person or a program needs to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// How grave it is.
    pub severity: Severity,
    /// The path of the value it is about: `pods[0].members[1].session_source.ref.kind`, empty for the document (SPEC 13).
    pub path: String,
    /// What is wrong: the text of SPEC 4, whole, path included; or ours, of the form `PATH: …`.
    pub message: String,
    /// A few words under the marked text, where they add something.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The text it is about.
    pub span: Span,
    /// Other places that matter: the first definition of a duplicate, the line that says `runtime: terminal`.
    pub related: Vec<Related>,
}

/// A second place that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The path of the value there.
    pub path: String,
    /// Why it matters: `first defined here`.
    pub message: String,
    /// Where it stands.
    pub span: Span,
}
