//! What the answering binary can do, asked of itself (SPEC 6 `probe`).

use crate::binary::{PROBE_DEADLINE, ask, find, stamp_of, strange};
use crate::contract::environment::SeatEnv;
use crate::contract::failure::ProbeError;
use crate::contract::plan::Binary;
use camino::Utf8Path;

/// The program's name on PATH.
const PROGRAM: &str = "claude";

/// Looking at a binary must not update it.
const ASKING: &[(&str, &str)] = &[("DISABLE_AUTOUPDATER", "1")];

/// Flags without which no launch is possible: phase 1 needs them all.
const NEEDED: &[&str] = &[
    "--resume",
    "--fork-session",
    "--session-id",
    "--name",
    "--output-format",
    "--permission-mode",
    "--safe-mode",
    "--disable-slash-commands",
];

/// The ability of a permission mode, by its name.
pub(super) fn mode_ability(mode: &str) -> String {
    format!("permission-mode-{mode}")
}

/// Finds the binary and asks it for its version and abilities.
pub(super) async fn probe(env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
    let path = find(PROGRAM, env, rig_root)?;
    let stamp = stamp_of(&path).map_err(|source| ProbeError::Io { path: path.clone(), source })?;
    let said = ask(&path, &["--version"], env, ASKING, PROBE_DEADLINE).await?;
    let version = version_in(&said).ok_or_else(|| strange(&path, "--version", &said))?;
    let help = ask(&path, &["--help"], env, ASKING, PROBE_DEADLINE).await?;
    let lacks: Vec<&str> = NEEDED.iter().copied().filter(|flag| !has_flag(&help, flag)).collect();
    if !lacks.is_empty() {
        return Err(ProbeError::TooOld {
            path,
            version: version.to_owned(),
            lacks: lacks.join(", "),
        });
    }
    let modes = permission_modes(&help);
    if modes.is_empty() {
        return Err(strange(&path, "--help", "no choices for --permission-mode"));
    }
    let flags = NEEDED.iter().map(|flag| flag.trim_start_matches('-').to_owned());
    let abilities = flags.chain(modes.iter().map(|mode| mode_ability(mode))).collect();
    Ok(Binary {
        path,
        device: stamp.device,
        inode: stamp.inode,
        stamp: stamp.stamp,
        version: version.to_owned(),
        abilities,
    })
}

/// `2.1.332 (Claude Code)`.
fn version_in(said: &str) -> Option<&str> {
    let version = said.trim().strip_suffix("(Claude Code)")?.trim_end();
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

/// The choices of `--permission-mode`: quoted words in the parentheses after it.
fn permission_modes(help: &str) -> Vec<String> {
    let Some(at) = help.find("--permission-mode ") else { return Vec::new() };
    let rest = &help[at..];
    let Some(open) = rest.find("(choices:") else { return Vec::new() };
    let Some(close) = rest[open..].find(')') else { return Vec::new() };
    rest[open..open + close].split('"').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 6: a version is taken from the runtime's own words only.
    #[test]
    fn versions_are_read_as_the_runtime_says_them() {
        assert_eq!(version_in("2.1.332 (Claude Code)\n"), Some("2.1.332"));
        assert_eq!(version_in("2.2.0-beta.1 (Claude Code)"), Some("2.2.0-beta.1"));
        for strange in
            ["", "2.1.332", "claude 2.1 (Claude Code)", "codex-cli 0.171.0", "x.1 (Claude Code)"]
        {
            assert_eq!(version_in(strange), None, "{strange}");
        }
    }

    // SPEC 6: an ability is there when the help names the whole flag, and a mode when it is among the choices.
    #[test]
    fn abilities_are_read_from_the_help() {
        let help = "  --resume-all  x\n  -n, --name <name>  y\n  --permission-mode <mode>   Mode\n     (choices: \"acceptEdits\",\n      \"plan\")\n --z (choices: \"no\")";
        assert!(has_flag(help, "--name") && !has_flag(help, "--resume"));
        assert_eq!(permission_modes(help), ["acceptEdits", "plan"]);
        assert!(permission_modes("nothing").is_empty());
    }
}
