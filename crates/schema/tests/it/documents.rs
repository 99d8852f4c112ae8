//! Valid documents and their normal form (SPEC 2, 3, 5).

use crate::build::{Doc, check, is_sound, member, member_of, one, one_of, pod, rig, told};
use proptest::prelude::*;
use seatfork_schema::spec::{AppliesOn, Document, PodId, SessionSource, StartupContent};
use seatfork_schema::{DocumentKind, Hints, validate};

/// A rig that has every key of section 2.
pub(crate) const FULL: &str = r#"{
  "version": "0.2", "name": "full.rig", "summary": "two\nlines\n", "culture_file": "c/CULTURE.md",
  "permission_policy": "builtin:standard", "managed_blocks": {"claude-code": "CLAUDE.md"},
  "docs": [{"path": "README.md"}],
  "startup": {"files": [{"path": "a.md", "delivery_hint": "guidance_merge", "required": false, "applies_on": ["restore"]},
                        {"kind": "context_pack", "name": "pack", "version": "1.10"}],
              "actions": [{"type": "slash_command", "value": "/x", "phase": "after_ready", "idempotent": true}]},
  "services": {"kind": "compose", "compose_file": "c.yml", "project_name": "p", "profiles": ["core"], "down_policy": "down",
    "wait_for": [{"service": "db", "condition": "healthy"}, {"url": "http://x"}, {"tcp": "x:1"}],
    "surfaces": {"urls": [{"name": "a", "url": "u"}], "commands": [{"name": "b", "command": "c"}]},
    "checkpoints": [{"id": "i", "export": "e", "import": "m"}, {"id": "j", "export": "e"}]},
  "workspace": {"workspace_root": "/w", "repos": [{"name": "r", "path": "p", "kind": "knowledge"}], "default_repo": "r", "knowledge_root": "../k"},
  "pods": [
    {"id": "dev", "label": "Dev", "summary": "s",
     "continuity_policy": {"enabled": true, "sync_triggers": ["manual", "manual"], "artifacts": {"session_log": true, "restore_brief": false, "quiz": true}, "restore_protocol": {"peer_driven": true, "verify_via_quiz": false}},
     "startup": {"files": [{"path": "b.md"}]},
     "members": [
       {"id": "a", "label": "A", "agent_ref": "local:../agents/a", "profile": "default", "runtime": "codex", "codex_config_profile": "fast", "model": "m", "role": "r.1", "permission_policy": "policies/team.md", "cwd": ".", "restore_policy": "relaunch_fresh", "compaction_strategy": "handover", "mechanic": "orch-lead@full.rig",
        "startup": {"actions": [{"type": "send_text", "value": "go\n", "idempotent": false, "applies_on": ["fresh_start"]}]},
        "session_source": {"mode": "rebuild", "ref": {"kind": "artifact_set", "value": ["/abs/a.md", "../b.md"]}}, "starter_ref": {"name": "base"}},
       {"id": "b", "agent_ref": "path:/agents/b", "profile": "p", "runtime": "claude-code", "cwd": "/x y", "session_source": {"mode": "fork", "ref": {"kind": "native_id", "value": "0b0165d7-cb4d-4650-90de-15c0a1ede9e6"}}},
       {"id": "c", "agent_ref": "local:c", "profile": "p", "runtime": "pixir", "cwd": ".", "session_source": {"mode": "agent_image", "ref": {"kind": "image_name", "value": "img", "version": "007"}}}
     ],
     "edges": [{"kind": "delegates_to", "from": "a", "to": "b"}, {"kind": "delegates_to", "from": "a", "to": "b"}]},
    {"id": "sh", "label": "Shells", "members": [{"id": "t", "agent_ref": "builtin:terminal", "profile": "none", "runtime": "terminal", "cwd": "."}]},
    {"id": "none", "label": "Empty", "members": []}
  ],
  "edges": [{"kind": "spawned_by", "from": "sh.t", "to": "dev.a"}]
}"#;

fn normal(json: &str) -> serde_json::Value {
    let outcome = check(json);
    assert!(is_sound(&outcome));
    let document = outcome.document.unwrap_or_else(|| panic!("{:#?}\n{json}", outcome.diagnostics));
    serde_json::to_value(document).unwrap()
}

// SPEC 5: the normal form of a document that says everything says everything.
#[test]
fn every_key_survives_into_the_normal_form() {
    let written: serde_json::Value = serde_json::from_str(FULL).unwrap();
    assert_eq!(normal(FULL), written);
    let outcome = check(FULL);
    assert!(outcome.diagnostics.is_empty(), "{:?}", told(&outcome));
    assert_eq!((outcome.kind, outcome.rig.as_deref()), (DocumentKind::Rig, Some("full.rig")));
}

// SPEC 5: empty equals absent, a bare reference becomes `local:`, defaults are not written.
#[test]
fn what_says_nothing_is_not_written() {
    let plain = normal(&one(""));
    for same in [
        one(r#","startup":{}"#),
        one(r#","startup":{"files":[],"actions":[]}"#),
        one("").replace("local:a", "a"),
        rig(r#","docs":[],"managed_blocks":{},"startup":{}"#, &pod("dev", &member("impl", ""), "")),
        rig("", &pod("dev", &member("impl", ""), r#","edges":[],"startup":{}"#)),
        one("").replace(r#""pods""#, r#""edges":[],"pods""#),
    ] {
        assert_eq!(normal(&same), plain, "{same}");
    }
    let policy = |keys: &str| {
        rig(
            "",
            &pod(
                "dev",
                &member("impl", ""),
                &format!(r#","continuity_policy":{{"enabled":true{keys}}}"#),
            ),
        )
    };
    assert_eq!(
        normal(&policy("")),
        normal(&policy(r#","sync_triggers":[],"artifacts":{},"restore_protocol":{}"#))
    );
    let file = |keys: &str| one(&format!(r#","startup":{{"files":[{{"path":"a"{keys}}}]}}"#));
    assert_eq!(
        normal(&file("")),
        normal(&file(
            r#","kind":"file","required":true,"applies_on":["restore","fresh_start","restore"]"#
        ))
    );
}

// SPEC 2: the lists that may be empty, and stay.
#[test]
fn empty_lists_that_are_required_stay() {
    let json = rig(
        r#","workspace":{"workspace_root":".","repos":[]}"#,
        &format!("{},{}", pod("a", &member("x", ""), ""), pod("b", "", "")),
    );
    let form = normal(&json);
    assert_eq!(form["workspace"]["repos"], serde_json::json!([]));
    assert_eq!(form["pods"][1]["members"], serde_json::json!([]));
}

// SPEC 3: versions are kept as their source text.
#[test]
fn versions_keep_their_spelling() {
    for version in ["!1", "!1.10", "!007", "1.2.3", "v1-rc_2", "!2026-06"] {
        let keys = format!(
            r#","session_source":{{"mode":"agent_image","ref":{{"kind":"image_name","value":"x","version":"{version}"}}}}"#
        );
        let form = normal(&one(&keys));
        let kept = &form["pods"][0]["members"][0]["session_source"]["ref"]["version"];
        assert_eq!(kept, version.trim_start_matches('!'));
        let keys = format!(
            r#","startup":{{"files":[{{"kind":"context_pack","name":"x","version":"{version}"}}]}}"#
        );
        let form = normal(&one(&keys));
        assert_eq!(
            &form["pods"][0]["members"][0]["startup"]["files"][0]["version"],
            version.trim_start_matches('!')
        );
    }
}

// SPEC 3: ids are taken as each runtime has them, and never changed.
#[test]
fn native_ids_are_kept_as_they_are() {
    for (runtime, id) in [
        ("claude-code", "0B0165D7-cb4d-4650-90de-15c0a1ede9e6"),
        ("codex", "abc_1.x-y"),
        ("pixir", "20260101T000000-abcdef"),
        ("pixir", "größe-٣"),
        ("pi", "/srv/a b/x.jsonl"),
        ("pi", "abc-1"),
    ] {
        let keys = format!(
            r#","session_source":{{"mode":"fork","ref":{{"kind":"native_id","value":"{id}"}}}}"#
        );
        let outcome = check(&one_of(runtime, &keys));
        let Some(Document::Rig(rig)) = outcome.document else {
            panic!("{:?}", outcome.diagnostics)
        };
        let Some(SessionSource::Fork { native_id }) = &rig.pods[0].members[0].session_source else {
            panic!()
        };
        assert_eq!(native_id.as_str(), id);
    }
}

// SPEC 3: what composes, and the same source for many members.
#[test]
fn starters_compose_with_a_rebuild_and_with_nothing() {
    let rebuild =
        r#","session_source":{"mode":"rebuild","ref":{"kind":"artifact_set","value":["a"]}}"#;
    for keys in [
        r#","starter_ref":{"name":"a-1"}"#.to_owned(),
        format!(r#"{rebuild},"starter_ref":{{"name":"a"}}"#),
    ] {
        normal(&one(&keys));
    }
    let fork = r#","session_source":{"mode":"fork","ref":{"kind":"native_id","value":"x-1"}}"#;
    normal(&rig("", &pod("dev", &format!("{},{}", member("a", fork), member("b", fork)), "")));
}

// SPEC 2: a payload, its pod, and ends that only the rig can know.
#[test]
fn a_payload_may_leave_its_pod_and_far_ends_to_the_command() {
    let members = format!("{},{}", member("a", ""), member("b", ""));
    let edges = r#"[{"kind":"delegates_to","from":"a","to":"b"},{"kind":"can_observe","from":"qa.x","to":"a"},{"kind":"escalates_to","from":"a","to":"elsewhere"}]"#;
    let json = format!(r#"{{"members":[{members}],"edges":{edges}}}"#);
    let outcome = check(&json);
    assert_eq!(outcome.kind, DocumentKind::Payload);
    let Some(Document::Payload(payload)) = outcome.document else {
        panic!("{:?}", outcome.diagnostics)
    };
    assert!(payload.pod.is_none() && payload.edges.len() == 3);
    // With the pod known, a qualified end may turn out to be the other end, or close a circle.
    let looped = json.replace(r#""from":"qa.x","to":"a""#, r#""from":"dev.a","to":"a""#);
    let hints = Hints { pod: Some(PodId::new("dev").unwrap()) };
    let outcome = validate(&Doc::read(&looped).tree(), &hints);
    assert_eq!(told(&outcome), [("edge-to-itself", "edges[1]")]);
}

// SPEC 2: the terminal triple, and what a terminal may have.
#[test]
fn a_terminal_may_have_what_a_shell_can_use() {
    normal(&rig(
        "",
        &pod(
            "dev",
            &member_of(
                "terminal",
                r#","restore_policy":"resume_if_possible","label":"Shell","startup":{"files":[{"path":"a"}]}"#,
            ),
            "",
        ),
    ));
}

// SPEC 2: kinds that order nothing may form circles; launch order across pod and rig edges may not.
#[test]
fn only_launch_order_is_held_to_be_free_of_circles() {
    let pods = format!(
        "{},{}",
        pod(
            "p",
            &format!("{},{}", member("a", ""), member("b", "")),
            r#","edges":[{"kind":"delegates_to","from":"a","to":"b"}]"#
        ),
        pod("q", &member("c", ""), "")
    );
    let with =
        |edges: &str| format!(r#"{{"version":"1","name":"d","pods":[{pods}],"edges":[{edges}]}}"#);
    normal(&with(
        r#"{"kind":"can_observe","from":"p.b","to":"q.c"},{"kind":"can_observe","from":"q.c","to":"p.b"}"#,
    ));
    normal(&with(
        r#"{"kind":"delegates_to","from":"p.a","to":"q.c"},{"kind":"delegates_to","from":"p.b","to":"q.c"}"#,
    ));
    let outcome = check(&with(
        r#"{"kind":"delegates_to","from":"p.b","to":"q.c"},{"kind":"spawned_by","from":"p.a","to":"q.c"}"#,
    ));
    let found = crate::build::only(&outcome);
    assert_eq!(
        (found.code.as_str(), found.path.as_str()),
        ("edge-cycle", "edges[1]"),
        "{found:#?}"
    );
    assert_eq!(found.related.len(), 2);
}

// SPEC 2: what an entry applies on.
#[test]
fn applies_on_is_a_set() {
    let keys = r#","startup":{"files":[{"path":"a","applies_on":["restore"]},{"path":"b"}]}"#;
    let Some(Document::Rig(rig)) = check(&one(keys)).document else { panic!() };
    let files = &rig.pods[0].members[0].startup.files;
    assert_eq!((files[0].applies_on, files[1].applies_on), (AppliesOn::Restore, AppliesOn::Both));
    assert!(matches!(&files[1].content, StartupContent::File { path } if path.as_str() == "b"));
}

fn any_doc() -> impl Strategy<Value = Doc> {
    let words = prop::sample::select(vec![
        "version",
        "name",
        "pods",
        "members",
        "edges",
        "id",
        "label",
        "agent_ref",
        "profile",
        "runtime",
        "cwd",
        "session_source",
        "mode",
        "ref",
        "kind",
        "value",
        "fork",
        "rebuild",
        "native_id",
        "artifact_set",
        "terminal",
        "codex",
        "none",
        "builtin:terminal",
        "starter_ref",
        "startup",
        "files",
        "actions",
        "path",
        "services",
        "workspace",
        "repos",
        "a",
        "a.b",
        "from",
        "to",
        "delegates_to",
        "",
        "~",
        "5",
        "true",
        "nodes",
    ]);
    let leaf = prop_oneof![
        words.clone().prop_map(|it| Doc::Quoted(it.to_owned())),
        words.clone().prop_map(|it| Doc::Plain(it.to_owned())),
        any::<String>().prop_map(Doc::Quoted),
    ];
    leaf.prop_recursive(8, 96, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Doc::List),
            prop::collection::vec((words.clone().prop_map(Doc::key), inner), 0..7)
                .prop_map(Doc::Map),
        ]
    })
}

/// Replaces, drops or doubles one node of the full rig.
fn mutated() -> impl Strategy<Value = Doc> {
    (any::<prop::sample::Index>(), any_doc(), 0..3_u8).prop_map(|(at, other, how)| {
        fn count(doc: &Doc) -> usize {
            1 + match doc {
                Doc::List(items) => items.iter().map(count).sum(),
                Doc::Map(pairs) => pairs.iter().map(|(_, value)| count(value)).sum(),
                Doc::Quoted(_) | Doc::Plain(_) => 0,
            }
        }
        fn change(doc: &mut Doc, left: &mut usize, other: &Doc, how: u8) {
            if *left == 0 {
                match (how, &mut *doc) {
                    (1, Doc::Map(pairs)) if !pairs.is_empty() => drop(pairs.remove(0)),
                    (2, Doc::List(items)) if !items.is_empty() => items.push(items[0].clone()),
                    _ => *doc = other.clone(),
                }
            }
            *left = left.wrapping_sub(1);
            match doc {
                Doc::List(items) => {
                    for it in items {
                        change(it, left, other, how);
                    }
                }
                Doc::Map(pairs) => {
                    for (_, it) in pairs {
                        change(it, left, other, how);
                    }
                }
                Doc::Quoted(_) | Doc::Plain(_) => {}
            }
        }
        let mut doc = Doc::read(FULL);
        let mut left = at.index(count(&doc));
        change(&mut doc, &mut left, &other, how);
        doc
    })
}

proptest! {
    // SPEC 2, 5: any tree gives a document exactly when it gives no error, and a document reads back as itself.
    #[test]
    fn any_tree_is_a_document_or_is_refused(doc in prop_oneof![any_doc(), mutated()]) {
        let outcome = validate(&doc.tree(), &Hints::default());
        prop_assert!(is_sound(&outcome), "{:?}", told(&outcome));
        for found in &outcome.diagnostics {
            prop_assert!(found.message.starts_with(&found.path));
            prop_assert!(found.help.is_some());
        }
        if let Some(document) = outcome.document {
            let json = serde_json::to_string(&document).unwrap();
            let back: Document = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(back, document);
        }
    }
}
