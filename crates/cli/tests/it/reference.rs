//! The command line as a reference: every verb's help in one reviewed file.

use crate::rig::place;

/// Every verb, as the help names them.
fn verbs() -> Vec<String> {
    let help = place().run(["--help"]).exits(0);
    let commands = help.stdout().split("Commands:\n").nth(1).unwrap();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    lines.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

// SPEC 13: the verbs and their flags, reviewed as one file.
#[test]
fn the_help_of_every_verb_is_the_reference() {
    let env = place();
    let mut reference = env.run(["--help"]).exits(0).stdout().to_owned();
    for verb in verbs() {
        let help = env.run([verb.as_str(), "--help"]).exits(0);
        reference.extend(["\n# seatfork ", &verb, "\n\n", help.stdout()]);
    }
    insta::assert_snapshot!("cli_reference", reference);
}

// SPEC 13: every flag names its environment variable, and every verb has --json.
#[test]
fn every_flag_names_its_variable() {
    let env = place();
    for verb in verbs() {
        let help = env.run([verb.as_str(), "--help"]).exits(0);
        let options = help.stdout().split("Options:\n").nth(1).unwrap();
        let flags = options.split("\n      --").skip(1);
        let mut json = false;
        for flag in flags.chain(options.strip_prefix("      --")) {
            json |= flag.starts_with("json\n");
            assert!(flag.contains("[env: SEATFORK_"), "{verb}: --{flag}");
        }
        assert!(json || options.starts_with("      --json"), "{verb}");
    }
}
