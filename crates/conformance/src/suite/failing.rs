//! Runtimes that do not make a conversation as they should.

use super::sources::source;
use crate::bench::{Bench, Failure};
use crate::subject::Misdeed;
use std::time::Duration;

/// The failure of a fork by a runtime that does this; afterwards the same runtime forks.
fn failed(bench: &Bench<'_>, misdeed: &Misdeed) -> Failure {
    let source = source(bench);
    assert!(bench.subject.tell(Some(misdeed)), "it can be told {misdeed:?}");
    let failure = bench
        .launch_within(Some(&source.id), Duration::from_secs(2))
        .expect_err("no conversation to have");
    assert!(bench.subject.tell(None));
    if *misdeed != Misdeed::ChangeSource {
        bench.launch(Some(&source.id), bench.subject.cwd()).expect("then it is forked");
    }
    failure
}

fn is_one_of(failure: &Failure, codes: &[&str]) {
    assert!(codes.contains(&failure.code().as_str()), "{failure:?}");
}

pub(super) fn hang(bench: &Bench<'_>) {
    let failure = failed(bench, &Misdeed::Hang);
    is_one_of(&failure, &["phase1-timeout"]);
    let Failure::Learn { output, process, .. } = &failure else { panic!("{failure:?}") };
    assert!(output.timed_out);
    assert!(!process.alive().expect("a look at it"), "it was ended");
}

pub(super) fn output(bench: &Bench<'_>) {
    let words = "it will not be, for no reason at all";
    let failure = failed(bench, &Misdeed::Fail { words: words.to_owned() });
    is_one_of(&failure, &["phase1-failed"]);
    let Failure::Learn { output, .. } = &failure else { panic!("{failure:?}") };
    assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{output:?}");
}

pub(super) fn lie(bench: &Bench<'_>) {
    is_one_of(&failed(bench, &Misdeed::Lie), &["child-missing", "phase1-failed"]);
}

pub(super) fn wrong_id(bench: &Bench<'_>) {
    let other = bench.subject.source(1).expect("another one");
    let failure = failed(bench, &Misdeed::TellId { id: other.id });
    let codes = ["child-id-mismatch", "proof-failed", "phase1-failed", "child-missing"];
    is_one_of(&failure, &codes);
}

pub(super) fn source_id(bench: &Bench<'_>) {
    let failure = failed(bench, &Misdeed::TellSourceId);
    is_one_of(&failure, &["child-is-source", "child-id-mismatch", "phase1-failed"]);
}

pub(super) fn empty_child(bench: &Bench<'_>) {
    let failure = failed(bench, &Misdeed::EmptyChild);
    is_one_of(&failure, &["proof-failed"]);
}

pub(super) fn other_history(bench: &Bench<'_>) {
    let other = bench.subject.source(4).expect("another one");
    let failure = failed(bench, &Misdeed::OtherHistory { id: other.id });
    is_one_of(&failure, &["proof-failed"]);
}

pub(super) fn changed_source(bench: &Bench<'_>) {
    let failure = failed(bench, &Misdeed::ChangeSource);
    is_one_of(&failure, &["source-changed", "proof-failed"]);
}
