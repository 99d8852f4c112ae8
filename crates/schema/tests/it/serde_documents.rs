//! Documents from a serde format: the same validation (SPEC 5).

use crate::build::{member, one};
use crate::documents::FULL;
use seatfork_schema::spec::{Document, Payload, RigSpec, SessionSource};

fn refusal(json: &str) -> String {
    serde_json::from_str::<Document>(json).unwrap_err().to_string()
}

// SPEC 5: serialize, then deserialize, is the identity on normal forms.
#[test]
fn a_rig_reads_back_as_itself() {
    let rig: RigSpec = serde_json::from_str(FULL).unwrap();
    let text = serde_json::to_string(&rig).unwrap();
    assert_eq!(serde_json::from_str::<RigSpec>(&text).unwrap(), rig);
    assert_eq!(
        serde_json::to_string(&serde_json::from_str::<RigSpec>(&text).unwrap()).unwrap(),
        text
    );
}

// SPEC 5: `Deserialize` runs the same validation and fails with the first refusal.
#[test]
fn a_refused_document_does_not_deserialize() {
    let text =
        refusal(&one(r#","session_source":{"mode":"fork","ref":{"kind":"last","value":"x"}}"#));
    assert!(
        text.starts_with("pods[0].members[0].session_source.ref.kind: \"last\" is weaker"),
        "{text}"
    );
    assert!(refusal(&one(r#","a":1,"b":2"#)).contains("(and 1 more)"));
    assert!(refusal(&one(r#","model":5"#)).contains("must be text"));
    assert!(refusal("null").contains("empty"));
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(refusal(&one(&format!(r#","startup":{{"files":{deep}}}"#))).contains("64 levels"));
}

// SPEC 2: a key given twice is refused, whatever the format does with it.
#[test]
fn a_key_given_twice_is_refused() {
    let text = refusal(&one(r#","model":"a","model":"b""#));
    assert!(text.contains("pods[0].members[0].model") && text.contains("second time"), "{text}");
}

// SPEC 3: a number that has lost its spelling is no version.
#[test]
fn a_floating_point_version_is_refused() {
    let image = |version: &str| {
        one(&format!(
            r#","session_source":{{"mode":"agent_image","ref":{{"kind":"image_name","value":"x","version":{version}}}}}"#
        ))
    };
    assert!(refusal(&image("1.10")).contains("must be a string or number"));
    let rig: RigSpec = serde_json::from_str(&image("7")).unwrap();
    let Some(SessionSource::AgentImage { version: Some(version), .. }) =
        &rig.pods[0].members[0].session_source
    else {
        panic!()
    };
    assert_eq!(version.as_str(), "7");
}

// SPEC 2: the kinds of document are told apart.
#[test]
fn a_rig_is_no_payload() {
    let payload = format!(r#"{{"pod":"dev","members":[{}]}}"#, member("a", ""));
    serde_json::from_str::<Payload>(&payload).unwrap();
    assert!(
        serde_json::from_str::<RigSpec>(&payload)
            .unwrap_err()
            .to_string()
            .contains("expand payload")
    );
    assert!(serde_json::from_str::<Payload>(FULL).unwrap_err().to_string().contains("a rig"));
}

// SPEC 5: fields put together by hand become a document through validation alone.
#[test]
fn fields_become_a_document_through_validation() {
    let rig: RigSpec = serde_json::from_str(FULL).unwrap();
    let mut fields = rig.fields().clone();
    assert_eq!(RigSpec::try_from(fields.clone()).unwrap(), rig);
    let member = fields.pods[0].members[0].clone();
    fields.pods[0].members.push(member);
    let refused = RigSpec::try_from(fields.clone()).unwrap_err();
    assert!(refused.diagnostics.iter().any(|it| it.code.as_str() == "duplicate-id"), "{refused}");
    fields.pods.clear();
    assert!(RigSpec::try_from(fields).is_err());

    let payload: Payload =
        serde_json::from_str(&format!(r#"{{"members":[{}]}}"#, member_json())).unwrap();
    assert_eq!(Payload::try_from(payload.fields().clone()).unwrap(), payload);
}

fn member_json() -> String {
    member("a", r#","session_source":{"mode":"fork","ref":{"kind":"native_id","value":"x-1"}}"#)
}
