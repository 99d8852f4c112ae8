//! Ids of every kind of hostility start no process and reach no file.

use crate::bench::Bench;
use crate::files::below;
use seatfork_adapters::ResolveError;
use seatfork_schema::{ConversationId, NativeId, Runtime, SourceId};

const KINDS: [&str; 41] = [
    "",
    " ",
    "--help",
    "-h",
    "--last",
    "--dangerously-skip-permissions",
    "exec",
    "../../passwd",
    "..",
    ".",
    "/etc/passwd",
    "$(touch /tmp/x)",
    "`id`",
    "a; rm -rf x",
    "a && b",
    "a\nexit",
    "a' b",
    "a\" b",
    "#x",
    "#{pane_id}",
    "#(id)",
    "*",
    "?",
    "[a-z]",
    "x*",
    "%1",
    "~",
    "$HOME",
    "{uuid}",
    "0b0165d7",
    "ui-ux-refactor",
    "x.jsonl",
    "0B0165D7-CB4D-4650-90DE-15C0A1EDE9E6",
    " 0b0165d7-cb4d-4650-90de-15c0a1ede9e6",
    "0b0165d7-cb4d-4650-90de-15c0a1ede9e6\n",
    "0b0165d7-cb4d-4650-90de-15c0a1ede9e6\0",
    "0b0165d7\u{2010}cb4d-4650-90de-15c0a1ede9e6",
    "０b0165d7-cb4d-4650-90de-15c0a1ede9e6",
    "urn:uuid:0b0165d7-cb4d-4650-90de-15c0a1ede9e6",
    "\u{202e}9e6",
    "日本",
];

/// What is no native id cannot even be named; what is one but no id of this runtime starts nothing (SPEC 3, 14).
pub(super) fn ids(bench: &Bench<'_>) {
    let adapter = bench.adapter();
    let (starts, before) = (bench.subject.starts(), below(bench.subject.home()));
    let long = "a".repeat(200);
    let longer = ["a".repeat(201), "a".repeat(100_000)];
    let more = [long.as_str(), &longer[0], &longer[1]];
    let mut named = 0;
    for kind in KINDS.into_iter().chain(more) {
        let Ok(id) = NativeId::new(kind) else { continue };
        named += 1;
        let (runtime, scope) = (adapter.runtime(), adapter.scope("/".into()));
        let source = SourceId::new(ConversationId { runtime, scope, native_id: id });
        let looked = adapter.resolve(&source, &bench.env, "/".into());
        let error = crate::bench::block_on(looked).expect_err("no conversation");
        // What may be called anything a file may be called is looked for, and is not there.
        let any_name = runtime == Runtime::Pixir;
        let refused = match error {
            ResolveError::Malformed { .. } | ResolveError::CannotFork(_) => true,
            ResolveError::NotFound { .. } => any_name,
            _ => false,
        };
        assert!(refused, "{kind:?}: {error}");
        if adapter.describe().fork && !any_name {
            assert!(adapter.check_source(&source).is_err(), "{kind:?}");
        }
    }
    assert!(named >= 6, "some pass the charset and meet the adapter");
    assert_eq!(bench.subject.starts(), starts, "a process was started");
    assert_eq!(below(bench.subject.home()), before);
}
