//! Cuts Rust source into code, string literals, characters and comments.
//!
//! It is a scanner and no parser: it knows exactly as much as it takes to say where a literal or a
//! comment begins and ends (raw strings of any number of hashes, byte and C strings, nested block
//! comments, characters against lifetimes), so that a rule about words sees words and a rule about
//! code sees code.

mod literal;

pub(crate) use literal::value;

/// What a stretch of source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything that is none of the others, prefixes of literals included.
    Code,
    /// What stands between the quotes of a string in which escapes count.
    Text,
    /// What stands between the quotes of a raw string.
    RawText,
    /// What stands between the quotes of a character or byte literal.
    Char,
    /// A comment with its marks.
    Comment,
    /// A comment that is documentation, with its marks.
    Doc,
}

/// A stretch of source of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) kind: Kind,
    /// Line on which it begins, counted from 1.
    pub(crate) line: usize,
    pub(crate) text: &'a str,
}

/// Source that ends inside a literal or comment begun on this line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unclosed {
    pub(crate) line: usize,
}

/// Cuts `source` into pieces, in order. Quotes and hashes around literals belong to the code.
pub(crate) fn pieces(source: &str) -> Result<Vec<Piece<'_>>, Unclosed> {
    let mut scanner = Scanner { source, at: 0, line: 1, code_from: 0, pieces: Vec::new() };
    while scanner.at < source.len() {
        scanner.step()?;
    }
    scanner.end_code();
    Ok(scanner.pieces)
}

/// The source with the inside of every literal and all comments blanked; lines stay where they are.
pub(crate) fn code_only(pieces: &[Piece<'_>]) -> String {
    let mut code = String::new();
    for piece in pieces {
        if piece.kind == Kind::Code {
            code.push_str(piece.text);
        } else {
            code.extend(piece.text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
    }
    code
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    code_from: usize,
    pieces: Vec<Piece<'a>>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Takes one literal, comment, word or character.
    fn step(&mut self) -> Result<(), Unclosed> {
        let rest = self.rest();
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.take(comment_kind(&rest[..end]), end);
        } else if rest.starts_with("/*") {
            let end = self.closed(block_comment_end(rest))?;
            self.take(comment_kind(&rest[..end]), end);
        } else if let Some(inside) = rest.strip_prefix('"') {
            self.quoted(Kind::Text, 1, escaped_end(inside, '"'), 1)?;
        } else if let Some(after) = rest.strip_prefix('\'') {
            self.quote(after)?;
        } else {
            self.word_or_character()?;
        }
        Ok(())
    }

    /// A single quote begins a character, or a lifetime or label.
    fn quote(&mut self, after: &str) -> Result<(), Unclosed> {
        let mut chars = after.chars();
        match (chars.next(), chars.next()) {
            (Some('\\'), _) => self.quoted(Kind::Char, 1, escaped_end(after, '\''), 1),
            (Some(c), Some('\'')) => self.quoted(Kind::Char, 1, Some(c.len_utf8()), 1),
            _ => {
                self.at += 1;
                Ok(())
            }
        }
    }

    /// A word may be the prefix of a raw string; everything else is plain code.
    fn word_or_character(&mut self) -> Result<(), Unclosed> {
        let rest = self.rest();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if word == 0 {
            let c = rest.chars().next().map_or(1, char::len_utf8);
            self.line += usize::from(rest.starts_with('\n'));
            self.at += c;
            return Ok(());
        }
        if matches!(&rest[..word], "r" | "br" | "cr") {
            let after = &rest[word..];
            let hashes = after.bytes().take_while(|&byte| byte == b'#').count();
            if let Some(inside) = after[hashes..].strip_prefix('"') {
                let end = inside.find(&format!("\"{}", "#".repeat(hashes)));
                return self.quoted(Kind::RawText, word + hashes + 1, end, 1 + hashes);
            }
        }
        self.at += word;
        Ok(())
    }

    /// A literal whose opening and closing marks have these lengths; `inside` is `None` when it never ends.
    fn quoted(
        &mut self,
        kind: Kind,
        open: usize,
        inside: Option<usize>,
        close: usize,
    ) -> Result<(), Unclosed> {
        let inside = self.closed(inside)?;
        self.at += open;
        self.take(kind, inside);
        self.at += close;
        Ok(())
    }

    fn closed(&self, end: Option<usize>) -> Result<usize, Unclosed> {
        end.ok_or(Unclosed { line: self.line })
    }

    /// Ends the code before this place and makes the next `length` bytes a piece of their own.
    fn take(&mut self, kind: Kind, length: usize) {
        self.end_code();
        let text = &self.source[self.at..self.at + length];
        self.pieces.push(Piece { kind, line: self.line, text });
        self.line += text.matches('\n').count();
        self.at += length;
        self.code_from = self.at;
    }

    fn end_code(&mut self) {
        let text = &self.source[self.code_from..self.at];
        if !text.is_empty() {
            self.pieces.push(Piece {
                kind: Kind::Code,
                line: self.line - text.matches('\n').count(),
                text,
            });
        }
        self.code_from = self.at;
    }
}

/// Rustdoc has a third mark, `!` or the mark of its kind again, but not a fourth.
fn comment_kind(comment: &str) -> Kind {
    let outer = |mark: &str, more: &str| comment.starts_with(mark) && !comment.starts_with(more);
    let inner = comment.starts_with("//!") || comment.starts_with("/*!");
    let doc = inner || outer("///", "////") || outer("/**", "/***") && comment != "/**/";
    if doc { Kind::Doc } else { Kind::Comment }
}

/// Where the closing mark stands in text in which a backslash takes the next character with it.
fn escaped_end(inside: &str, close: char) -> Option<usize> {
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == close {
            return Some(at);
        }
        if c == '\\' {
            chars.next();
        }
    }
    None
}

/// The length of the block comment that `rest` begins with; they nest.
fn block_comment_end(rest: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let here = &rest[at..];
        if here.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += here.chars().next()?.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests;
