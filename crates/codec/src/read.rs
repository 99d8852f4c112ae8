//! Bytes to a document, or to everything that is wrong with them (SPEC 2, 5).

use seatfork_schema::diags::At;
use seatfork_schema::diags::yaml::{NotUtf8, TooLarge, YamlSyntax};
use seatfork_schema::tree::{Position, Span};
use seatfork_schema::validate::{DocumentKind, Hints, Outcome, validate};
use seatfork_schema::{Diagnostic, Severity};

use crate::gate::{DOCUMENT, gate};
use crate::text::{MAX_BYTES, NotText, text};

/// Reads a spec: one pass over the text, then validation; all problems at once, in file order.
///
/// A document comes out exactly when no diagnostic is an error.
///
/// ```
/// use seatfork_codec::{Hints, parse};
///
/// let bytes = b"
/// version: '0.2'
/// name: review
/// pods:
///   - id: dev
///     label: Dev
///     members:
///       - {id: a, runtime: codex, agent_ref: agents/a.yaml, profile: p, cwd: ., rolle: x}
///       - {id: b, runtime: codex, agent_ref: agents/a.yaml, profile: p, cwd: ., session_source: }
/// ";
/// let outcome = parse(bytes, &Hints::default());
/// assert!(outcome.document.is_none());
/// let told: Vec<_> =
///     outcome.diagnostics.iter().map(|d| (d.code.as_str(), d.span.start.line)).collect();
/// assert_eq!(told, [("unknown-key", 8), ("session-source-not-a-mapping", 9)]);
/// ```
pub fn parse(bytes: &[u8], hints: &Hints) -> Outcome {
    let text = match text(bytes) {
        Ok(text) => text,
        Err(not_text) => return unreadable(vec![no_text(not_text)]),
    };
    let gated = gate(text.text);
    let mut findings = gated.findings;
    if let Some((c, at)) = text.forbidden {
        // The text was cut there, so an error of the parser is likely about the cut.
        findings.retain(|finding| finding.code != seatfork_schema::Code::YamlSyntax);
        findings.retain(|finding| finding.code != seatfork_schema::Code::EmptyDocument);
        let end = Position { column: at.column + 1, ..at };
        let reason = format!("the character U+{:04X} may not stand in YAML", u32::from(c));
        let at = At { path: String::new(), span: Span { start: at, end } };
        findings.push(YamlSyntax { at, reason }.into());
        return unreadable(findings);
    }
    let Some(tree) = gated.tree else { return unreadable(findings) };
    let mut outcome = validate(&tree, hints);
    if !findings.is_empty() {
        outcome.diagnostics.retain(|diagnostic| !gated.blind.hides(diagnostic));
        findings.append(&mut outcome.diagnostics);
        // Stable: what the gate found at a place comes before what validation found there.
        findings.sort_by_key(|finding| finding.span.start);
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            outcome.document = None;
        }
        outcome.diagnostics = findings;
    }
    outcome
}

/// What comes of a text that gives no tree.
fn unreadable(mut diagnostics: Vec<Diagnostic>) -> Outcome {
    // The parser places some errors where the scalar began that they end.
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    Outcome { document: None, kind: DocumentKind::Unknown, rig: None, diagnostics }
}

fn no_text(not_text: NotText) -> Diagnostic {
    match not_text {
        NotText::TooLarge { bytes } => {
            let at = At { path: String::new(), span: DOCUMENT };
            TooLarge { at, bytes: bytes as u64, max: MAX_BYTES as u64 }.into()
        }
        NotText::NotUtf8 { offset, at } => {
            let end = Position { column: at.column + 1, ..at };
            let at = At { path: String::new(), span: Span { start: at, end } };
            NotUtf8 { at, offset }.into()
        }
    }
}
