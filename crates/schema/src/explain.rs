//! What each code means, why it exists, and how it is mended: `seatfork explain`.
//!
//! The pages under `codes/` are the source. A page of a spec code has an example
//! that triggers exactly that code, and a mended text that triggers nothing; a
//! page of a launch code says what to do. `docs/codes/` holds the same pages
//! and an index, written by `cargo run -p seatfork-schema --example codes` and
//! held equal by a test.

use crate::code::Code;
use crate::launch_code::LaunchCode;
use std::fmt::Write as _;

/// One code, explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The code's spelling.
    pub code: &'static str,
    /// What is the matter, one paragraph.
    pub what: &'static str,
    /// Why it is refused or reported.
    pub why: &'static str,
    /// An example, for a code of `validate`.
    pub example: Option<Example>,
    /// The example mended, for a code of `validate`.
    pub mend: Option<&'static str>,
    /// What to do, for a code of plan, launch or store.
    pub what_to_do: Option<&'static str>,
}

/// A text that triggers exactly one code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The text as the page shows it.
    pub yaml: &'static str,
    /// How the file's bytes come from the text.
    pub bytes: ExampleBytes,
}

/// How the bytes of an example come from its text: some faults cannot stand in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleBytes {
    /// They are the text.
    Text,
    /// The text, followed by comment lines up to this many bytes.
    PaddedTo(usize),
    /// The text in Latin-1, which is not UTF-8.
    Latin1,
}

impl Example {
    /// The bytes of the file.
    pub fn file(&self) -> Vec<u8> {
        match self.bytes {
            ExampleBytes::Text => self.yaml.as_bytes().to_vec(),
            ExampleBytes::PaddedTo(bytes) => {
                let mut file = self.yaml.as_bytes().to_vec();
                while file.len() < bytes {
                    let left = bytes - file.len();
                    file.extend(std::iter::repeat_n(b'#', left.saturating_sub(1).min(79)));
                    file.push(b'\n');
                }
                file
            }
            ExampleBytes::Latin1 => {
                self.yaml.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
            }
        }
    }
}

/// Every code of `validate`, in the order of [`Code::ALL`].
pub fn entries() -> impl Iterator<Item = Entry> {
    Code::ALL.iter().map(|code| entry(code.as_str(), code.page()))
}

/// Every code of plan, launch and store, in the order of [`LaunchCode::ALL`].
pub fn launch_entries() -> impl Iterator<Item = Entry> {
    LaunchCode::ALL.iter().map(|code| entry(code.as_str(), code.page()))
}

/// The entry of a code by its spelling.
///
/// ```
/// let entry = seatfork_schema::explain::explain("native-id-unsafe").unwrap();
/// assert!(entry.example.unwrap().yaml.contains("--help"));
/// ```
pub fn explain(code: &str) -> Option<Entry> {
    let spec = Code::from_word(code).map(|it| entry(it.as_str(), it.page()));
    spec.or_else(|| LaunchCode::from_word(code).map(|it| entry(it.as_str(), it.page())))
}

/// The spelling nearest to a word that is no code.
pub fn meant(word: &str) -> Option<&'static str> {
    let all: Vec<&'static str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .chain(LaunchCode::ALL.iter().map(|code| code.as_str()))
        .collect();
    crate::validate::meant(word, &all)
}

/// Every page as (file name, text): one per code, and `README.md`, the index.
pub fn pages() -> Vec<(String, String)> {
    let mut index = String::from(
        "# Codes\n\nEvery refusal, warning and failure has a stable code. `seatfork explain <code>` prints its page.\n",
    );
    let mut pages = Vec::new();
    let specs = Code::ALL.iter().map(|code| (code.as_str(), code.page()));
    let launches = LaunchCode::ALL.iter().map(|code| (code.as_str(), code.page()));
    section(&mut index, &mut pages, "Of a spec: `seatfork validate`", specs);
    section(&mut index, &mut pages, "Of plan, launch and store", launches);
    pages.push(("README.md".to_owned(), index));
    pages
}

fn section(
    index: &mut String,
    pages: &mut Vec<(String, String)>,
    title: &str,
    codes: impl Iterator<Item = (&'static str, &'static str)>,
) {
    writeln!(index, "\n## {title}\n\n| code | what |\n|---|---|").expect("a String takes any text");
    for (code, page) in codes {
        let what = entry(code, page).what;
        let first = what.split_once(". ").map_or(what, |(first, _)| first);
        let first = first.trim_end_matches('.').replace('|', "\\|");
        writeln!(index, "| [`{code}`]({code}.md) | {first} |").expect("a String takes any text");
        pages.push((format!("{code}.md"), page.to_owned()));
    }
}

fn entry(code: &'static str, page: &'static str) -> Entry {
    let example = block(part(page, "Example")).map(|(info, yaml)| Example {
        yaml,
        bytes: match info.split_once('=') {
            Some(("yaml padded-to", bytes)) => {
                ExampleBytes::PaddedTo(bytes.parse().unwrap_or_default())
            }
            Some(("yaml encoding", "latin-1")) => ExampleBytes::Latin1,
            _ => ExampleBytes::Text,
        },
    });
    let body = page.split_once("\n\n").map_or("", |(_, body)| body);
    Entry {
        code,
        what: body.split("\n\n## ").next().unwrap_or_default(),
        why: part(page, "Why").unwrap_or_default(),
        example,
        mend: block(part(page, "Mend")).map(|(_, yaml)| yaml),
        what_to_do: part(page, "What to do"),
    }
}

/// The text under a heading, up to the next one.
fn part(page: &'static str, heading: &str) -> Option<&'static str> {
    let mark = format!("\n## {heading}\n\n");
    let start = page.find(&mark)? + mark.len();
    let rest = &page[start..];
    Some(rest.split("\n\n## ").next().unwrap_or(rest).trim_end())
}

/// The fenced block of a text: what stands behind the fence, and the lines inside.
fn block(text: Option<&'static str>) -> Option<(&'static str, &'static str)> {
    let rest = text?.strip_prefix("```")?;
    let (info, rest) = rest.split_once('\n')?;
    let end = rest.rfind("```")?;
    Some((info, &rest[..end]))
}
