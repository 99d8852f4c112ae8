//! Documents made to be slow or large (SPEC 2): the time is bounded by the suite, the answers by these tests.

use crate::build::{Doc, check, member, pod, rig};
use seatfork_schema::{Code, Hints, validate};
use std::fmt::Write as _;

fn codes_of(json: &str, code: Code) -> usize {
    check(json).diagnostics.iter().filter(|it| it.code == code).count()
}

// SPEC 2: 65 thousand unknown keys are 65 thousand refusals.
#[test]
fn a_mapping_of_unknown_keys_is_told_key_by_key() {
    let mut json = String::from("{\"version\":\"1\",\"name\":\"d\"");
    for at in 0..65_000 {
        write!(json, ",\"key{at}\":1").unwrap();
    }
    json.push_str(",\"pods\":[]}");
    assert_eq!(codes_of(&json, Code::UnknownKey), 65_000);
}

// SPEC 2: ten thousand members, each refused, each in one pass.
#[test]
fn ten_thousand_members_with_a_refusal_each() {
    let mut members = String::new();
    let mut edges = String::new();
    for at in 0..10_000 {
        if at > 0 {
            members.push(',');
            edges.push(',');
        }
        let keys =
            r#","session_source":{"mode":"fork","ref":{"kind":"native_id","value":"$(id)"}}"#;
        members.push_str(&member(&format!("m{at}"), keys));
        write!(edges, r#"{{"kind":"delegates_to","from":"m{at}","to":"nobody{at}"}}"#).unwrap();
    }
    let json = rig("", &pod("dev", &members, &format!(r#","edges":[{edges}]"#)));
    let outcome = check(&json);
    assert_eq!(
        outcome.diagnostics.iter().filter(|it| it.code == Code::NativeIdUnsafe).count(),
        10_000
    );
    assert_eq!(
        outcome.diagnostics.iter().filter(|it| it.code == Code::EdgeEndUnknown).count(),
        10_000
    );
    assert!(outcome.diagnostics.iter().map(|it| it.message.len()).max() < Some(400));
}

// SPEC 2: a circle through ten thousand members costs no stack, and its message stays short.
#[test]
fn a_circle_of_ten_thousand_members_is_found() {
    let members: Vec<_> = (0..10_000).map(|at| member(&format!("m{at}"), "")).collect();
    let edges: Vec<_> = (0..10_000)
        .map(|at| {
            format!(r#"{{"kind":"delegates_to","from":"m{at}","to":"m{}"}}"#, (at + 1) % 10_000)
        })
        .collect();
    let json =
        rig("", &pod("dev", &members.join(","), &format!(r#","edges":[{}]"#, edges.join(","))));
    let outcome = check(&json);
    let found = crate::build::only(&outcome);
    assert_eq!(found.code, Code::EdgeCycle);
    assert!(found.message.len() < 400 && found.related.len() <= 8, "{}", found.message);
}

// SPEC 2: many clashes, duplicates and double repositories stay linear.
#[test]
fn twenty_thousand_equal_ids_are_told_one_by_one() {
    let members: Vec<_> = (0..20_000).map(|_| member("same", "")).collect();
    assert_eq!(codes_of(&rig("", &pod("dev", &members.join(","), "")), Code::DuplicateId), 19_999);
    let pods: Vec<_> = (0..20_000).map(|_| pod("same", "", "")).collect();
    let with_one = format!("{},{}", pod("other", &member("a", ""), ""), pods.join(","));
    assert_eq!(codes_of(&rig("", &with_one), Code::DuplicateId), 19_999);
}

// SPEC 2: a key or a value of a mebibyte is shown cut, and is compared with nothing.
#[test]
fn a_key_of_a_mebibyte_does_not_blow_up() {
    let long = "x".repeat(1 << 20);
    for json in [
        format!(r#"{{"version":"1","name":"d","pods":[],"{long}":1}}"#),
        format!(r#"{{"version":"1","name":"{long}","pods":[]}}"#),
        crate::build::one(&format!(r#","restore_policy":"{long}""#)),
        crate::build::one(&format!(r#","session_source":{{"mode":"{long}"}}"#)),
        crate::build::one(&format!(r#","mechanic":"{long}""#)),
        crate::build::one(&format!(r#","mechanic":"{}@x""#, "-a".repeat(1 << 18))),
        crate::build::one(&format!(r#","permission_policy":"{long}/-""#)),
        crate::build::one(&format!(
            r#","session_source":{{"mode":"fork","ref":{{"kind":"native_id","value":"{long}"}}}}"#
        )),
        crate::build::one("")
            .replace(r#""cwd":".""#, &format!(r#""cwd":"{}""#, "$".repeat(1 << 20) + "A")),
    ] {
        let outcome = check(&json);
        assert!(outcome.is_refused());
        for found in &outcome.diagnostics {
            assert!(found.message.len() < 1000 && found.path.len() < 200, "{}", found.code);
            assert!(found.help.as_ref().is_none_or(|help| help.len() < 1000), "{}", found.code);
        }
    }
}

// SPEC 4: a `got` of a large value costs no more than what is shown of it.
#[test]
fn a_large_value_is_shown_in_80_characters() {
    let mut list = Doc::Quoted("x".to_owned());
    for _ in 0..60 {
        list = Doc::List(vec![list.clone(), list]);
        if let Doc::List(items) = &mut list {
            // Wide enough to be expensive if it were written out, small enough to build.
            items.truncate(1);
            items.extend((0..1000).map(|_| Doc::Plain("1".to_owned())));
        }
    }
    let source = Doc::Map(vec![(Doc::key("mode"), list)]);
    let Doc::Map(mut root) = Doc::read(&crate::build::one("")) else { panic!() };
    let Doc::List(pods) = &mut root[2].1 else { panic!() };
    let Doc::Map(pod) = &mut pods[0] else { panic!() };
    let Doc::List(members) = &mut pod[2].1 else { panic!() };
    let Doc::Map(member) = &mut members[0] else { panic!() };
    member.push((Doc::key("session_source"), source));
    let outcome = validate(&Doc::Map(root).tree(), &Hints::default());
    assert_eq!(outcome.diagnostics[0].code, Code::ModeUnsupported);
    assert!(outcome.diagnostics[0].message.len() < 250);
}
