//! One row per rule of SPEC 2 and 3 that is not a row of the matrix: document, code, path.

use crate::build::{check, is_sound, member, member_of, one, one_of, only, pod, rig, told};
use seatfork_schema::{Code, Severity};
use std::collections::BTreeSet;

/// The member path of the rows.
const P: &str = "pods[0].members[0]";

fn at(key: &str) -> String {
    format!("{P}.{key}")
}

fn two(edges: &str) -> String {
    let members = format!("{},{}", member("a", ""), member("b", ""));
    rig("", &pod("dev", &members, &format!(r#","edges":[{edges}]"#)))
}

fn across(edges: &str) -> String {
    let pods = format!(
        "{},{}",
        pod("p", &format!("{},{}", member("a", ""), member("c", "")), ""),
        pod("q", &member("b", ""), "")
    );
    format!(r#"{{"version":"1","name":"demo","pods":[{pods}],"edges":[{edges}]}}"#)
}

fn fork(value: &str) -> String {
    format!(r#","session_source":{{"mode":"fork","ref":{{"kind":"native_id","value":"{value}"}}}}"#)
}

fn image(keys: &str) -> String {
    format!(r#","session_source":{{"mode":"agent_image","ref":{{"kind":"image_name",{keys}}}}}"#)
}

fn services(keys: &str) -> String {
    let one = pod("dev", &member("impl", ""), "");
    rig(&format!(r#","services":{{"kind":"compose","compose_file":"c.yml"{keys}}}"#), &one)
}

fn workspace(keys: &str) -> String {
    rig(&format!(r#","workspace":{{{keys}}}"#), &pod("dev", &member("impl", ""), ""))
}

fn startup(keys: &str) -> String {
    one(&format!(r#","startup":{{{keys}}}"#))
}

fn member_without(key: &str) -> String {
    let whole = member("impl", "");
    let (start, _) = whole.split_once(&format!(r#""{key}":"#)).unwrap();
    let end = whole[start.len()..].find(",\"").map_or(whole.len() - 1, |it| start.len() + it + 1);
    let text = format!("{}{}", start, &whole[end..]).replace(",}", "}");
    rig("", &pod("dev", &text, ""))
}

#[expect(clippy::too_many_lines, reason = "one table, one row per rule")]
fn rows() -> Vec<(Code, String, String)> {
    let dev = pod("dev", &member("impl", ""), "");
    let twice = |a: &str, b: &str| {
        rig("", &pod("dev", &format!("{},{}", member(a, ""), member(b, "")), ""))
    };
    let rows: Vec<(Code, &str, String)> = vec![
        (Code::DocumentUnknown, "", "[]".into()),
        (Code::DocumentUnknown, "", "5".into()),
        (Code::DocumentUnknown, "", r#""text""#.into()),
        (Code::DocumentUnknown, "", "{}".into()),
        (Code::DocumentUnknown, "", r#"{"id":"a","runtime":"codex"}"#.into()),
        (Code::EmptyDocument, "", "null".into()),
        (Code::LegacyFlatSpec, "nodes", r#"{"schema_version":1,"nodes":[]}"#.into()),
        (Code::LegacyFlatSpec, "nodes", rig(r#","nodes":[]"#, &dev)),
        (Code::UnknownKey, "pods[0].members[0].rolle", one(r#","rolle":"x""#)),
        (Code::UnknownKey, "pods[0][\"a.b\"]", rig("", &pod("dev", &member("impl", ""), r#","a.b":1"#))),
        (Code::UnknownKey, "pods[0].session_source", rig("", &pod("dev", &member("impl", ""), r#","session_source":{}"#))),
        (Code::UnknownKey, "schema_version", rig(r#","schema_version":1"#, &dev)),
        (Code::UnknownKey, "pods[0].members[0].session_source.inherit", one(&fork("x").replace(r#""ref""#, r#""inherit":1,"ref""#))),
        (Code::UnknownKey, "pods[0].members[0].session_source.ref.version", one(&fork("x").replace(r#""kind""#, r#""version":1,"kind""#))),
        (Code::UnknownKey, "pods[0].members[0].starter_ref.version", one(r#","starter_ref":{"name":"a","version":1}"#)),
        (Code::UnknownKey, "pods[0].edges[0].why", two(r#"{"kind":"can_observe","from":"a","to":"b","why":"x"}"#)),
        (Code::UnknownKey, "managed_blocks.codex", rig(r#","managed_blocks":{"codex":"CLAUDE.md"}"#, &dev)),
        (Code::MissingKey, "pods", r#"{"version":"1","name":"demo"}"#.into()),
        (Code::MissingKey, "name", format!(r#"{{"version":"1","pods":[{dev}]}}"#)),
        (Code::MissingKey, "pods[0].members[0].cwd", member_without("cwd")),
        (Code::MissingKey, "pods[0].members[0].runtime", member_without("runtime")),
        (Code::MissingKey, "workspace.repos", workspace(r#""workspace_root":".""#)),
        (Code::MissingKey, "services.wait_for[0].condition", services(r#","wait_for":[{"service":"db"}]"#)),
        (Code::MissingKey, "pods[0].members[0].startup.files[0].path", startup(r#""files":[{}]"#)),
        (Code::MissingKey, "pods[0].members[0].startup.files[0].name", startup(r#""files":[{"kind":"context_pack"}]"#)),
        (Code::EmptyKey, "pods[0].members[0].cwd", one("").replace(r#""cwd":".""#, r#""cwd":null"#)),
        (Code::EmptyKey, "edges", rig(r#","edges":null"#, &dev)),
        (Code::EmptyKey, "docs", rig(r#","docs":null"#, &dev)),
        (Code::EmptyKey, "services", rig(r#","services":null"#, &dev)),
        (Code::EmptyKey, "managed_blocks", rig(r#","managed_blocks":null"#, &dev)),
        (Code::EmptyKey, "pods[0].continuity_policy", rig("", &pod("dev", &member("impl", ""), r#","continuity_policy":null"#))),
        (Code::EmptyKey, "pods[0].members[0].startup.files[0].path", startup(r#""files":[{"path":null}]"#)),
        (Code::WrongType, "pods[0]", rig("", "null")),
        (Code::WrongType, P, rig("", &pod("dev", "5", ""))),
        (Code::WrongType, "pods", r#"{"version":"1","name":"demo","pods":{}}"#.into()),
        (Code::WrongType, "pods[0].members[0].startup", one(r#","startup":[]"#)),
        (Code::WrongType, "workspace", rig(r#","workspace":false"#, &dev)),
        (Code::WrongType, "docs[0]", rig(r#","docs":["a.md"]"#, &dev)),
        (Code::WrongType, "pods[0].members[0].model", one(r#","model":["x"]"#)),
        (Code::WrongType, "pods[0].continuity_policy.enabled", rig("", &pod("dev", &member("impl", ""), r#","continuity_policy":{"enabled":"!yes"}"#))),
        (Code::WrongType, "pods[0].members[0].startup.files[0].required", startup(r#""files":[{"path":"a","required":"false"}]"#)),
        (Code::UnquotedScalar, "version", format!(r#"{{"version":0.2,"name":"demo","pods":[{dev}]}}"#)),
        (Code::UnquotedScalar, "name", format!(r#"{{"version":"1","name":"!0x1F","pods":[{dev}]}}"#)),
        (Code::UnquotedScalar, "pods[0].members[0].label", one(r#","label":true"#)),
        (Code::UnquotedScalar, "pods[0].members[0].runtime", one("").replace(r#""claude-code""#, "7")),
        (Code::UnknownWord, "pods[0].members[0].restore_policy", one(r#","restore_policy":"Resume_If_Possible""#)),
        (Code::UnknownWord, "pods[0].members[0].startup.files[0].kind", startup(r#""files":[{"kind":"dir","path":"a"}]"#)),
        (Code::UnknownWord, "pods[0].edges[0].kind", two(r#"{"kind":"manages","from":"a","to":"b"}"#)),
        (Code::UnknownWord, "services.down_policy", services(r#","down_policy":"stop""#)),
        (Code::UnknownWord, "managed_blocks.claude-code", rig(r#","managed_blocks":{"claude-code":"AGENTS.md"}"#, &dev)),
        (Code::EmptyList, "pods", rig("", "")),
        (Code::EmptyList, "pods[0].members", rig("", &pod("dev", "", ""))),
        (Code::EmptyList, "members", r#"{"members":[]}"#.into()),
        (Code::EmptyList, "pods[0].members[0].startup.files[0].applies_on", startup(r#""files":[{"path":"a","applies_on":[]}]"#)),
        (Code::TextBlank, "pods[0].members[0].model", one(r#","model":" ""#)),
        (Code::TextBlank, "version", format!(r#"{{"version":" ","name":"demo","pods":[{dev}]}}"#)),
        (Code::TextBlank, "pods[0].members[0].cwd", one("").replace(r#""cwd":".""#, r#""cwd":" ""#)),
        (Code::TextTooLong, "pods[0].members[0].label", one(&format!(r#","label":"{}""#, "x".repeat(4097)))),
        (Code::TextCharacter, "pods[0].members[0].label", one(r#","label":"a\u202eb""#)),
        (Code::TextCharacter, "summary", rig(r#","summary":"a\u0007""#, &dev)),
        (Code::TextCharacter, "pods[0].members[0].cwd", one("").replace(r#""cwd":".""#, r#""cwd":"a\nb""#)),
        (Code::TextCharacter, "pods[0].members[0].startup.actions[0].value", startup(r#""actions":[{"type":"send_text","value":"a\u001b[1m","idempotent":true}]"#)),
        (Code::TextSeveralLines, "pods[0].members[0].label", one(r#","label":"a\n""#)),
        (Code::PathNotExpanded, "pods[0].members[0].cwd", one("").replace(r#""cwd":".""#, r#""cwd":"~/x""#)),
        (Code::PathNotExpanded, "pods[0].members[0].cwd", one("").replace(r#""cwd":".""#, r#""cwd":"a/${HOME}""#)),
        (Code::PathNotExpanded, "pods[0].members[0].agent_ref", one("").replace("local:a", "local:~/a")),
        (Code::PathUnsafe, "culture_file", rig(r#","culture_file":"/a""#, &dev)),
        (Code::PathUnsafe, "culture_file", rig(r#","culture_file":"..\\a""#, &dev)),
        (Code::PathUnsafe, "culture_file", rig(r#","culture_file":"C:a""#, &dev)),
        (Code::PathUnsafe, "docs[0].path", rig(r#","docs":[{"path":"a//b"}]"#, &dev)),
        (Code::RigNameMalformed, "name", format!(r#"{{"version":"1","name":"a..b","pods":[{dev}]}}"#)),
        (Code::IdMalformed, "pods[0].members[0].id", rig("", &pod("dev", &member("a@b", ""), ""))),
        (Code::IdMalformed, "pods[0].id", rig("", &pod("a.b", &member("impl", ""), ""))),
        (Code::DuplicateId, "pods[0].members[1].id", twice("a", "a")),
        (Code::DuplicateId, "pods[1].id", rig("", &format!("{dev},{}", pod("dev", &member("x", ""), "")))),
        (Code::SeatNameClash, "pods[0].members[1].id", twice("a", "A")),
        (Code::SeatNameClash, "pods[1].members[0].id", rig("", &format!("{},{}", pod("a-b", &member("c", ""), ""), pod("a", &member("b-c", ""), "")))),
        (Code::RuntimeUnknown, "pods[0].members[0].runtime", one_of("Codex", "")),
        (Code::RuntimeUnknown, "pods[0].members[0].runtime", one_of("codex ", "")),
        (Code::AgentRefMalformed, "pods[0].members[0].agent_ref", one("").replace("local:a", "github:a/b")),
        (Code::AgentRefMalformed, "pods[0].members[0].agent_ref", one("").replace("local:a", "path:a")),
        (Code::AgentRefMalformed, "pods[0].members[0].agent_ref", one("").replace("local:a", "local:")),
        (Code::AgentRefMalformed, "pods[0].members[0].agent_ref", one("").replace("local:a", "local:/a")),
        (Code::TerminalTriple, P, one("").replace("local:a", "builtin:terminal")),
        (Code::TerminalTriple, P, one_of("terminal", "").replace(r#""none""#, r#""p""#)),
        (Code::RoleMalformed, "pods[0].members[0].role", one(r#","role":"-x""#)),
        (Code::RoleOnTerminal, "pods[0].members[0].role", one_of("terminal", r#","role":"x""#)),
        (Code::CodexConfigProfileMalformed, "pods[0].members[0].codex_config_profile", one_of("codex", r#","codex_config_profile":"a b""#)),
        (Code::CodexConfigProfileOffCodex, "pods[0].members[0].codex_config_profile", one(r#","codex_config_profile":"a""#)),
        (Code::CompactionStrategyUnsupported, "pods[0].members[0].compaction_strategy", one(r#","compaction_strategy":"custom_prompt""#)),
        (Code::MechanicMalformed, "pods[0].members[0].mechanic", one(r#","mechanic":"x@rig""#)),
        (Code::MechanicMalformed, "pods[0].members[0].mechanic", one(r#","mechanic":"x-y""#)),
        (Code::PermissionPolicyMalformed, "permission_policy", rig(r#","permission_policy":"builtin:root""#, &dev)),
        (Code::PermissionPolicyMalformed, "pods[0].members[0].permission_policy", one(r#","permission_policy":"a/.b""#)),
        (Code::PermissionPolicyBareName, "pods[0].members[0].permission_policy", one(r#","permission_policy":"yolo""#)),
        (Code::PermissionPolicyOnTerminal, "pods[0].members[0].permission_policy", one_of("terminal", r#","permission_policy":"none""#)),
        (Code::ResumeInSpec, "pods[0].members[0].resume_token", one(r#","resume_token":"x""#)),
        (Code::ResumeInSpec, "pods[0].members[0].resumeToken", one(r#","resumeToken":null"#)),
        (Code::ResumeInSpec, "pods[0].members[0].resume", one(r#","resume":true"#)),
        (Code::EdgeEndMalformed, "pods[0].edges[0].from", two(r#"{"kind":"can_observe","from":"dev.a","to":"b"}"#)),
        (Code::EdgeEndMalformed, "edges[0].to", across(r#"{"kind":"can_observe","from":"p.a","to":"b"}"#)),
        (Code::EdgeEndUnknown, "pods[0].edges[0].to", two(r#"{"kind":"can_observe","from":"a","to":"zz"}"#)),
        (Code::EdgeEndUnknown, "edges[0].to", across(r#"{"kind":"can_observe","from":"p.a","to":"q.zz"}"#)),
        (Code::EdgeToItself, "pods[0].edges[0]", two(r#"{"kind":"can_observe","from":"a","to":"a"}"#)),
        (Code::EdgeToItself, "edges[0]", r#"{"pod":"dev","members":[M],"edges":[{"kind":"can_observe","from":"impl","to":"dev.impl"}]}"#.replace('M', &member("impl", ""))),
        (Code::EdgeInsideOnePod, "edges[0]", across(r#"{"kind":"can_observe","from":"p.a","to":"p.c"}"#)),
        (Code::EdgeCycle, "edges[1]", across(r#"{"kind":"delegates_to","from":"p.a","to":"q.b"},{"kind":"delegates_to","from":"q.b","to":"p.a"}"#)),
        (Code::EdgeCycle, "pods[0].edges[1]", two(r#"{"kind":"delegates_to","from":"a","to":"b"},{"kind":"spawned_by","from":"a","to":"b"}"#)),
        (Code::StartupShellUnsupported, "pods[0].members[0].startup.actions[0].type", startup(r#""actions":[{"type":"shell","value":"x","idempotent":true}]"#)),
        (Code::StartupKeyMisplaced, "pods[0].members[0].startup.files[0].name", startup(r#""files":[{"path":"a","name":"b"}]"#)),
        (Code::StartupKeyMisplaced, "pods[0].members[0].startup.files[0].path", startup(r#""files":[{"kind":"context_pack","name":"b","path":"a"}]"#)),
        (Code::ContextPackNameMalformed, "pods[0].members[0].startup.files[0].name", startup(r#""files":[{"kind":"context_pack","name":"../b"}]"#)),
        (Code::ActionRepeatsOnRestore, "pods[0].members[0].startup.actions[0]", startup(r#""actions":[{"type":"send_text","value":"x","idempotent":false}]"#)),
        (Code::ActionRepeatsOnRestore, "pods[0].members[0].startup.actions[0]", startup(r#""actions":[{"type":"send_text","value":"x","idempotent":false,"applies_on":["restore"]}]"#)),
        (Code::ProjectNameMalformed, "services.project_name", services(r#","project_name":"Bad""#)),
        (Code::WaitForAmbiguous, "services.wait_for[0]", services(r#","wait_for":[{}]"#)),
        (Code::WaitForAmbiguous, "services.wait_for[0]", services(r#","wait_for":[{"url":"a","tcp":"b"}]"#)),
        (Code::WaitConditionMisplaced, "services.wait_for[0].condition", services(r#","wait_for":[{"url":"a","condition":"healthy"}]"#)),
        (Code::DuplicateRepo, "workspace.repos[1].name", workspace(r#""workspace_root":".","repos":[{"name":"a","path":"x","kind":"lab"},{"name":"a","path":"y","kind":"lab"}]"#)),
        (Code::DefaultRepoUnknown, "workspace.default_repo", workspace(r#""workspace_root":".","repos":[],"default_repo":"a""#)),
        (Code::StarterOnTerminal, "pods[0].members[0].starter_ref", one_of("terminal", r#","starter_ref":{"name":"a"}"#)),
        (Code::StarterWithAgentImage, "pods[0].members[0].starter_ref", one(&format!(r#"{},"starter_ref":{{"name":"a"}}"#, image(r#""value":"x""#)))),
        (Code::NativeIdUnsafe, "pods[0].members[0].session_source.ref.value", one(&fork("--help"))),
        (Code::NativeIdUnsafe, "pods[0].members[0].session_source.ref.value", one(&fork(" x"))),
        (Code::NativeIdUnsafe, "pods[0].members[0].session_source.ref.value", one(&fork(&"x".repeat(201)))),
        (Code::NativeIdUnsafe, "pods[0].members[0].session_source.ref.value", one_of("pi", &fork("/a/../b.jsonl"))),
        (Code::NativeIdUnsafe, "pods[0].members[0].session_source.ref.value", one_of("codex", &fork("/a/b.jsonl"))),
        (Code::NativeIdNamesASeat, "pods[0].members[0].session_source.ref.value", one(&fork("dev-impl@demo"))),
        (Code::NativeIdNamesASeat, "pods[0].members[0].session_source.ref.value", one(&fork("impl"))),
        (Code::ForkHostDeferred, "pods[0].members[0].session_source.host", one(&fork("x").replace(r#""ref""#, r#""host":"h","ref""#))),
        (Code::ForkHostDeferred, "pods[0].members[0].session_source.ref.host", one(&fork("x").replace(r#""kind""#, r#""host":"h","kind""#))),
        (Code::ImageNameUnsafe, "pods[0].members[0].session_source.ref.value", one(&image(r#""value":"a:b""#))),
        (Code::ImageNameUnsafe, "pods[0].members[0].session_source.ref.version", one(&image(r#""value":"a","version":"a..b""#))),
        (Code::ArtifactPathUnsafe, "pods[0].members[0].session_source.ref.value[0]", one(r#","session_source":{"mode":"rebuild","ref":{"kind":"artifact_set","value":[" a"]}}"#)),
        (Code::ArtifactPathUnsafe, "pods[0].members[0].session_source.ref.value[0]", one(r#","session_source":{"mode":"rebuild","ref":{"kind":"artifact_set","value":["$HOME/a"]}}"#)),
        (Code::StarterNameUnsafe, "pods[0].members[0].starter_ref.name", one(r#","starter_ref":{"name":"_a"}"#)),
    ];
    rows.into_iter().map(|(code, path, json)| (code, path.to_owned(), json)).collect()
}

// SPEC 2: every rule has its own code, at the place it is about, and nothing else is said of a document that breaks one rule.
#[test]
fn a_document_that_breaks_one_rule_is_told_that_rule_alone() {
    for (code, path, json) in rows() {
        let outcome = check(&json);
        assert!(is_sound(&outcome) && outcome.is_refused(), "{json}");
        let found = only(&outcome);
        assert_eq!((found.code, found.path.as_str()), (code, path.as_str()), "{json}");
        let prefix = if path.is_empty() { String::new() } else { format!("{path}: ") };
        assert!(found.message.starts_with(&prefix), "{}", found.message);
        assert!(found.help.as_ref().is_some_and(|help| !help.is_empty()), "{code} has no help");
        assert!(found.span.start.line > 0, "{code} has no place");
    }
}

// SPEC 4: no code of a spec is without a document that triggers it.
#[test]
fn every_code_of_a_spec_is_in_a_table() {
    let mut covered: BTreeSet<Code> = rows().into_iter().map(|(code, ..)| code).collect();
    covered.extend(crate::matrix::codes());
    covered.extend([Code::EmptyOptionalKey, Code::DeprecatedWord]);
    // What stands between text and tree is the reader's, and is tested there.
    let of_the_reader = |code: &Code| {
        code.as_str().starts_with("yaml-")
            || matches!(
                code,
                Code::TooLarge
                    | Code::TooDeep
                    | Code::NotUtf8
                    | Code::MultipleDocuments
                    | Code::DuplicateKey
            )
    };
    let missing: Vec<_> =
        Code::ALL.iter().filter(|code| !covered.contains(code) && !of_the_reader(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

// SPEC 2: an optional text, word or bool, `startup` and `workspace` with nothing under it count as absent, with a warning.
#[test]
fn empty_optional_keys_are_warnings() {
    for (key, json) in [
        ("pods[0].members[0].model", one(r#","model":null"#)),
        ("pods[0].members[0].label", one(r#","label":"!~""#)),
        ("pods[0].members[0].restore_policy", one(r#","restore_policy":null"#)),
        ("pods[0].members[0].startup", one(r#","startup":null"#)),
        ("workspace", rig(r#","workspace":null"#, &pod("dev", &member("impl", ""), ""))),
        (
            "pods[0].members[0].startup.files[0].required",
            startup(r#""files":[{"path":"a","required":null}]"#),
        ),
        ("pods[0].members[0].role", one_of("terminal", r#","role":null"#)),
    ] {
        let outcome = check(&json);
        let found = only(&outcome);
        assert_eq!((found.code, found.path.as_str()), (Code::EmptyOptionalKey, key));
        assert_eq!(found.severity, Severity::Warning);
        assert!(outcome.document.is_some() && is_sound(&outcome));
    }
}

// SPEC 2: old words read as the current ones, with a warning.
#[test]
fn old_words_are_warnings() {
    for (old, current) in [("harness_native", "default-compaction"), ("pod_continuity", "handover")]
    {
        let outcome = check(&one(&format!(r#","compaction_strategy":"{old}""#)));
        assert_eq!(only(&outcome).code, Code::DeprecatedWord);
        let document = serde_json::to_value(outcome.document.unwrap()).unwrap();
        assert_eq!(document["pods"][0]["members"][0]["compaction_strategy"], current);
    }
}

// SPEC 2: what YAML 1.2 reads as text is text.
#[test]
fn what_yaml_reads_as_text_needs_no_quotes() {
    for plain in ["yes", "no", "on", "2026-01-01", "12:30:45", "1_000", "1.2.3"] {
        let outcome = check(&one(&format!(r#","label":"!{plain}""#)));
        assert!(outcome.document.is_some(), "{plain}: {:?}", told(&outcome));
    }
}

// SPEC 2: "did you mean", and a key that belongs one level up or down.
#[test]
fn unknown_keys_come_with_the_key_that_was_meant() {
    for (json, help) in [
        (one(r#","sessionSource":{}"#), "did you mean \"session_source\"?"),
        (one(r#","sesion_source":{}"#), "did you mean \"session_source\"?"),
        (
            rig("", &pod("dev", &member("impl", ""), r#","cwd":".""#)),
            "\"cwd\" is a key of a member",
        ),
        (one(r#","members":[]"#), "\"members\" is a key of a pod"),
        (one_of("Claude", ""), "did you mean \"claude-code\"?"),
        (one(r#","restore_policy":"relaunch-fresh""#), "did you mean \"relaunch_fresh\"?"),
    ] {
        assert_eq!(only(&check(&json)).help.as_deref(), Some(help), "{json}");
    }
}

// SPEC 2: all problems are told, in file order.
#[test]
fn all_problems_are_told_in_file_order() {
    let json = r#"{"verison":"1","name":"a b","edges":"x","pods":[
        {"members":[{"cwd":"~","resume":1,"id":"x","agent_ref":"path:a","profile":" ","runtime":"z",
            "session_source":{"mode":"fork","ref":{"kind":"last"}}}, 7],"id":"dev","colour":1}]}"#;
    let outcome = check(json);
    let places: Vec<_> = outcome.diagnostics.iter().map(|it| it.span.start).collect();
    assert!(places.is_sorted(), "{places:?}");
    let mut paths: Vec<_> = told(&outcome).into_iter().map(|(_, path)| path).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "edges",
            "name",
            "pods[0].colour",
            "pods[0].label",
            "pods[0].members[0].agent_ref",
            "pods[0].members[0].cwd",
            "pods[0].members[0].profile",
            "pods[0].members[0].resume",
            "pods[0].members[0].runtime",
            "pods[0].members[0].session_source.ref.kind",
            "pods[0].members[1]",
            "verison",
            "version",
        ]
    );
}

// SPEC 2: rules that need two places show both.
#[test]
fn rules_of_two_places_show_the_other_one() {
    for (json, path) in [
        (
            rig("", &pod("dev", &format!("{},{}", member("a", ""), member("a", "")), "")),
            "pods[0].members[0].id",
        ),
        (
            rig("", &pod("dev", &format!("{},{}", member("a", ""), member("A", "")), "")),
            "pods[0].members[0].id",
        ),
        (one_of("terminal", r#","role":"x""#), "pods[0].members[0].runtime"),
        (
            one(&format!(r#"{},"starter_ref":{{"name":"a"}}"#, fork("x"))),
            "pods[0].members[0].session_source.mode",
        ),
        (one(&fork("impl")), "pods[0].members[0].id"),
        (
            two(
                r#"{"kind":"delegates_to","from":"a","to":"b"},{"kind":"delegates_to","from":"b","to":"a"}"#,
            ),
            "pods[0].edges[0]",
        ),
        (one(r#","codex_config_profile":"a""#), "pods[0].members[0].runtime"),
    ] {
        let outcome = check(&json);
        let related: Vec<_> = only(&outcome).related.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(related, [path], "{json}");
        assert!(only(&outcome).related[0].span.start.line > 0);
    }
}

// SPEC 2: rules about a part that cannot be read stay silent; the part itself is told.
#[test]
fn what_cannot_be_read_is_told_once() {
    let broken = member_of("nobody", &fork("größe"));
    assert_eq!(
        told(&check(&rig("", &pod("dev", &broken, "")))),
        [("runtime-unknown", at("runtime").as_str())]
    );
    let json = rig(
        "",
        &pod("dev", &member("a", ""), r#","edges":[{"kind":"can_observe","from":"a","to":"b"}]"#)
            .replace(r#""members":["#, r#""members":[{"id":5},"#),
    );
    let codes: Vec<_> = told(&check(&json))
        .into_iter()
        .map(|(code, _)| code)
        .filter(|it| it.starts_with("edge"))
        .map(str::to_owned)
        .collect();
    assert!(codes.is_empty(), "{codes:?}");
}
