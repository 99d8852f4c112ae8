//! Looking at a source before anything is started.

use crate::bench::Bench;
use crate::files::{below, changed, sha256};
use crate::subject::Source;
use seatfork_adapters::ResolveError;

/// A conversation to look at.
pub(super) fn source(bench: &Bench<'_>) -> Source {
    bench.subject.source(3).expect("a runtime with conversations has a prior one")
}

pub(super) fn resolve(bench: &Bench<'_>) {
    let source = source(bench);
    let (starts, before) = (bench.subject.starts(), below(bench.subject.home()));
    let seen = bench.resolve(&source.id).expect("it is found");
    let bytes = std::fs::read(&source.path).expect("its record");
    assert_eq!(seen.native_id.as_str(), source.id);
    assert_eq!((&seen.path, seen.bytes), (&source.path, bytes.len() as u64));
    assert_eq!(seen.sha256, sha256(&bytes));
    assert!(seen.records >= 6, "three turns: {seen:?}");
    assert!(seen.effective_records >= 6, "{seen:?}");
    assert_eq!(seen.recorded_cwd.as_deref(), Some(source.cwd.as_str()));
    assert_eq!(seen.live, None, "nobody has it");
    assert_eq!(bench.resolve(&source.id).expect("and again"), seen);
    nothing_happened(bench, starts, &before);
}

pub(super) fn not_found(bench: &Bench<'_>) {
    let source = source(bench);
    let (starts, before) = (bench.subject.starts(), below(bench.subject.home()));
    let last = if source.id.ends_with('0') { "1" } else { "0" };
    let near = format!("{}{last}", &source.id[..source.id.len() - 1]);
    let error = bench.resolve(&near).expect_err("nobody has it");
    let ResolveError::NotFound { id, looked_in, nearest, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(*id, near);
    assert!(!looked_in.is_empty(), "it says where it looked");
    assert!(nearest.iter().any(|known| known.contains(&source.id)), "{nearest:?}");
    assert_eq!(error.code().as_str(), "source-not-found");
    nothing_happened(bench, starts, &before);
}

pub(super) fn damaged(bench: &Bench<'_>) {
    let damaged = bench.subject.damaged(&source(bench));
    let (starts, before) = (bench.subject.starts(), below(bench.subject.home()));
    let error = bench.resolve(&damaged.id).expect_err("it is damaged");
    let ResolveError::Damaged { path, line, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*path, damaged.path);
    assert!(*line > 1, "{error}");
    nothing_happened(bench, starts, &before);
}

pub(super) fn unspoken(bench: &Bench<'_>) {
    let unspoken = bench.subject.unspoken(&source(bench));
    let error = bench.resolve(&unspoken.id).expect_err("there is nothing to inherit");
    assert!(matches!(error, ResolveError::Empty { .. }), "{error:?}");
}

fn nothing_happened(
    bench: &Bench<'_>,
    starts: usize,
    before: &std::collections::BTreeMap<camino::Utf8PathBuf, String>,
) {
    assert_eq!(bench.subject.starts(), starts, "a process was started");
    let after = below(bench.subject.home());
    assert_eq!(changed(before, &after), [""; 0], "something was changed");
    assert_eq!(before.len(), after.len(), "something was made");
}
