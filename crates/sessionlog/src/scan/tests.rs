//! The scanner against `serde_json`, and its refusals by name and place.

use super::*;
use proptest::prelude::*;

fn line(data: &str) -> String {
    format!(
        r#"{{"data":{data},"id":"00","seq":3,"session_id":"s","ts":"t","type":"user_message"}}"#
    )
}

fn refused(line: &str) -> (usize, LineProblem) {
    let Misplaced { at, problem } = envelope(line).unwrap_err();
    (at, problem)
}

#[test]
fn the_six_keys_are_found_in_any_order_and_data_stays_as_it_is() {
    let data = r#"{ "b":1.0e3, "b" : 2,"call_id":"c\u00e9\/","x":[{},[],-0,123456789012345678901234567890]}"#;
    let found = line(data);
    let envelope = envelope(&found).unwrap();
    assert_eq!(envelope.data, data);
    assert_eq!(envelope.noted.call_id, Some(r#""c\u00e9\/""#));
    assert_eq!((envelope.seq, &*envelope.kind.value()), (3, "user_message"));
    let other = " {\t\"type\":\"a\\u0062\" ,\"ts\":\"t\",\"session_id\":\"s\",\"seq\":0,\"id\":\"i\",\"d\\u0061ta\":{} } \r";
    let envelope = super::envelope(other).unwrap();
    assert_eq!((&*envelope.kind.value(), envelope.data), ("ab", "{}"));
}

#[test]
fn what_is_no_event_is_refused_by_name_and_place() {
    use LineProblem as P;
    let good = line("{}");
    for (text, at, problem) in [
        ("", 0, P::Unfinished),
        ("[]", 0, P::NotAnObject),
        ("{}", 2, P::MissingKey { key: "seq" }),
        (&good[..30], 30, P::Unfinished),
        (&format!("{good}x"), good.len(), P::Trailing),
        (&good.replace("\"id\"", "\"Id\""), 11, P::UnknownKey { key: "Id".into() }),
        (&good.replace("\"ts\"", "\"id\""), 46, P::DuplicateKey { key: "id" }),
        (&good.replace("{}", "[]"), 8, P::WrongType { key: "data", wanted: "an object" }),
        (&good.replace("{}", "null"), 8, P::WrongType { key: "data", wanted: "an object" }),
    ] {
        assert_eq!(refused(text), (at, problem), "{text}");
    }
    for seq in ["-1", "1.0", "1e2", "\"3\"", "null", "9223372036854775808", "true"] {
        let text = good.replace("\"seq\":3", &format!("\"seq\":{seq}"));
        let wanted = P::WrongType { key: "seq", wanted: "a whole number from 0" };
        assert_eq!(refused(&text), (text.find("\"seq\":").unwrap() + 6, wanted), "{seq}");
    }
    assert!(envelope(&good.replace("\"seq\":3", "\"seq\":9223372036854775807")).is_ok());
    for data in [
        r#"{"a":01}"#,
        r#"{"a":1.}"#,
        r#"{"a":+1}"#,
        r#"{"a":.5}"#,
        r#"{"a":1e}"#,
        r#"{"a":NaN}"#,
        r#"{"a":nul}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12g4"}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00\ud800"}"#,
        r#"{"a":"\ud800\u0041"}"#,
        r#"{"a" 1}"#,
        r#"{"a":1,}"#,
        r"{,}",
        r#"{"a":[1,]}"#,
        r"{a:1}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\u{0}\"}",
    ] {
        assert!(matches!(refused(&line(data)).1, P::Json { .. }), "{data}");
    }
    let deep =
        |levels: usize| line(&format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels)));
    assert!(envelope(&deep(MAX_DEPTH - 2)).is_ok());
    assert_eq!(refused(&deep(MAX_DEPTH - 1)).1, P::TooDeep);
    assert_eq!(refused(&deep(1_000_000)).1, P::TooDeep);
}

#[test]
fn every_beginning_of_an_event_is_unfinished_and_nothing_else() {
    let whole = line(r#"{"a":"x\u00e9\ud83d\ude00\n","b":[true,false,null,-1.5e+3],"c":{"d":{}}}"#);
    for end in 0..whole.len() {
        if let Some(part) = whole.get(..end) {
            assert_eq!(refused(part).1, LineProblem::Unfinished, "{part}");
        }
    }
}

/// JSON and what is nearly JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?[0-9]{1,4}(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "\"[ -~é€😀\u{2028}\u{7f}]{0,20}\"",
        "\"(\\\\[\"\\\\/bfnrtux]|\\\\u[0-9a-fA-F]{4}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}|[a-z]){0,6}\"",
    ];
    let tree = leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(" , "))),
            prop::collection::vec(("\"[a-c]{0,2}\"", inner), 0..5).prop_map(|all| {
                let pairs: Vec<_> =
                    all.iter().map(|(key, value)| format!("{key}:{value}")).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    });
    (tree, any::<prop::sample::Index>(), "[ -~]?", 0..4_u8).prop_map(|(text, place, put, how)| {
        let mut text: Vec<char> = text.chars().collect();
        let at = place.index(text.len());
        match how {
            0 => text.splice(at..=at, put.chars()).for_each(drop),
            1 => text.splice(at..at, put.chars()).for_each(drop),
            _ => {}
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
    #[test]
    fn it_accepts_what_serde_json_accepts_and_nothing_else(value in nearly_json()) {
        let data = format!("{{\"k\":{value}}}");
        let line = line(&data);
        let ours = envelope(&line);
        // As a value: it is the reader of serde_json that looks at surrogates too.
        let theirs = serde_json::from_str::<serde_json::Value>(&line);
        let too_large = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        let keys = ours.as_ref().is_err_and(|no| matches!(
            no.problem,
            LineProblem::UnknownKey { .. } | LineProblem::DuplicateKey { .. } | LineProblem::WrongType { .. }
        ));
        prop_assert!(ours.is_ok() == theirs.is_ok() || too_large || keys, "{line}\n{ours:?}\n{theirs:?}");
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(ours.data).unwrap(), theirs["data"].clone());
        }
    }
}
