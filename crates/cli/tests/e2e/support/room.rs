//! File systems of a test's own: read-only where root would write, full where the machine has room.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::{Output, Running};

use super::Place;

const PATIENCE: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(10);

/// A mount namespace. It lives as long as this, and so do its mounts.
#[derive(Debug)]
pub(crate) struct Room {
    /// Sleeps in the namespace; ended with the place.
    _holder: Running,
    pid: u32,
}

impl Room {
    /// A namespace in which a directory is read-only, even for root.
    pub(crate) fn with_read_only(place: &Place, dir: &Path) -> Self {
        let mount = r#"mount --bind "$1" "$1" && mount -o remount,ro,bind "$1""#;
        Self::with(place, mount, &[dir.as_os_str()])
    }

    /// A namespace in which a directory is a disk of its own of this many KiB, which holds what the directory held.
    pub(crate) fn with_disk(place: &Place, dir: &Path, kib: u64) -> Self {
        let mount = r#"
            cp -a "$1" "$1.before" && mount -t tmpfs -o "size=$2k,mode=0700" disk "$1" &&
            cp -a "$1.before/." "$1""#;
        Self::with(place, mount, &[dir.as_os_str(), kib.to_string().as_ref()])
    }

    fn with(place: &Place, mounts: &str, args: &[&OsStr]) -> Self {
        let ready = place.root().join("tmp/room-is-ready");
        let mut holder = place.command("unshare");
        let script = format!(r#"{mounts} || exit 1; shift $(($# - 1)); : >"$1"; exec sleep 3600"#);
        holder.args(["-m", "sh", "-c", &script, "sh"]).args(args).arg(&ready);
        let holder = place.start_command(holder, "unshare");
        let end = Instant::now() + PATIENCE;
        while !ready.exists() {
            if Instant::now() > end || !Path::new(&format!("/proc/{}", holder.pid())).exists() {
                let why = holder.wait();
                panic!("a mount namespace is needed here and could not be made\n{why}");
            }
            thread::sleep(STEP);
        }
        fs::remove_file(ready).unwrap();
        Self { pid: holder.pid(), _holder: holder }
    }

    /// Runs `seatfork` in it to its end.
    pub(crate) fn run(&self, place: &Place, args: &[&str]) -> Output {
        self.start(place, args).wait()
    }

    /// Starts `seatfork` in it.
    pub(crate) fn start(&self, place: &Place, args: &[&str]) -> Running {
        let mut inside = place.command("nsenter");
        inside.args(["-m", "-t", &self.pid.to_string(), "sh", "-c"]);
        inside.args([r#"cd "$1" && shift && exec "$@""#, "sh"]).arg(place.root());
        inside.arg(env!("CARGO_BIN_EXE_seatfork")).args(args);
        place.start_command(inside, "seatfork")
    }

    /// A path as it is in there.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        let mut inside = PathBuf::from(format!("/proc/{}/root", self.pid));
        inside.extend(path.components().skip(1));
        inside
    }

    /// Fills the disk of a directory to the last byte; the file that takes the room.
    pub(crate) fn fill(&self, dir: &Path) -> PathBuf {
        let filler = self.path(dir).join("filler");
        let mut file = fs::File::create(&filler).unwrap();
        let mut block = vec![0_u8; 1 << 16];
        while !block.is_empty() {
            use std::io::Write as _;
            if file.write_all(&block).is_err() {
                block.truncate(block.len() / 2);
            }
        }
        filler
    }
}
