//! The runner against a stand-in that answers rightly and in every wrong way.

use super::*;

fn validator() -> Validator {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    Validator { binary: dir.join("fixtures/stand-in.sh"), dir }
}

fn row(yaml: &str, expect: Expect) -> Row {
    Row { id: yaml.to_owned(), yaml: yaml.as_bytes().to_owned(), expect }
}

fn refused(paths: &[&str]) -> Expect {
    Expect::Refused {
        paths: paths.iter().map(|path| path::SpecPath::parse(path).unwrap()).collect(),
    }
}

#[test]
fn right_answers_pass() {
    let rows = [
        row("good: 1", Expect::Valid),
        row("canonical: 1", Expect::Valid),
        row("refused: 1", refused(&[])),
        row("refused: 1", refused(&["pods[0].members[1].id"])),
        row("refused: 1", refused(&["pods[0].members[1]", "pods"])),
        row("unknown: 1", refused(&[""])),
    ];
    assert_eq!(failures(&validator(), &rows), [""; 0]);
}

// SPEC 5: a valid spec whose normal form does not come back the same is found, in whichever way it differs
#[test]
fn every_wrong_answer_is_told_in_one_line_and_in_order() {
    let rows = [
        row("good: 1", refused(&[])),
        row("refused: 1", Expect::Valid),
        row("refused: 1", refused(&["pods[0].members[1].id", "pods[0].members[10]"])),
        row("unreadable: 1", Expect::Valid),
        row("lossy: 1", Expect::Valid),
        row("growing: 1", Expect::Valid),
        row("formless: 1", Expect::Valid),
        row("crash: 1", refused(&[])),
        row("good: 1", Expect::Valid),
    ];
    let wanted = [
        "good: 1: must be refused but was accepted",
        "refused: 1: it is valid but was refused: x at pods[0].members[1].id",
        "refused: 1: no refusal at, above or below pods[0].members[10]; there are x at pods[0].members[1].id",
        "unreadable: 1: its normal form is valid but was refused: x at pods[0].members[1].id",
        "lossy: 1: its normal form reads back as another: {\"form\":\"full\"} became {\"form\":\"same\"}",
        "growing: 1: its normal form prints differently again, first in line 2, byte 12",
        "formless: 1: it is valid but came without a normal form",
        "crash: 1: gave no JSON object: EOF while parsing a value at line 1 column 0 (exit status: 101) thread main panicked",
    ];
    assert_eq!(failures(&validator(), &rows), wanted);
}

#[test]
fn the_task_says_how_many_passed_and_fails_when_one_did_not() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("vectors.jsonl");
    let binary = validator().binary;
    let run_on = |lines: &str| {
        std::fs::write(&file, lines).unwrap();
        let args = Args::new(&["--binary", binary.to_str().unwrap(), file.to_str().unwrap()]);
        run(&Workspace { root: temp.path().to_owned() }, args).unwrap()
    };
    assert!(run_on("{\"id\": \"a\", \"yaml\": \"good: 1\", \"expect\": \"valid\"}\n"));
    assert!(!run_on("{\"id\": \"a\", \"yaml\": \"good: 1\", \"expect\": \"refused\"}\n"));
}

#[test]
fn a_run_without_files_is_a_usage_error() {
    let workspace = Workspace { root: PathBuf::from("/") };
    assert!(matches!(run(&workspace, Args::new(&[])), Err(Failure::Usage(_))));
}
