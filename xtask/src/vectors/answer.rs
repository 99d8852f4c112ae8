//! What `seatfork validate --json` says (SPEC 13), held to its own words.

use std::fmt;

use serde_json::Value;

use super::path::SpecPath;

/// An answer whose parts agree with each other.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) errors: Vec<Refusal>,
    pub(super) normal_form: Option<Value>,
}

/// A diagnostic of severity `error`.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: String,
    pub(super) path: SpecPath,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.code, self.path)
    }
}

impl Answer {
    /// Reads the output of a run that exited with `code`; exit code, `ok` and diagnostics must agree.
    pub(super) fn read(code: Option<i32>, stdout: &[u8]) -> Result<Self, String> {
        let answer: Value = serde_json::from_slice(stdout)
            .map_err(|error| format!("gave no JSON object: {error}"))?;
        if answer["schema_version"] != 1 {
            return Err(format!("`schema_version` is {}, not 1", answer["schema_version"]));
        }
        let diagnostics =
            answer["diagnostics"].as_array().ok_or("gave no list of `diagnostics`")?;
        let mut errors = Vec::new();
        for diagnostic in diagnostics {
            let (refusal, is_error) = diagnostic_of(diagnostic)?;
            if is_error {
                errors.push(refusal);
            }
        }
        let expected = if errors.is_empty() { (Some(0), true) } else { (Some(3), false) };
        if (code, answer["ok"] == true) != expected {
            let told = format!("`ok` is {} with {} errors", answer["ok"], errors.len());
            return Err(format!(
                "{told}; it must be `{}`, and the exit code {}",
                expected.1,
                expected.0.unwrap_or_default()
            ));
        }
        let normal_form = Some(&answer["normal_form"]).filter(|form| form.is_object()).cloned();
        Ok(Self { errors, normal_form })
    }
}

fn diagnostic_of(diagnostic: &Value) -> Result<(Refusal, bool), String> {
    let text = |key: &str| {
        let text = diagnostic[key].as_str();
        text.ok_or_else(|| format!("a diagnostic has no `{key}`: {diagnostic}"))
    };
    let (code, message, path) = (text("code")?, text("message")?, text("path")?);
    if code.is_empty() || message.is_empty() {
        return Err(format!("a diagnostic says nothing: {diagnostic}"));
    }
    for place in ["line", "column"] {
        if diagnostic[place].as_u64().is_none_or(|number| number == 0) {
            return Err(format!("a diagnostic has no `{place}` counted from 1: {diagnostic}"));
        }
    }
    let is_error = match text("severity")? {
        "error" => true,
        "warning" => false,
        other => return Err(format!("`{other}` is no severity")),
    };
    Ok((Refusal { code: code.to_owned(), path: SpecPath::parse(path)? }, is_error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn diagnostic(severity: &str) -> Value {
        json!({"code": "c", "severity": severity, "path": "name", "message": "m", "line": 1, "column": 1})
    }

    fn read(code: i32, answer: &Value) -> Result<Answer, String> {
        Answer::read(Some(code), answer.to_string().as_bytes())
    }

    // SPEC 13: the exit code, `ok` and the diagnostics say the same
    #[test]
    fn an_answer_that_contradicts_itself_is_refused() {
        let answer = |ok: bool, severity: &str| json!({"schema_version": 1, "ok": ok, "diagnostics": [diagnostic(severity)], "normal_form": {}});
        assert_eq!(read(3, &answer(false, "error")).unwrap().errors.len(), 1);
        assert!(read(0, &answer(true, "warning")).unwrap().errors.is_empty());
        for (code, ok, severity) in [
            (0, false, "error"),
            (3, true, "error"),
            (1, false, "error"),
            (3, false, "warning"),
            (0, false, "warning"),
            (0, true, "note"),
        ] {
            assert!(read(code, &answer(ok, severity)).is_err(), "{code} {ok} {severity}");
        }
        assert!(Answer::read(None, answer(true, "warning").to_string().as_bytes()).is_err());
    }

    #[test]
    fn an_answer_of_another_shape_is_refused() {
        assert!(Answer::read(Some(0), b"").is_err());
        assert!(read(0, &json!({"ok": true, "diagnostics": []})).is_err());
        assert!(read(0, &json!({"schema_version": 1, "ok": true})).is_err());
        for key in ["code", "severity", "path", "message", "line", "column"] {
            let mut lacking = diagnostic("error");
            lacking[key] = Value::Null;
            let answer = json!({"schema_version": 1, "ok": false, "diagnostics": [lacking]});
            assert!(read(3, &answer).is_err(), "{key}");
        }
    }
}
