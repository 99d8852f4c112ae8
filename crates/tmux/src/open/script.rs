//! The one command file that makes a pane, every word quoted.

use camino::Utf8Path;

use super::{OpenError, PANE_OPTION};
use crate::quote::{escape_format, quote};
use crate::server::{Server, find_program};
use crate::spec::PaneSpec;

/// Where a copy of each pane's output goes: nowhere. A tmux that hears of a program's end before
/// it has read its last words throws these away, and with them the reason it died (seen in 6 of
/// 80 fast exits on a busy machine); it reads them first when the pane has a pipe (0 of
/// 400, and about 1 of 1000 where the kernel itself had not passed them on yet).
const DRAIN: &str = "exec cat >/dev/null";

impl Server {
    /// The words tmux executes. It hands a single word to `sh -c`, several to `execvp`; so a
    /// program without arguments goes through `nice -n 0`, which changes nothing and executes its
    /// operand as it stands (`env` would take a path with `=` for a variable).
    pub(super) fn executed(&self, spec: &PaneSpec) -> Result<Vec<String>, OpenError> {
        let [program] = &spec.argv[..] else { return Ok(spec.argv.clone()) };
        let nice = find_program("nice", self.search())
            .map_err(|searched| OpenError::NoNice { session: spec.session.clone(), searched })?;
        Ok(vec![nice.into(), "-n".to_owned(), "0".to_owned(), program.clone()])
    }

    /// The whole command, on one line: after an error tmux runs nothing more of a line.
    pub(super) fn script(&self, spec: &PaneSpec, cwd: &Utf8Path, argv: &[String]) -> String {
        let shell = spec.env.iter().find(|(name, _)| name == "SHELL");
        let shell = shell.map_or("/bin/sh", |(_, value)| value.as_str());
        let target = spec.session.target();
        let mut commands: Vec<Vec<&str>> = [
            ["remain-on-exit", "on"],
            // Otherwise tmux writes its own line onto the screen that is our evidence.
            ["remain-on-exit-format", ""],
            ["status", "off"],
            ["window-size", "latest"],
            ["default-size", "200x50"],
            ["history-limit", "10000"],
            ["automatic-rename", "off"],
            // A person who attaches must not change a seat's environment.
            ["update-environment", ""],
            // tmux puts this over any `SHELL` of the session's environment.
            ["default-shell", shell],
        ]
        .into_iter()
        .map(|[name, value]| vec!["set-option", "-gq", name, value])
        .collect();
        // The server's environment is the base of every pane's; nothing of it is to be inherited.
        let base = self.base_names();
        commands.extend(base.map(|name| vec!["set-environment", "-gu", name]));
        let cwd = escape_format(cwd.as_str());
        let env: Vec<String> =
            spec.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut new = vec!["new-session", "-d", "-E", "-x", "200", "-y", "50", "-P"];
        new.extend(["-F", "#{session_id} #{pane_id} #{pane_pid} #{pid}"]);
        new.extend(["-s", spec.session.as_str(), "-c", &cwd]);
        new.extend(env.iter().flat_map(|variable| ["-e", variable.as_str()]));
        new.push("--");
        new.extend(argv.iter().map(String::as_str));
        commands.push(new);
        commands.push(vec!["pipe-pane", "-O", "-t", &target, DRAIN]);
        commands.push(vec!["set-option", "-F", "-t", &target, PANE_OPTION, "#{pane_id}"]);
        for (name, value) in &spec.options {
            commands.push(vec!["set-option", "-t", &target, name, value]);
        }
        let quoted =
            |words: &Vec<&str>| words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" ");
        commands.iter().map(quoted).collect::<Vec<_>>().join(" ; ") + "\n"
    }
}
