//! Where a server may be: a directory of ours alone, a path that fits, a tmux that is found.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use camino::Utf8Path;
use seatfork_tmux::{
    CallError, DirError, Lookup, NameError, OpenError, PaneId, SOCKET_PATH_MAX, Server,
    ServerError, SessionName, fallback_dir,
};

use crate::support::{PATH, base_env, executable, process, server, staying, subdir, temp, utf8};

fn at(dir: &Utf8Path) -> Result<Server, ServerError> {
    Server::at(dir, base_env(PATH))
}

// SPEC 14: socket in a 0700 runtime directory with owner checked
#[test]
fn a_runtime_directory_that_is_not_ours_alone_is_refused() {
    let root = temp();
    let dir = subdir(&root, "run");
    for mode in [0o755, 0o770, 0o701, 0o1777, 0o500] {
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(mode)).unwrap();
        match at(&dir) {
            Err(ServerError::Dir { source: DirError::Mode { mode: found }, .. }) => {
                assert_eq!(found, mode);
            }
            other => panic!("{mode:o}: {other:?}"),
        }
    }
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).unwrap();
    let link = utf8(&root).join("link");
    symlink(&dir, &link).unwrap();
    let file = utf8(&root).join("file");
    std::fs::write(&file, "").unwrap();
    for path in [&link, &file] {
        let refused = at(path);
        let expected =
            matches!(refused, Err(ServerError::Dir { source: DirError::NotADirectory, .. }));
        assert!(expected, "{path}: {refused:?}");
    }
    // Root can give a directory away; anybody else finds root's.
    let foreign = if rustix::process::geteuid().is_root() {
        chown(&dir, Some(65_534), None).unwrap();
        dir
    } else {
        "/etc".into()
    };
    let refused = at(&foreign);
    assert!(
        matches!(refused, Err(ServerError::Dir { source: DirError::Owner { .. }, .. })),
        "{refused:?}"
    );
}

// SPEC 14: the directory is checked again when it is used
#[test]
fn a_directory_that_was_opened_up_in_between_is_refused() {
    let Some(server) = server() else { return };
    let dir = server.socket().parent().unwrap();
    assert!(!dir.exists(), "naming a server makes nothing");
    std::fs::create_dir(dir).unwrap();
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = server.open(&staying("seat", ":"));
    assert!(matches!(refused, Err(OpenError::Dir { .. })), "{refused:?}");
    std::fs::remove_dir(dir).unwrap();
    server.open(&staying("seat", ":")).unwrap();
    assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o7777, 0o700);
}

// SPEC 14: path at most 100 bytes, stated fallback
#[test]
fn a_socket_path_that_is_too_long_is_refused_with_a_shorter_one() {
    let root = temp();
    let fits = SOCKET_PATH_MAX - "/tmux.sock".len() - utf8(&root).as_str().len() - 1;
    assert!(at(&utf8(&root).join("d".repeat(fits))).is_ok());
    let long = utf8(&root).join("d".repeat(fits + 1));
    match at(&long) {
        Err(refused @ ServerError::SocketPathTooLong { .. }) => {
            let said = refused.to_string();
            assert!(said.contains("101 bytes") && said.contains(fallback_dir().as_str()), "{said}");
        }
        other => panic!("{other:?}"),
    }
    assert!(at(&fallback_dir()).is_ok());
    assert!(matches!(at("run".into()), Err(ServerError::RelativeDir { .. })));
}

// SPEC 14: a server works on the longest path
#[test]
fn the_longest_path_still_works() {
    let Some(test) = server() else { return };
    let fits = SOCKET_PATH_MAX - "/tmux.sock".len() - utf8(&test.dir).as_str().len() - 1;
    let server = at(&utf8(&test.dir).join("d".repeat(fits))).unwrap();
    assert_eq!(server.socket().as_str().len(), SOCKET_PATH_MAX);
    let opened = server.open(&staying("seat", ":")).unwrap();
    assert!(process(&opened).alive().unwrap());
    server.kill_server().unwrap();
}

// SPEC 14: relative PATH entries are skipped, binaries are real paths
#[test]
fn tmux_is_found_in_absolute_directories_only() {
    let root = temp();
    let bin = subdir(&root, "bin");
    let not_executable = subdir(&root, "plain");
    std::fs::write(not_executable.join("tmux"), "").unwrap();
    std::fs::create_dir(subdir(&root, "folder").join("tmux")).unwrap();
    let real = bin.join("real-tmux");
    executable(&real, "#!/bin/sh\n");
    symlink(&real, bin.join("tmux")).unwrap();
    let run = utf8(&root).join("run");
    let at = |path: &str| Server::at(&run, vec![("PATH".into(), path.into())]);
    let odd = format!("bin::.:{0}/plain:{0}/folder:{0}/gone:{0}/bin", utf8(&root));
    assert_eq!(at(&odd).unwrap().tmux(), real);
    for path in ["", ".", "bin", "::"] {
        match at(path) {
            Err(ServerError::NoTmux { searched }) => assert!(searched.is_empty(), "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    let said = at(&format!("{0}/plain:rel", utf8(&root))).unwrap_err().to_string();
    assert!(said.contains("/plain") && !said.contains("rel:"), "{said}");
    assert!(matches!(Server::at(&run, vec![]), Err(ServerError::NoTmux { .. })));
}

// SPEC 6: seats that need no process need no tmux; that none is installed is still no absence where a socket stands
#[test]
fn without_tmux_there_is_no_server_until_a_socket_says_otherwise() {
    let root = temp();
    let run = subdir(&root, "run");
    std::fs::set_permissions(&run, Permissions::from_mode(0o700)).unwrap();
    let server = Server::at_even_without_tmux(&run, vec![]).unwrap();
    assert_eq!(server.list(&[]).unwrap(), Lookup::NoServer);
    let missing = |error: CallError| matches!(error, CallError::NoTmux { .. });
    assert!(missing(server.version().unwrap_err()));
    let refused = server.open(&staying("seat", ":")).unwrap_err();
    assert!(matches!(refused, OpenError::Call { source: CallError::NoTmux { .. }, .. }));
    std::fs::write(run.join("tmux.sock"), "").unwrap();
    server.list(&[]).unwrap_err();
}

// SPEC 14: ids and names never reach a tmux format or target as anything else
#[test]
fn names_that_tmux_would_rewrite_or_match_are_refused() {
    for name in
        ["a.b", "a:b", "=a", "$1", "%1", "@1", "*", "a b", "-a", "é", "a\n", "#{pid}", "p-a-2@k"]
    {
        let refused = name.parse::<SessionName>();
        assert!(matches!(refused, Err(NameError::Character { .. })), "{name:?}: {refused:?}");
    }
    assert_eq!("".parse::<SessionName>(), Err(NameError::Empty));
    assert!("a".repeat(128).parse::<SessionName>().is_ok());
    assert!(matches!("a".repeat(129).parse::<SessionName>(), Err(NameError::TooLong { .. })));
    for id in ["%1", "%0", "%4294967295"] {
        assert_eq!(id.parse::<PaneId>().unwrap().to_string(), id);
    }
    for id in ["", "%", "1", "$1", "%+1", "%-1", "%1 ", "%4294967296"] {
        assert!(id.parse::<PaneId>().is_err(), "{id:?}");
    }
}
