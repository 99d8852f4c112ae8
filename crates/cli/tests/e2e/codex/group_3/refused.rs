//! Sources that cannot be inherited from: each is its own refusal, and no process is started for it.

use std::fs;

use seatfork_testkit::codex::{CodexHome as _, CodexThread, make_fork, make_parent};

use crate::support::{Files, Kind, Place, Rig, assert_failed, codex, seat, text};

/// A source, and what is said of it.
struct Refused {
    member: &'static str,
    id: String,
    code: &'static str,
    /// What the message must tell.
    told: Vec<String>,
}

fn sources(place: &Place) -> Vec<Refused> {
    let parent = make_parent(place, &place.work, 3);
    let path = |thread: &CodexThread| thread.path.display().to_string();
    let of = |member, code, thread: CodexThread| {
        let told = vec![path(&thread)];
        Refused { member, id: thread.id, code, told }
    };
    let at_line = |member, (thread, line): (CodexThread, usize)| {
        let told = vec![path(&thread), format!("line {line}")];
        Refused { member, id: thread.id, code: "source-damaged", told }
    };
    let torn = parent.torn();
    let lines = fs::read_to_string(&torn.path).unwrap().lines().count();
    let (twice, copy) = parent.on_two_days(place);
    let archived = parent.edited(|_| {}).archived(place);
    // A fork whose parent is gone.
    let middle = parent.edited(|_| {});
    let orphaned = make_fork(place, &middle, 1);
    fs::remove_file(&middle.path).unwrap();
    vec![
        at_line("torn", (torn, lines)),
        at_line("garbage", parent.with_garbage()),
        at_line("glued", parent.with_glued_rows()),
        at_line("wrong-header", (parent.with_wrong_header(), 1)),
        of("empty", "source-empty", parent.emptied()),
        of("header-alone", "source-empty", parent.only_header()),
        of("folder", "source-unreadable", parent.as_directory()),
        of("link", "source-unreadable", parent.as_symlink()),
        Refused {
            member: "twice",
            id: twice.id.clone(),
            code: "source-ambiguous",
            told: vec![path(&twice), copy.display().to_string()],
        },
        Refused {
            member: "archived",
            told: vec![path(&archived), format!("codex unarchive {}", archived.id)],
            id: archived.id,
            code: "source-archived",
        },
        Refused {
            member: "parent-gone",
            id: orphaned.id,
            code: "source-ancestor-gone",
            told: vec![middle.id],
        },
    ]
}

// SPEC 6, 10: damaged, empty, unreadable, ambiguous, archived and broken sources are refused by name, and nothing is started for them.
#[test]
fn what_codex_cannot_inherit_from_is_refused_and_nothing_is_started() {
    let place = Place::new(&codex());
    let sources = sources(&place);
    let rig = Rig::named("refused").of(Kind::Codex);
    place.rig(&sources.iter().fold(rig, |rig, one| rig.fork(one.member, &one.id)));
    let plan = place.run(["plan", "--json", "work/rig.yaml"]);
    let before = Files::below([place.codex_dir()]);
    place.stub.forget();
    let (code, up) = place.up();
    assert_eq!(code, 1, "{up:#}");
    for one in &sources {
        let seat = seat(&up, one.member);
        let error = &seat["error"];
        let said = format!("{}\n{}", text(error, "/message"), error["hint"]);
        assert_eq!(error["code"], one.code, "{}: {said}", one.member);
        for told in &one.told {
            assert!(said.contains(told), "{}: {told} is not told: {said}", one.member);
        }
        assert!(said.contains("nothing was started"), "{said}");
        assert_failed(seat, one.code, "resolve");
        // What `up` refuses, `plan` tells beforehand.
        assert!(plan.stdout().contains(one.code), "{}: {plan}", one.member);
    }
    assert_eq!(before.changes(&Files::below([place.codex_dir()])), [""; 0], "no runtime ran");
    assert_eq!(place.tmux_sessions(), [""; 0]);
    assert_eq!(place.stub.requests().len(), 0);
}
