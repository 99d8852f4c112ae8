//! Diagnostics as JSON for programs: the shape of `validate --json` (SPEC 13).

use seatfork_schema::diagnostic::{Diagnostic, Related, Severity};
use seatfork_schema::{Code, printable};
use serde::Serialize;

/// One diagnostic as others read it: fields may be added, never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JsonDiagnostic {
    /// The stable code.
    pub code: Code,
    /// `error` or `warning`.
    pub severity: Severity,
    /// The path of the value it is about, empty for the document.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The line it begins on, from 1.
    pub line: u32,
    /// The character it begins at, from 1.
    pub column: u32,
    /// The line it ends on.
    pub end_line: u32,
    /// The character just past it.
    pub end_column: u32,
    /// Other places that matter.
    pub related: Vec<JsonRelated>,
}

/// A second place that matters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JsonRelated {
    /// The path of the value there.
    pub path: String,
    /// Why it matters.
    pub message: String,
    /// The line it begins on, from 1.
    pub line: u32,
    /// The character it begins at, from 1.
    pub column: u32,
    /// The line it ends on.
    pub end_line: u32,
    /// The character just past it.
    pub end_column: u32,
}

impl From<&Diagnostic> for JsonDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        // Exhaustive on purpose: a new field of a diagnostic has to be told here, or this does not compile.
        let Diagnostic {
            code,
            severity,
            path,
            message,
            label: _shown_in_text_only,
            help,
            span,
            related,
        } = diagnostic;
        Self {
            code: *code,
            severity: *severity,
            path: path.clone(),
            message: printable(message),
            help: help.as_deref().map(printable),
            line: span.start.line,
            column: span.start.column,
            end_line: span.end.line,
            end_column: span.end.column,
            related: related.iter().map(JsonRelated::from).collect(),
        }
    }
}

impl From<&Related> for JsonRelated {
    fn from(related: &Related) -> Self {
        let Related { path, message, span } = related;
        Self {
            path: path.clone(),
            message: printable(message),
            line: span.start.line,
            column: span.start.column,
            end_line: span.end.line,
            end_column: span.end.column,
        }
    }
}
