//! What the real runtime made, recorded.

use super::home::{Home, codex, failed};
use crate::support::block_on;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{Adapter, codex::Codex};
use serde::Deserialize;
use std::fmt::Write as _;

/// The directory the recorded children were made in.
const SEAT: &str = "/home/user/seat";

#[derive(Deserialize)]
struct Facts {
    source: Option<String>,
    child: String,
    grade: String,
}

fn recordings() -> Vec<(String, Utf8PathBuf, Facts)> {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/fixtures/codex/0.171.0");
    let mut found = Vec::new();
    for one in root.read_dir_utf8().unwrap().map(Result::unwrap) {
        let facts = std::fs::read(one.path().join("facts.json")).unwrap();
        found.push((
            one.file_name().to_owned(),
            one.into_path(),
            serde_json::from_slice(&facts).unwrap(),
        ));
    }
    found.sort_by(|a: &(String, _, _), b| a.0.cmp(&b.0));
    assert!(found.len() >= 5, "the recordings are there");
    found
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    std::fs::create_dir_all(to).unwrap();
    for one in from.read_dir_utf8().unwrap().map(Result::unwrap) {
        let target = to.join(one.file_name());
        if one.file_type().unwrap().is_dir() {
            copy(one.path(), &target);
        } else {
            std::fs::copy(one.path(), target).unwrap();
        }
    }
}

// SPEC 8: every recorded child is proved, by the bytes the runtime itself named; one byte changed anywhere is told.
#[test]
fn every_recorded_child_is_proved_and_no_changed_one() {
    let mut table = String::new();
    for (name, dir, facts) in recordings() {
        let home = Home::new();
        let sessions = home.place.path.join(".codex/sessions");
        copy(&dir.join("sessions"), &sessions);
        let source = match facts.source.as_deref().map(|source| home.resolve(source)) {
            None => None,
            Some(Ok(evidence)) => Some(evidence),
            Some(Err(error)) => {
                let told = error.to_string().replace(home.place.path.as_str(), "~");
                writeln!(table, "{name}: {}: {told}", error.code()).unwrap();
                continue;
            }
        };
        let child = codex(&facts.child);
        let prove = || {
            block_on(Codex.prove_untouched(source.as_ref(), &child, &home.env, Utf8Path::new(SEAT)))
        };
        let proof = prove().unwrap();
        assert_eq!(proof.grade.to_string(), facts.grade, "{name}");
        let notice = block_on(Codex.has_notice(&child, &home.env)).unwrap();
        writeln!(table, "{name}: {proof}, notice {notice}").unwrap();
        let nonce = "00000000000000000000000000000001";
        assert!(block_on(Codex.find_made(None, nonce, &home.env)).unwrap().is_some());
        let Some(source) = &source else { continue };
        // A letter of the source, and of every record before it.
        let records = source.ancestors.iter().map(|range| range.path.clone());
        for record in std::iter::once(source.path.to_string()).chain(records) {
            let whole = std::fs::read(&record).unwrap();
            let mut changed = whole.clone();
            let at = memchr::memmem::find(&changed, b"0.171.0").unwrap();
            changed[at] = b'1';
            std::fs::write(&record, &changed).unwrap();
            assert_eq!(failed(prove()).0, "source-changed", "{name}: {record}");
            std::fs::write(&record, &whole).unwrap();
        }
        assert!(prove().is_ok(), "{name}");
    }
    insta::assert_snapshot!("recorded", table);
}
