//! Specs as values of serde (SPEC 5).

use proptest::prelude::*;
use proptest::test_runner::Config;
use seatfork_codec::{Hints, ValueError, from_value, parse, to_value};
use serde_yaml::Value;

use crate::generate::document;

proptest! {
    #![proptest_config(Config { cases: 200, ..Config::default() })]

    // SPEC 5: a spec embedded in somebody's YAML is the same document as in a file of its own.
    #[test]
    fn a_value_is_the_same_document_as_a_text(value in document()) {
        let text = serde_json::to_string(&value).unwrap();
        let document = parse(text.as_bytes(), &Hints::default()).document.unwrap();
        let value = serde_yaml::to_value(&value).unwrap();
        let from = from_value(&value, &Hints::default()).unwrap();
        prop_assert_eq!(&from, &document);
        let normal = to_value(&document).unwrap();
        prop_assert_eq!(from_value(&normal, &Hints::default()).unwrap(), document);
    }
}

fn refused(text: &str) -> ValueError {
    from_value(&serde_yaml::from_str(text).unwrap(), &Hints::default()).unwrap_err()
}

// SPEC 5: what a file is refused for, a value is refused for, all of it.
#[test]
fn a_value_is_refused_for_the_same_reasons() {
    let error = refused(
        "{pod: dev, members: [{id: a b, runtime: codex, agent_ref: a, profile: p, cwd: ., x: y}]}",
    );
    let ValueError::Refused { diagnostics } = &error else { panic!("{error:?}") };
    let mut paths: Vec<_> = diagnostics.iter().map(|d| d.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["members[0].id", "members[0].x"]);
    assert!(error.to_string().starts_with("the spec is refused: members[0]."), "{error}");
}

// SPEC 2: what a text may not hold, a value may not hold either.
#[test]
fn a_value_may_not_hold_what_a_text_may_not() {
    assert!(matches!(refused("{? [a] : b}"), ValueError::ComplexKey));
    assert!(matches!(refused("members: !x []"), ValueError::Tagged { tag } if tag == "!x"));
    let mut deep = Value::Null;
    for _ in 0..70 {
        deep = Value::Sequence(vec![deep]);
    }
    assert!(matches!(from_value(&deep, &Hints::default()), Err(ValueError::TooDeep)));
}
