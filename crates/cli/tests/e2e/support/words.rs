//! The words a fork is never told in (SPEC 9).

use seatfork_testkit::Output;

/// A fork is a new conversation from a prior one: nothing was brought back, and it is no copy kept.
const NEVER: [&str; 3] = ["restored", "resumed the original", "snapshot"];

/// The output itself, unless it says one of them as whole words.
#[track_caller]
pub(crate) fn checked(output: Output) -> Output {
    for text in [ours(output.stdout()), ours(output.stderr())] {
        for words in NEVER {
            assert!(!says(&text, words), "{words:?} said on a fork path\n{output}");
        }
    }
    output
}

/// What is ours of a text: a runtime's screen, marked as such line by line or in a field of its own,
/// says what it likes.
fn ours(text: &str) -> String {
    let theirs =
        |line: &&str| line.starts_with("   | ") || line.trim_start().starts_with("\"output\": ");
    text.lines().filter(|line| !theirs(line)).collect::<Vec<_>>().join("\n")
}

fn says(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        !letter(text[..at].chars().next_back()) && !letter(text[at + words.len()..].chars().next())
    })
}

#[test]
fn whole_words_count_and_others_do_not() {
    assert!(says("the seat was Restored.", "restored"));
    assert!(says("resumed the original", "resumed the original"));
    assert!(!says("prerestored, restoredness", "restored"));
    let screen = "   | can be restored\n   \"output\": \"can be restored\",\nready";
    assert_eq!(ours(screen), "ready");
}
