//! Codes, structs, pages and entries belong together one to one (SPEC 4).

use seatfork_schema::explain::{entries, explain, launch_entries, pages};
use seatfork_schema::{Code, LaunchCode};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn here(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    entries
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read_to_string(&path).unwrap(),
            )
        })
        .collect()
}

// SPEC 4: each code of a spec has exactly one struct.
#[test]
fn each_code_has_one_struct() {
    let mut of_code: BTreeMap<String, usize> = BTreeMap::new();
    for text in files(&here("src/diags")).values() {
        for line in text.lines() {
            // `Name = Code {` or `Name = Code, Warning {`, as the macro is written.
            let Some((name, rest)) = line.trim().split_once(" = ") else { continue };
            let code = rest.split([' ', ',', '{']).next().unwrap_or_default();
            if name.chars().all(char::is_alphanumeric) && rest.contains('{') && code == name {
                *of_code.entry(code.to_owned()).or_default() += 1;
            }
        }
    }
    let codes: BTreeMap<String, usize> =
        Code::ALL.iter().map(|code| (format!("{code:?}"), 1)).collect();
    assert_eq!(of_code, codes);
}

// SPEC 4: codes are kebab-case, and none is a code of both enums.
#[test]
fn codes_are_kebab_case_and_distinct() {
    let all: Vec<&str> = Code::ALL
        .iter()
        .map(|it| it.as_str())
        .chain(LaunchCode::ALL.iter().map(|it| it.as_str()))
        .collect();
    for code in &all {
        assert!(
            code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{code}"
        );
        assert!(!code.starts_with('-') && !code.ends_with('-') && !code.contains("--"));
    }
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

// SPEC 4: each code has one page, and no page is without a code.
#[test]
fn each_code_has_one_page() {
    let pages: BTreeSet<String> = files(&here("codes")).into_keys().collect();
    let codes: BTreeSet<String> = Code::ALL
        .iter()
        .map(|it| it.as_str())
        .chain(LaunchCode::ALL.iter().map(|it| it.as_str()))
        .map(|code| format!("{code}.md"))
        .collect();
    assert_eq!(pages, codes);
}

// SPEC 4: a page says what, why, and shows how to mend it.
#[test]
fn each_page_is_whole() {
    for entry in entries() {
        let code = entry.code;
        assert!(!entry.what.is_empty() && !entry.why.is_empty(), "{code}");
        assert!(!entry.what.contains('#') && !entry.why.contains("```"), "{code}");
        let example = entry.example.unwrap_or_else(|| panic!("{code} has no example"));
        assert!(
            example.yaml.ends_with('\n') && entry.mend.is_some_and(|it| it.ends_with('\n')),
            "{code}"
        );
        assert_ne!(example.file(), entry.mend.unwrap_or_default().as_bytes(), "{code}");
        assert_eq!(explain(code), Some(entry));
    }
    for entry in launch_entries() {
        assert!(
            !entry.what.is_empty() && !entry.why.is_empty() && entry.what_to_do.is_some(),
            "{}",
            entry.code
        );
        assert!(entry.example.is_none() && entry.mend.is_none());
        assert_eq!(explain(entry.code), Some(entry));
    }
    for (name, page) in pages() {
        if name != "README.md" {
            assert!(page.starts_with(&format!("# {}\n\n", name.trim_end_matches(".md"))), "{name}");
        }
    }
    assert_eq!(explain("no-such-code"), None);
    assert_eq!(seatfork_schema::explain::meant("native-id-unsave"), Some("native-id-unsafe"));
}

// SPEC 4: examples whose fault cannot stand in a page make it.
#[test]
fn examples_of_bytes_have_the_fault_they_show() {
    let file = |code| explain(code).unwrap().example.unwrap().file();
    assert!(file("too-large").len() > 1024 * 1024);
    assert!(std::str::from_utf8(&file("too-large")).is_ok());
    assert!(std::str::from_utf8(&file("not-utf8")).is_err());
}

// SPEC 4: `docs/codes/` holds the same pages. To write them: `cargo run -p seatfork-schema --example codes`.
#[test]
fn the_committed_pages_are_current() {
    let written: BTreeMap<String, String> = pages().into_iter().collect();
    let committed = files(&here("../../docs/codes"));
    assert_eq!(written.keys().collect::<Vec<_>>(), committed.keys().collect::<Vec<_>>());
    for (name, text) in written {
        assert_eq!(committed[&name], text, "{name} is not current");
    }
}
