//! Sources that tidy must refuse, and look-alikes it must not.

use super::*;

fn rust(path: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    rust_rules(&TextFile { path: path.to_owned(), text: text.to_owned() }, &mut findings);
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_without_its_purpose_and_a_file_called_mod_are_refused() {
    assert_eq!(rust("a.rs", "//! A.\nfn f() {}\n"), [""; 0]);
    assert_eq!(rust("src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n"), [""; 0]);
    assert_eq!(rust("a.rs", "#![allow(x)]\n//! A.\n").len(), 1);
    assert_eq!(rust("a.rs", "fn f() {}\n").len(), 1);
    assert_eq!(rust("a/mod.rs", "//! A.\n").len(), 1);
    assert_eq!(rust("a/model.rs", "//! A.\n"), [""; 0]);
}

#[test]
fn what_is_unfinished_is_found_in_code_alone() {
    for code in ["todo!()", "unimplemented!(\"x\")", "dbg!(1)", "#[ignore]", "#[ignore = \"slow\"]"]
    {
        let found = rust("a.rs", &format!("//! A.\n\n{code}\n"));
        assert_eq!(found.len(), 1, "{code}");
        assert!(found[0].starts_with("a.rs:3: "), "{found:?}");
    }
    let named =
        "//! A todo!() in words.\n// dbg!\nconst A: &str = \"#[ignore] todo!()\";\nmy_dbg!();\n";
    assert_eq!(rust("a.rs", named), [""; 0]);
}

#[test]
fn serde_neither_flattens_nor_guesses() {
    for attribute in
        ["#[serde(flatten)]", "#[serde(default, untagged)]", "#[serde(\n    flatten,\n)]"]
    {
        assert_eq!(rust("a.rs", &format!("//! A.\n{attribute}\n")).len(), 1, "{attribute}");
    }
    assert_eq!(rust("a.rs", "//! A.\n#[serde(rename = \"flatten\")]\nfn untagged() {}\n"), [""; 0]);
}

#[test]
fn a_literal_that_never_ends_is_refused() {
    assert_eq!(rust("a.rs", "//! A.\nconst A: &str = \"x;\n").len(), 1);
}

#[test]
fn a_workspace_is_measured_with_its_exceptions() {
    let temp = tempfile::tempdir().unwrap();
    let long = "x\n".repeat(MOST_LINES + 1);
    for (path, text) in [
        (
            "xtask/exceptions.txt",
            "lines | long.md | * | a table\ntrailing-space | none.md | * | not there\n",
        ),
        ("long.md", long.as_str()),
        ("longer.md", long.as_str()),
        ("made.md", long.as_str()),
        ("space.toml", "a = 1 \n"),
        ("data.yaml", "a: 1 \n"),
        ("exact.md", &"x\n".repeat(MOST_LINES)),
    ] {
        let path = temp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = Workspace { root: temp.path().to_owned() };
    let findings = check(&workspace, &["made.md".to_owned()]).unwrap();
    let places: Vec<(&str, usize)> =
        findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect();
    assert_eq!(places, [("longer.md", 0), ("space.toml", 1), ("xtask/exceptions.txt", 2)]);
}
