//! Hostile words through a real tmux: what arrives is what was given, byte for byte.

use camino::Utf8Path;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use seatfork_tmux::{CwdCheck, Killed, PaneSpec};

use crate::support::{PATH, TestServer, block, process, server, spec, subdir};

const HOSTILE: &[&str] = &[
    "",
    " ",
    ";",
    ";;",
    "a;",
    "\\;",
    "a\\;",
    "mid;dle",
    " ; kill-server ; ",
    "'",
    "''",
    "'; kill-server; '",
    "\"",
    "a'b\"c'd",
    "\\",
    "\\\\",
    "ends\\",
    "\\'",
    "#",
    "##",
    "###",
    "# comment",
    "#{pid}",
    "##{pid}",
    "#(touch pwned)",
    "##(touch pwned)",
    "#[fg=red]",
    "##[x]",
    "#,#}",
    "%1",
    "%if 1",
    "%H:%M",
    "$(touch pwned)",
    "`touch pwned`",
    "$HOME",
    "${HOME}",
    "$0",
    "~",
    "~root",
    "~/x",
    "{",
    "}",
    "{ kill-server }",
    "*",
    "-x",
    "--",
    "-t=:",
    "=name:",
    "@1",
    "new\nline",
    "\n",
    "\n\n",
    "\\\n",
    "a\\\nb",
    "'\n'",
    "\r",
    "a\r\nb",
    "tab\there",
    "\u{1}\u{3}\u{1b}[31m",
    "\u{7f}",
    "\\n\\e\\101\\u00e9",
    "héllo €",
    "日本語 😀",
    "\u{202e}bidi\u{200b}",
    "e\u{301}",
    "\u{feff}",
    "\u{ff}\u{fffd}",
];

/// Opens a pane with these words and reads back what its process really got.
fn check(server: &TestServer, cwd: &Utf8Path, words: &[&str], value: &str) {
    let mut argv = vec!["/bin/sh", "-c", "read x"];
    argv.extend(words);
    let spec = PaneSpec {
        cwd: cwd.to_owned(),
        env: vec![("PATH".into(), PATH.into()), ("VALUE".into(), value.into())],
        ..spec("hostile", &argv)
    };
    let opened = server.open(&spec).unwrap();
    assert_eq!(opened.cwd, CwdCheck::Verified, "{cwd:?}");
    assert_eq!(block(process(&opened), "cmdline"), argv);
    let entry = format!("VALUE={value}");
    assert!(block(process(&opened), "environ").contains(&entry), "{entry:?}");
    assert_eq!(server.kill(&opened.pane).unwrap(), Killed::Ended);
}

// SPEC 14: every word single-quoted by one function, tested through a real tmux
#[test]
fn hostile_words_arrive_as_arguments_and_values() {
    let Some(server) = server() else { return };
    let cwd = subdir(&server.dir, "table");
    for word in HOSTILE {
        check(&server, &cwd, &[word, "between", word], word);
    }
    assert!(!cwd.join("pwned").exists());
}

// SPEC 14: a path never reaches a format
#[test]
fn hostile_directories_are_entered_and_not_expanded() {
    let Some(server) = server() else { return };
    let root = subdir(&server.dir, "dirs");
    for word in HOSTILE.iter().filter(|word| !word.is_empty() && !word.contains('/')) {
        let cwd = root.join(word);
        std::fs::create_dir(&cwd).unwrap();
        check(&server, &cwd, &[], "");
    }
    let made = std::fs::read_dir(&root).unwrap().count();
    let given = HOSTILE.iter().filter(|word| !word.is_empty() && !word.contains('/')).count();
    assert_eq!(made, given, "no command in a name was run");
}

// SPEC 14: no length is cut
#[test]
fn long_words_arrive_whole() {
    let Some(server) = server() else { return };
    let cwd = subdir(&server.dir, "long");
    // One word may have 128 KiB on Linux; tmux's own messages end at 16 KiB.
    for len in [4_096, 17_000, 120_000] {
        check(&server, &cwd, &[&format!("{}END", "x'; ".repeat(len / 4))], &"y".repeat(len));
    }
}

// SPEC 14: property-tested through a real tmux
#[test]
fn any_words_arrive_as_given() {
    let Some(server) = server() else { return };
    let root = subdir(&server.dir, "any");
    let piece = prop::sample::select(HOSTILE).prop_map(str::to_owned);
    let text = prop::collection::vec(prop_oneof![3 => piece, 1 => "[^\0]{0,8}"], 0..6)
        .prop_map(|pieces| pieces.concat());
    let cases = (prop::collection::vec(text.clone(), 1..5), text.clone(), text);
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&cases, |(words, value, name)| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut name = format!("d{}", name.replace('/', "_"));
            while name.len() > 200 {
                name.pop();
            }
            let cwd = root.join(name);
            std::fs::create_dir_all(&cwd).unwrap();
            check(&server, &cwd, &words, &value);
            Ok(())
        })
        .unwrap();
}
