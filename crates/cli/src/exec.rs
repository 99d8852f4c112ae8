//! The one place of this crate that turns into another program.

use std::io;
use std::os::unix::process::CommandExt as _;

/// Becomes this command, with this process's environment and terminal. Comes back only with an error.
pub(crate) fn replace(argv: &[String]) -> io::Error {
    let Some((program, arguments)) = argv.split_first() else {
        return io::Error::other("the command is empty");
    };
    #[expect(clippy::disallowed_methods, reason = "this is the module that may")]
    std::process::Command::new(program).args(arguments).exec()
}

/// A command as it can be pasted into a shell.
pub(crate) fn shown(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    let word = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_command_shown_is_one_that_can_be_pasted() {
        let argv = ["/usr/bin/tmux", "-t", "=launch-1:", "it's $HOME", ""].map(str::to_owned);
        assert_eq!(shown(&argv), r"/usr/bin/tmux -t '=launch-1:' 'it'\''s $HOME' ''");
    }
}
