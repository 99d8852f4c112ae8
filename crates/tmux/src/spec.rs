//! What a pane is to be, and the checks that come before any process.

use std::collections::BTreeSet;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::Access;

use crate::name::SessionName;

/// The variables tmux sets itself in every pane, whatever the session's environment says.
///
/// A [`PaneSpec`] naming one is refused, since its value would be dropped silently; a caller with
/// a fixed base environment filters by this list. `SHELL` is not in it: [`PaneSpec::env`] decides
/// it, and `/bin/sh` stands in when it is absent; so for `PATH`, where tmux has a default.
pub const TMUX_SETS: [&str; 6] =
    ["PWD", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"];

/// One pane to be opened: plain data.
///
/// ```
/// use seatfork_tmux::PaneSpec;
/// let spec = PaneSpec {
///     session: "launch-0193f2c4".parse()?,
///     cwd: "/tmp".into(),
///     env: vec![("PATH".into(), "/usr/bin:/bin".into())],
///     argv: vec!["/bin/sh".into(), "-c".into(), "echo \"$0\"; exec cat".into(), "$(id)".into()],
///     options: vec![("@seatfork_nonce".into(), "6f1d".into())],
/// };
/// # drop(spec);
/// # Ok::<(), seatfork_tmux::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PaneSpec {
    /// The name of the session that holds the pane.
    pub session: SessionName,
    /// The directory the program starts in: absolute, existing. Links are resolved first.
    pub cwd: Utf8PathBuf,
    /// The whole environment of the program, besides what tmux sets itself ([`TMUX_SETS`]).
    /// Values go to tmux on stdin, so they are on no command line; they may hold any text.
    pub env: Vec<(String, String)>,
    /// The program (absolute) and its arguments. Executed as they stand, by no shell.
    pub argv: Vec<String>,
    /// User options of the session, `@name` and a value of printable ASCII without spaces.
    pub options: Vec<(String, String)>,
}

/// Shows the names of variables and never a value: values may be keys (SPEC 14).
impl std::fmt::Debug for PaneSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { session, cwd, env, argv, options } = self;
        f.debug_struct("PaneSpec")
            .field("session", session)
            .field("cwd", cwd)
            .field("env", &env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("argv", argv)
            .field("options", options)
            .finish()
    }
}

/// What is wrong with a [`PaneSpec`]; nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// There is no program.
    #[error("argv is empty")]
    NoProgram,
    /// The program is not an absolute path, so which one runs would depend on a search.
    #[error("program {program:?} is not an absolute path")]
    ProgramNotAbsolute {
        /// `argv[0]`.
        program: String,
    },
    /// The program is missing, no file, or may not be executed.
    #[error("program {program:?} cannot be executed")]
    ProgramNotExecutable {
        /// `argv[0]`.
        program: String,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// NUL cannot be part of an argument or a variable.
    #[error("{what} contains a NUL character")]
    Nul {
        /// The part of the spec, without a value.
        what: String,
    },
    /// A variable's name is not `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("{name:?} is no name of an environment variable")]
    EnvName {
        /// The name given.
        name: String,
    },
    /// A variable given twice.
    #[error("environment variable {name} is given twice")]
    EnvTwice {
        /// The name.
        name: String,
    },
    /// A variable tmux sets itself.
    #[error("environment variable {name} is set by tmux itself, so the value given would be lost")]
    EnvReserved {
        /// One of [`TMUX_SETS`].
        name: String,
    },
    /// An option that is not `@[a-z0-9_]+`, or is `@seatfork_pane`, which this crate sets.
    #[error(
        "{name:?} is no user option that can be set (@ and a-z 0-9 _; @seatfork_pane is taken)"
    )]
    OptionName {
        /// The name given.
        name: String,
    },
    /// An option's value with something else than printable ASCII, or with a space.
    #[error("option {name} has a value that is not printable ASCII without spaces: {value:?}")]
    OptionValue {
        /// The option.
        name: String,
        /// The value given.
        value: String,
    },
    /// The directory is not an absolute path.
    #[error("cwd {cwd:?} is not an absolute path")]
    CwdNotAbsolute {
        /// The directory given.
        cwd: Utf8PathBuf,
    },
    /// The directory is missing or cannot be entered.
    #[error("cwd {cwd:?} cannot be entered")]
    CwdUnusable {
        /// The directory given.
        cwd: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The path is something else than a directory.
    #[error("cwd {cwd:?} is not a directory")]
    CwdNotADirectory {
        /// The directory given.
        cwd: Utf8PathBuf,
    },
}

impl PaneSpec {
    /// Checks everything that can be checked before a process exists; returns the real cwd.
    pub(crate) fn check(&self) -> Result<Utf8PathBuf, SpecError> {
        self.check_argv()?;
        self.check_env()?;
        self.check_options()?;
        self.real_cwd()
    }

    fn check_argv(&self) -> Result<(), SpecError> {
        let program = self.argv.first().ok_or(SpecError::NoProgram)?;
        for (i, word) in self.argv.iter().enumerate() {
            no_nul(word, || format!("argv[{i}]"))?;
        }
        if !program.starts_with('/') {
            return Err(SpecError::ProgramNotAbsolute { program: program.clone() });
        }
        executable(Utf8Path::new(program))
            .map_err(|source| SpecError::ProgramNotExecutable { program: program.clone(), source })
    }

    fn check_env(&self) -> Result<(), SpecError> {
        let mut seen = BTreeSet::new();
        for (name, value) in &self.env {
            let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
            if !first || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(SpecError::EnvName { name: name.clone() });
            }
            if TMUX_SETS.contains(&name.as_str()) {
                return Err(SpecError::EnvReserved { name: name.clone() });
            }
            if !seen.insert(name) {
                return Err(SpecError::EnvTwice { name: name.clone() });
            }
            no_nul(value, || format!("environment variable {name}"))?;
        }
        Ok(())
    }

    fn check_options(&self) -> Result<(), SpecError> {
        for (name, value) in &self.options {
            check_option_name(name)?;
            if !value.bytes().all(|b| b.is_ascii_graphic()) {
                let (name, value) = (name.clone(), value.clone());
                return Err(SpecError::OptionValue { name, value });
            }
        }
        Ok(())
    }

    fn real_cwd(&self) -> Result<Utf8PathBuf, SpecError> {
        let cwd = self.cwd.clone();
        no_nul(cwd.as_str(), || "cwd".to_owned())?;
        if !cwd.is_absolute() {
            return Err(SpecError::CwdNotAbsolute { cwd });
        }
        let unusable = |source| SpecError::CwdUnusable { cwd: cwd.clone(), source };
        let real = cwd.canonicalize_utf8().map_err(unusable)?;
        if !real.metadata().map_err(unusable)?.is_dir() {
            return Err(SpecError::CwdNotADirectory { cwd });
        }
        rustix::fs::access(real.as_str(), Access::EXEC_OK).map_err(|e| unusable(e.into()))?;
        Ok(real)
    }
}

/// Refuses a name that is no user option, or is this crate's own.
pub(crate) fn check_option_name(name: &str) -> Result<(), SpecError> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let fits = name.strip_prefix('@').is_some_and(|n| !n.is_empty() && n.bytes().all(plain));
    if fits && name != crate::open::PANE_OPTION {
        return Ok(());
    }
    Err(SpecError::OptionName { name: name.to_owned() })
}

/// Says whether a path is a regular file that may be executed, or why not.
pub(crate) fn executable(path: &Utf8Path) -> io::Result<()> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    rustix::fs::access(path.as_str(), Access::EXEC_OK).map_err(io::Error::from)
}

fn no_nul(text: &str, what: impl FnOnce() -> String) -> Result<(), SpecError> {
    if text.contains('\0') { Err(SpecError::Nul { what: what() }) } else { Ok(()) }
}
