//! The command line of the fake runtime.

use super::Phase;

/// Options that take a value, beside those with a meaning here.
const WITH_VALUE: [&str; 10] = [
    "--permission-mode",
    "--model",
    "--settings",
    "--setting-sources",
    "--append-system-prompt",
    "--allowedTools",
    "--mcp-config",
    "--add-dir",
    "--input-format",
    "--debug-file",
];
/// Options that take none.
const FLAGS: [&str; 5] = [
    "--safe-mode",
    "--disable-slash-commands",
    "--verbose",
    "--dangerously-skip-permissions",
    "--strict-mcp-config",
];

/// What was asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub(super) print: bool,
    /// `--version` or `--help`: then nothing else counts.
    pub(super) asks: Option<Phase>,
    pub(super) fork: bool,
    pub(super) resume: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) json: bool,
    pub(super) prompt: Option<String>,
}

impl Args {
    /// Reads the arguments; the error is what the real program prints, its exit code 1.
    pub(super) fn parse(args: &[String], without: &[String]) -> Result<Self, String> {
        let mut parsed = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if without.contains(arg) {
                return Err(format!("error: unknown option '{arg}'"));
            }
            let mut value = || {
                let value = args.next().cloned();
                value.ok_or_else(|| format!("error: option '{arg}' argument missing"))
            };
            match arg.as_str() {
                "-p" | "--print" => parsed.print = true,
                "-v" | "--version" => parsed.asks = Some(Phase::Version),
                "-h" | "--help" => parsed.asks = Some(Phase::Help),
                "--fork-session" => parsed.fork = true,
                "-r" | "--resume" => parsed.resume = Some(value()?),
                "--session-id" => parsed.session_id = Some(value()?),
                "-n" | "--name" => parsed.name = Some(value()?),
                "--output-format" => parsed.json = value()? == "json",
                flag if FLAGS.contains(&flag) => {}
                option if WITH_VALUE.contains(&option) => drop(value()?),
                option if option.starts_with('-') && option.len() > 1 => {
                    return Err(format!("error: unknown option '{option}'"));
                }
                prompt => parsed.prompt = Some(prompt.to_owned()),
            }
        }
        Ok(parsed)
    }

    /// Which kind of invocation it is.
    pub(super) fn phase(&self) -> Phase {
        match self {
            Self { asks: Some(phase), .. } => *phase,
            Self { print: false, .. } => Phase::Pane,
            Self { resume: None, .. } => Phase::Fresh,
            Self { fork: true, .. } => Phase::Fork,
            Self { .. } => Phase::Turn,
        }
    }
}

/// What `--help` prints: the options a caller looks for, without those it does not have.
pub(super) fn help(without: &[String]) -> String {
    const LINES: [(&str, &str); 14] = [
        ("--append-system-prompt", "<prompt>  Add text to the end of the default system prompt"),
        ("--dangerously-skip-permissions", "  Bypass all permission checks."),
        ("--disable-slash-commands", "  Disable all skills and commands"),
        (
            "--fork-session",
            "  When resuming, create a new session ID instead of reusing the original",
        ),
        ("--help", "  Display help for command"),
        ("--model", "<model>  Model for the current session."),
        ("--name", "<name>  Set a display name for this session"),
        ("--output-format", "<format>  Output format (only works with --print)"),
        ("--permission-mode", "<mode>  Permission mode to use for the session (choices: MODES)"),
        ("--print", "  Print response and exit (useful for pipes)."),
        ("--resume", "[value]  Resume a conversation by session ID or name"),
        ("--safe-mode", "  Start with all customizations disabled"),
        ("--session-id", "<uuid>  Use a specific session ID for the conversation"),
        ("--version", "  Output the version number"),
    ];
    let mut text = String::from(
        "Usage: claude [options] [command] [prompt]\n\nClaude Code - starts an interactive session \
         by default, use -p/--print for\nnon-interactive output\n\nOptions:\n",
    );
    for (option, rest) in LINES {
        if !without.iter().any(|gone| gone == option) {
            text += "  ";
            text += option;
            text += " ";
            text += rest;
            text += "\n";
        }
    }
    text
}

/// Whether a version is of the older kind: numbered dialogs, fewer fields.
pub(super) fn is_old(version: &str) -> bool {
    let patch = version.strip_prefix("2.1.").and_then(|patch| patch.parse().ok());
    patch.is_some_and(|patch: u32| patch < 300)
}

/// The permission modes a version has, as its help tells them.
pub(super) fn modes(version: &str) -> &'static str {
    if is_old(version) {
        r#""acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan""#
    } else {
        r#""acceptEdits", "auto", "bypassPermissions", "manual", "dontAsk", "plan""#
    }
}
