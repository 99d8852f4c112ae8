//! Asking a binary what it can do, against scripts in its place.

use crate::support::{Place, block_on, env};
use camino::Utf8PathBuf;
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::{Adapter, Binary, ProbeError};

const FLAGS: &str = "--resume [value]\n --fork-session\n --session-id <uuid>\n -n, --name <name>\n --output-format <f>\n --permission-mode <mode>  Mode (choices: \"acceptEdits\",\n   \"plan\", \"manual\")\n --safe-mode  x\n --disable-slash-commands  y\n";

fn probe(version: &str, help: &str) -> (Place, Result<Binary, ProbeError>) {
    let place = Place::new();
    place.file("help", help);
    let dir = &place.path;
    place.script(
        "bin/claude",
        &format!("echo \"$@\" >> {dir}/asked; test \"$DISABLE_AUTOUPDATER\" = 1 || exit 9\ncase $1 in --version) {version};; --help) cat {dir}/help;; esac"),
    );
    let seat = env(&[("PATH", &format!("{dir}/bin:/usr/bin:/bin")), ("HOME", dir.as_str())]);
    let found = block_on(ClaudeCode.probe(&seat, &dir.join("rig")));
    (place, found)
}

// SPEC 6: the answering binary is known by absolute real path, version and abilities; it is asked nothing else.
#[test]
fn a_binary_is_known_by_path_version_and_abilities() {
    let (place, found) = probe("echo '2.1.332 (Claude Code)'", FLAGS);
    let found = found.unwrap();
    assert_eq!(found.path, place.path.join("bin/claude"));
    assert_eq!(found.version, "2.1.332");
    for ability in ["safe-mode", "fork-session", "permission-mode-manual", "permission-mode-plan"] {
        assert!(found.abilities.iter().any(|one| one == ability), "{ability}");
    }
    assert_eq!(std::fs::read_to_string(place.path.join("asked")).unwrap(), "--version\n--help\n");
    let same = Binary { ..found.clone() };
    seatfork_adapters::process::check_binary(&same).unwrap();
}

// SPEC 6: a version without what phase 1 needs is refused with all it lacks; a strange one with what it said.
// code: binary-unusable
#[test]
fn a_binary_that_will_not_do_is_refused_with_the_reason() {
    for flag in ["--safe-mode", "--disable-slash-commands", "--fork-session", "--session-id"] {
        let (_place, found) = probe("echo '2.0.1 (Claude Code)'", &FLAGS.replace(flag, "--gone"));
        let error = found.unwrap_err();
        assert!(
            matches!(&error, ProbeError::TooOld { version, lacks, .. } if version == "2.0.1" && lacks == flag),
            "{error}"
        );
    }
    let (_place, found) = probe("echo '2.0.1 (Claude Code)'", "usage: claude");
    let error = found.unwrap_err().to_string();
    assert!(error.contains("lacks --resume, --fork-session, --session-id"), "{error}");
    for (version, said) in [
        ("echo hello", "\"hello\""),
        ("echo 'codex-cli 0.171.0'", "codex-cli"),
        ("echo broken >&2; exit 1", "exit 1: broken"),
        ("kill -9 $$", "a signal"),
    ] {
        let (_place, found) = probe(version, FLAGS);
        let error = found.unwrap_err();
        assert!(matches!(error, ProbeError::Strange { .. }), "{error}");
        assert_eq!(error.code(), "binary-unusable");
        assert!(error.to_string().contains(said), "{error}");
    }
    let (_place, found) =
        probe("echo '2.1.332 (Claude Code)'", &FLAGS.replace("choices", "one of"));
    assert!(matches!(found.unwrap_err(), ProbeError::Strange { .. }));
}

// SPEC 14: a claude that lies in the rig's own tree is not the runtime; none anywhere is said so.
#[test]
fn a_binary_in_the_rig_is_not_the_runtime() {
    let place = Place::new();
    place.script("rig/bin/claude", "touch started");
    let seat = env(&[("PATH", &format!("{}/rig/bin:rig/bin:.", place.path))]);
    let error = block_on(ClaudeCode.probe(&seat, &place.path.join("rig"))).unwrap_err();
    assert!(
        matches!(&error, ProbeError::Missing { program, skipped: 3, .. } if program == "claude"),
        "{error}"
    );
    let nowhere: Utf8PathBuf = place.path.join("started");
    assert!(!nowhere.exists());
}
