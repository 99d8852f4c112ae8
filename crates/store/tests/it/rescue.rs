//! Rescue files (SPEC 7, `token-not-stored`).

use crate::support::*;
use camino::Utf8PathBuf;
use seatfork_schema::{ProofGrade, Runtime};
use seatfork_store::rescue::{self, Rescue, RescueError};
use std::os::unix::fs::PermissionsExt;

fn rescued(home: &mut Home) -> (Utf8PathBuf, Rescue) {
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    let rescue = Rescue {
        launch: launch.id,
        seat: seat.id,
        seat_name: seat.name,
        child: claude("c1"),
        source: Some(source("s1")),
        proof: proof(ProofGrade::L3),
        why: "no space left".into(),
        at: at(9),
    };
    (home.store.rescue_dir(), rescue)
}

// SPEC 7: id and proof are in a 0600 rescue file, and read back as they were.
#[test]
fn a_rescued_child_reads_back() {
    let mut home = Home::new();
    let (dir, mut rescue) = rescued(&mut home);
    assert!(rescue::list(&dir).unwrap().is_empty());
    let path = rescue::write(&dir, &rescue).unwrap();
    let mode = |path: &Utf8PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&dir)), (0o600, 0o700));
    assert_eq!(rescue::read(&path).unwrap(), rescue);
    assert_eq!(rescue::write(&dir, &rescue).unwrap(), path, "the same again is recognised");

    rescue.child = claude("c2");
    let other = rescue::write(&dir, &rescue).unwrap_err();
    assert!(matches!(other, RescueError::OtherThere { .. }), "{other:?}");
    assert_eq!(rescue::read(&path).unwrap().child, claude("c1"), "nothing was replaced");
    assert_eq!(dir.read_dir_utf8().unwrap().count(), 1, "no litter");

    rescue::remove(&path).unwrap();
    assert!(rescue::list(&dir).unwrap().is_empty());
    assert!(matches!(rescue::remove(&path), Err(RescueError::Io { .. })));
}

// SPEC 7: a rescued pixir child keeps its workspace.
#[test]
fn a_rescued_child_keeps_its_scope() {
    let mut home = Home::new();
    let (dir, rescue) = rescued(&mut home);
    let rescue = Rescue { child: id(Runtime::Pixir, "c1"), source: None, ..rescue };
    let path = rescue::write(&dir, &rescue).unwrap();
    assert_eq!(rescue::read(&path).unwrap(), rescue);
}

// SPEC 7: one file that cannot be read does not hide the others, nor itself.
#[test]
fn unreadable_rescue_files_are_listed_with_their_reason() {
    let mut home = Home::new();
    let (dir, rescue) = rescued(&mut home);
    let path = rescue::write(&dir, &rescue).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for (name, content) in [
        ("a-newer", text.replace("\"seatfork_rescue\": 1", "\"seatfork_rescue\": 2")),
        ("b-torn", text[..text.len() / 2].to_owned()),
        ("c-foreign", "{\"x\": 1}".to_owned()),
        ("d-unsafe", text.replace("\"c1\"", "\"$(id)\"")),
        ("e-huge", format!("{text}{}", " ".repeat(1 << 20))),
    ] {
        std::fs::write(dir.join(format!("{name}.json")), content).unwrap();
    }
    std::fs::write(dir.join(".half-written"), "x").unwrap();
    std::os::unix::fs::symlink(&path, dir.join("f-link.json")).unwrap();
    let listed: Vec<String> = rescue::list(&dir)
        .unwrap()
        .into_iter()
        .map(|found| match found.rescue {
            Ok(_) => "ok".to_owned(),
            Err(RescueError::Newer { found, .. }) => format!("newer {found}"),
            Err(RescueError::Malformed { .. }) => "malformed".to_owned(),
            Err(RescueError::Io { .. }) => "io".to_owned(),
            Err(RescueError::OtherThere { .. }) => "other".to_owned(),
        })
        .collect();
    let expected = ["ok", "newer 2", "malformed", "malformed", "malformed", "malformed", "io"];
    assert_eq!(listed, expected);
}
