//! An owner lives as long as its lock is held, and no longer (SPEC 7).

use crate::child::Player;
use crate::support::*;
use seatfork_store::{LaunchId, LockError, OwnerLock};
use std::os::unix::fs::{PermissionsExt, symlink};

// SPEC 7: whose life is a kernel lock held while it runs, not a clock.
#[test]
fn a_lock_is_free_the_moment_its_process_is_killed() {
    let home = Home::new();
    let locks = home.store.locks_dir();
    let mine = home.lock();
    let launch = LaunchId::new(at(2));
    let path = locks.join(launch.to_string());
    assert!(OwnerLock::is_free(&path).unwrap(), "no file, no owner");
    let args = [locks.as_str(), &launch.to_string()];
    let mut player = Player::start("lock", &args);
    player.hear("holds");
    assert!(!OwnerLock::is_free(&path).unwrap());
    let held = OwnerLock::take_over(&locks, launch).unwrap_err();
    assert!(matches!(held, LockError::Held { .. }), "{held:?}");
    let mut second = Player::start("lock", &args);
    second.hear("refused ");
    player.kill();
    assert!(OwnerLock::is_free(&path).unwrap());
    let taken = OwnerLock::take_over(&locks, launch).unwrap();
    assert_eq!(taken.launch(), launch);
    assert!(!OwnerLock::is_free(&path).unwrap());
    drop(mine);
}

// SPEC 11: locks are private files; releasing removes one, and one that was removed locks nothing.
#[test]
fn a_released_lock_leaves_no_file() {
    let home = Home::new();
    let lock = home.lock();
    let path = home.store.locks_dir().join(lock.file_name());
    let mode = |path: &camino::Utf8Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let launch = lock.launch();
    lock.release().unwrap();
    assert!(!path.exists());
    let again = OwnerLock::take_over(&home.store.locks_dir(), launch).unwrap();
    std::fs::remove_file(&path).unwrap();
    let heir = OwnerLock::take_over(&home.store.locks_dir(), launch).unwrap();
    assert!(path.exists());
    drop(again);
    assert!(!OwnerLock::is_free(&path).unwrap(), "the file that stands there is the heir's");
    heir.release().unwrap();
}

// SPEC 7: one that only looks never makes an owner's claim fail.
#[test]
fn looking_at_a_lock_does_not_hinder_taking_it() {
    let home = Home::new();
    let locks = home.store.locks_dir();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let launch = LaunchId::new(at(2));
    let path = locks.join(launch.to_string());
    drop(OwnerLock::acquire(&locks, launch).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                OwnerLock::is_free(&path).unwrap();
                std::thread::yield_now();
            }
        });
        for _ in 0..200 {
            drop(OwnerLock::take_over(&locks, launch).unwrap());
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

// SPEC 14: a link in place of a lock is not followed.
#[test]
fn a_link_in_place_of_a_lock_is_an_error() {
    let home = Home::new();
    drop(home.lock());
    let launch = LaunchId::new(at(2));
    let path = home.store.locks_dir().join(launch.to_string());
    symlink(home.store.path(), &path).unwrap();
    for error in [
        OwnerLock::is_free(&path).map(drop).unwrap_err(),
        OwnerLock::take_over(&home.store.locks_dir(), launch).map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, LockError::Io { .. }), "{error:?}");
    }
}
