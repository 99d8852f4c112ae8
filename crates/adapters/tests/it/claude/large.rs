//! Large transcripts: one streaming pass, bounded memory, time printed.

use super::home::Home;
use super::made::{CHILD, SOURCE, assistant, text, user};
use serde_json::{Value, json};
use std::time::Instant;

/// About so many bytes of turns with large messages.
fn rows(bytes: usize) -> Vec<Value> {
    let filler = "The quick brown fox \"jumps\" over the lazy dog — again.\n".repeat(40);
    let mut rows = Vec::new();
    let mut size = 0;
    while size < bytes {
        let number = u32::try_from(rows.len()).unwrap() + 1;
        let mut question = user(number, (number > 1).then(|| number - 1));
        question["message"]["content"] = json!(filler);
        let mut reply = assistant(number + 1, Some(number));
        reply["message"]["content"][0]["text"] = json!(filler);
        size += 2 * filler.len() + 1000;
        rows.extend([question, reply]);
    }
    rows
}

// SPEC 6: a large source is read in one streaming pass; one enormous line is no trouble, one beyond the cap is told.
#[test]
fn a_large_source_is_read_in_one_pass() {
    let megabytes = if cfg!(debug_assertions) { 10 } else { 100 };
    let home = Home::new();
    let rows = rows(megabytes * 1_000_000);
    let bytes = text(&rows);
    home.write(SOURCE, &bytes);
    let begun = Instant::now();
    let evidence = home.resolve(SOURCE).unwrap();
    let resolved = begun.elapsed();
    assert_eq!(evidence.effective_records, rows.len() as u64);
    home.write(CHILD, text(&super::made::fork_of(&rows)));
    let begun = Instant::now();
    let proof = home.prove_untouched(Some(&evidence), CHILD).unwrap();
    println!(
        "{:.1} MB, {} records: resolved in {resolved:?}, proved in {:?}",
        bytes.len() as f64 / 1e6,
        rows.len(),
        begun.elapsed()
    );
    assert_eq!(proof.inherited.unwrap().records, rows.len() as u64);

    let long = |bytes: usize| {
        let mut rows = rows[..4].to_vec();
        rows[2]["message"]["content"] = json!("x".repeat(bytes));
        text(&rows)
    };
    home.write(SOURCE, long(20_000_000));
    assert_eq!(home.resolve(SOURCE).unwrap().effective_records, 4);
    home.write(SOURCE, long(seatfork_adapters::record::MAX_LINE));
    let error = home.resolve(SOURCE).unwrap_err();
    assert_eq!(error.code(), "source-damaged");
    assert!(error.to_string().contains("line 3: it is longer than"), "{error}");
}
