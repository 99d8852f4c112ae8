//! The command line of the fake Codex.

use std::path::PathBuf;

use crate::fake::Phase;

/// Options that take a value, beside those with a meaning here.
const WITH_VALUE: [&str; 14] = [
    "-c",
    "--config",
    "--enable",
    "--disable",
    "-m",
    "--model",
    "-p",
    "--profile",
    "-s",
    "--sandbox",
    "-a",
    "--ask-for-approval",
    "--listen",
    "--color",
];
/// Options that take none.
const FLAGS: [&str; 10] = [
    "--experimental",
    "--json",
    "--skip-git-repo-check",
    "--no-daemon",
    "--no-alt-screen",
    "--strict-config",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-bypass-hook-trust",
    "--ignore-rules",
    "--include-non-interactive",
];

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Version,
    /// `--help` of the command of these words.
    Help(Vec<String>),
    /// The protocol of the server, written into this folder.
    Protocol {
        out: PathBuf,
    },
    Server,
    ExecFork {
        id: String,
    },
    ExecResume {
        id: String,
        prompt: String,
    },
    Resume {
        id: String,
    },
    Fork {
        id: String,
    },
    Fresh,
}

/// The command line, read.
#[derive(Clone, Debug)]
pub(super) struct Args {
    pub(super) ask: Ask,
    pub(super) thread_source: Option<String>,
    pub(super) cd: Option<PathBuf>,
}

impl Args {
    /// Reads the arguments; the error is what the real program prints, its exit code 2.
    pub(super) fn parse(args: &[String], without: &[String]) -> Result<Self, String> {
        let (mut words, mut thread_source, mut cd, mut out) = (Vec::new(), None, None, None);
        let (mut version, mut help) = (false, false);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if without.contains(arg) {
                return Err(format!("error: unexpected argument '{arg}' found"));
            }
            let mut value = || {
                let value = args.next().cloned();
                value.ok_or_else(|| format!("error: a value is required for '{arg}'"))
            };
            match arg.as_str() {
                "-V" | "--version" => version = true,
                "-h" | "--help" => help = true,
                "--thread-source" => thread_source = Some(value()?),
                "--out" => out = Some(PathBuf::from(value()?)),
                "-C" | "--cd" => cd = Some(PathBuf::from(value()?)),
                flag if FLAGS.contains(&flag) => {}
                option if WITH_VALUE.contains(&option) => drop(value()?),
                option if option.starts_with("-c") && option.contains('=') => {}
                option if option.starts_with('-') && option.len() > 1 => {
                    return Err(format!("error: unexpected argument '{option}' found"));
                }
                word => words.push(word.to_owned()),
            }
        }
        let ask = match () {
            () if version => Ask::Version,
            () if help => Ask::Help(known(&words, without)?),
            () => match (words.join(" ").as_str(), out) {
                ("app-server generate-json-schema", Some(out)) => {
                    known(&words[..1], without)?;
                    Ask::Protocol { out }
                }
                _ => ask(&words, without)?,
            },
        };
        Ok(Self { ask, thread_source, cd })
    }

    /// Which kind of invocation it is.
    pub(super) fn phase(&self) -> Phase {
        match self.ask {
            Ask::Version => Phase::Version,
            Ask::Help(_) | Ask::Protocol { .. } => Phase::Help,
            Ask::Server => Phase::Server,
            Ask::ExecFork { .. } => Phase::Fork,
            Ask::ExecResume { .. } => Phase::Turn,
            Ask::Resume { .. } | Ask::Fork { .. } | Ask::Fresh => Phase::Pane,
        }
    }
}

/// The words of a command, unless this version has it not.
fn known(words: &[String], without: &[String]) -> Result<Vec<String>, String> {
    let command = words.join(" ");
    if without.contains(&command) {
        let last = words.last().map(String::as_str).unwrap_or_default();
        return Err(format!("error: unrecognized subcommand '{last}'"));
    }
    Ok(words.to_vec())
}

fn ask(words: &[String], without: &[String]) -> Result<Ask, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |command: &[&str]| {
        let command: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
        known(&command, without).map(drop)
    };
    Ok(match words.as_slice() {
        ["app-server"] => {
            has(&["app-server"])?;
            Ask::Server
        }
        ["exec", "fork", id] => {
            has(&["exec", "fork"])?;
            Ask::ExecFork { id: (*id).to_owned() }
        }
        ["exec", "resume", id, prompt] => {
            Ask::ExecResume { id: (*id).to_owned(), prompt: (*prompt).to_owned() }
        }
        ["resume", id] => Ask::Resume { id: (*id).to_owned() },
        ["fork", id] => {
            has(&["fork"])?;
            Ask::Fork { id: (*id).to_owned() }
        }
        [] => Ask::Fresh,
        other => return Err(format!("error: unrecognized subcommand '{}'", other.join(" "))),
    })
}

/// What `--help` prints: the options a caller looks for, without those it does not have.
pub(super) fn help(of: &[String], without: &[String]) -> String {
    const OPTIONS: [(&str, &str); 13] = [
        ("-c, --config", "<key=value>"),
        ("-m, --model", "<MODEL>"),
        ("-p, --profile", "<PROFILE>"),
        ("-s, --sandbox", "<SANDBOX_MODE>"),
        ("-a, --ask-for-approval", "<APPROVAL_POLICY>"),
        ("-C, --cd", "<DIR>"),
        ("--no-daemon", ""),
        ("--thread-source", "<SOURCE>"),
        ("--skip-git-repo-check", ""),
        ("--json", ""),
        ("--dangerously-bypass-approvals-and-sandbox", ""),
        ("-h, --help", ""),
        ("-V, --version", ""),
    ];
    let commands: &[&str] = match of.join(" ").as_str() {
        "" => &["exec", "app-server", "resume", "fork"],
        "exec" => &["exec resume", "exec fork"],
        _ => &[],
    };
    let has = |name: &str| !without.iter().any(|gone| gone == name);
    let mut text = format!("Usage: codex {} [OPTIONS]\n\nCommands:\n", of.join(" "));
    for command in commands.iter().filter(|command| has(command)) {
        let last = command.rsplit(' ').next().unwrap_or_default();
        text += "  ";
        text += last;
        text += "\n";
    }
    text += "\nOptions:\n";
    for (option, value) in OPTIONS {
        if option.split(", ").all(has) {
            text += "  ";
            text += option;
            text += " ";
            text += value;
            text += "\n";
        }
    }
    text
}
