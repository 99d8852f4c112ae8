//! Typing: text arrives as text, keys as keys, and nothing is typed into the wrong place.

use camino::Utf8PathBuf;
use seatfork_tmux::{Opened, TypingError};

use crate::support::{TestServer, by_hand, eventually, screen, server, spec, staying, utf8};

/// A program that logs every byte its terminal gets.
fn logger(server: &TestServer, name: &str, before: &str) -> (Opened, Utf8PathBuf) {
    let log = utf8(&server.dir).join(format!("{name}.log"));
    let script = format!("stty raw -echo; printf '{before}READY'; exec cat > \"$0\"");
    let opened = server.open(&spec(name, &["/bin/sh", "-c", &script, log.as_str()])).unwrap();
    eventually("READY", || screen(server, &opened.pane).text().contains("READY").then_some(()));
    (opened, log)
}

fn logged(log: &Utf8PathBuf, expected: &str) {
    let read = || std::fs::read_to_string(log).unwrap_or_default();
    eventually("the text", || (read().len() >= expected.len()).then_some(()));
    assert!(read() == expected, "{:?}", read().chars().take(200).collect::<String>());
}

// SPEC 2: delivered byte for byte
#[test]
fn text_arrives_byte_for_byte_and_enter_is_a_key_of_its_own() {
    let Some(server) = server() else { return };
    let texts = ["Enter", "C-c", "-t", "--", ";", "a;", "#{pid} #(id)", "$HOME `id` 'q' \"d\" \\"];
    let more = ["two\nlines\tand a tab\n", "héllo 😀", "~ { } %1 =x:"];
    let (opened, log) = logger(&server, "plain", "");
    let mut expected = String::new();
    for text in texts.iter().chain(&more) {
        server.type_text(&opened.pane, text).unwrap();
        server.press_enter(&opened.pane).unwrap();
        expected = expected + text + "\r";
    }
    logged(&log, &expected);
    assert_eq!(by_hand(&server, &["list-buffers"]), "", "no text is left in the server");
}

// SPEC 2: a multi-line text is one paste where the program can tell
#[test]
fn a_program_that_asks_for_it_gets_a_bracketed_paste() {
    let Some(server) = server() else { return };
    let (opened, log) = logger(&server, "bracketed", "\\033[?2004h");
    server.type_text(&opened.pane, "one\ntwo\n").unwrap();
    server.press_enter(&opened.pane).unwrap();
    logged(&log, "\u{1b}[200~one\ntwo\n\u{1b}[201~\r");
}

// SPEC 2: no text is cut
#[test]
fn a_megabyte_arrives_whole() {
    let Some(server) = server() else { return };
    let (opened, log) = logger(&server, "big", "");
    let text = "0123456789abcde\n".repeat(1 << 16) + "END";
    server.type_text(&opened.pane, &text).unwrap();
    logged(&log, &text);
}

// SPEC 14: text from outside never acts as keys
#[test]
fn control_characters_are_refused_before_anything_is_typed() {
    let Some(server) = server() else { return };
    let (opened, log) = logger(&server, "control", "");
    for text in ["a\u{3}", "\u{1b}[201~x", "x\r", "\u{0}", "\u{7f}", "\u{9b}1m"] {
        let refused = server.type_text(&opened.pane, text);
        assert!(matches!(refused, Err(TypingError::ControlCharacter { .. })), "{text:?}");
    }
    assert!(matches!(server.type_text(&opened.pane, ""), Err(TypingError::Empty { .. })));
    server.type_text(&opened.pane, "only this").unwrap();
    logged(&log, "only this");
}

// SPEC 7: keys that would reach nobody are an error
#[test]
fn typing_where_nobody_reads_is_an_error() {
    let Some(server) = server() else { return };
    let keeper = server.open(&staying("keeper", ":")).unwrap();
    let ended = server.open(&spec("ended", &["/bin/sh", "-c", "exit 0"])).unwrap();
    eventually("the end", || match server.press_enter(&ended.pane) {
        Err(TypingError::Ended { .. }) => Some(()),
        Ok(()) => None,
        Err(other) => panic!("{other:?}"),
    });
    assert!(matches!(server.type_text(&ended.pane, "x"), Err(TypingError::Ended { .. })));

    by_hand(&server, &["copy-mode", "-t", "=keeper:"]);
    assert!(matches!(server.type_text(&keeper.pane, "x"), Err(TypingError::InMode { .. })));
    assert!(matches!(server.press_enter(&keeper.pane), Err(TypingError::InMode { .. })));

    let gone = server.open(&staying("gone", ":")).unwrap();
    server.kill(&gone.pane).unwrap();
    let pane = seatfork_tmux::Pane { process: None, ..gone.pane };
    assert!(matches!(server.type_text(&pane, "x"), Err(TypingError::Gone { .. })));
    let foreign = seatfork_tmux::Pane { session: pane.session, ..keeper.pane.clone() };
    assert!(matches!(server.type_text(&foreign, "x"), Err(TypingError::Gone { .. })));
    assert_eq!(by_hand(&server, &["list-buffers"]), "", "no text is left in the server");
    server.kill_server().unwrap();
    let pane = seatfork_tmux::Pane { process: None, ..keeper.pane };
    assert!(matches!(server.press_enter(&pane), Err(TypingError::Gone { .. })));
}
