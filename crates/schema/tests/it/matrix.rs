//! The refusal matrix, word for word (SPEC 4).

use crate::build::{check, is_sound, one, one_of, told};
use seatfork_schema::Code;

const LIST: &str = "required non-empty array of artifact paths in trust-precedence order (highest-trust first: rig CULTURE, role doc, handover packet, queue file, pod shared session log, member session log)";
const EMPTY: &str = "rebuild requires at least one artifact path; declare paths in trust-precedence order (highest-trust first)";
const COMPOSITION: &str = "starter_ref + session_source.mode=\"fork\" composition is rejected in v0 (the v1+ \"Real native-fork-from-registered-thread-id starter proof\" trigger covers that combination); use either starter_ref alone or session_source.mode=\"rebuild\" for artifact-additive composition";
const TERMINAL: &str = "terminal runtime has no native fork primitive and no agent context to rebuild; remove session_source for terminal members";
const MODE: &str = "supports \"fork\", \"rebuild\", or \"agent_image\"";
const FORK_REF: &str = "required object with \"kind\" and (when kind=native_id) \"value\"";
const FORK_VALUE: &str = "required non-empty string when ref.kind is \"native_id\"";
const FORK_KIND: &str = "required; v1 fork mode supports \"native_id\" only";
const REBUILD_REF: &str =
    "required object with \"kind: artifact_set\" and \"value: [paths...]\" for rebuild mode";
const IMAGE_REF: &str =
    "required object with \"kind: image_name\" and \"value: <name>\" for agent_image mode";
const IMAGE_VALUE: &str = "required non-empty string when ref.kind is \"image_name\"";
const VERSION: &str = "optional; must be a string or number when present";
const ENTRY: &str = "each entry must be a non-empty string (file path)";

fn source(json: &str) -> String {
    format!(r#","session_source":{json}"#)
}

fn of_mode(mode: &str, reference: &str) -> String {
    source(&format!(r#"{{"mode":"{mode}","ref":{reference}}}"#))
}

/// Code, the keys of the member, the path below the member, the text.
#[expect(clippy::too_many_lines, reason = "one table, one row per line of the matrix")]
fn rows() -> Vec<(Code, String, &'static str, String)> {
    let mut rows: Vec<(Code, String, &str, String)> = Vec::new();
    let mut row =
        |code, keys: String, path, text: &str| rows.push((code, keys, path, text.to_owned()));
    for bad in ["null", r#""!~""#, r#""fork""#, "5", "[]", "[{}]", "true"] {
        row(Code::SessionSourceNotAMapping, source(bad), "session_source", "must be an object");
    }
    for (mode, got) in [
        ("", "undefined"),
        (r#""mode":null,"#, "null"),
        (r#""mode":1,"#, "1"),
        (r#""mode":true,"#, "true"),
        (r#""mode":["fork"],"#, r#"["fork"]"#),
        (r#""mode":"Fork","#, r#""Fork""#),
        (r#""mode":" fork","#, r#"" fork""#),
        (r#""mode":"resume","#, r#""resume""#),
        (r#""mode":{"a":["b\n"]},"#, r#"{"a":["b\n"]}"#),
    ] {
        let keys = source(&format!(r#"{{{mode}"ref":{{"kind":"native_id","value":"x"}}}}"#));
        row(Code::ModeUnsupported, keys, "session_source.mode", &format!("{MODE} (got {got})"));
    }
    row(
        Code::ModeUnsupported,
        source("{}"),
        "session_source.mode",
        &format!("{MODE} (got undefined)"),
    );
    for bad in ["null", r#""x""#, "[]", "5"] {
        row(Code::ForkRefMissing, of_mode("fork", bad), "session_source.ref", FORK_REF);
        row(Code::RebuildRefMissing, of_mode("rebuild", bad), "session_source.ref", REBUILD_REF);
        row(Code::ImageRefMissing, of_mode("agent_image", bad), "session_source.ref", IMAGE_REF);
    }
    row(Code::ForkRefMissing, source(r#"{"mode":"fork"}"#), "session_source.ref", FORK_REF);
    let kind = |mode: &str, kind: &str| of_mode(mode, &format!(r#"{{{kind}"value":"x"}}"#));
    row(
        Code::ForkKindDeferred,
        kind("fork", r#""kind":"artifact_path","#),
        "session_source.ref.kind",
        "\"artifact_path\" deferred to follow-up slice; v1 fork mode supports \"native_id\" only",
    );
    for weaker in ["name", "last"] {
        row(
            Code::ForkKindWeaker,
            kind("fork", &format!(r#""kind":"{weaker}","#)),
            "session_source.ref.kind",
            &format!(
                "\"{weaker}\" is weaker than \"native_id\"; v1 fork mode supports \"native_id\" only"
            ),
        );
    }
    row(
        Code::ForkKindWrongMode,
        kind("fork", r#""kind":"artifact_set","#),
        "session_source.ref.kind",
        "\"artifact_set\" belongs to mode \"rebuild\"; for fork mode use ref.kind: \"native_id\"",
    );
    for (bad, got) in [
        ("", "undefined"),
        (r#""kind":null,"#, "null"),
        (r#""kind":"NATIVE_ID","#, r#""NATIVE_ID""#),
        (r#""kind":"image_name","#, r#""image_name""#),
        (r#""kind":["native_id"],"#, r#"["native_id"]"#),
    ] {
        row(
            Code::ForkKindUnsupported,
            kind("fork", bad),
            "session_source.ref.kind",
            &format!("{FORK_KIND} (got {got})"),
        );
    }
    for bad in [
        "",
        r#","value":null"#,
        r#","value":"""#,
        r#","value":"  ""#,
        r#","value":12"#,
        r#","value":"!1e3""#,
        r#","value":true"#,
        r#","value":["x"]"#,
        r#","value":{"a":1}"#,
    ] {
        let keys = of_mode("fork", &format!(r#"{{"kind":"native_id"{bad}}}"#));
        row(Code::ForkValueMissing, keys, "session_source.ref.value", FORK_VALUE);
    }
    for wrong in ["native_id", "artifact_path", "name", "last"] {
        row(
            Code::RebuildKindWrongMode,
            kind("rebuild", &format!(r#""kind":"{wrong}","#)),
            "session_source.ref.kind",
            &format!(
                "rebuild mode requires ref.kind: \"artifact_set\"; the named kinds (\"{wrong}\") belong to mode: \"fork\""
            ),
        );
    }
    for (bad, got) in
        [("", "undefined"), (r#""kind":"files","#, r#""files""#), (r#""kind":5,"#, "5")]
    {
        let keys = of_mode("rebuild", &format!(r#"{{{bad}"value":["x"]}}"#));
        row(
            Code::RebuildKindUnsupported,
            keys,
            "session_source.ref.kind",
            &format!("required; v1 rebuild mode supports \"artifact_set\" only (got {got})"),
        );
    }
    for bad in ["", r#","value":null"#, r#","value":"x""#, r#","value":{"a":1}"#] {
        let keys = of_mode("rebuild", &format!(r#"{{"kind":"artifact_set"{bad}}}"#));
        row(Code::RebuildValueNotAList, keys, "session_source.ref.value", LIST);
    }
    let artifacts =
        |list: &str| of_mode("rebuild", &format!(r#"{{"kind":"artifact_set","value":{list}}}"#));
    row(Code::RebuildValueEmpty, artifacts("[]"), "session_source.ref.value", EMPTY);
    for bad in [
        r#"["a",""]"#,
        r#"["a"," "]"#,
        r#"["a",null]"#,
        r#"["a",["b"]]"#,
        r#"["a",1]"#,
        r#"["a",{}]"#,
    ] {
        row(Code::RebuildEntryInvalid, artifacts(bad), "session_source.ref.value[1]", ENTRY);
    }
    for (bad, got) in [
        ("", "undefined"),
        (r#""kind":"native_id","#, r#""native_id""#),
        (r#""kind":null,"#, "null"),
    ] {
        let text = format!("agent_image mode supports \"image_name\" only at v0 (got {got})");
        row(Code::ImageKindUnsupported, kind("agent_image", bad), "session_source.ref.kind", &text);
    }
    for bad in ["", r#","value":"""#, r#","value":7"#, r#","value":[]"#] {
        let keys = of_mode("agent_image", &format!(r#"{{"kind":"image_name"{bad}}}"#));
        row(Code::ImageNameMissing, keys, "session_source.ref.value", IMAGE_VALUE);
    }
    for bad in [
        "null",
        "[]",
        "{}",
        "true",
        r#""""#,
        r#"" ""#,
        r#""!.nan""#,
        r#""!1e3""#,
        r#""!-1""#,
        r#""!1.""#,
    ] {
        let keys = of_mode(
            "agent_image",
            &format!(r#"{{"kind":"image_name","value":"x","version":{bad}}}"#),
        );
        row(Code::ImageVersionInvalid, keys, "session_source.ref.version", VERSION);
    }
    let starter = |json: &str| format!(r#","starter_ref":{json}"#);
    for bad in ["null", r#""base""#, "[]", "5"] {
        row(
            Code::StarterNotAMapping,
            starter(bad),
            "starter_ref",
            "must be an object with a non-empty \"name\" string",
        );
    }
    for bad in ["{}", r#"{"name":null}"#, r#"{"name":"  "}"#, r#"{"name":5}"#, r#"{"name":["a"]}"#]
    {
        row(
            Code::StarterNameMissing,
            starter(bad),
            "starter_ref.name",
            "required non-empty string",
        );
    }
    let both = format!(
        "{}{}",
        of_mode("fork", r#"{"kind":"native_id","value":"x"}"#),
        starter(r#"{"name":"a"}"#)
    );
    row(Code::StarterWithFork, both, "starter_ref", COMPOSITION);
    rows
}

/// The codes of the matrix.
pub(crate) fn codes() -> Vec<Code> {
    let mut codes: Vec<_> = rows().into_iter().map(|(code, ..)| code).collect();
    codes.push(Code::SessionSourceOnTerminal);
    codes
}

// SPEC 4: each row of the matrix, its code, its place and its text, whole.
#[test]
fn the_matrix_is_told_word_for_word() {
    for (code, keys, path, text) in rows() {
        for runtime in ["claude-code", "codex", "pixir", "pi"] {
            let outcome = check(&one_of(runtime, &keys));
            let path = format!("pods[0].members[0].{path}");
            let found: Vec<_> =
                outcome.diagnostics.iter().map(|it| (it.code, it.message.as_str())).collect();
            assert_eq!(found, [(code, format!("{path}: {text}").as_str())], "{keys}");
            assert_eq!(outcome.diagnostics[0].path, path);
            assert!(is_sound(&outcome));
        }
    }
}

// SPEC 4: on terminal the refusal of the source comes first, and shape errors are told too.
#[test]
fn a_terminal_is_told_about_the_source_and_about_its_shape() {
    for (code, keys, path, text) in rows() {
        if !keys.contains("session_source") || keys.contains("starter_ref") {
            continue;
        }
        let outcome = check(&one_of("terminal", &keys));
        let texts: Vec<_> = outcome.diagnostics.iter().map(|it| it.message.as_str()).collect();
        let terminal = format!("pods[0].members[0].session_source: {TERMINAL}");
        let shape = format!("pods[0].members[0].{path}: {text}");
        assert!(
            texts.contains(&terminal.as_str()) && texts.contains(&shape.as_str()),
            "{code}: {texts:?}"
        );
        assert_eq!(texts.len(), 2, "{texts:?}");
    }
}

// SPEC 4: `got` is compact JSON of at most 80 characters.
#[test]
fn got_is_cut_at_80_characters() {
    let outcome = check(&one(&source(&format!(r#"{{"mode":"{}"}}"#, "é".repeat(1000)))));
    let message = &outcome.diagnostics[0].message;
    let got = message.split_once("(got ").unwrap().1.strip_suffix(')').unwrap();
    assert_eq!(got, format!("\"{}", "é".repeat(79)));
    let hidden = check(&one(&source(r#"{"mode":"a\u202eb\u0000"}"#)));
    assert!(hidden.diagnostics[0].message.ends_with(r#"(got "a\u202eb\u0000")"#));
}

// SPEC 2, 3: the general rule supplies the help of a matrix refusal.
#[test]
fn an_unquoted_id_is_told_to_be_quoted() {
    let keys = of_mode("fork", r#"{"kind":"native_id","value":12345678}"#);
    let outcome = check(&one(&keys));
    assert_eq!(outcome.diagnostics[0].help.as_deref(), Some("quote this value: \"12345678\""));
}

// SPEC 3: the same native id may be the source of many members; a wrong kind hides nothing else.
#[test]
fn several_problems_of_one_source_are_all_told() {
    let keys = r#","session_source":{"mode":"fork","ref":{"kind":"thread","host":"h"},"x":1},"starter_ref":{"name":"../x"}"#;
    let outcome = check(&one(keys));
    let mut codes: Vec<_> = told(&outcome).into_iter().map(|(code, _)| code).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "fork-host-deferred",
            "fork-kind-unsupported",
            "fork-value-missing",
            "starter-name-unsafe",
            "starter-with-fork",
            "unknown-key"
        ]
    );
}
