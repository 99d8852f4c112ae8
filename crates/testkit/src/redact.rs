//! Takes out of a text what differs from run to run, so that it can be compared.

use std::{collections::HashMap, path::Path, sync::Arc, sync::Mutex, sync::PoisonError};

/// Replaces known paths, uuids, times, durations and pids.
///
/// The same uuid always gets the same number, in order of first appearance over the redactor's
/// life, and so does its first group when it stands alone (a short id).
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    paths: Vec<(String, String)>,
    ids: Arc<Mutex<HashMap<String, usize>>>,
}

impl Redactor {
    /// A path to be shown as `[NAME]`. Longer paths go first, however they were added.
    pub fn path(&mut self, path: &Path, name: &str) {
        self.paths.push((path.to_string_lossy().into_owned(), format!("[{name}]")));
        self.paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    }

    /// The text with all that replaced.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.paths {
            text = text.replace(path, name);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = None;
        while let Some(c) = rest.chars().next() {
            let at_word = !before.is_some_and(|b: char| b.is_ascii_alphanumeric());
            let found = if at_word { self.token(rest, &out) } else { None };
            let (len, shown) = found.unwrap_or_else(|| (c.len_utf8(), c.to_string()));
            out.push_str(&shown);
            before = rest[..len].chars().last();
            rest = &rest[len..];
        }
        out
    }

    /// What stands at the start of `rest` and is to be replaced: its length and what is shown.
    fn token(&self, rest: &str, before: &str) -> Option<(usize, String)> {
        if let Some(len) = matches(rest, UUID) {
            return Some((len, format!("[id-{}]", self.number(&rest[..len]))));
        }
        // In other letters it is another text, also where its first part has digits alone.
        if let Some(uuid) =
            rest.get(..36).filter(|text| matches(&text.to_lowercase(), UUID).is_some())
        {
            return Some((uuid.len(), uuid.to_owned()));
        }
        if let Some(len) = matches(rest, "xxxxxxxx")
            && let Some(number) = self.known(&rest[..len])
        {
            return Some((len, format!("[id-{number} short]")));
        }
        if let Some(mut len) = matches(rest, "0000-00-00T00:00:00") {
            len += rest[len..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(0);
            len += usize::from(rest[len..].starts_with('Z'));
            return Some((len, "[time]".into()));
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if digits == 0 {
            return None;
        }
        if ["pid ", "pid\": ", "pid\":", "pid="].iter().any(|p| before.ends_with(p)) {
            return Some((digits, "[pid]".into()));
        }
        seconds(rest, digits).map(|len| (len, "[duration]".into()))
    }

    fn number(&self, uuid: &str) -> usize {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ids.len() + 1;
        *ids.entry(uuid.to_owned()).or_insert(next)
    }

    /// The number of the one known uuid that starts so.
    fn known(&self, short: &str) -> Option<usize> {
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let mut numbers = ids.iter().filter(|(uuid, _)| uuid.starts_with(short));
        let (_, number) = numbers.next()?;
        numbers.next().is_none().then_some(*number)
    }
}

const UUID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

/// Whether `text` starts with the shape and the word ends there: `x` a lower-case hexadecimal
/// digit, `0` a decimal one, everything else itself.
fn matches(text: &str, shape: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..shape.len())?;
    let fits = bytes.iter().zip(shape.bytes()).all(|(&byte, shape)| match shape {
        b'x' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    });
    let next = text.as_bytes().get(shape.len());
    (fits && !next.is_some_and(u8::is_ascii_alphanumeric)).then_some(shape.len())
}

/// The length of a duration such as `3.1s`, `0.25 s` or `812ms`; whole seconds are mostly
/// settings (`30 s`), so they stay.
fn seconds(text: &str, digits: usize) -> Option<usize> {
    let rest = &text[digits..];
    let (len, fraction) = match rest.strip_prefix('.') {
        Some(after) => {
            let more = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            (digits + 1 + more, more > 0)
        }
        None => (digits, false),
    };
    let units: &[&str] = if fraction { &["ms", "s", " ms", " s"] } else { &["ms", " ms"] };
    let unit = units.iter().find(|unit| {
        let after = text[len..].strip_prefix(**unit);
        after.is_some_and(|a| !a.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })?;
    Some(len + unit.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_replaced_and_nothing_else() {
        let mut redactor = Redactor::default();
        redactor.path(Path::new("/tmp/x"), "ROOT");
        redactor.path(Path::new("/tmp/x/home"), "HOME");
        let text = "/tmp/x/home/a /tmp/x/b 7c1f09aa-0000-4000-8000-000000000000 3.1s\n\
                    0b0165d7-cb4d-4650-90de-15c0a1ede9e6 7c1f09aa 7c1f09ab pid 123, {\"pid\":4}\n\
                    2026-11-30T14:00:00.123Z 30 s 812ms é 214/214 v1.5 exit 1";
        let want = "[HOME]/a [ROOT]/b [id-1] [duration]\n\
                    [id-2] [id-1 short] 7c1f09ab pid [pid], {\"pid\":[pid]}\n\
                    [time] 30 s [duration] é 214/214 v1.5 exit 1";
        assert_eq!(redactor.redact(text), want);
        assert_eq!(redactor.redact("0b0165d7"), "[id-2 short]");
        redactor.redact("12345678-abcd-4000-8000-000000000000");
        let upper = "12345678-ABCD-4000-8000-000000000000";
        assert_eq!(redactor.redact(upper), upper, "not `[id-3 short]-ABCD-…`");
    }
}
