//! Finding a binary on PATH and asking it questions.

use crate::support::{Place, block_on, env};
use seatfork_adapters::ProbeError;
use seatfork_adapters::binary::{ask, find};
use std::os::unix::fs::symlink;
use std::time::Duration;

// SPEC 14: binaries are absolute real paths; relative PATH entries and those inside the rig are skipped.
#[test]
fn a_binary_is_found_by_its_real_path_outside_the_rig_only() {
    let place = Place::new();
    let real = place.script("opt/tool-1.0", "true");
    place.script("rig/bin/tool", "true");
    place.file("plain/tool", "not executable");
    std::fs::create_dir_all(place.path.join("dir/tool")).unwrap();
    std::fs::create_dir_all(place.path.join("bin")).unwrap();
    symlink(&real, place.path.join("bin/tool")).unwrap();
    symlink(place.path.join("rig/bin"), place.path.join("linked-into-rig")).unwrap();
    std::fs::create_dir_all(place.path.join("trap")).unwrap();
    symlink(place.path.join("rig/bin/tool"), place.path.join("trap/tool")).unwrap();
    let rig = place.path.join("rig");
    let base = &place.path;
    let path = format!(
        ":.:bin:{base}/none:{rig}/bin:{base}/linked-into-rig:{base}/trap:{base}/plain:{base}/dir:{base}/bin"
    );
    assert_eq!(find("tool", &env(&[("PATH", &path)]), &rig).unwrap(), real);

    let without = path.rsplit_once(':').unwrap().0;
    let missing = find("tool", &env(&[("PATH", without)]), &rig).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "no `tool` on PATH (4 places looked at, 6 skipped as relative or inside the rig)"
    );
    assert!(find("tool", &env(&[]), &rig).is_err());
}

// SPEC 6: a binary that hangs, fails or answers strangely is told as such, with what it said, escaped.
#[test]
fn a_binary_that_does_not_answer_properly_is_told_as_such() {
    let place = Place::new();
    let seat = env(&[("PATH", "/usr/bin:/bin")]);
    let brief = Duration::from_secs(1);
    let hang = place.script("hang", "sleep 60");
    let silent = block_on(ask(&hang, &["--version"], &seat, &[], brief)).unwrap_err();
    assert!(matches!(silent, ProbeError::Silent { seconds: 1, .. }), "{silent}");
    let fails = place.script("fails", r"printf 'bad \033[31m thing' >&2; exit 3");
    let strange = block_on(ask(&fails, &["--version"], &seat, &[], brief)).unwrap_err();
    assert!(strange.to_string().contains(r"exit 3: bad \u{1b}[31m thing"), "{strange}");
    let binary = place.script("binary", r"printf '\377\376'");
    assert!(matches!(
        block_on(ask(&binary, &["--version"], &seat, &[], brief)),
        Err(ProbeError::Strange { .. })
    ));
    let fine = place.script("fine", "echo \"1.2.3 $A\"");
    let answer = block_on(ask(&fine, &["--version"], &seat, &[("A", "b")], brief)).unwrap();
    assert_eq!(answer, "1.2.3 b\n");
    assert!(matches!(
        block_on(ask(&place.path.join("gone"), &["--version"], &seat, &[], brief)),
        Err(ProbeError::Io { .. })
    ));
}
