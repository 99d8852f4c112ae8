//! What the wording rule refuses and what it leaves alone.

use super::*;

fn rules(text: &str) -> Vec<&'static str> {
    offences(text).into_iter().map(|offence| offence.rule).collect()
}

fn in_source(source: &str, exceptions: &str) -> Vec<(usize, String)> {
    let exceptions = Exceptions::parse(exceptions).unwrap();
    let mut findings = Vec::new();
    for passage in rust_passages("a.rs", source).unwrap() {
        check_passage("a.rs", &passage, &exceptions, &mut findings);
    }
    findings.into_iter().map(|finding| (finding.line, finding.message)).collect()
}

// SPEC 9: the words a fork is never reported with are found wherever they stand, in any case of letters
#[test]
fn forbidden_words_are_found_as_whole_words_in_any_case() {
    assert_eq!(rules("Restored reviewer-2"), ["restored"]);
    assert_eq!(rules("was RESTORED."), ["restored"]);
    assert_eq!(rules("it has resumed the original session"), ["resumed-the-original"]);
    assert_eq!(rules("resumed  the\n   original"), ["resumed-the-original"]);
    assert_eq!(rules("restored_at unrestored restore restores"), [""; 0]);
    assert_eq!(rules("resumed: its own token. The original stands"), [""; 0]);
}

// SPEC 9: "snapshot" is refused where a sentence speaks of such a launch, and nowhere else
#[test]
fn snapshot_is_refused_where_its_sentence_speaks_of_a_fork() {
    assert_eq!(rules("forked from a snapshot of the conversation"), ["snapshot"]);
    assert_eq!(rules("Snapshots are what forks start from"), ["snapshot"]);
    assert_eq!(rules("a fork is proved. The snapshot is of the screen"), [""; 0]);
    assert_eq!(rules("the plan of a fork is snapshot-tested"), [""; 0]);
    assert_eq!(rules("- a fork\n- a snapshot"), [""; 0]);
    assert_eq!(rules("a fork\n  by snapshot"), ["snapshot"]);
}

// SPEC 9: every string literal and rustdoc line of our crates is read, whatever its form
#[test]
fn literals_and_rustdoc_are_read_and_code_is_not() {
    let source = "/// A\n/// restored seat.\nfn restored() { // restored\n    f(\"resumed the \\\n        original\", r#\"restored\"#);\n}\n";
    let lines: Vec<usize> = in_source(source, "").into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 4, 5]);
}

// SPEC 9: exceptions are named, with their passage
#[test]
fn a_named_passage_is_allowed_and_its_neighbour_is_not() {
    let source = "f(\"never say restored. Seat\\n restored\");";
    let found = in_source(source, "restored | a.rs | never say | states the rule");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, 1);
}

#[test]
fn the_header_of_a_snapshot_is_not_what_we_say_and_its_lines_are_counted() {
    let passage = without_header("---\nsource: a.rs\nexpression: restored\n---\none\nrestored\n");
    assert_eq!(passage.line, 5);
    assert_eq!(offences(&passage.text).len(), 1);
    assert_eq!(without_header("restored").line, 1);
}

// SPEC 9: snapshots and documents are read with the sources, and an exception nobody needs is refused
#[test]
fn a_workspace_is_read_whole() {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("xtask/exceptions.txt", "restored | gone.md | * | was needed once\n"),
        ("README.md", "We restored it.\n"),
        ("crates/a/tests/snapshots/x.snap", "---\nsource: x\n---\nseat restored\n"),
        ("crates/a/src/lib.rs", "//! Fine.\nconst A: &str = \"restored\";\n"),
        ("crates/a/data.txt", "restored\n"),
    ] {
        let path = temp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let findings = check(&Workspace { root: temp.path().to_owned() }).unwrap();
    let places: Vec<(&str, usize)> =
        findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect();
    assert_eq!(
        places,
        [
            ("README.md", 1),
            ("crates/a/src/lib.rs", 2),
            ("crates/a/tests/snapshots/x.snap", 4),
            ("xtask/exceptions.txt", 1)
        ]
    );
}
