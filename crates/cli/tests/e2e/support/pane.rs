//! The pane of a seat, as a person at the private tmux server sees it.

use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::TestEnv;

/// How long something on a screen may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
pub(super) const STEP: Duration = Duration::from_millis(50);

/// A pane, found the way `seatfork attach` finds it.
#[derive(Debug)]
pub(crate) struct Pane<'e> {
    env: &'e TestEnv,
    /// The tmux command up to the verb.
    tmux: Vec<String>,
    /// The session, exactly.
    target: String,
}

impl<'e> Pane<'e> {
    /// The pane of a seat.
    pub(crate) fn of(env: &'e TestEnv, seat: &str) -> Self {
        let attach = env.run(["attach", "--json", seat]).exits(0).json();
        let argv: Vec<String> = serde_json::from_value(attach["argv"].clone()).unwrap();
        let after = |word: &str| {
            let at = argv.iter().position(|w| w == word);
            at.map_or_else(|| panic!("no {word} in {argv:?}"), |at| &argv[at + 1])
        };
        let tmux = vec![argv[0].clone(), "-S".to_owned(), after("-S").clone()];
        Self { env, tmux, target: after("-t").clone() }
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        self.tmux("capture-pane", &["-p"])
    }

    /// The process of the pane.
    pub(crate) fn pid(&self) -> u32 {
        self.tmux("display-message", &["-p", "#{pane_pid}"]).trim().parse().unwrap()
    }

    /// Types a line as a person does: the words, and when they are to be seen, Enter.
    pub(crate) fn type_line(&self, line: &str) {
        self.tmux("send-keys", &["-l", line]);
        self.wait_for(line);
        self.tmux("send-keys", &["Enter"]);
    }

    /// Presses one key, by tmux's name for it.
    pub(crate) fn key(&self, key: &str) {
        self.tmux("send-keys", &[key]);
    }

    /// Waits until a text is on the screen; the screen.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(Instant::now() < end, "{text:?} never came to the screen:\n{screen}");
            thread::sleep(STEP);
        }
    }

    fn tmux(&self, verb: &str, args: &[&str]) -> String {
        let mut command = self.env.command(&self.tmux[0]);
        command.args(&self.tmux[1..]).args([verb, "-t", &self.target]).args(args);
        self.env.finish(command, "tmux").exits(0).stdout().to_owned()
    }
}
