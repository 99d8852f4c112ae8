//! Names and places that a shell or tmux would read as something else.

use serde_json::json;

use crate::rig::{Rig, place, seat};

// SPEC 2, 14: a rig named with dots, in directories no shell would leave alone: up, seen, down, and nothing is expanded.
#[test]
fn a_rig_of_odd_names_in_odd_places_comes_up() {
    let env = place();
    let odd = "it's a \"rig\" (b) $(touch pwned) `id` #{pane_id} ;*!! \\";
    for inner in ["a (b)", "#(touch pwned)", "-x", "日本"] {
        env.dir(&format!("{odd}/{inner}"));
    }
    let rig = Rig::named("app.v1")
        .shell("rev-2", "a (b)")
        .shell("rev_2", "#(touch pwned)")
        .shell("rev-20", "./-x")
        .shell("cjk", "日本");
    let file = rig.write(&env, &format!("{odd}/rig.yaml"));
    let file = file.to_str().unwrap();
    let up = env.run(["up", "--json", file]).exits(0).json();
    let ps = env.run(["ps", "--json", "app.v1"]).exits(0).json();
    for (member, cwd) in
        [("rev-2", "a (b)"), ("rev_2", "#(touch pwned)"), ("rev-20", "-x"), ("cjk", "日本")]
    {
        assert_eq!(seat(&up, member)["seat"], json!(format!("dev-{member}@app.v1")));
        assert_eq!(seat(&ps, member)["process_state"], "ready", "{member}: {ps:#}");
        let attach = env.run(["attach", "--json", &format!("app.v1/{member}")]).exits(0).json();
        let argv: Vec<_> =
            attach["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let (socket, target) =
            (argv[argv.iter().position(|w| *w == "-S").unwrap() + 1], argv.last().unwrap());
        let mut ask = env.command("tmux");
        ask.args([
            "-S",
            socket,
            "display-message",
            "-p",
            "-t",
            &format!("{}:", target.trim_end_matches(':')),
        ]);
        ask.arg("#{pane_current_path}");
        let told = env.finish(ask, "tmux").exits(0);
        assert!(told.stdout().trim_end().ends_with(&format!("/{cwd}")), "{member}: {told}");
    }
    // One of two whose names begin alike goes down by its exact name alone.
    let mut files: Vec<_> =
        std::fs::read_dir(env.root()).unwrap().map(|it| it.unwrap().file_name()).collect();
    files.retain(|name| name == "pwned");
    assert!(files.is_empty(), "something was expanded");
    assert!(!env.root().join(odd).join("pwned").exists());
    drop(env.run(["down", "app.v1"]).exits(0));
}
