//! Sources a fork can inherit from: what the runtime itself would go on from is proved, and reaches the model.

use std::time::Duration;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::model_stub::ModelRequest;
use seatfork_testkit::transcript::{History, Transcript};
use seatfork_testkit::world::{Growing, Parent};
use serde_json::{Value, json};

use crate::support::{Files, Place, Rig, each_version, is_newest, newest, seat, text, timed};

const QUESTION: &str = "What do you remember of all this?";
const PATIENCE: Duration = Duration::from_secs(20);

/// A source, and where it is forked to.
struct Usable {
    member: &'static str,
    parent: Parent,
    cwd: std::path::PathBuf,
}

fn sources(place: &mut Place) -> Vec<Usable> {
    let work = place.work.clone();
    let elsewhere = place.trusted_dir("far/away");
    let repo = place.git_repo("repo");
    let worktree = place.git_worktree(&repo, "tree");
    place.trust(&repo);
    place.trust(&worktree);
    let here = |member, parent| Usable { member, parent, cwd: work.clone() };
    let rewound = place.make_rewound(&work);
    let in_repo = place.make_parent(&repo, 2);
    let mut sources = vec![
        here("compacted-twice", place.make_compacted(&work, &[2, 2, 2])),
        here("old-branch", rewound.on_its_old_branch()),
        here("tools", place.make_with_tools(&work)),
        here("elsewhere", place.make_parent(&elsewhere, 2)),
        Usable { member: "in-a-worktree", parent: in_repo, cwd: worktree.clone() },
    ];
    if is_newest(&place.runtime) {
        let in_worktree = place.make_parent(&worktree, 2);
        sources.extend([
            here("compacted-once", place.make_compacted(&work, &[3, 2])),
            here("compacted-at-the-end", place.make_compacted(&work, &[3, 0])),
            here("subagent", place.make_with_subagent(&work)),
            here("sidechain", rewound.with_sidechain()),
            here("rewound", rewound),
            here("from-a-worktree", in_worktree),
        ]);
    }
    sources
}

// SPEC 6, 8: compacted, rewound, with tools, attachments and sidechains, from elsewhere: proved, and what the model gets is that.
#[test]
fn what_can_be_inherited_from_is_forked_proved_and_remembered() {
    each_version("sources that are forked", |runtime| {
        let mut place = Place::new(runtime);
        let sources = timed("  the sources", || sources(&mut place));
        let rig = sources.iter().fold(Rig::named("forked"), |rig, one| {
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
            is_proved(&place, one, seat(&up, one.member));
        }
        timed("  a first message to each", || {
            for one in &sources {
                is_remembered(&place, one, "forked", text(seat(&up, one.member), "/token"));
            }
        });
        assert_eq!(before.changes(&Files::below(&paths)), [""; 0]);
        let verify = place.run(["verify", "--json"]).exits(0).json();
        assert_eq!(verify["verified"].as_array().map(Vec::len), Some(sources.len()), "{verify:#}");
    });
}

fn is_proved(place: &Place, one: &Usable, seat: &Value) {
    let facts = (&seat["proof"]["grade"], &seat["proof"]["status"], &seat["continuity_outcome"]);
    assert_eq!(facts, (&json!("L3"), &json!("proved"), &json!("forked")), "{}", one.member);
    let history = History::of(&one.parent.read()).unwrap();
    let child = Transcript::read(&place.transcript(&one.cwd, text(seat, "/token")));
    let uuids: Vec<_> = child.conversation().filter_map(|row| row.uuid()).collect();
    let inherited = history.uuids();
    assert_eq!(uuids[..inherited.len()], inherited, "{}", one.member);
    // What stays behind is counted and said.
    let left = one.parent.read().conversation().count() - inherited.len();
    let said = format!("{} {}", seat["proof"]["detail"], seat["warnings"]);
    assert_eq!(
        left > 0,
        said.contains("not inherited"),
        "{left} left out of {}: {said}",
        one.member
    );
}

fn is_remembered(place: &Place, one: &Usable, rig: &str, token: &str) {
    place.pane(&format!("dev-{}@{rig}", one.member)).type_line(QUESTION);
    let of_seat = |request: &ModelRequest| {
        request.is_turn()
            && request.session_id() == Some(token)
            && request.body.to_string().contains(QUESTION)
    };
    let seen = place.stub.wait_for(of_seat, PATIENCE);
    let heard = seen.unwrap_or_else(|| panic!("no request of {}", one.member)).user_codewords();
    let missing: Vec<_> =
        one.parent.codewords.iter().filter(|word| !heard.contains(word)).collect();
    assert!(missing.is_empty(), "{}: {missing:?} not in {heard:?}", one.member);
    let wrong: Vec<_> = one.parent.left_out.iter().filter(|word| heard.contains(word)).collect();
    assert!(wrong.is_empty(), "{}: {wrong:?} in {heard:?}", one.member);
}

// SPEC 8: a source that is being written is forked at one instant of it, its growth is said, its old bytes hold.
#[test]
fn a_source_that_grows_is_forked_as_of_one_instant() {
    let place = Place::new(&newest());
    let parent = place.make_parent(&place.work, 4);
    let old = std::fs::read(&parent.path).unwrap();
    place.rig(&Rig::named("live").fork("reviewer", &parent.id));
    let growing = Growing::start(&parent, Duration::from_millis(120));
    let (code, up) = timed("a live source", || place.up());
    let rows = growing.rows();
    drop(growing);
    assert_eq!(code, 0, "{up:#}");
    assert!(rows > 0, "it did not grow");
    let reviewer = seat(&up, "reviewer");
    assert_eq!(
        (&reviewer["proof"]["grade"], &reviewer["continuity_outcome"]),
        (&json!("L3"), &json!("forked"))
    );
    let said = reviewer["warnings"].to_string() + text(reviewer, "/proof/detail");
    assert!(said.contains("source is live, grew by "), "{said}");
    let now = std::fs::read(&parent.path).unwrap();
    assert!(now.starts_with(&old) && now.len() > old.len(), "only appended to");
    let child = Transcript::read(&place.transcript(&place.work, text(reviewer, "/token")));
    let heard = child.text();
    assert!(parent.codewords.iter().all(|word| heard.contains(word)));
    drop(place.run(["verify"]).exits(0));
}

// SPEC 6, 8, 11: the conversation of a seat that runs is a source like any other; the seat goes on with it, and the line is kept.
#[test]
fn a_seat_that_runs_is_forked_and_goes_on() {
    let place = Place::new(&newest());
    let parent = place.make_parent(&place.work, 2);
    place.rig(&Rig::named("first").fork("reviewer", &parent.id));
    let (code, first) = place.up();
    assert_eq!(code, 0, "{first:#}");
    let running = text(seat(&first, "reviewer"), "/token");
    let said = "The parser is done; please remember that.";
    place.pane("dev-reviewer@first").type_line(said);
    let turn = |request: &ModelRequest| request.is_turn() && request.session_id() == Some(running);
    assert!(place.stub.wait_for(turn, PATIENCE).is_some());
    let own = place.transcript(&place.work, running);
    let answered = || {
        let rows = Transcript::read(&own).rows;
        let asked = rows.iter().position(|row| row.kind() == "user" && row.text.contains(said))?;
        rows[asked..].iter().find(|row| row.kind() == "assistant").map(drop)
    };
    place.wait_until("its answer is on disk", answered);
    place.wait_until("it is idle", || {
        place.live_sessions().iter().any(|one| one["status"] == "idle").then_some(())
    });
    let source = Files::below([&own]);
    place.rig(&Rig::named("second").fork("checker", running));
    let (code, second) = timed("a fork of a running seat", || place.up());
    assert_eq!(code, 0, "{second:#}");
    let checker = seat(&second, "checker");
    assert_eq!(
        (&checker["proof"]["grade"], &checker["source"]["native_id"]),
        (&json!("L3"), &json!(running))
    );
    assert_eq!(source.changes(&Files::below([&own])), [""; 0]);
    let one = Usable { member: "checker", cwd: place.work.clone(), parent };
    is_remembered(&place, &one, "second", text(checker, "/token"));
    let (code, ps) = place.ps();
    assert_eq!((code, &seat(&ps, "reviewer")["token"]), (0, &json!(running)), "{ps:#}");
    let lineage = place.run(["lineage", "--json"]).exits(0).json();
    let nodes = lineage["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 3, "{lineage:#}");
    assert!(nodes.iter().all(|node| node["root_native_id"] == one.parent.id), "{lineage:#}");
}
