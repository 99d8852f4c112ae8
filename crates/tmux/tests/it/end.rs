//! Ending: exactly what was meant, and nothing in its place.

use seatfork_tmux::{Killed, Lookup, Pane, ServerEnd};

use crate::support::{eventually, found, process, server, staying};

// SPEC 14: exact targets
#[test]
fn only_the_session_meant_is_ended() {
    let Some(server) = server() else { return };
    let two = server.open(&staying("p-a-2", ":")).unwrap();
    let twenty = server.open(&staying("p-a-20", ":")).unwrap();
    assert_eq!(server.kill(&two.pane).unwrap(), Killed::Ended);
    eventually("its process to end", || (!process(&two).alive().unwrap()).then_some(()));
    assert_eq!(server.kill(&two.pane).unwrap(), Killed::NotThere(Lookup::NoSession));
    assert!(process(&twenty).alive().unwrap());
    assert_eq!(server.kill(&twenty.pane).unwrap(), Killed::Ended);
    eventually("the server to end with its last session", || {
        (server.kill(&twenty.pane).unwrap() == Killed::NotThere(Lookup::NoServer)).then_some(())
    });
}

// SPEC 7: it kills nothing it cannot prove ours
#[test]
fn a_session_that_took_the_name_is_left_alone() {
    let Some(server) = server() else { return };
    server.open(&staying("keeper", ":")).unwrap();
    let old = server.open(&staying("seat", ":")).unwrap().pane;
    server.kill(&old).unwrap();
    let new = server.open(&staying("seat", ":")).unwrap();
    assert_eq!(server.kill(&old).unwrap(), Killed::NotThere(Lookup::NoSession));
    assert!(process(&new).alive().unwrap());

    let other = Pane { server: process(&new), ..new.pane.clone() };
    assert_eq!(server.kill(&other).unwrap(), Killed::NotThere(Lookup::OtherServer));
    assert_eq!(found(server.find(&new.pane.name, &[]).unwrap()).pane, new.pane);
}

// SPEC 14: our own server, ended as a whole
#[test]
fn a_server_that_is_ended_is_gone_when_that_returns() {
    let Some(server) = server() else { return };
    assert_eq!(server.kill_server().unwrap(), ServerEnd::NoServer);
    let opened = server.open(&staying("seat", ":")).unwrap();
    assert_eq!(server.kill_server().unwrap(), ServerEnd::Ended);
    assert!(!opened.pane.server.alive().unwrap());
    assert_eq!(server.kill_server().unwrap(), ServerEnd::NoServer);
}
