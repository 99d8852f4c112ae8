//! Ids of every kind of hostility start no process and reach no file.

use crate::support::{Place, block_on, env};
use seatfork_adapters::{ResolveError, adapters};
use seatfork_schema::{ConversationId, NativeId, Runtime, SourceId};

// SPEC 3, 14: what is no native id cannot even be named; what is one but no id of this runtime starts nothing.
#[test]
fn hostile_ids_start_no_process() {
    let place = Place::new();
    let dir = &place.path;
    place.script("bin/claude", &format!("touch {dir}/started"));
    place.script("bin/codex", &format!("touch {dir}/started"));
    place.script("bin/sh", &format!("touch {dir}/started"));
    place.file(".claude/projects/-w/x.jsonl", "");
    place.file("passwd.jsonl", "{}");
    let seat = env(&[
        ("HOME", dir.as_str()),
        ("PATH", &format!("{dir}/bin")),
        ("SHELL", &format!("{dir}/bin/sh")),
    ]);
    let kinds = [
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
    let long = "a".repeat(200);
    let mut named = 0;
    for kind in kinds.into_iter().chain([long.as_str(), &"a".repeat(201), &"a".repeat(100_000)]) {
        let Ok(id) = NativeId::new(kind) else { continue };
        named += 1;
        for adapter in adapters() {
            let source = SourceId::new(ConversationId::new(adapter.runtime(), id.clone()));
            let error = block_on(adapter.resolve(&source, &seat, "/".into())).unwrap_err();
            // A session log may be called anything that is a file's name; there is none of it here.
            let nowhere = adapter.runtime() == Runtime::Pixir
                && matches!(error, ResolveError::NotFound { .. });
            assert!(
                nowhere
                    || matches!(
                        error,
                        ResolveError::Malformed { .. } | ResolveError::CannotFork(_)
                    ),
                "{kind:?}: {error}"
            );
        }
    }
    assert!(named >= 6, "some pass the charset and meet the adapter");
    assert!(!dir.join("started").exists(), "no process was started");
}
