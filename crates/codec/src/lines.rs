//! Where lines begin: built once for a report, so that a place is found without walking from the start (PERF: linear).

/// The byte index of the first character of each line of a text.
///
/// Lines end as in YAML, and so as the parser counts them: LF, CR LF, or CR alone.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(at + 1);
            }
        }
        Self { starts }
    }

    /// How many lines there are; a text that ends with a line break has one more, empty.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where the last line begins.
    pub(crate) fn last_start(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// A line without its line break, counted from 1; empty past the end.
    pub(crate) fn line<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let Some(start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return "";
        };
        let end = self.starts.get(line).copied().unwrap_or(text.len());
        text[*start..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 13: lines are counted from 1, whatever ends them.
    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        let text = "a\nb\r\nc\rd\n";
        let lines = Lines::new(text);
        assert_eq!(lines.count(), 5);
        let all: Vec<_> = (1..=6).map(|n| lines.line(text, n)).collect();
        assert_eq!(all, ["a", "b", "c", "d", "", ""]);
        assert_eq!(lines.line(text, 0), "");
    }
}
