//! How fast a child is seeded, and in how much memory, beside a copy of the same log made durable.
//!
//! `cargo bench -p seatfork-sessionlog`. Both sides alternate on one file in one run; what counts
//! is the ratio, for the disk decides the rest. `-- 1000 1000000` chooses the numbers of events.
//! Of 100 000 events it must take at most three times the copy, and at most 16 MiB.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "a benchmark tells its numbers")]

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_sessionlog::{
    CacheFacts, PermissionMode, Posture, SeedRequest, SessionId, Workspace, WorkspaceMode,
    seed_child_log,
};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Numbers of events where none is given.
const EVENTS: [u64; 3] = [1_000, 10_000, 100_000];
/// The number the promise is about.
const PROMISED: u64 = 100_000;
const MOST_RATIO: f64 = 3.0;
const MOST_KIB: u64 = 16 * 1024;

/// Shortest and longest line; their mean is near 1.9 kB.
const SHORTEST: u64 = 200;
const LONGEST: u64 = 20_000;
const MEAN: f64 = 1_900.0;

/// The word that makes this program the process whose memory is measured: `word DIR side child`.
const MEASURED: &str = "--measured";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, dir, side, child] = &args[..]
        && word == MEASURED
    {
        let home = Home::at(Utf8Path::new(dir));
        match side.as_str() {
            "copy" => home.copy(),
            _ => home.seed(child),
        }
        println!("{}", peak_kib());
        return ExitCode::SUCCESS;
    }
    let given: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let events = if given.is_empty() { EVENTS.to_vec() } else { given };
    println!("events  bytes  copy+fsync  seed  ratio (least to most)  MB/s  peak KiB (copy)");
    let kept: Vec<bool> = events.iter().map(|events| one(*events)).collect();
    if kept.iter().all(|kept| *kept) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures one size; whether the promise holds, where it is about this size.
fn one(events: u64) -> bool {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = Home::at(Utf8Path::from_path(dir.path()).unwrap());
    let bytes = home.generate(events);
    let rounds = match events {
        0..=1_000 => 9,
        1_001..=100_000 => 5,
        _ => 3,
    };
    let mut rows: Vec<(Duration, Duration)> = Vec::new();
    for round in 0..rounds {
        let copy = timed(|| home.copy());
        let child = format!("child-{round}");
        let seed = timed(|| home.seed(&child));
        fs::remove_file(home.log(&child)).unwrap();
        rows.push((copy, seed));
    }
    let mut ratios: Vec<f64> =
        rows.iter().map(|(copy, seed)| seed.as_secs_f64() / copy.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    let median = |side: fn(&(Duration, Duration)) -> Duration| {
        let mut all: Vec<_> = rows.iter().map(side).collect();
        all.sort();
        all[all.len() / 2]
    };
    let (copy, seed) = (median(|row| row.0), median(|row| row.1));
    let per_second = bytes as f64 / 1e6 / seed.as_secs_f64();
    let (peak, of_copy) = (home.measured("seed"), home.measured("copy"));
    println!(
        "{events}  {bytes}  {:.1} ms  {:.1} ms  {ratio:.2} ({:.2} to {:.2})  {per_second:.0}  {peak} ({of_copy})",
        copy.as_secs_f64() * 1e3,
        seed.as_secs_f64() * 1e3,
        ratios[0],
        ratios[ratios.len() - 1],
    );
    let kept = events != PROMISED || ratio <= MOST_RATIO;
    let fits = peak <= MOST_KIB;
    if !kept {
        println!("  more than {MOST_RATIO} times the copy");
    }
    if !fits {
        println!("  more than {MOST_KIB} KiB");
    }
    kept && fits
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

/// A workspace with one seed.
struct Home {
    dir: Utf8PathBuf,
    workspace: Workspace,
}

impl Home {
    fn at(dir: &Utf8Path) -> Self {
        fs::create_dir_all(dir.join(".pixir/sessions")).unwrap();
        let workspace = Workspace::open(dir).unwrap();
        Self { dir: workspace.path().to_owned(), workspace }
    }

    fn log(&self, session: &str) -> Utf8PathBuf {
        self.workspace.log_path(&SessionId::new(session).unwrap())
    }

    /// Copies the seed and makes the copy durable, its name too.
    fn copy(&self) {
        let to = self.dir.join("copy");
        fs::copy(self.log("seed"), &to).unwrap();
        File::open(&to).unwrap().sync_all().unwrap();
        File::open(&self.dir).unwrap().sync_all().unwrap();
        fs::remove_file(to).unwrap();
    }

    fn seed(&self, child: &str) {
        let posture = Posture {
            permission: PermissionMode::Ask,
            workspace_mode: WorkspaceMode::Shared,
            holder: "bench".to_owned(),
        };
        let request = SeedRequest {
            workspace: &self.workspace,
            seed: &SessionId::new("seed").unwrap(),
            child_workspace: &self.workspace,
            child: &SessionId::new(child).unwrap(),
            posture: Some(&posture),
            cache: CacheFacts::default(),
            at: "2026-01-02T03:04:05Z".parse().unwrap(),
        };
        seed_child_log(&request).unwrap();
    }

    /// The peak memory of a process that does one side once, in KiB.
    #[expect(clippy::disallowed_methods, reason = "memory is measured in a process of its own")]
    fn measured(&self, side: &str) -> u64 {
        let child = "measured";
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([MEASURED, self.dir.as_str(), side, child])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        if side == "seed" {
            fs::remove_file(self.log(child)).unwrap();
        }
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    }

    /// Writes a seed of so many events, one in eight of a type that is not copied; its length.
    fn generate(&self, events: u64) -> u64 {
        let mut file = BufWriter::new(File::create(self.log("seed")).unwrap());
        let mut dice = Dice(0x5EED);
        let mut line = String::new();
        for seq in 0..events {
            line.clear();
            let kind = kind(seq);
            write!(line, "{{\"data\":{{\"call_id\":\"c{}\",\"text\":\"", seq / 8).unwrap();
            let until = usize::try_from(dice.length()).unwrap().saturating_sub(150);
            while line.len() < until {
                line.push_str(dice.piece());
            }
            writeln!(
                line,
                "\"}},\"id\":\"{seq:016x}\",\"seq\":{seq},\"session_id\":\"seed\",\"ts\":\"2026-01-02T03:04:05.{:06}Z\",\"type\":\"{kind}\"}}",
                seq % 1_000_000
            )
            .unwrap();
            file.write_all(line.as_bytes()).unwrap();
        }
        file.flush().unwrap();
        let file = file.into_inner().unwrap();
        file.sync_all().unwrap();
        file.metadata().unwrap().len()
    }
}

/// A turn of eight events: asked, thought, called, answered, said, and one that is not copied.
fn kind(seq: u64) -> &'static str {
    match seq % 8 {
        0 => "user_message",
        1 => "reasoning",
        3 => "tool_call",
        4 => "tool_result",
        5 => "permission_decision",
        6 => "provider_usage",
        _ => "assistant_message",
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A line's length: many short ones, a few long ones.
    fn length(&mut self) -> u64 {
        let unit = (self.roll() >> 11) as f64 / (1_u64 << 53) as f64;
        let length = -(MEAN * 1.02 - SHORTEST as f64) * (1.0 - unit).ln();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is small")]
        let length = SHORTEST + length as u64;
        length.min(LONGEST)
    }

    /// Some text; a third of it is code, a line feed or quote every few words, or not ASCII.
    fn piece(&mut self) -> &'static str {
        match self.roll() % 16 {
            0..=3 => "fn main() {\\n    println!(\\\"hello\\\");\\n}\\n",
            4 => "caf\\u00e9 größe µm ",
            5 => "C:\\\\path\\\\to\\\\file ",
            _ => "the quick brown fox jumps over the lazy dog and reads the log again; ",
        }
    }
}

/// This process's greatest resident memory so far, in KiB.
fn peak_kib() -> u64 {
    let mut status = String::new();
    File::open("/proc/self/status").unwrap().read_to_string(&mut status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
