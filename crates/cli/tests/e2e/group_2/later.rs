//! A child that was proved, and what `verify` says when somebody changed it or its source since.

use std::fs;
use std::path::Path;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::transcript::{Row, Transcript};
use seatfork_testkit::world::Parent;
use serde_json::{Value, json};

use crate::support::{Files, Place, Rig, each_version, seat, text};

/// A fork by the real runtime, taken down again, so that nobody writes.
struct Forked {
    place: Place,
    parent: Parent,
    child: Transcript,
    path: std::path::PathBuf,
}

fn forked(runtime: &crate::support::Runtime) -> Forked {
    let place = Place::new(runtime);
    let parent = place.make_parent(&place.work, 4);
    place.rig(&Rig::named("review").fork("reviewer", &parent.id));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    drop(place.run(["down"]).exits(0));
    let path = place.transcript(&place.work, text(seat(&up, "reviewer"), "/token"));
    Forked { child: Transcript::read(&path), place, parent, path }
}

impl Forked {
    /// `verify` on what stands there now; nothing of the user's is touched by it.
    fn verify(&self, exit: i32) -> Value {
        let before = Files::below([self.place.home(), self.place.work.clone()]);
        let text = self.place.run(["verify"]).exits(exit);
        let report = self.place.run(["verify", "--json"]).exits(exit).json();
        let after = Files::below([self.place.home(), self.place.work.clone()]);
        let mut changes = before.changes(&after);
        // What the runtime started may outlive it by a moment, and notes that it looked for an update of its own.
        changes.retain(|change| !change.contains("/.npm/"));
        assert_eq!(changes, [""; 0], "verify looks and no more");
        assert_eq!(report["ok"], json!(exit == 0));
        let one = &report["verified"].as_array().unwrap()[0];
        assert_eq!(one["outcome"], "forked", "what was stored stays: {one:#}");
        assert!(text.stdout().contains(one["status"].as_str().unwrap()), "{text}");
        one.clone()
    }

    fn verdict(&self, exit: i32) -> (String, Option<String>) {
        let one = self.verify(exit);
        (text(&one, "/status").to_owned(), one["code"].as_str().map(str::to_owned))
    }

    /// The child's file with other rows.
    fn write(&self, edit: impl FnOnce(&mut Vec<Row>)) {
        let mut child = self.child.clone();
        edit(&mut child.rows);
        fs::write(&self.path, child.text()).unwrap();
    }

    /// The place of an inherited reply in the middle.
    fn middle(&self) -> usize {
        let reply = self.child.replies()[1].uuid().map(str::to_owned);
        self.child.rows.iter().position(|row| row.uuid() == reply.as_deref()).unwrap()
    }
}

// SPEC 8, 13: a child that was changed after it was proved is refuted, exit 6; as it was, it is proved again.
#[test]
fn a_child_changed_afterwards_is_refuted() {
    each_version("a child changed afterwards", |runtime| {
        let forked = forked(runtime);
        let at = forked.middle();
        let refuted = ("refuted".to_owned(), Some("proof-failed".to_owned()));
        assert_eq!(forked.verdict(0).0, "proved");
        forked.write(|rows| {
            let said = rows[at].json["message"]["content"][0]["text"].as_str().unwrap().to_owned();
            rows[at] = rows[at].replacing(&said, "something else was said");
        });
        assert_eq!(forked.verdict(6), refuted, "changed");
        forked.write(|rows| {
            let (gone, heir) = (rows.remove(at), at);
            let parent = gone.parent().unwrap();
            rows[heir] = rows[heir].with("parentUuid", parent);
        });
        assert_eq!(forked.verdict(6), refuted, "missing");
        forked.write(|rows| {
            let (one, two) = (rows[at].clone(), rows[at + 1].clone());
            let own = |row: &Row| row.uuid().unwrap().to_owned();
            let next = rows.iter().position(|row| row.parent() == two.uuid()).unwrap();
            rows[next] = rows[next].with("parentUuid", &own(&one));
            rows[at] = two.with("parentUuid", one.parent().unwrap());
            rows[at + 1] = one.with("parentUuid", &own(&two));
        });
        assert_eq!(forked.verdict(6), refuted, "swapped");
        forked.write(|rows| {
            let uuid = "11111111-1111-4111-8111-111111111111";
            let foreign = rows[at].with("uuid", uuid);
            rows[at] = rows[at].with("parentUuid", uuid);
            rows.insert(at, foreign);
        });
        assert_eq!(forked.verdict(6), refuted, "foreign");
        forked.write(|_| {});
        assert_eq!(forked.verdict(0).0, "proved");
        fs::remove_file(&forked.path).unwrap();
        assert_eq!(
            forked.verdict(6),
            ("unverifiable".to_owned(), Some("child-missing".to_owned()))
        );
    });
}

// SPEC 8, 13: with its source gone or unreadable a fork is unverifiable, exit 6, which doubts nothing.
#[test]
fn a_source_that_is_gone_makes_a_fork_unverifiable() {
    each_version("a source deleted afterwards", |runtime| {
        let forked = forked(runtime);
        let source: &Path = &forked.parent.path;
        let bytes = fs::read(source).unwrap();
        fs::remove_file(source).unwrap();
        assert_eq!(forked.verdict(6), ("unverifiable".to_owned(), Some("source-gone".to_owned())));
        let (_, ps) = forked.place.ps();
        assert_eq!(seat(&ps, "reviewer")["continuity_outcome"], "forked", "{ps:#}");
        fs::create_dir(source).unwrap();
        assert_eq!(forked.verdict(6).0, "unverifiable", "a directory in its place");
        fs::remove_dir(source).unwrap();
        fs::write(source, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(forked.verdict(6).0, "unverifiable", "half of it");
        fs::write(source, &bytes).unwrap();
        assert_eq!(forked.verdict(0).0, "proved");
    });
}
