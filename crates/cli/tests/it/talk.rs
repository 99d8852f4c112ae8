//! What is said beside the data: progress, and colours where they belong (SPEC 13).

use std::time::{Duration, Instant};

use crate::claude::Claude;
use crate::rig::{Rig, place};

// SPEC 13: progress is told per member, on stderr, in the order of its steps; as JSON there is none.
#[test]
fn progress_is_told_per_member() {
    let claude = Claude::new();
    claude.rig(&Rig::named("review").fork("reviewer", &claude.parent.id).shell("shell", "."));
    let up = claude.run(["up", "work/rig.yaml"]).exits(0);
    let of = |seat: &str| {
        let lines = up.stderr().lines().filter_map(|line| line.strip_prefix(&format!("{seat}: ")));
        lines
            .map(|line| line.split(" after ").next().unwrap_or(line).to_owned())
            .collect::<Vec<_>>()
    };
    let steps = [
        "looking at the conversation",
        "making the new conversation",
        "proving it",
        "storing its token",
        "opening its pane",
        "created",
    ];
    let told = of("dev-reviewer@review");
    let places: Vec<_> =
        steps.iter().map(|step| told.iter().position(|line| line == step)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told:?}");
    assert_eq!(of("dev-shell@review").last().map(String::as_str), Some("created"));
    assert!(!up.stdout().contains("proving it"), "{up}");
    drop(claude.run(["down"]).exits(0));
    assert_eq!(claude.run(["up", "--json", "work/rig.yaml"]).exits(0).stderr(), "");
}

// SPEC 13: colours on a terminal, and none there either where `NO_COLOR` is set.
#[test]
fn a_terminal_has_colours_unless_no_color_is_set() {
    let env = place();
    env.write("refused.yaml", "nodes: []\n");
    let terminal = env.root().join("terminal.sock");
    let tmux = |args: &[&str]| {
        let mut tmux = env.command("tmux");
        tmux.arg("-S").arg(&terminal).args(["-f", "/dev/null"]).args(args);
        env.finish(tmux, "tmux").exits(0)
    };
    let screen = |name: &str, set: &str| {
        let line = format!("{set} \"$0\" validate refused.yaml; echo the end; exec sleep 1000");
        let program = env!("CARGO_BIN_EXE_seatfork");
        drop(tmux(&[
            "new-session",
            "-d",
            "-x",
            "150",
            "-y",
            "40",
            "-s",
            name,
            "sh",
            "-c",
            &line,
            program,
        ]));
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let shown = tmux(&["capture-pane", "-p", "-e", "-t", name]);
            if shown.stdout().contains("the end") {
                return shown.stdout().to_owned();
            }
            assert!(Instant::now() < until, "{shown}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let coloured = screen("coloured", "env -u NO_COLOR");
    assert!(coloured.contains("legacy-flat-spec") && coloured.contains('\u{1b}'), "{coloured:?}");
    let plain = screen("plain", "NO_COLOR=1");
    assert!(plain.contains("legacy-flat-spec") && !plain.contains('\u{1b}'), "{plain:?}");
    drop(tmux(&["kill-server"]));
}
