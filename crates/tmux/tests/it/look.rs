//! Looking: absence, errors and other panes are told apart.

use seatfork_tmux::{DeadStatus, Killed, Lookup, PaneSpec, Server};

use crate::support::{
    base_env, by_hand, eventually, found, process, screen, server, staying, wrapped,
};

// SPEC 14: exact targets
#[test]
fn a_name_never_matches_a_longer_one() {
    let Some(server) = server() else { return };
    let twenty = server.open(&staying("p-a-20", ":")).unwrap();
    let two = "p-a-2".parse().unwrap();
    assert_eq!(server.find(&two, &[]).unwrap(), Lookup::NoSession);
    let opened = server.open(&staying("p-a-2", ":")).unwrap();
    assert_eq!(found(server.find(&two, &[]).unwrap()).pane, opened.pane);
    server.kill(&opened.pane).unwrap();
    assert_eq!(server.find(&two, &[]).unwrap(), Lookup::NoSession);
    assert_eq!(server.look(&opened.pane, &[]).unwrap(), Lookup::NoSession);
    assert_eq!(found(server.find(&twenty.pane.name, &[]).unwrap()).pane, twenty.pane);
    assert!(process(&twenty).alive().unwrap());
}

// SPEC 7: an error is not an absence
#[test]
fn no_server_no_session_and_an_error_are_three_answers() {
    let Some(server) = server() else { return };
    let name = "nobody".parse().unwrap();
    assert_eq!(server.find(&name, &[]).unwrap(), Lookup::NoServer, "before the directory exists");
    let opened = server.open(&staying("somebody", ":")).unwrap();
    assert_eq!(server.find(&name, &[]).unwrap(), Lookup::NoSession);
    server.kill_server().unwrap();
    assert_eq!(server.find(&name, &[]).unwrap(), Lookup::NoServer, "a socket without a server");
    assert_eq!(server.list(&[]).unwrap(), Lookup::NoServer);
    assert_eq!(server.look(&opened.pane, &[]).unwrap(), Lookup::NoServer);
    assert_eq!(server.dead_status(&opened.pane).unwrap(), Lookup::NoServer);
    assert_eq!(server.capture(&opened.pane).unwrap(), Lookup::NoServer);
    std::fs::remove_file(server.socket()).unwrap();
    std::fs::create_dir(server.socket()).unwrap();
    let broken = wrapped(&server, "echo 'something else broke' >&2; exit 1");
    let said = broken.find(&name, &[]).unwrap_err().to_string();
    assert!(said.contains("something else broke"), "{said}");
    let said = broken.capture(&opened.pane).unwrap_err();
    assert!(std::error::Error::source(&said).unwrap().to_string().contains("else broke"));
    std::fs::remove_dir(server.socket()).unwrap();
}

// SPEC 7: a server that ends or begins is a server without sessions, and no error
#[test]
fn a_server_without_sessions_has_no_session() {
    let Some(server) = server() else { return };
    let pane = server.open(&staying("seat", ":")).unwrap().pane;
    by_hand(&server, &["set-option", "-g", "exit-empty", "off"]);
    server.kill(&pane).unwrap();
    assert_eq!(server.find(&pane.name, &[]).unwrap(), Lookup::NoSession);
    assert_eq!(server.look(&pane, &[]).unwrap(), Lookup::NoSession);
    assert_eq!(server.list(&[]).unwrap(), Lookup::Found(Vec::new()));
    assert_eq!(server.capture(&pane).unwrap(), Lookup::NoPane);
    assert_eq!(server.kill(&pane).unwrap(), Killed::NotThere(Lookup::NoSession));
    let pane = seatfork_tmux::Pane { process: None, ..pane };
    assert!(matches!(server.press_enter(&pane), Err(seatfork_tmux::TypingError::Gone { .. })));
    server.open(&staying("seat", ":")).unwrap();
}

// SPEC 7: ids of one server mean nothing to the next
#[test]
fn a_pane_of_a_server_that_was_replaced_is_not_found_again() {
    let Some(server) = server() else { return };
    let old = server.open(&staying("seat", ":")).unwrap().pane;
    server.kill_server().unwrap();
    let new = server.open(&staying("seat", ":")).unwrap().pane;
    assert_eq!((old.session, old.pane, &old.name), (new.session, new.pane, &new.name));
    assert_eq!(server.look(&old, &[]).unwrap(), Lookup::OtherServer);
    assert_eq!(server.capture(&old).unwrap(), Lookup::OtherServer);
    assert_eq!(server.dead_status(&old).unwrap(), Lookup::OtherServer);
}

// SPEC 7: session name, nonce option and environment in one command
#[test]
fn user_options_are_kept_and_listed() {
    let Some(server) = server() else { return };
    let options = [("@seatfork_nonce", "6f1d;#{pid}$(id)'"), ("@seatfork_launch", "0193")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let spec = PaneSpec { options: options.clone(), ..staying("marked", ":") };
    let marked = server.open(&spec).unwrap();
    let plain = server.open(&staying("plain", ":")).unwrap();
    let ask = ["@seatfork_nonce", "@seatfork_launch"];
    let report = found(server.find(&marked.pane.name, &ask).unwrap());
    assert_eq!(report.options.into_iter().collect::<Vec<_>>(), {
        let mut sorted = options;
        sorted.sort();
        sorted
    });
    let all = found(server.list(&ask).unwrap());
    let mut names: Vec<&str> = all.iter().map(|report| report.pane.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["marked", "plain"]);
    assert!(found(server.find(&plain.pane.name, &ask).unwrap()).options.is_empty());
    assert!(server.list(&["status"]).is_err(), "only user options");
}

// SPEC 7: observed from the process itself, whatever else a person opened there
#[test]
fn panes_a_person_added_are_not_taken_for_ours() {
    let Some(server) = server() else { return };
    let opened = server.open(&staying("seat", ":")).unwrap();
    by_hand(&server, &["split-window", "-t", "=seat:", "read", "x"]);
    by_hand(&server, &["new-window", "-t", "=seat:", "read x"]);
    by_hand(&server, &["new-session", "-d", "-s", "my own", "read x"]);
    by_hand(&server, &["rename-window", "-t", "=seat:", "a b #{pid}"]);
    let all = found(server.list(&[]).unwrap());
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].pane, opened.pane);
    by_hand(&server, &["kill-pane", "-t", &opened.pane.pane.to_string()]);
    assert_eq!(server.find(&opened.pane.name, &[]).unwrap(), Lookup::NoPane);
    assert_eq!(server.capture(&opened.pane).unwrap(), Lookup::NoPane);
    assert!(found(server.list(&[]).unwrap()).is_empty());
}

// SPEC 7: the pane's process is what counts, not the session
#[test]
fn a_dead_program_in_a_live_session_is_seen_as_dead() {
    let Some(server) = server() else { return };
    let opened = server.open(&staying("seat", ":")).unwrap();
    assert_eq!(server.dead_status(&opened.pane).unwrap(), Lookup::Found(DeadStatus::Running));
    process(&opened).signal(seatfork_process::Signal::Kill).unwrap();
    eventually("the death", || match found(server.dead_status(&opened.pane).unwrap()) {
        DeadStatus::Running => None,
        DeadStatus::Ended(seatfork_tmux::Exit::Signal(_)) => Some(()),
        other => panic!("{other:?}"),
    });
    let report = found(server.find(&opened.pane.name, &[]).unwrap());
    assert_eq!(report.pane.process, None);
    assert_eq!(report.pane.pane, opened.pane.pane);
}

// SPEC 14: the last 20 screen lines are the evidence
#[test]
fn a_screen_has_its_history_whole_lines_and_no_escapes() {
    let Some(server) = server() else { return };
    let script = "i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; \
                  printf '%0250d|\\n' 7; printf '\\033[31mr\\303\\266t\\033[0m   \\n'; printf end";
    let opened = server.open(&staying("screen", script)).unwrap();
    let screen = eventually("the end", || {
        let screen = screen(&server, &opened.pane);
        (screen.lines.last().is_some_and(|line| line == "end")).then_some(screen)
    });
    assert_eq!(screen.lines.len(), 303);
    assert_eq!(screen.lines[0], "line 0");
    assert_eq!(screen.lines[299], "line 299");
    assert_eq!(screen.lines[300], format!("{:0250}|", 7));
    assert_eq!(screen.last_lines(2), ["röt", "end"]);
    assert_eq!(screen.last_lines(20).len(), 20);
}

// SPEC 14: a person's environment and configuration are no part of it
#[test]
fn two_handles_of_one_directory_are_one_server() {
    let Some(server) = server() else { return };
    let opened = server.open(&staying("seat", ":")).unwrap();
    let again = Server::at(server.socket().parent().unwrap(), base_env("/usr/bin:/bin")).unwrap();
    assert_eq!(found(again.find(&opened.pane.name, &[]).unwrap()).pane, opened.pane);
    assert!(server.version().unwrap().starts_with("tmux "));
}
