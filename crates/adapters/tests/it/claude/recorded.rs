//! What the real runtime made of real transcripts.

use super::home::{CWD, Home};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Facts {
    pub(super) version: String,
    pub(super) source_id: String,
    pub(super) fork_id: String,
    cwd: String,
    pub(super) inherited: Vec<String>,
    source_distinct_uuids: u64,
}

pub(super) fn recordings() -> Vec<(String, Utf8PathBuf, Facts)> {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/fixtures/claude");
    let mut found = Vec::new();
    for version in
        root.read_dir_utf8().unwrap().map(Result::unwrap).filter(|one| one.path().is_dir())
    {
        for one in version.path().read_dir_utf8().unwrap().map(Result::unwrap) {
            // Beside the conversations there are screens.
            let Ok(facts) = std::fs::read(one.path().join("facts.json")) else { continue };
            let facts: Facts = serde_json::from_slice(&facts).unwrap();
            let name = format!("{} {}", facts.version, one.file_name());
            found.push((name, one.into_path(), facts));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 40, "the recordings of both versions are there");
    found
}

// SPEC 8: every recorded fork of both versions is proved, with exactly the records the runtime inherited.
#[test]
fn every_recorded_fork_is_proved_with_what_the_runtime_inherited() {
    let mut wrong = Vec::new();
    let mut summary = Vec::new();
    for (name, dir, facts) in recordings() {
        assert_eq!(facts.cwd, CWD);
        let home = Home::new();
        home.write(&facts.source_id, std::fs::read(dir.join("source.jsonl")).unwrap());
        home.write(&facts.fork_id, std::fs::read(dir.join("fork.jsonl")).unwrap());
        let evidence = match home.resolve(&facts.source_id) {
            Ok(evidence) => evidence,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let proof = match home.prove_untouched(Some(&evidence), &facts.fork_id) {
            Ok(proof) => proof,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let inherited = proof.inherited.as_ref().unwrap();
        if inherited.records != facts.inherited.len() as u64 {
            wrong.push(format!(
                "{name}: {} records, not {}",
                inherited.records,
                facts.inherited.len()
            ));
        }
        if inherited.last_record != facts.inherited.last().cloned() {
            wrong.push(format!("{name}: ends with {:?}", inherited.last_record));
        }
        if evidence.effective_records != inherited.records {
            wrong.push(format!(
                "{name}: {} foretold, {} inherited",
                evidence.effective_records, inherited.records
            ));
        }
        summary.push(format!(
            "{name}: {} of {}; not: {}",
            proof.detail,
            facts.source_distinct_uuids,
            inherited.not_inherited.join(", ")
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!("recorded_forks", summary.join("\n"));
}
