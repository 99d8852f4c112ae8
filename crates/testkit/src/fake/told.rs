//! What any fake runtime knows of an invocation: its script, the acts that are due, its log.

use std::{
    env,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};

use super::{Act, Invocation, Phase, Script, Stream, install::beside, watch};
use crate::process;

/// One invocation, as its script has it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) program: PathBuf,
    pub(super) script: Script,
    pub(super) acts: Vec<Act>,
    /// The home.
    pub(super) home: PathBuf,
    /// The real path of the working directory.
    pub(super) cwd: PathBuf,
}

impl Told {
    /// The script of this process's program; `faithful` where there is none.
    pub(super) fn script(program: &Path, faithful: Script) -> io::Result<Script> {
        match std::fs::read(beside(program, "script.json")) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(faithful),
            Err(err) => Err(err),
        }
    }

    /// An invocation of a kind: written down, its acts looked up.
    pub(super) fn of(
        program: PathBuf,
        script: Script,
        phase: Phase,
        args: Vec<String>,
    ) -> io::Result<Self> {
        let nth = log(&program, phase, args)?;
        let acts = script.acts(phase, nth).to_vec();
        let home = process::var("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let cwd = env::current_dir()?.canonicalize()?;
        Ok(Self { program, script, acts, home, cwd })
    }

    /// What is to be done before anything else, whatever the kind of invocation. A code: that was
    /// all.
    pub(super) fn acts_before(&self) -> io::Result<Option<ExitCode>> {
        for act in &self.acts {
            match act {
                Act::Exit { code, stdout, stderr } => {
                    say(Stream::Stdout, stdout);
                    say(Stream::Stderr, stderr);
                    return Ok(Some(exit_code(*code)));
                }
                Act::Hang { stubborn } => watch::hang(*stubborn)?,
                Act::Slow { ms } => thread::sleep(Duration::from_millis(*ms)),
                Act::Flood { mebibytes, to } => {
                    let line =
                        "all work and no play makes a long output, sixty-four bytes a line\n";
                    let kibibyte = line.repeat(16);
                    for _ in 0..mebibytes * 1024 {
                        say(*to, &kibibyte);
                    }
                }
                Act::ChangeFile { path } => {
                    let path = self.home.join(path);
                    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
                    file.write_all(b"\n")?;
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Writes the invocation down; how many of its kind were before it.
fn log(program: &Path, phase: Phase, args: Vec<String>) -> io::Result<usize> {
    const SHOWN: [&str; 7] = [
        "HOME",
        "CLAUDE_CONFIG_DIR",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "PATH",
        "CODEX_HOME",
        "OPENAI_API_KEY",
    ];
    let vars =
        process::vars().map(|(n, v)| (n.to_string_lossy().into(), v.to_string_lossy().into()));
    let vars: std::collections::BTreeMap<String, String> = vars.collect();
    let invocation = Invocation {
        phase,
        args,
        cwd: env::current_dir()?,
        env_names: vars.keys().cloned().collect(),
        env: vars
            .into_iter()
            .filter(|(name, _)| name.starts_with("SEATFORK_") || SHOWN.contains(&name.as_str()))
            .collect(),
        pid: std::process::id(),
    };
    let path = beside(program, "log.jsonl");
    let mut file = File::options().create(true).read(true).append(true).open(path)?;
    file.lock()?;
    let mut before = 0;
    for line in BufReader::new(&file).lines() {
        let earlier: Invocation = serde_json::from_str(&line?)?;
        before += usize::from(earlier.phase == phase);
    }
    file.seek(io::SeekFrom::End(0))?;
    writeln!(file, "{}", serde_json::to_string(&invocation)?)?;
    Ok(before)
}

/// Ends a fake runtime's `main`: its code, or what went wrong with the fake itself.
pub(super) fn ended(name: &str, ran: io::Result<ExitCode>) -> ExitCode {
    match ran {
        Ok(code) => code,
        Err(err) => {
            say(Stream::Stderr, &format!("{name}: {err}\n"));
            ExitCode::from(70)
        }
    }
}

/// Says something. A reader that has gone away is the reader's affair, as with the real program.
pub(super) fn say(to: Stream, text: &str) {
    match to {
        Stream::Stdout => io::stdout().write_all(text.as_bytes()).ok(),
        Stream::Stderr => io::stderr().write_all(text.as_bytes()).ok(),
    };
    io::stdout().flush().ok();
}

/// An exit code as a process has it.
pub(super) fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code.rem_euclid(256)).unwrap_or(1))
}
