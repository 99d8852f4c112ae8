//! Dialogs: seen, told, never answered.

mod invented;
mod real;

use serde_json::Value;

use crate::support::{Place, seat, text};

/// What `up` and `ps` must say of a seat that waits at a dialog.
fn waits(report: &Value, member: &str, question: &str, on_screen: &[&str]) {
    let seat = seat(report, member);
    assert_eq!(seat["process_state"], "attention_required", "{seat:#}");
    assert!(seat["token"].is_string(), "its conversation was made and is kept: {seat:#}");
    let error = &seat["error"];
    assert!(text(error, "/code").starts_with("attention-"), "{error:#}");
    assert_eq!(text(error, "/message"), format!("waiting at: {question}"));
    assert!(text(error, "/hint").contains("seatfork attach"), "{error:#}");
    let output = text(error, "/output");
    assert!(output.lines().count() <= 20, "{output}");
    for words in on_screen {
        assert!(output.contains(words), "{words:?} is not in\n{output}");
    }
}

/// `plan` and `doctor` tell of a dialog before there is one.
fn is_foretold(place: &Place, question: &str) {
    let plan = place.run(["plan", "work/rig.yaml"]).exits(0);
    assert!(plan.stdout().contains(&format!("will ask: {question}")), "{plan}");
    let json = place.run(["plan", "--json", "work/rig.yaml"]).exits(0).json();
    for seat in json["seats"].as_array().unwrap() {
        let told = seat["foretold"].as_array().unwrap();
        assert!(told.iter().any(|one| one["question"] == question), "{seat:#}");
    }
    let doctor = place.run(["doctor", "--json", "work/rig.yaml"]).exits(6).json();
    let checks = doctor["checks"].as_array().unwrap();
    let told = checks.iter().filter(|check| check["detail"].to_string().contains(question));
    assert_eq!(told.count(), json["seats"].as_array().map_or(0, Vec::len), "{doctor:#}");
}
