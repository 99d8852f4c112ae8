//! Making conversations and serving them.

use super::sources::source;
use crate::bench::{Bench, Made, block_on};
use crate::files::{below, changed};
use seatfork_adapters::{
    Observation, PaneStart, Phase1, Phase1Ask, ProcessId, ResolveError, Surroundings,
};
use seatfork_schema::{ProofGrade, ProofStatus, Scope};
use std::time::{Duration, Instant};

/// A fork of a new source.
fn forked(bench: &Bench<'_>) -> Made {
    let source = source(bench);
    bench.launch(Some(&source.id), bench.subject.cwd()).expect("it is forked")
}

pub(super) fn description(bench: &Bench<'_>) {
    let adapter = bench.adapter();
    let described = adapter.describe();
    assert_eq!(described.runtime, adapter.runtime());
    assert_eq!(described.fork, bench.subject.source(1).is_some());
    assert!(bench.binary.path.is_absolute(), "{}", bench.binary.path);
    if described.fork {
        assert!(!described.tested_versions.is_empty() && !described.inherits.is_empty());
        return;
    }
    // A runtime that forks nothing says so at every step where one could slip in.
    let wish = bench.wish(true, bench.subject.cwd());
    assert_eq!(adapter.check(&wish, &bench.binary).len(), 1);
    let refused = bench.resolve("0b0165d7-cb4d-4650-90de-15c0a1ede9e6").expect_err("no fork");
    assert!(matches!(refused, ResolveError::CannotFork(_)), "{refused:?}");
    let ask = Phase1Ask {
        wish: &wish,
        binary: &bench.binary,
        source: None,
        child: None,
        nonce: "n",
        surroundings: &Surroundings::default(),
    };
    assert!(adapter.phase1(&ask).is_err());
    assert!(adapter.plan_child().is_none());
}

pub(super) fn fork(bench: &Bench<'_>) {
    let source = source(bench);
    let bytes = std::fs::read(&source.path).expect("its record");
    let made = bench.launch(Some(&source.id), bench.subject.cwd()).expect("it is forked");
    is_a_child(bench, &made, &source.id);
    assert_eq!(std::fs::read(&source.path).expect("its record"), bytes, "the source is untouched");
    // Each fork is one of its own.
    let other = bench.launch(Some(&source.id), bench.subject.cwd()).expect("it is forked again");
    assert_ne!(other.child, made.child);
    // And a token: the source is not it.
    assert_ne!(bench.token(&made).conversation().native_id.as_str(), source.id);
}

fn is_a_child(bench: &Bench<'_>, made: &Made, source: &str) {
    assert_ne!(made.child.native_id.as_str().to_lowercase(), source.to_lowercase());
    assert_eq!(made.proof.status, ProofStatus::Proved);
    assert_eq!(made.proof.grade, ProofGrade::L3, "{}", made.proof);
    let evidence = made.source.as_ref().expect("a fork has a source");
    let inherited = made.proof.inherited.as_ref().expect("a fork inherits");
    assert_eq!(inherited.records, evidence.effective_records, "{}", made.proof);
    let place = block_on(bench.adapter().locate(&made.child, &bench.env)).expect("a look");
    assert!(place.is_some_and(|path| path.is_file()), "it stands on disk");
    let used = block_on(bench.adapter().in_use(&made.child, &bench.env)).expect("a look");
    assert_eq!(used, None, "nobody serves it after phase 1");
}

pub(super) fn fork_of_fork(bench: &Bench<'_>) {
    let first = forked(bench);
    let id = first.child.native_id.to_string();
    let second = bench.launch(Some(&id), bench.subject.cwd()).expect("the fork is forked");
    is_a_child(bench, &second, &id);
    let third = second.child.native_id.to_string();
    let third = bench.launch(Some(&third), bench.subject.cwd()).expect("and its fork");
    is_a_child(bench, &third, second.child.native_id.as_str());
}

pub(super) fn cwd(bench: &Bench<'_>) {
    let source = source(bench);
    let elsewhere = bench.subject.other_cwd();
    assert_ne!(source.cwd, elsewhere);
    if bench.adapter().scope(&elsewhere) != Scope::everywhere() {
        // Its conversations belong to a directory: a source is looked for in the seat's own and nowhere else.
        let looked = bench.launch(Some(&source.id), elsewhere).expect_err("it is not there");
        assert_eq!(looked.code().as_str(), "source-not-found");
        return;
    }
    let made = bench.launch(Some(&source.id), elsewhere.clone()).expect("it is forked");
    is_a_child(bench, &made, &source.id);
    let child = made.child.native_id.to_string();
    let seen = bench.resolve(&child).expect("the child is a conversation like any other");
    assert_eq!(seen.recorded_cwd.as_deref(), Some(elsewhere.as_str()));
    // In its seat's directory it is proved, in another one it is not what was asked for.
    let adapter = bench.adapter();
    let here = bench.subject.cwd();
    let elsewhere = adapter.prove_untouched(made.source.as_ref(), &made.child, &bench.env, &here);
    assert!(block_on(elsewhere).is_err(), "it was made elsewhere");
}

pub(super) fn fresh(bench: &Bench<'_>) {
    let adapter = bench.adapter();
    if !adapter.describe().fresh {
        let wish = bench.wish(false, bench.subject.cwd());
        let ask = Phase1Ask {
            wish: &wish,
            binary: &bench.binary,
            source: None,
            child: None,
            nonce: "n",
            surroundings: &Surroundings::default(),
        };
        let plan = adapter.phase1(&ask).expect("a plan");
        assert_eq!(plan, Phase1::NoConversation);
        return;
    }
    let known = bench.subject.source(2).expect("a prior one, not to be used");
    let made = bench.launch(None, bench.subject.cwd()).expect("it is made");
    assert_eq!(made.proof.status, ProofStatus::Proved);
    assert!(made.proof.inherited.is_none(), "{}", made.proof);
    assert_ne!(made.child.native_id.as_str(), known.id);
    let place = block_on(adapter.locate(&made.child, &bench.env)).expect("a look");
    let text = std::fs::read_to_string(place.expect("it stands on disk")).expect("its record");
    assert!(!text.contains(&known.id) && !text.contains("CODEWORD-"), "nothing is inherited");
}

fn serving(made: &Made) -> Observation {
    Observation::Serving { conversation: made.child.clone(), ready: true }
}

pub(super) fn resume(bench: &Bench<'_>) {
    if needs_no_pane(bench) {
        return;
    }
    let described = bench.adapter().describe();
    if !described.resume {
        let pane = bench.open(None, &Observation::Up);
        pane.close();
        assert_eq!(bench.observe(pane.as_ref()), Observation::Gone);
        return;
    }
    for made in [forked(bench), bench.launch(None, bench.subject.cwd()).expect("it is made")] {
        let pane = bench.open(Some(&made), &serving(&made));
        let used = block_on(bench.adapter().in_use(&made.child, &bench.env)).expect("a look");
        assert!(used.is_some(), "who serves it is told");
        pane.close();
        assert_eq!(bench.observe(pane.as_ref()), Observation::Gone);
        // What the pane's process started may end a moment after it.
        let until = Instant::now() + Duration::from_secs(5);
        let used = || block_on(bench.adapter().in_use(&made.child, &bench.env)).expect("a look");
        while used().is_some() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(used(), None, "nobody does any more");
    }
}

/// Whether a seat with this binary has no process; then no pane is planned for it either.
fn needs_no_pane(bench: &Bench<'_>) -> bool {
    let adapter = bench.adapter();
    if adapter.needs_process(&bench.binary) {
        return false;
    }
    let made = forked(bench);
    let (wish, token) = (bench.wish(true, bench.subject.cwd()), bench.token(&made));
    assert!(adapter.pane(&wish, &bench.binary, PaneStart::Resume(&token)).is_err());
    true
}

pub(super) fn capture(bench: &Bench<'_>) {
    if needs_no_pane(bench) {
        return;
    }
    let (one, two) = (forked(bench), forked(bench));
    let first = bench.open(Some(&one), &serving(&one));
    let second = bench.open(Some(&two), &serving(&two));
    assert_eq!(bench.observe(first.as_ref()), serving(&one));
    let adapter = bench.adapter();
    let me = ProcessId::of(std::process::id()).expect("a look").expect("this process");
    let own = block_on(adapter.observe(me, &bench.env));
    assert!(!matches!(own, Observation::Serving { .. }), "this process serves none: {own:?}");
    first.close();
    assert_eq!(bench.observe(second.as_ref()), serving(&two));
    second.close();
}

pub(super) fn side_effects(bench: &Bench<'_>) {
    let source = source(bench);
    let effects = bench.subject.side_effects();
    let before = below(bench.subject.home());
    let made = bench.launch(Some(&source.id), bench.subject.cwd()).expect("it is forked");
    bench.launch(None, bench.subject.cwd()).expect("it is made");
    assert_eq!(bench.subject.side_effects(), effects, "of {:?}", made.child);
    let after = below(bench.subject.home());
    // What the runtime keeps for itself (counters, indexes, databases) is its own; conversations
    // and settings are the user's.
    let users = |path: &camino::Utf8PathBuf| {
        let name = path.file_name().unwrap_or_default();
        path.extension() == Some("jsonl") && name != "session_index.jsonl"
            || ["config.toml", "settings.json", "hooks.json"].contains(&name)
    };
    let changed: Vec<_> = changed(&before, &after).into_iter().filter(users).collect();
    assert_eq!(changed, [""; 0]);
}
