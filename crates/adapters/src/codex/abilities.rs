//! What the answering binary can do, asked of itself (SPEC 6 `probe`).
//!
//! Codex writes into its home even to say its version, so it is asked in an
//! empty home of its own. What its server answers to is read out of the
//! protocol it describes, without starting the server.

use crate::binary::{PROBE_DEADLINE, ask, find, stamp_of, strange};
use crate::contract::environment::SeatEnv;
use crate::contract::failure::ProbeError;
use crate::contract::plan::Binary;
use camino::{Utf8Path, Utf8PathBuf};

/// The program's name on PATH.
const PROGRAM: &str = "codex";

/// Flags without which no pane is possible.
const NEEDED: &[&str] = &["--cd", "--sandbox", "--ask-for-approval", "--config", "--model"];

/// `exec fork` makes a fork headless and marks it.
pub(super) const EXEC_FORK: &str = "exec-fork";
/// The server starts a conversation that can be resumed.
pub(super) const SERVER_START: &str = "server-start";
/// The server forks.
pub(super) const SERVER_FORK: &str = "server-fork";
/// The server takes a note into a conversation without a model call.
pub(super) const SERVER_NOTE: &str = "server-note";
/// A pane can be kept apart from the shared server.
pub(super) const NO_DAEMON: &str = "no-daemon";
/// A pane's settings can have a profile laid over them.
pub(super) const PROFILE: &str = "profile";

/// Whether a binary has an ability.
pub(super) fn has(binary: &Binary, ability: &str) -> bool {
    binary.abilities.iter().any(|one| one == ability)
}

/// Finds the binary and asks it for its version and abilities.
pub(super) async fn probe(env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
    let path = find(PROGRAM, env, rig_root)?;
    let failed = |source| ProbeError::Io { path: path.clone(), source };
    let stamp = stamp_of(&path).map_err(failed)?;
    let place = tempfile::Builder::new().prefix("seatfork-codex.").tempdir().map_err(failed)?;
    let home = Utf8PathBuf::from_path_buf(place.path().to_owned())
        .map_err(|path| failed(std::io::Error::other(format!("{} is no UTF-8", path.display()))))?;
    let asking = [(super::layout::HOME_VAR, home.as_str()), ("HOME", home.as_str())];
    let said = ask(&path, &["--version"], env, &asking, PROBE_DEADLINE).await?;
    let version = version_in(&said).ok_or_else(|| strange(&path, "--version", &said))?.to_owned();
    let resume = ask(&path, &["resume", "--help"], env, &asking, PROBE_DEADLINE).await?;
    let lacks: Vec<&str> = NEEDED.iter().copied().filter(|flag| !has_flag(&resume, flag)).collect();
    if !lacks.is_empty() {
        let lacks = lacks.join(", ");
        return Err(ProbeError::TooOld { path, version, lacks });
    }
    let mut abilities = Vec::new();
    let mut able = |ability: &str, is: bool| {
        if is {
            abilities.push(ability.to_owned());
        }
    };
    able(NO_DAEMON, has_flag(&resume, "--no-daemon"));
    able(PROFILE, has_flag(&resume, "--profile"));
    // A version without the command answers with an error, which is an answer.
    let fork = ask(&path, &["exec", "fork", "--help"], env, &asking, PROBE_DEADLINE).await;
    let fork = fork.unwrap_or_default();
    let marks = ["--thread-source", "--json", "--skip-git-repo-check"];
    able(EXEC_FORK, fork.contains("exec fork") && marks.iter().all(|flag| has_flag(&fork, flag)));
    let protocol = protocol(&path, env, &asking, &home).await;
    let says = |words: &[&str]| words.iter().all(|word| protocol.contains(&format!("\"{word}\"")));
    let named = says(&["initialize", "thread/name/set", "threadSource"]);
    able(SERVER_START, named && says(&["thread/start"]));
    able(SERVER_FORK, named && says(&["thread/fork", "excludeTurns"]));
    able(SERVER_NOTE, says(&["thread/inject_items"]));
    Ok(Binary {
        path,
        device: stamp.device,
        inode: stamp.inode,
        stamp: stamp.stamp,
        version,
        abilities,
    })
}

/// The requests the server says it takes, as one text; empty where it does not say.
async fn protocol(
    path: &Utf8Path,
    env: &SeatEnv,
    asking: &[(&str, &str)],
    home: &Utf8Path,
) -> String {
    let out = home.join("protocol");
    let question = ["app-server", "generate-json-schema", "--experimental", "--out", out.as_str()];
    match ask(path, &question, env, asking, PROBE_DEADLINE).await {
        Ok(_) => std::fs::read_to_string(out.join("ClientRequest.json")).unwrap_or_default(),
        // It has no such server, or none that describes itself.
        Err(_) => String::new(),
    }
}

/// `codex-cli 0.171.0`.
fn version_in(said: &str) -> Option<&str> {
    let version = said.trim().lines().last()?.strip_prefix("codex-cli ")?;
    let numbers = version.split(['.', '-', '+']).next()?;
    let fits = !numbers.is_empty()
        && version.contains('.')
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
        && numbers.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(version)
}

/// Whether a help text names a flag as a whole word.
fn has_flag(help: &str, flag: &str) -> bool {
    help.match_indices(flag).any(|(at, _)| {
        let whole = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '-');
        whole(help[..at].chars().next_back()) && whole(help[at + flag.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 6: a version is taken from the runtime's own words only.
    #[test]
    fn versions_are_read_as_the_runtime_says_them() {
        assert_eq!(version_in("codex-cli 0.171.0\n"), Some("0.171.0"));
        assert_eq!(version_in("codex-cli 0.172.0-alpha.3"), Some("0.172.0-alpha.3"));
        for strange in ["", "0.171.0", "codex 0.171.0", "2.1.332 (Claude Code)", "codex-cli x.1"] {
            assert_eq!(version_in(strange), None, "{strange}");
        }
    }
}
