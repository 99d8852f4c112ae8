//! The one module that knows the event parser: its events, its markers, its error texts.
//!
//! The parser's API still moves, so it is pinned to one version and wrapped
//! here. What comes out speaks of our own positions, and its three ways to
//! stop are told apart by kind, not by text, from here on.

mod input;

use std::borrow::Cow;

use saphyr_parser::{Event as Raw, Marker, Parser, ScalarStyle, ScanError};
use seatfork_schema::tree::{Position, Span};

use input::Tabbed;

/// What the text says next.
#[derive(Debug)]
pub(crate) enum What<'t> {
    /// A document begins, with `---` written out or not.
    DocumentStart {
        /// Whether `---` was written.
        explicit: bool,
    },
    /// A scalar.
    Scalar {
        /// Its text after unescaping.
        text: Cow<'t, str>,
        /// Whether it was written without quotes and not as a block.
        plain: bool,
    },
    /// `[` or the first `-`.
    SequenceStart,
    /// `{` or the first key.
    MappingStart,
    /// The end of the innermost list or mapping; the span is that of `]` or `}`, else empty.
    End,
    /// `*name`.
    Alias,
}

/// One event with what stood around it.
#[derive(Debug)]
pub(crate) struct Event<'t> {
    /// What it is.
    pub(crate) what: What<'t>,
    /// Where it stands.
    pub(crate) span: Span,
    /// Whether the node carries `&name`.
    pub(crate) anchored: bool,
    /// Whether the node carries `!tag`.
    pub(crate) tagged: bool,
}

/// Why reading ended before the end of the text.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The text is not YAML from here on.
    Syntax {
        /// What the parser says, as a lowercase fragment.
        reason: String,
    },
    /// Brackets nested beyond what the parser follows (255), which is beyond our limit.
    TooDeep,
    /// A tag whose handle no `%TAG` line declares: a tag, and refused as one.
    Tag,
}

/// The events of a text.
pub(crate) struct Events<'t> {
    parser: Parser<'t, Tabbed<'t>>,
}

impl<'t> Events<'t> {
    /// Reads a text without a byte order mark.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { parser: Parser::new(Tabbed::new(text)) }
    }

    /// The next event, nothing at the end of the text, or why reading stops here.
    pub(crate) fn next(&mut self) -> Result<Option<Event<'t>>, (Stop, Position)> {
        loop {
            let (raw, span) = match self.parser.next_event() {
                None => return Ok(None),
                Some(Ok(read)) => read,
                // An alias of no anchor is an alias all the same; the parser has
                // consumed it and left its state, so reading goes on behind it.
                Some(Err(error)) if error.info() == UNKNOWN_ANCHOR => {
                    let start = position(error.marker());
                    let end = Position { column: start.column + 1, ..start };
                    return Ok(Some(Event::new(What::Alias, Span { start, end })));
                }
                Some(Err(error)) => return Err(stop(&error)),
            };
            let span = Span { start: position(&span.start), end: position(&span.end) };
            let event = match raw {
                Raw::StreamEnd => return Ok(None),
                Raw::Nothing | Raw::StreamStart | Raw::DocumentEnd => continue,
                Raw::DocumentStart(explicit) => Event::new(What::DocumentStart { explicit }, span),
                Raw::Alias(_) => Event::new(What::Alias, span),
                Raw::SequenceEnd | Raw::MappingEnd => Event::new(What::End, span),
                Raw::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain;
                    Event::node(What::Scalar { text, plain }, span, anchor, tag.is_some())
                }
                Raw::SequenceStart(anchor, tag) => {
                    Event::node(What::SequenceStart, span, anchor, tag.is_some())
                }
                Raw::MappingStart(anchor, tag) => {
                    Event::node(What::MappingStart, span, anchor, tag.is_some())
                }
            };
            return Ok(Some(event));
        }
    }
}

impl<'t> Event<'t> {
    fn new(what: What<'t>, span: Span) -> Self {
        Self { what, span, anchored: false, tagged: false }
    }

    fn node(what: What<'t>, span: Span, anchor: usize, tagged: bool) -> Self {
        Self { what, span, anchored: anchor > 0, tagged }
    }
}

const UNKNOWN_ANCHOR: &str = "while parsing node, found unknown anchor";
const UNKNOWN_HANDLE: &str = "the handle wasn't declared";
const FLOW_TOO_DEEP: &str = "recursion limit exceeded";

fn stop(error: &ScanError) -> (Stop, Position) {
    let stop = match error.info() {
        FLOW_TOO_DEEP => Stop::TooDeep,
        UNKNOWN_HANDLE => Stop::Tag,
        reason => Stop::Syntax { reason: reason.to_owned() },
    };
    (stop, position(error.marker()))
}

/// Lines are 1-based there too; columns are 0-based there and count characters.
fn position(marker: &Marker) -> Position {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position { line: number(marker.line()), column: number(marker.col() + 1) }
}
