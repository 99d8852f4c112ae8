//! Sources that cannot be inherited from: each is its own refusal, and no process is started for it.

use std::fs;

use crate::support::{Files, Place, Rig, assert_failed, each_version, seat, text};
use seatfork_testkit::world::Parent;

/// A source, and what is said of it.
struct Refused {
    member: &'static str,
    parent: Parent,
    code: &'static str,
    /// What the message must tell.
    told: Vec<String>,
}

fn sources(place: &Place) -> Vec<Refused> {
    let parent = place.make_parent(&place.work, 3);
    let path = |parent: &Parent| parent.path.display().to_string();
    let of = |member, code, parent: Parent| {
        let told = vec![path(&parent)];
        Refused { member, parent, code, told }
    };
    let at_line = |member, (parent, line): (Parent, usize)| {
        let told = vec![path(&parent), format!("line {line}")];
        Refused { member, parent, code: "source-damaged", told }
    };
    let torn = parent.torn();
    let lines = fs::read_to_string(&torn.path).unwrap().lines().count();
    let copied = parent.edited(|_| {});
    let other = copied.copied_to(place, &place.dir("other"));
    vec![
        at_line("torn", (torn, lines)),
        at_line("garbage", parent.with_garbage()),
        at_line("glued", parent.with_glued_rows()),
        of("empty", "source-empty", parent.emptied()),
        of("meta", "source-empty", parent.only_meta_rows()),
        of("folder", "source-unreadable", parent.as_directory()),
        of("link", "source-unreadable", parent.as_symlink()),
        Refused {
            member: "twice",
            code: "source-ambiguous",
            told: vec![path(&copied), other.display().to_string()],
            parent: copied,
        },
    ]
}

// SPEC 6, 10: damaged, empty, unreadable and ambiguous sources are refused by name, and nothing is started for them.
#[test]
fn what_cannot_be_inherited_from_is_refused_and_nothing_is_started() {
    each_version("sources that are refused", |runtime| {
        let place = Place::new(runtime);
        let sources = sources(&place);
        let rig = sources
            .iter()
            .fold(Rig::named("refused"), |rig, one| rig.fork(one.member, &one.parent.id));
        place.rig(&rig);
        let plan = place.run(["plan", "--json", "work/rig.yaml"]);
        let before = Files::below([place.home()]);
        place.stub.forget();
        let (code, up) = place.up();
        assert_eq!(code, 1, "{up:#}");
        for one in &sources {
            let seat = seat(&up, one.member);
            let error = &seat["error"];
            let said = format!("{}\n{}", text(error, "/message"), error["hint"]);
            for told in &one.told {
                assert!(said.contains(told), "{told} is not told: {said}");
            }
            assert!(said.contains("nothing was started"), "{said}");
            assert_failed(seat, one.code, "resolve");
            // What `up` refuses, `plan` tells beforehand.
            assert!(plan.stdout().contains(one.code), "{}: {plan}", one.member);
        }
        assert_eq!(before.changes(&Files::below([place.home()])), [""; 0], "no runtime ran");
        assert_eq!(place.tmux_sessions(), [""; 0]);
        assert_eq!(place.stub.requests().len(), 0);
    });
}
