//! Sources that can be forked: proved, and what the model gets is that.

use std::path::PathBuf;

use seatfork_testkit::codex::{CodexThread, make_fork, make_parent};
use serde_json::json;

use super::super::{ask, assert_by_reference, assert_forked, with_parent};
use crate::support::{Files, Kind, Place, Rig, codex, seat, text, timed};

/// A source, where its fork is to live, and whether the child names its history in place of holding it.
struct Usable {
    member: &'static str,
    parent: CodexThread,
    cwd: PathBuf,
    by_reference: bool,
}

fn sources(place: &mut Place) -> Vec<Usable> {
    let work = place.work.clone();
    let repo = place.git_repo("repo");
    let worktree = place.git_worktree(&repo, "tree");
    place.trust(&repo);
    place.trust(&worktree);
    let elsewhere = place.dir("far/away");
    let plain = make_parent(place, &work, 3);
    let of = |member, parent: &CodexThread, cwd: &PathBuf, by_reference| Usable {
        member,
        parent: parent.clone(),
        cwd: cwd.clone(),
        by_reference,
    };
    let in_repo = make_parent(place, &repo, 2);
    let far = make_parent(place, &elsewhere, 2);
    vec![
        of("plain", &plain, &work, true),
        of("elsewhere", &far, &work, true),
        of("in-a-worktree", &in_repo, &worktree, true),
        of("legacy", &plain.as_legacy(), &work, false),
        of("forked-by-hand", &make_fork(place, &plain, 1), &work, true),
        of("nobody-indexed", &plain.edited(|_| {}), &work, true),
    ]
}

// SPEC 6, 8: paginated and legacy, from elsewhere and from a worktree, a fork itself: proved, and what the model gets is that.
#[test]
fn what_codex_can_inherit_from_is_forked_proved_and_remembered() {
    let mut place = Place::new(&codex());
    let sources = timed("  the sources", || sources(&mut place));
    let rig = sources.iter().fold(Rig::named("forked").of(Kind::Codex), |rig, one| {
        rig.fork_in(one.member, &one.parent.id, &one.cwd)
    });
    place.rig(&rig);
    let paths: Vec<_> = sources.iter().map(|one| &one.parent.path).collect();
    let before = Files::below(&paths);
    place.stub.forget();
    let (code, up) = timed("  up", || place.up());
    assert_eq!(code, 0, "{up:#}");
    assert_eq!(place.stub.model_calls().len(), 0);
    for one in &sources {
        let seat = seat(&up, one.member);
        let child = assert_forked(&place, seat, &one.parent);
        if one.by_reference {
            assert_by_reference(seat, &child, &one.parent, one.parent.bytes().len());
        } else {
            assert!(child.header()["history_base"].is_null(), "{}", one.member);
            assert!(!seat["proof"].to_string().contains("by reference"), "{seat:#}");
        }
        assert_eq!(child.header()["cwd"], json!(one.cwd), "{}", one.member);
    }
    timed("  a first message to each", || {
        for one in &sources {
            let name = format!("dev-{}@forked", one.member);
            let request = ask(&place, &name, text(seat(&up, one.member), "/token"));
            assert_eq!(request.user_codewords(), one.parent.codewords, "{}", one.member);
        }
    });
    assert_eq!(before.changes(&Files::below(&paths)), [""; 0]);
    let verify = place.run(["verify", "--json"]).exits(0).json();
    assert_eq!(verify["verified"].as_array().map(Vec::len), Some(sources.len()), "{verify:#}");
}

// SPEC 6, 8: an old conversation that Codex has packed away in its place is read, forked and proved as the one it is.
#[test]
fn a_packed_codex_source_is_forked_and_proved() {
    let (place, parent) = with_parent(2);
    let packed = parent.compressed();
    place.rig(&Rig::named("packed").of(Kind::Codex).fork("a", &packed.id));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let a = seat(&up, "a");
    assert_forked(&place, a, &packed);
    assert_eq!(ask(&place, "a", text(a, "/token")).user_codewords(), packed.codewords);
    drop(place.run(["verify"]).exits(0));
}

// SPEC 6, 8: a first fork of a large conversation that Codex has in no index, within its deadline; the child stays small.
#[test]
fn a_large_codex_source_nobody_indexed_is_forked_and_proved() {
    let (place, parent) = with_parent(2);
    let parent = parent.grown(60_000_000);
    let source = Files::below([&parent.path]);
    place.rig(&Rig::named("large").of(Kind::Codex).fork("reader", &parent.id));
    let (code, up) = timed("up with a Codex source of 60 MB", || place.up());
    assert_eq!(code, 0, "{up:#}");
    let reader = seat(&up, "reader");
    let child = assert_forked(&place, reader, &parent);
    assert_by_reference(reader, &child, &parent, parent.bytes().len());
    assert!(child.text().len() < 1_000_000, "{} bytes", child.text().len());
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    timed("verify of 60 MB", || drop(place.run(["verify"]).exits(0)));
}
