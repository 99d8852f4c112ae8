//! Reading the JSON objects of `seatfork`.

use serde_json::Value;

/// The one seat of that member in a report.
#[track_caller]
pub(crate) fn seat<'r>(report: &'r Value, member: &str) -> &'r Value {
    let seats = report["seats"].as_array().unwrap_or_else(|| panic!("no seats in {report:#}"));
    let mut of_member = seats.iter().filter(|seat| seat["member"] == member);
    let seat = of_member.next().unwrap_or_else(|| panic!("no seat {member} in {report:#}"));
    assert!(of_member.next().is_none(), "{member} twice in {report:#}");
    seat
}

/// A text in a report.
#[track_caller]
pub(crate) fn text<'r>(value: &'r Value, pointer: &str) -> &'r str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} in {value:#}"))
}

/// The codes of a list of findings, warnings or diagnostics.
#[track_caller]
pub(crate) fn codes(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list:#}"));
    list.iter().map(|entry| text(entry, "/code")).collect()
}
