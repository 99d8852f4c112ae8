//! The JSON Schema of documents (SPEC 5).

use crate::documents::FULL;
use seatfork_schema::json_schema;
use serde_json::Value;

fn keys(object: &Value) -> Vec<&str> {
    object["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

// SPEC 5: the schema knows every key of the normal form, and refuses others.
#[test]
fn the_schema_knows_every_key() {
    let schema = json_schema();
    let full: Value = serde_json::from_str(FULL).unwrap();
    let member = &full["pods"][0]["members"][0];
    for (name, document) in [("rig", &full), ("pod", &full["pods"][0]), ("member", member)] {
        let shape = &schema["$defs"][name];
        assert_eq!(shape["additionalProperties"], false, "{name}");
        let mut written: Vec<_> =
            document.as_object().unwrap().keys().map(String::as_str).collect();
        written.sort_unstable();
        assert_eq!(keys(shape), written, "{name}");
    }
    assert_eq!(
        schema["$defs"]["member"]["required"],
        serde_json::json!(["id", "agent_ref", "profile", "runtime", "cwd"])
    );
}

// SPEC 5: every reference of the schema resolves.
#[test]
fn every_reference_resolves() {
    fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str));
                map.values().for_each(|it| walk(it, found));
            }
            Value::Array(items) => items.iter().for_each(|it| walk(it, found)),
            _ => {}
        }
    }
    let schema = json_schema();
    let mut found = Vec::new();
    walk(&schema, &mut found);
    assert!(found.len() > 5);
    for reference in found {
        let path = reference.strip_prefix('#').unwrap();
        assert!(schema.pointer(path).is_some(), "{reference}");
    }
}

// SPEC 3, 5: one shape of ref per mode, no source on a terminal, no starter beside a fork.
#[test]
fn the_schema_says_the_rules_of_a_source() {
    let schema = json_schema();
    let source = &schema["$defs"]["session_source"];
    assert_eq!(
        source["properties"]["mode"]["enum"],
        serde_json::json!(["fork", "rebuild", "agent_image"])
    );
    let kinds: Vec<_> = source["allOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["then"]["properties"]["ref"]["properties"]["kind"]["const"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["native_id", "artifact_set", "image_name"]);
    let rules = schema["$defs"]["member"]["allOf"].as_array().unwrap();
    let terminal = &rules[0]["then"]["properties"];
    assert_eq!(
        (&terminal["session_source"], &terminal["starter_ref"]),
        (&Value::Bool(false), &Value::Bool(false))
    );
    assert_eq!(rules[2]["then"]["properties"]["starter_ref"], false);
}
