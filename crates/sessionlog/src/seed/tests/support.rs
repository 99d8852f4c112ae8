//! Seeds of every kind of event, and the shortest way to a child.

use super::super::*;
use crate::posture::{PermissionMode, WorkspaceMode};
use crate::test_support::{Home, at, id, line};
use std::fmt::Write as _;

pub(crate) const SEED: &str = "seed-1";

/// Data that a reader who builds trees does not give back as it was.
pub(crate) const AWKWARD: [&str; 7] = [
    r#"{"text":"\u00e9\/ and é/","b":1.0e3,"a":0.1000,"a":1}"#,
    "{\"text\":\"line separator \u{2028} as it is\",\"n\":123456789012345678901234567890}",
    r#"{ "text" : "space" , "x":[ 1 , 2.50 ,-0 ] }"#,
    r#"{"z":1,"text":"z first","y":{"b":1,"a":2,"b":3}}"#,
    r#"{"text":"\ud83d\ude00 😀 \u0000 \u007f","e":1E+2}"#,
    r#"{"text":"","nothing":null,"metadata":{"partial":false}}"#,
    "{\"text\":\"tab\\t\\\"quote\\\"\",\t\"bare\":true}",
];

/// An object of 40 keys in an order of its own.
pub(crate) fn wide() -> String {
    let mut data = "{\"text\":\"wide\"".to_owned();
    for n in 0..40 {
        write!(data, ",\"k{}\":{n}", (n * 17) % 40).unwrap();
    }
    data.push('}');
    data
}

/// A seed with every type of event, several times, its calls answered.
pub(crate) fn events() -> Vec<(&'static str, String)> {
    let mut events: Vec<(&'static str, String)> = Vec::new();
    for (n, data) in AWKWARD.iter().map(|data| (*data).to_owned()).chain([wide()]).enumerate() {
        let call = |rest: &str| format!("{{\"call_id\":\"c{n}\",{rest}}}");
        events.push(("user_message", data.clone()));
        events.push(("reasoning", r#"{"item":{"id":"rs_1"},"model":"m"}"#.into()));
        events.push(("tool_call", call(r#""name":"bash","args":{"command":"ls a/b.rs"}"#)));
        events.push(("permission_decision", call(r#""decision":"allow""#)));
        events.push(("tool_result", call(r#""ok":true,"output":"x""#)));
        events.push(("provider_usage", r#"{"tokens":1}"#.into()));
        events.push(("assistant_message", data));
        events.push(("skill_activation", r#"{"name":"s"}"#.into()));
        events.push(("workflow_event", r#"{"kind":"workflow_started"}"#.into()));
        events.push((
            "subagent_event",
            r#"{"event":"permission_posture","permission_mode":"auto","write_policy":{"allow_writes":["**/*"]}}"#.into(),
        ));
        events.push(("turn_failed", r#"{"reason":"x"}"#.into()));
        events.push(("dream_event", r#"{"unknown":"here"}"#.into()));
    }
    events
}

pub(crate) fn text_of(session: &str, events: &[(&'static str, String)]) -> String {
    events
        .iter()
        .enumerate()
        .map(|(seq, (kind, data))| line(session, seq as u64, kind, data))
        .collect()
}

pub(crate) fn seeded_home() -> Home {
    let home = Home::new();
    home.log(SEED, &text_of(SEED, &events()));
    home
}

pub(crate) fn read_only() -> Posture {
    Posture {
        permission: PermissionMode::ReadOnly,
        workspace_mode: WorkspaceMode::Shared,
        holder: "review-r2@rig".into(),
    }
}

/// Makes a child of the seed in the same workspace, with a posture.
pub(crate) fn seed(home: &Home, child: &str) -> Result<Seeded, SeedError> {
    seed_from(home, SEED, child, Rim::default())
}

pub(crate) fn seed_from(
    home: &Home,
    seed: &str,
    child: &str,
    rim: Rim<'_>,
) -> Result<Seeded, SeedError> {
    let (seed, child, posture) = (id(seed), id(child), read_only());
    seed_with(
        &SeedRequest {
            workspace: &home.workspace,
            seed: &seed,
            child_workspace: &home.workspace,
            child: &child,
            posture: Some(&posture),
            cache: CacheFacts::default(),
            at: at(0),
        },
        rim,
    )
}

pub(crate) const RESOURCE: &str = "res_0123456789abcdef";
pub(crate) const PAYLOAD: &[u8] = b"not really a picture";

pub(crate) fn payload_name() -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(PAYLOAD);
    let mut name = String::new();
    for byte in hash {
        write!(name, "{byte:02x}").unwrap();
    }
    name
}

pub(crate) fn descriptor() -> String {
    let sha = payload_name();
    format!(
        r#"{{"resource_id":"{RESOURCE}","kind":"image","name":"a.png","mime_type":"image/png","size_bytes":{},"content_sha256":"{sha}","extension":"png","store_ref":"session://{SEED}/resources/{RESOURCE}/{sha}.png"}}"#,
        PAYLOAD.len()
    )
}

/// The same seed, whose last message names a payload that is there.
pub(crate) fn home_with_payload() -> Home {
    let home = Home::new();
    let mut events = events();
    events.push(("user_message", format!(r#"{{"text":"look","resources":[{}]}}"#, descriptor())));
    home.log(SEED, &text_of(SEED, &events));
    let folder = home.sessions().join(SEED).join("resources").join(RESOURCE);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{}.png", payload_name())), PAYLOAD).unwrap();
    home
}
