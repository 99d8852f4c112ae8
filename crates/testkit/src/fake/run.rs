//! The fake runtime's `main`.

use std::{
    env,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};

use super::{
    Act, Invocation, Phase, Script, Stream,
    args::{self, Args},
    headless,
    install::beside,
    pane,
    store::Store,
};
use crate::process;

/// Everything an invocation needs to know.
pub(super) struct Run {
    pub(super) program: PathBuf,
    pub(super) script: Script,
    pub(super) args: Args,
    pub(super) acts: Vec<Act>,
    pub(super) store: Store,
}

/// Runs the fake runtime: the whole `main` of the binary `fake-claude`.
pub fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(err) => {
            say(Stream::Stderr, &format!("fake-claude: {err}\n"));
            ExitCode::from(70)
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let program = env::current_exe()?;
    // Arguments that are no UTF-8 are shown as they can be: the log is JSON.
    let raw: Vec<String> = env::args_os().skip(1).map(|a| a.to_string_lossy().into()).collect();
    if let Some(code) = headless::late_writer(&raw)? {
        return Ok(code);
    }
    let script: Script = match std::fs::read(beside(&program, "script.json")) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(err) if err.kind() == io::ErrorKind::NotFound => Script::faithful(),
        Err(err) => return Err(err),
    };
    let args = match Args::parse(&raw, &script.without_options) {
        Ok(args) => args,
        Err(text) => {
            say(Stream::Stderr, &format!("{text}\n"));
            return Ok(ExitCode::from(1));
        }
    };
    let phase = args.phase();
    let nth = log(&program, phase, raw)?;
    let acts = script.acts(phase, nth).to_vec();
    let store = Store::here(&script.version)?;
    let run = Run { program, script, args, acts, store };
    if let Some(code) = run.acts_before()? {
        return Ok(code);
    }
    match phase {
        Phase::Version => {
            let line = format!("{} (Claude Code)", run.script.version);
            say(Stream::Stdout, run.script.version_line.as_ref().unwrap_or(&line));
            say(Stream::Stdout, "\n");
            Ok(ExitCode::SUCCESS)
        }
        Phase::Help => {
            let text = args::help(&run.script.without_options);
            say(Stream::Stdout, &text.replace("MODES", args::modes(&run.script.version)));
            Ok(ExitCode::SUCCESS)
        }
        Phase::Fork | Phase::Fresh | Phase::Turn => headless::run(&run),
        Phase::Pane => pane::run(&run),
    }
}

impl Run {
    /// What is to be done before anything else, whatever the kind of invocation. A code: that was
    /// all.
    fn acts_before(&self) -> io::Result<Option<ExitCode>> {
        for act in &self.acts {
            match act {
                Act::Exit { code, stdout, stderr } => {
                    say(Stream::Stdout, stdout);
                    say(Stream::Stderr, stderr);
                    return Ok(Some(exit_code(*code)));
                }
                Act::Hang { stubborn } => pane::hang(*stubborn)?,
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
                    let path = self.store.home.join(path);
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
    const SHOWN: [&str; 5] =
        ["HOME", "CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "PATH"];
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
