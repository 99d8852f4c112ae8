//! Claude Code transcripts as tests handle them: read, edited by hand, written under another id.
//!
//! Rows are kept as the text they were read as; edits replace exact text, so that everything
//! else stays byte for byte what the real program wrote.

mod history;

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

pub use history::{History, HistoryError};
use serde_json::{Value, json};
use uuid::Uuid;

/// One line of a transcript.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line without its newline.
    pub text: String,
    /// The line parsed.
    pub json: Value,
}

impl Row {
    /// A row from its JSON, as the real program writes it: compact.
    pub fn new(json: Value) -> Self {
        Self { text: json.to_string(), json }
    }

    /// Its `type`.
    pub fn kind(&self) -> &str {
        self.json["type"].as_str().unwrap_or_default()
    }

    /// Its `uuid`: only rows of the conversation have one.
    pub fn uuid(&self) -> Option<&str> {
        self.json["uuid"].as_str()
    }

    /// The `uuid` of the row before it in the conversation.
    pub fn parent(&self) -> Option<&str> {
        self.json["parentUuid"].as_str()
    }

    /// Its top-level string field `name` set to `value`, the rest of the text untouched.
    ///
    /// # Panics
    /// When the row has no such string field, or the same text stands in it twice.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let old = &self.json[name];
        assert!(old.is_string() || old.is_null(), "{name} is no string in {}", self.text);
        let old = format!("\"{name}\":{old}");
        let times = self.text.matches(&old).count();
        assert!(times == 1, "{old} stands {times} times in {}", self.text);
        let new = format!("\"{name}\":{}", Value::from(value));
        let mut json = self.json.clone();
        json[name] = value.into();
        Self { text: self.text.replacen(&old, &new, 1), json }
    }

    /// Text replaced wherever it stands in the row.
    ///
    /// # Panics
    /// When it does not stand there, or what comes out is no JSON.
    #[must_use]
    pub fn replacing(&self, old: &str, new: &str) -> Self {
        assert!(self.text.contains(old), "{old:?} is not in {}", self.text);
        let text = self.text.replace(old, new);
        let json = serde_json::from_str(&text).expect("the edited row is JSON");
        Self { text, json }
    }
}

/// A whole transcript.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The conversation's native id.
    pub id: String,
    /// Its rows in the order of the file.
    pub rows: Vec<Row>,
}

impl Transcript {
    /// Reads a transcript; its id is the file's name.
    ///
    /// # Panics
    /// When it cannot be read or a line is no JSON.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path)
            .unwrap_or_else(|err| panic!("read the transcript {}: {err}", path.display()));
        let id = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        Self { id, rows: Self::rows_of(&text) }
    }

    /// The rows of a text.
    ///
    /// # Panics
    /// When a line is no JSON.
    pub fn rows_of(text: &str) -> Vec<Row> {
        let row = |(number, line): (usize, &str)| {
            let json = serde_json::from_str(line)
                .unwrap_or_else(|err| panic!("line {} is no JSON: {err}", number + 1));
            Row { text: line.to_owned(), json }
        };
        text.lines().enumerate().map(row).collect()
    }

    /// The same conversation under a new random id: `sessionId` of every row follows.
    #[must_use]
    pub fn under_new_id(&self) -> Self {
        let id = Uuid::new_v4().to_string();
        let old = format!("\"sessionId\":\"{}\"", self.id);
        let new = format!("\"sessionId\":\"{id}\"");
        let rows = self.rows.iter().map(|row| {
            let mut row = row.clone();
            if row.text.contains(&old) {
                row.text = row.text.replace(&old, &new);
                row.json["sessionId"] = id.as_str().into();
            }
            row
        });
        Self { rows: rows.collect(), id }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.rows.iter().map(|row| row.text.clone() + "\n").collect::<Vec<_>>().concat()
    }

    /// Writes it as `<id>.jsonl` into a folder, readable by its owner alone, as the real one is.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_into(&self, folder: &Path) -> PathBuf {
        let path = folder.join(format!("{}.jsonl", self.id));
        write_private(&path, self.text().as_bytes());
        path
    }

    /// The rows that have a uuid.
    pub fn conversation(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.uuid().is_some())
    }

    /// Replies of the model, oldest first, each once.
    pub fn replies(&self) -> Vec<&Row> {
        let mut seen = HashSet::new();
        let replies = self.conversation().filter(|row| row.kind() == "assistant");
        replies.filter(|row| seen.insert(row.uuid())).collect()
    }

    /// The row with this uuid; the last, where several have it.
    pub fn row(&self, uuid: &str) -> Option<&Row> {
        self.rows.iter().rfind(|row| row.uuid() == Some(uuid))
    }

    /// A `last-prompt` row of this conversation that names `leaf`.
    pub fn last_prompt(&self, leaf: &str) -> Row {
        Row::new(json!({
            "type": "last-prompt", "lastPrompt": "x", "leafUuid": leaf, "sessionId": self.id,
        }))
    }
}

/// Writes a file with mode 0600.
///
/// # Panics
/// When it cannot be written.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) {
    use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
    let file =
        fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.unwrap_or_else(|err| panic!("write {}: {err}", path.display()));
}

/// The folder Claude Code keeps conversations of `cwd` in, below `projects`: the real path, every
/// UTF-16 unit that is no ASCII letter or digit a dash, over 200 units cut and hashed.
pub fn project_slug(cwd: &Path) -> String {
    let text = cwd.to_string_lossy();
    let dash = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    let slug: String = text.encode_utf16().map(dash).collect();
    if slug.len() <= 200 {
        return slug;
    }
    format!("{}-{}", &slug[..200], base36(java_hash(&text)))
}

/// The hash the real program cuts long names with: 31-polynomial over UTF-16 units, 32 bits.
fn java_hash(text: &str) -> u32 {
    let hash = text
        .encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    hash.unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
