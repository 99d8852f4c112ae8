//! Ids that are none, and ids nobody has.

use serde_json::json;

use crate::support::{
    Call, Calls, Files, Place, Rig, Runtime, assert_failed, codes, each_version, newest, seat, text,
};

/// The real runtime, each call of it written down.
struct Watched {
    place: Place,
    /// A conversation with a title.
    known: String,
    calls: Calls,
}

const TITLE: &str = "audit-of-the-parser";

impl Watched {
    fn new(runtime: &Runtime) -> Self {
        let place = Place::new(runtime);
        let mut talk = place.talk(&place.work, &["--name", TITLE]);
        talk.turn("Look at the parser, please");
        let known = talk.end();
        let calls = Calls::watch(&place);
        Self { place, known, calls }
    }

    /// How the runtime was called so far, but for being asked who it is.
    fn runs(&self) -> Vec<Vec<String>> {
        let asks = |call: &Call| call.has("--version") || call.has("--help");
        self.calls.all().into_iter().filter(|call| !asks(call)).map(|call| call.args).collect()
    }

    /// Runs something, and holds that it started nothing and left everything as it was.
    fn nothing_starts<T>(&self, run: impl FnOnce() -> T) -> T {
        let look = || Files::below([self.place.home(), self.place.work.clone()]);
        self.place.stub.forget();
        let before = look();
        let done = run();
        assert_eq!(self.runs(), [[""; 0]; 0], "no run of the runtime");
        assert_eq!(before.changes(&look()), [""; 0]);
        assert_eq!(self.place.tmux_sessions(), [""; 0], "no pane");
        assert_eq!(self.place.stub.requests().len(), 0);
        done
    }
}

// SPEC 3, 4, 13: an id that could be an option, a command, a path or nothing is refused by the spec, before anything at all is run.
#[test]
fn what_is_no_id_is_refused_before_any_process() {
    let watched = Watched::new(&newest());
    let long = "a".repeat(201);
    let known = watched.known.clone();
    let padded = format!(" {known}");
    let file = format!("{known}.jsonl/..");
    for (id, code) in [
        ("", "fork-value-missing"),
        ("   ", "fork-value-missing"),
        ("--help", "native-id-unsafe"),
        ("-r", "native-id-unsafe"),
        ("$(id)", "native-id-unsafe"),
        ("`id`", "native-id-unsafe"),
        ("a;id", "native-id-unsafe"),
        ("two words", "native-id-unsafe"),
        (&padded, "native-id-unsafe"),
        ("../x", "native-id-unsafe"),
        ("/etc/passwd", "native-id-unsafe"),
        (&file, "native-id-unsafe"),
        ("a\nb", "native-id-unsafe"),
        ("a\u{202e}b", "native-id-unsafe"),
        ("é", "native-id-unsafe"),
        (&long, "native-id-unsafe"),
    ] {
        watched.place.rig(&Rig::named("hostile").fork("reviewer", id).terminal("shell"));
        watched.nothing_starts(|| {
            for verb in ["validate", "plan", "up"] {
                let json = watched.place.run([verb, "--json", "work/rig.yaml"]).exits(3).json();
                let found = if verb == "validate" {
                    &json["diagnostics"]
                } else {
                    &json["details"]["diagnostics"]
                };
                assert_eq!(codes(found), [code], "{verb} {id:?}: {json:#}");
                assert_eq!(json["ok"], json!(false));
            }
            let said = watched.place.run(["up", "work/rig.yaml"]).exits(3);
            assert!(said.stderr().contains(&format!("error[{code}]")), "{said}");
            let shown =
                said.stderr().chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}');
            assert!(shown, "{:?}", said.stderr());
        });
        assert_eq!(watched.calls.all().len(), 0, "{id:?}: not even asked who it is");
        assert!(!watched.place.state_dir().exists(), "{id:?}: no store is made");
    }
}

// SPEC 6, 10: an id nobody has, an id in upper case and a title are refused at resolve: each names what was looked for, where, and what is near.
#[test]
fn an_id_nobody_has_is_refused_by_name() {
    each_version("ids that resolve to nothing", |runtime| {
        let watched = Watched::new(runtime);
        let known = &watched.known;
        // One digit of a known one is another.
        let last = if known.ends_with('0') { "1" } else { "0" };
        let near = format!("{}{last}", &known[..known.len() - 1]);
        let upper = known.to_uppercase();
        let projects = watched.place.home().join(".claude/projects").display().to_string();
        let nearest = format!("{known} (");
        let far = "00000000-0000-4000-8000-000000000000";
        let cases = [
            ("near", &*near, "source-not-found", vec![&*near, &projects, &nearest, TITLE]),
            ("far", far, "source-not-found", vec![far, &projects, &nearest]),
            ("upper", &upper, "native-id-malformed", vec![&upper, "did you mean", known]),
            ("title", TITLE, "native-id-malformed", vec![TITLE, "lower-case UUID"]),
            ("prefix", &known[..8], "native-id-malformed", vec![&known[..8]]),
            ("file", "session.jsonl", "native-id-malformed", vec!["session.jsonl"]),
        ];
        let rig =
            cases.iter().fold(Rig::named("lost"), |rig, (member, id, ..)| rig.fork(member, id));
        watched.place.rig(&rig);
        let (code, up) = watched.nothing_starts(|| watched.place.up());
        assert_eq!(code, 1, "{up:#}");
        let said = watched.nothing_starts(|| watched.place.run(["up", "work/rig.yaml"])).exits(1);
        let plan =
            watched.nothing_starts(|| watched.place.run(["plan", "--json", "work/rig.yaml"]));
        for (member, _, code, told) in &cases {
            let seat = seat(&up, member);
            let error = &seat["error"];
            let words = format!("{} {}", text(error, "/message"), error["hint"]);
            for told in told.iter().chain(&["claude-code", "nothing was started"]) {
                assert!(words.contains(told), "{member}: {told:?} is not in {words}");
            }
            // What is no id at all is refused before a launch is declared: it binds nothing.
            if *code == "native-id-malformed" {
                assert_eq!(error["code"], *code, "{member}");
                let facts = ["launch_state", "continuity_outcome", "token", "proof"];
                assert!(facts.iter().all(|fact| seat[*fact].is_null()), "{member}: {seat:#}");
                assert_eq!(
                    (&seat["failed_step"], &seat["action"]),
                    (&json!("resolve"), &json!("failed"))
                );
            } else {
                assert_failed(seat, code, "resolve");
            }
            assert!(plan.stdout().contains(code), "{plan}");
        }
        assert!(said.stdout().contains("this is not a fresh seat"), "{said}");
        assert!(said.stdout().contains("lost: 6 failed."), "{said}");
    });
}

// SPEC 7: a member whose source is not found fails alone; the others come up.
#[test]
fn a_member_whose_source_is_not_found_fails_alone() {
    let watched = Watched::new(&newest());
    let nobody = "00000000-0000-4000-8000-000000000000";
    watched.place.rig(&Rig::named("mixed").fork("lost", nobody).fork("found", &watched.known));
    let (code, up) = watched.place.up();
    assert_eq!(code, 1, "{up:#}");
    assert_eq!(seat(&up, "lost")["error"]["code"], "source-not-found");
    let found = seat(&up, "found");
    assert_eq!(
        (&found["continuity_outcome"], &found["process_state"]),
        (&json!("forked"), &json!("ready"))
    );
    assert!(watched.runs().iter().flatten().all(|arg| arg != nobody), "{:?}", watched.runs());
    assert_eq!(watched.runs().len(), 2, "one fork, one pane: {:?}", watched.runs());
    let seats = up["seats"].as_array().unwrap();
    assert!(seats.iter().all(|seat| seat["continuity_outcome"] != "fresh"), "{up:#}");
}
