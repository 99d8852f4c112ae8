//! The specs of a vector file or folder, each with what is expected of it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::path::SpecPath;
use crate::base64;
use crate::failure::Failure;

/// One spec.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) yaml: Vec<u8>,
    pub(super) expect: Expect,
}

/// What `validate` must say of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expect {
    Valid,
    /// Refused, with an error on one line with each of these paths.
    Refused {
        paths: Vec<SpecPath>,
    },
}

/// Reads a vector file, or a folder with `verdicts.json`.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    if path.is_dir() {
        return folder(path);
    }
    let text = fs::read_to_string(path).map_err(Failure::file("read", path))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            line_of_file(line).map_err(|why| Failure::Content {
                path: format!("{}:{}", path.display(), index + 1),
                why,
            })
        })
        .collect()
}

fn line_of_file(line: &str) -> Result<Row, String> {
    let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let id = row["id"].as_str().ok_or("a row needs an `id`")?.to_owned();
    let yaml = match (row["yaml"].as_str(), row["yaml_b64"].as_str()) {
        (Some(yaml), None) => yaml.as_bytes().to_owned(),
        (None, Some(encoded)) => base64::decode(encoded).ok_or("`yaml_b64` is not base64")?,
        _ => return Err("a row needs either `yaml` or `yaml_b64`".to_owned()),
    };
    let paths = match &row["paths"] {
        Value::Null => Vec::new(),
        Value::Array(paths) => paths
            .iter()
            .map(|path| SpecPath::parse(path.as_str().ok_or("`paths` is a list of strings")?))
            .collect::<Result<_, _>>()?,
        _ => return Err("`paths` is a list of strings".to_owned()),
    };
    Ok(Row { id, yaml, expect: expectation(&row["expect"], paths)? })
}

fn expectation(expect: &Value, paths: Vec<SpecPath>) -> Result<Expect, String> {
    match expect.as_str() {
        Some("valid") if paths.is_empty() => Ok(Expect::Valid),
        Some("valid") => Err("a valid spec is refused nowhere, so it has no `paths`".to_owned()),
        Some("refused") => Ok(Expect::Refused { paths }),
        _ => Err("`expect` is `valid` or `refused`".to_owned()),
    }
}

fn folder(dir: &Path) -> Result<Vec<Row>, Failure> {
    let verdicts = dir.join("verdicts.json");
    let text = fs::read_to_string(&verdicts).map_err(Failure::file("read", &verdicts))?;
    let refused = |why: String| Failure::Content { path: verdicts.display().to_string(), why };
    let parsed: Value = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let judged =
        parsed.as_object().ok_or_else(|| refused("must be an object of file names".to_owned()))?;
    judged
        .iter()
        .map(|(name, verdict)| {
            let file = dir.join(name);
            let yaml = fs::read(&file).map_err(Failure::file("read", &file))?;
            let expect = expectation(&verdict["expect"], Vec::new())
                .map_err(|why| refused(format!("{name}: {why}")))?;
            Ok(Row { id: name.clone(), yaml, expect })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_with_their_bytes_and_paths() {
        let row = line_of_file(
            r#"{"id": "a", "yaml_b64": "/w==", "expect": "refused", "paths": ["name"]}"#,
        )
        .unwrap();
        assert_eq!(row.yaml, [0xff]);
        assert_eq!(row.expect, Expect::Refused { paths: vec![SpecPath::parse("name").unwrap()] });
        let row =
            line_of_file(r#"{"id": "a", "yaml": "x: 1", "expect": "valid", "why": "so"}"#).unwrap();
        assert_eq!((row.yaml.as_slice(), row.expect), (b"x: 1".as_slice(), Expect::Valid));
    }

    #[test]
    fn rows_that_cannot_be_judged_are_refused() {
        for line in [
            "{",
            r#"{"yaml": "", "expect": "valid"}"#,
            r#"{"id": "a", "expect": "valid"}"#,
            r#"{"id": "a", "yaml": "", "yaml_b64": "", "expect": "valid"}"#,
            r#"{"id": "a", "yaml_b64": "?", "expect": "valid"}"#,
            r#"{"id": "a", "yaml": "", "expect": "perhaps"}"#,
            r#"{"id": "a", "yaml": "", "expect": "valid", "paths": ["name"]}"#,
            r#"{"id": "a", "yaml": "", "expect": "refused", "paths": "name"}"#,
        ] {
            assert!(line_of_file(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_folder_is_judged_by_its_verdicts() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a.yaml"), "a").unwrap();
        fs::write(temp.path().join("verdicts.json"), r#"{"a.yaml": {"expect": "valid"}}"#).unwrap();
        let rows = read(temp.path()).unwrap();
        assert_eq!((rows.len(), rows[0].id.as_str()), (1, "a.yaml"));
        fs::write(temp.path().join("verdicts.json"), r#"{"gone.yaml": {"expect": "valid"}}"#)
            .unwrap();
        assert!(read(temp.path()).is_err());
    }
}
