//! The command line as a reference: every verb's help in one reviewed file.

use crate::rig::place;
use seatfork_testkit::TestEnv;

/// The words of every verb, as the help names them: those of a verb follow it.
fn verbs(env: &TestEnv, of: &[String]) -> Vec<Vec<String>> {
    let help = env.run(of.iter().map(String::as_str).chain(["--help"])).exits(0);
    let Some(commands) = help.stdout().split("Commands:\n").nth(1) else { return Vec::new() };
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let names = lines.map(|line| line.split_whitespace().next().unwrap().to_owned());
    let whole = names.map(|name| [of, &[name]].concat());
    whole.flat_map(|verb| [vec![verb.clone()], verbs(env, &verb)].concat()).collect()
}

/// The help of a verb.
fn help(env: &TestEnv, verb: &[String]) -> String {
    env.run(verb.iter().map(String::as_str).chain(["--help"])).exits(0).stdout().to_owned()
}

// SPEC 13: the verbs and their flags, reviewed as one file.
#[test]
fn the_help_of_every_verb_is_the_reference() {
    let env = place();
    let mut reference = help(&env, &[]);
    for verb in verbs(&env, &[]) {
        reference.extend(["\n# seatfork ", &verb.join(" "), "\n\n", &help(&env, &verb)]);
    }
    insta::assert_snapshot!("cli_reference", reference);
}

// SPEC 13: every flag names its environment variable, and every verb has --json.
#[test]
fn every_flag_names_its_variable() {
    let env = place();
    let all = verbs(&env, &[]);
    assert!(all.contains(&vec!["log".to_owned(), "show".to_owned()]), "{all:?}");
    for verb in all {
        let help = help(&env, &verb);
        let options = help.split("Options:\n").nth(1).unwrap();
        let flags = options.split("\n      --").skip(1);
        let mut json = false;
        for flag in flags.chain(options.strip_prefix("      --")) {
            json |= flag.starts_with("json\n");
            assert!(flag.contains("[env: SEATFORK_"), "{verb:?}: --{flag}");
        }
        assert!(json || options.starts_with("      --json"), "{verb:?}");
    }
}
