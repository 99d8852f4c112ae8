//! A store in a directory that cannot be written (SPEC 13).

use crate::child;
use crate::support::*;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_store::{Mode, Store, StoreError};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;

/// The bytes of a page.
const PAGE: usize = 4096;
/// Whom permissions bind; root they do not.
const NOBODY: u32 = 65534;

/// What a reader says who cannot write the directory.
fn said_by_a_bound_reader(home: &Home, path: &Utf8Path) -> String {
    let mut command = child::command("read", &[path.as_str()]);
    if rustix::process::geteuid().is_root() {
        let top = Utf8PathBuf::from_path_buf(home.dir.path().to_owned()).unwrap();
        let mut all = vec![top, path.parent().unwrap().to_owned()];
        let inside = path.parent().unwrap().read_dir_utf8().unwrap();
        all.extend(inside.map(|entry| entry.unwrap().into_path()));
        for path in all {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    let directory = path.parent().unwrap();
    fs::set_permissions(directory, Permissions::from_mode(0o500)).unwrap();
    let output = command.output().unwrap();
    fs::set_permissions(directory, Permissions::from_mode(0o700)).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

// SPEC 13: `ps` and `verify` answer without writing where the store cannot be written.
#[test]
fn a_store_in_a_read_only_directory_is_read() {
    let mut home = Home::new();
    home.seat("a", seatfork_schema::Runtime::ClaudeCode);
    let path = home.store.path().to_owned();
    home.store = Store::create(&path.with_file_name("other.db")).unwrap();
    assert!(!path.with_file_name("seatfork.db-wal").exists());
    let said = said_by_a_bound_reader(&home, &path);
    assert!(said.contains("read 1 rigs"), "{said}");
    assert!(said.contains("observe NotWritable"), "{said}");
    assert!(said.contains("write NotWritable"), "{said}");
}

// SPEC 11: commits that stand in the log alone are not passed over.
#[test]
fn a_log_that_cannot_be_read_is_not_ignored() {
    let home = Home::new();
    let path = home.store.path().to_owned();
    let log = path.with_file_name("seatfork.db-wal");
    let kept = fs::read(&log).unwrap();
    assert!(!kept.is_empty());
    let main = fs::read(&path).unwrap();
    let Home { dir, store, rig } = home;
    drop(store);
    // As a crash left it: a log with commits, and no index of it.
    fs::write(&path, main).unwrap();
    fs::write(&log, kept).unwrap();
    fs::set_permissions(&log, Permissions::from_mode(0o600)).unwrap();
    let other = Store::create(&path.with_file_name("other.db")).unwrap();
    let home = Home { dir, store: other, rig };
    let said = said_by_a_bound_reader(&home, &path);
    assert!(said.contains("refused WalUnreadable"), "{said}");
}

// SPEC 11: a checkpoint cut short has put pages into the database whose companions are in the log alone; that is no damage.
#[test]
fn a_checkpoint_that_was_cut_short_is_no_damage() {
    let mut home = Home::new();
    for seat in 0..40 {
        home.seat(&format!("seat-{seat}"), seatfork_schema::Runtime::ClaudeCode);
    }
    let path = home.store.path().to_owned();
    let log = path.with_file_name("seatfork.db-wal");
    let (mut main, kept) = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    let in_file = u32::try_from(main.len() / PAGE).unwrap();
    // The first page of the database as the log has it last: it tells the size of the whole.
    let mut frames = kept[32..].chunks_exact(24 + PAGE);
    let first = frames.rfind(|frame| frame[..4] == 1_u32.to_be_bytes()).unwrap()[24..].to_vec();
    let told = u32::from_be_bytes(first[28..32].try_into().unwrap());
    assert!(told > in_file, "{told} pages, {in_file} of them in the file");
    main[..PAGE].copy_from_slice(&first);
    drop(home.store);
    for mode in [Mode::ReadOnly, Mode::Observe, Mode::ReadWrite] {
        fs::write(&path, &main).unwrap();
        fs::write(&log, &kept).unwrap();
        fs::set_permissions(&log, Permissions::from_mode(0o600)).unwrap();
        let store = Store::open(&path, mode).unwrap();
        assert_eq!(store.rig_state(home.rig.id).unwrap().len(), 40, "{mode:?}");
    }
}

// SPEC 13: a handle opened to read writes nothing, and says so.
#[test]
fn a_reader_cannot_write() {
    let mut home = Home::new();
    let seat = home.seat("a", seatfork_schema::Runtime::ClaudeCode);
    let (launch, _) = home.fork(&seat, "s1", "c1");
    let mut reader = Store::open(home.store.path(), Mode::ReadOnly).unwrap();
    let refused = reader.record_pane(launch.id, &pane()).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused:?}");
    let mut observer = Store::open(home.store.path(), Mode::Observe).unwrap();
    observer.record_pane(launch.id, &pane()).unwrap();
    assert!(reader.pane_of(launch.id).unwrap().is_some(), "a reader sees what is committed");
}
