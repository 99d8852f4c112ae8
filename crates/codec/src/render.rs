//! Diagnostics as text for people, in the manner of rustc (SPEC 2, 13).
//!
//! Every diagnostic is shown with a few lines of the source around it. The
//! snippet printer is given these lines only: given the whole source for each
//! of a thousand diagnostics it would take seconds. Text from outside passes
//! [`printable`] on its way, and a line too long to read is cut around the mark.

use std::fmt::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use seatfork_schema::tree::Span;
use seatfork_schema::{Diagnostic, Related, Severity, printable};

use crate::excerpt::Excerpt;
use crate::lines::Lines;

/// How many diagnostics the text form prints before it only counts the rest; JSON has them all.
pub const SHOWN: usize = 100;

/// How many lines apart two marks may stand to be shown in one excerpt.
const NEAR: u32 = 6;

/// How to show diagnostics.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// With ANSI colours; colour never carries meaning.
    pub colour: bool,
    /// The most diagnostics to print; the rest is counted.
    pub at_most: usize,
}

impl Default for Look {
    fn default() -> Self {
        Self { colour: false, at_most: SHOWN }
    }
}

/// Renders diagnostics with excerpts of the text they are about.
///
/// `file` is the name to show, `bytes` what was parsed.
///
/// ```
/// let bytes = b"version: '1'\nname: [\n";
/// let parsed = seatfork_codec::parse(bytes, &seatfork_codec::Hints::default());
/// let text = seatfork_codec::render("rig.yaml", bytes, &parsed.diagnostics, Default::default());
/// assert!(text.starts_with("error[yaml-syntax]: "));
/// assert!(text.contains("--> rig.yaml:3:1"));
/// ```
pub fn render(file: &str, bytes: &[u8], diagnostics: &[Diagnostic], look: Look) -> String {
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    let text = crate::text::shown(bytes);
    let page = Page { file: printable(file), text: &text, lines: Lines::new(&text) };
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(look.at_most) {
        let (group, heads) = page.group(diagnostic);
        let block = renderer.render(&[group]);
        out.push_str(&page.with_true_columns(block, &heads));
        out.push_str("\n\n");
    }
    let rest = diagnostics.len().saturating_sub(look.at_most);
    if rest > 0 {
        // Writing to a String cannot fail.
        let _infallible = writeln!(out, "… and {rest} more; `--json` lists every one\n");
    }
    out
}

struct Page<'t> {
    file: String,
    text: &'t str,
    lines: Lines,
}

/// The line and column the printer will put above an excerpt, and the true column.
#[derive(Debug)]
struct Head {
    line: usize,
    shown: usize,
    column: usize,
}

type Cut = (Snippet<'static, Annotation<'static>>, Head);

impl Page<'_> {
    /// What the printer is to print of a diagnostic, and the heads it will print wrongly or rightly.
    fn group(&self, diagnostic: &Diagnostic) -> (Group<'static>, Vec<Head>) {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title =
            level.primary_title(printable(&diagnostic.message)).id(diagnostic.code.as_str());
        let mut group = Group::with_title(title);
        let start = diagnostic.span.start;
        let (near, far): (Vec<_>, Vec<_>) = diagnostic
            .related
            .iter()
            .partition(|related| related.span.start.line.abs_diff(start.line) <= NEAR);
        let primary = Mark {
            kind: AnnotationKind::Primary,
            span: diagnostic.span,
            label: diagnostic.label.as_deref(),
        };
        let mut windows = vec![vec![primary]];
        windows[0].extend(near.into_iter().map(Mark::of));
        windows.extend(far.into_iter().map(|related| vec![Mark::of(related)]));
        let mut heads = Vec::new();
        for marks in windows {
            if let Some((snippet, head)) = self.snippet(&marks) {
                group = group.element(snippet);
                heads.push(head);
            }
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        (group, heads)
    }

    /// The lines around some marks, with the marks in them; nothing for a place outside the text.
    fn snippet(&self, marks: &[Mark<'_>]) -> Option<Cut> {
        let excerpt = Excerpt::new(self.text, &self.lines, marks.iter().map(|mark| mark.span))?;
        let start = marks.first()?.span.start;
        let head = Head {
            line: start.line as usize,
            shown: excerpt.column_of_first(),
            column: start.column as usize,
        };
        let annotations: Vec<_> = marks
            .iter()
            .zip(excerpt.marks)
            .map(|(mark, range)| {
                let annotation = mark.kind.span(range);
                match mark.label {
                    Some(label) => annotation.label(printable(label)),
                    None => annotation,
                }
            })
            .collect();
        let snippet = Snippet::source(excerpt.text)
            .path(self.file.clone())
            .line_start(excerpt.first_line)
            .fold(false)
            .annotations(annotations);
        Some((snippet, head))
    }

    /// The printer counts columns in the excerpt; where that was escaped or cut, the file's own are put in place.
    fn with_true_columns(&self, mut block: String, heads: &[Head]) -> String {
        // The title is one line, and the heads come behind it in their order.
        let mut from = block.find('\n').unwrap_or(block.len());
        for Head { line, shown, column } in heads {
            let wrong = format!("{}:{line}:{shown}", self.file);
            let Some(at) = block[from..].find(&wrong) else { continue };
            let right = format!("{}:{line}:{column}", self.file);
            block.replace_range(from + at..from + at + wrong.len(), &right);
            from += at + right.len();
        }
        block
    }
}

struct Mark<'d> {
    kind: AnnotationKind,
    span: Span,
    label: Option<&'d str>,
}

impl<'d> Mark<'d> {
    fn of(related: &'d Related) -> Self {
        Self {
            kind: AnnotationKind::Context,
            span: related.span,
            label: Some(related.message.as_str()),
        }
    }
}
