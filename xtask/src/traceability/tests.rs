//! Which comments count, for which test, and what the page says.

use super::*;
use crate::workspace::TextFile;

fn scanned(path: &str, text: &str) -> (Vec<Held>, Vec<String>) {
    let (mut held, mut findings) = (Vec::new(), Vec::new());
    scan::file(
        &TextFile { path: path.to_owned(), text: text.to_owned() },
        &mut held,
        &mut findings,
    )
    .unwrap();
    (held, findings.iter().map(ToString::to_string).collect())
}

fn tests_of(text: &str) -> Vec<(u32, Option<u32>, String)> {
    let (held, _) = scanned("crates/a/tests/it/a.rs", text);
    held.into_iter().map(|held| (held.section.number, held.section.part, held.test)).collect()
}

#[test]
fn a_statement_is_found_above_every_form_of_test() {
    for source in [
        "// SPEC 7: x\n#[test]\nfn a() {}\n",
        "#[test]\n// SPEC 7: x\nfn a() {}\n",
        "// SPEC 7: x\n#[tokio::test]\nasync fn a() {}\n",
        "// SPEC 7: x\n#[tokio::test(flavor = \"current_thread\")]\nasync fn a() {}\n",
        "// SPEC 7: x\n/// Doc.\n#[cfg(unix)] #[test] fn a() {}\n",
        "// SPEC 7: x\n#[cfg_attr(\n    unix,\n    expect(lint, reason = \"]\")\n)]\n#[test]\npub fn a() {}\n",
        "proptest! {\n    // SPEC 7: x\n    #[test]\n    fn a(x in 0..1) {}\n}\n",
    ] {
        assert_eq!(tests_of(source), [(7, None, "a".to_owned())], "{source}");
    }
}

#[test]
fn several_statements_and_parts_belong_to_the_next_test_alone() {
    let source = "// SPEC 10.4: x\n// and more words\n// SPEC 7: y\n#[test]\nfn a() {}\n\n#[test]\nfn b() {}\n";
    assert_eq!(tests_of(source), [(10, Some(4), "a".to_owned()), (7, None, "a".to_owned())]);
}

#[test]
fn other_comments_strings_and_functions_hold_nothing() {
    for source in [
        "// SPEC 7 says so: x\n#[test]\nfn a() {}\n",
        "/// SPEC 7: x\n#[test]\nfn a() {}\n",
        "// SPEC 7: x\nfn a() {}\n",
        "// SPEC 7: x\n\n#[test]\nfn a() {}\n",
        "#[test]\nfn a() {\n    // SPEC 7: x\n    f(\"// SPEC 7: y\");\n}\n",
        "// SPEC 7: x\n#[cfg(test)]\nfn a() {}\n",
    ] {
        assert_eq!(tests_of(source), [], "{source}");
    }
}

#[test]
fn a_statement_above_no_test_is_found_among_tests_and_left_alone_in_sources() {
    let source = "// SPEC 7: x\nfn a() {}\n";
    let (_, findings) = scanned("crates/a/tests/it/a.rs", source);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].starts_with("crates/a/tests/it/a.rs:1: "), "{findings:?}");
    assert_eq!(scanned("crates/a/src/a.rs", source).1, [""; 0]);
}

/// A workspace whose one test file is `tests`.
fn workspace(tests: &str, later: &str) -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in [("crates/a/tests/it/main.rs", tests), ("xtask/later.txt", later)] {
        let path = temp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = Workspace { root: temp.path().to_owned() };
    (temp, workspace)
}

#[test]
fn a_required_section_without_a_test_is_found() {
    let required: Vec<u32> =
        SECTIONS.iter().filter(|(.., required)| *required).map(|(number, ..)| *number).collect();
    assert_eq!(required, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14]);
    let test_of = |number: &u32| format!("// SPEC {number}: x\n#[test]\nfn t{number}() {{}}\n");
    let but_one = |missing: u32| -> String {
        let held: Vec<String> =
            required.iter().filter(|number| **number != missing).map(test_of).collect();
        held.concat()
    };
    let (_temp, whole) = workspace(&but_one(0), "");
    assert_eq!(check(&whole).unwrap(), []);
    let (_temp, lacking) = workspace(&but_one(8), "");
    let findings = check(&lacking).unwrap();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("SPEC 8 (Proof)"), "{findings:?}");
}

#[test]
fn a_section_that_does_not_exist_is_found() {
    let (_temp, workspace) = workspace("// SPEC 99: x\n#[test]\nfn a() {}\n", "");
    assert!(check(&workspace).unwrap().iter().any(|finding| finding.message.contains("SPEC 99")));
}

#[test]
fn the_page_lists_tests_and_what_is_later() {
    let (_temp, workspace) =
        workspace("// SPEC 10.4: kept\n#[test]\nfn a() {}\n", "# head\nSPEC 10: rebuild\n");
    let page = page(&workspace).unwrap();
    assert!(page.contains("| 10. Failure modes | 1 | 1 |"), "{page}");
    assert!(
        page.contains("- 10.4: kept\n  `crates/a/tests/it/main.rs::a`\n- Later: rebuild\n"),
        "{page}"
    );
    assert!(page.contains("## SPEC 11: Store\n\nNo test names this section.\n"), "{page}");
}

#[test]
fn a_line_of_the_later_list_that_names_no_section_is_refused() {
    let (_temp, workspace) = workspace("", "rebuild is later\n");
    assert!(page(&workspace).unwrap_err().to_string().starts_with("xtask/later.txt:1: "));
}
