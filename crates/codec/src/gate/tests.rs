//! What the gate finds, where, and in what time.

use seatfork_schema::tree::Core;

use super::*;

/// The findings as `code path line:column-line:column`.
fn found(text: &str) -> Vec<String> {
    gate(text).findings.iter().map(told).collect()
}

fn told(finding: &Diagnostic) -> String {
    let Span { start, end } = finding.span;
    format!(
        "{} {} {}:{}-{}:{}",
        finding.code, finding.path, start.line, start.column, end.line, end.column
    )
}

fn many(count: usize, make: impl FnMut(usize) -> String) -> String {
    (0..count).map(make).collect()
}

fn refused(text: &str, expected: &[&str]) {
    assert_eq!(found(text), expected, "{text}");
}

// SPEC 2: anchors, aliases, merge keys and tags are refused by name and place, whatever else holds.
#[test]
fn what_no_spec_may_hold_is_found_where_it_stands() {
    refused("a: &x b\n", &["yaml-anchor a 1:4-1:6"]);
    refused("- &x {id: a}\n- *x\n", &["yaml-anchor [0] 1:3-1:5", "yaml-alias [1] 2:3-2:5"]);
    refused(
        "pods:\n- members:\n  - cwd: *nope\n    id: a\n",
        &["yaml-alias pods[0].members[0].cwd 3:10-3:15"],
    );
    refused(
        "a: {<<: *x, <<: {b: c}}\n",
        &[
            "yaml-merge-key a 1:5-1:7",
            "yaml-alias a[\"<<\"] 1:9-1:11",
            "yaml-merge-key a 1:13-1:15",
        ],
    );
    refused("name: !!str 5\n", &["yaml-tag name 1:7-1:12"]);
    refused("name: ! 5\n", &["yaml-tag name 1:7-1:8"]);
    refused("a: !e!x 5\n", &["yaml-tag a 1:4-1:8"]);
    refused("%TAG !e! tag:x,2000:\n---\na: !e!x 5\n", &["yaml-tag a 3:4-3:8"]);
    refused(
        "&k key: &v !t x\n",
        &["yaml-anchor key 1:1-1:3", "yaml-anchor key 1:9-1:11", "yaml-tag key 1:12-1:14"],
    );
    refused("*k : v\n", &["yaml-alias  1:1-1:3"]);
    assert_eq!(found("'<<': x\n"), Vec::<String>::new());
}

// SPEC 2: a key that is no scalar, and a key given twice, the first one shown.
#[test]
fn keys_are_scalars_and_unique() {
    refused(
        "a:\n  ? [b, *c]\n  : d\n",
        &["yaml-complex-key a 2:5-2:6", "yaml-alias a[1] 2:9-2:11"],
    );
    refused("? {b: c}\n: d\ne: f\n", &["yaml-complex-key  1:3-1:4"]);
    refused(
        "a: 1\nb:\n  c: 1\n  'c': 2\na: 3\n",
        &["duplicate-key b.c 4:3-4:6", "duplicate-key a 5:1-5:2"],
    );
    let twice = gate("a: 1\nb: 2\na: 3\n");
    let related = &twice.findings[0].related[0];
    assert_eq!((related.path.as_str(), related.message.as_str()), ("a", "first defined here"));
    assert_eq!(related.span.start, Position { line: 1, column: 1 });
    let long = many(40, |n| format!("k{n}: x\n")) + "k3: y\nk39: z\n";
    refused(&long, &["duplicate-key k3 41:1-41:3", "duplicate-key k39 42:1-42:4"]);
}

// SPEC 2: one document, with something in it.
#[test]
fn one_document_with_something_in_it() {
    for empty in ["", "\n\n", "# only this\n", "---\n", "---\n...\n", "...\n"] {
        refused(empty, &["empty-document  1:1-1:1"]);
    }
    refused("a: 1\n---\nb: 2\n", &["multiple-documents  2:1-2:4"]);
    refused("a: 1\n---\n", &["multiple-documents  2:1-2:4"]);
    refused("--- *x\n", &["yaml-alias  1:5-1:7"]);
    for one in [
        "a: 1",
        "---\na: 1\n",
        "a: 1\n...\n",
        "a: 1\n...\n# end\n",
        "%YAML 1.2\n---\na: 1\n",
        "%YAML 1.1\n---\na: 1\n",
        "%FOO bar\n--- {a: 1}\n",
    ] {
        assert_eq!(found(one), Vec::<String>::new(), "{one}");
    }
}

// SPEC 2: after a syntax error nothing more; what came before it has been said.
#[test]
fn nothing_is_said_after_a_syntax_error() {
    refused("a: &x 1\nb: [\nc: *x\n", &["yaml-anchor a 1:4-1:6", "yaml-syntax  3:1-3:1"]);
    refused("pods:\n\t- id: dev\n", &["yaml-syntax  2:2-2:2"]);
    for text in [
        "a: \"\\q\"",
        "a: @x",
        "a: `x`",
        "a: %x",
        "a: *",
        "a: \"\\U00110000\"",
        "a: b: c",
        "%YAML 2.0\n---\na: 1\n",
        "%YAML 1.2\n%YAML 1.2\n---\na: b\n",
        "a: 1\n%x\n",
        "a: \u{feff}b",
    ] {
        let gated = gate(text);
        assert!(gated.tree.is_none(), "{text}");
        assert_eq!(gated.findings.len(), 1, "{text}: {:?}", found(text));
        assert_eq!(gated.findings[0].code.as_str(), "yaml-syntax", "{text}");
    }
}

// SPEC 2: 64 levels are fine, one more is not; the rest is read on.
#[test]
fn nesting_is_limited_and_the_rest_is_read_on() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(found(&nested(64)), Vec::<String>::new());
    let sixty_fifth = format!("too-deep {} 1:65-1:66", "[0]".repeat(64));
    refused(&nested(65), &[&sixty_fifth]);
    refused(&nested(200), &[&sixty_fifth]);
    let deep = format!("a: {}\nb: &x c\n", nested(100));
    assert_eq!(found(&deep)[1..], ["yaml-anchor b 2:4-2:6"]);
    assert!(gate(&deep).tree.is_some());
    // Past 255 brackets the parser itself gives up: nothing more is read, and it is said once.
    for text in [
        nested(1000),
        "[".repeat(1000),
        format!("a: {}", "{b: ".repeat(1000)),
        "- ".repeat(1000),
        "? ".repeat(1000),
    ] {
        let codes: Vec<_> = gate(&text).findings.iter().map(|f| f.code.as_str()).collect();
        assert_eq!(codes.iter().filter(|code| **code == "too-deep").count(), 1, "{codes:?}");
        assert!(codes.len() <= 2, "{codes:?}");
    }
}

// SPEC 2, 13: the tree says what is written, and where.
#[test]
fn the_tree_says_what_is_written_and_where() {
    let text =
        "é: 'ü'\nlist:\n- a\n\n# end\n\nnothing:\nflow: {x: [1, 2]}\ntext: |\n  a\n  b\nlast: x\n";
    let tree = gate(text).tree.unwrap();
    let NodeKind::Mapping(pairs) = &tree.node(tree.root().unwrap()).kind else {
        panic!("no mapping")
    };
    let at = |id: NodeId| {
        let Span { start, end } = tree.node(id).span;
        format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
    };
    let all: Vec<_> = pairs.iter().map(|(k, v)| (text_of(&tree, *k), at(*k), at(*v))).collect();
    let expected = [
        ("é", "1:1-1:2", "1:4-1:7"),
        ("list", "2:1-2:5", "3:3-3:4"),
        ("nothing", "7:1-7:8", "7:1-7:8"),
        ("flow", "8:1-8:5", "8:7-8:18"),
        ("text", "9:1-9:5", "10:3-12:1"),
        ("last", "12:1-12:5", "12:7-12:8"),
    ];
    assert_eq!(all, expected.map(|(k, ka, va)| (k, ka.to_owned(), va.to_owned())));
    assert_eq!(tree.core(pairs[0].1), Some(Core::Text));
    assert_eq!(tree.core(pairs[2].1), Some(Core::Null));
    assert_eq!(text_of(&tree, pairs[4].1), "a\nb\n");
}

// SPEC 2: tabs separate tokens on a line, as YAML 1.2 says, and are never indentation.
#[test]
fn tabs_separate_and_do_not_indent() {
    for fine in [
        "name:\tdemo\n",
        "a: {b:\tc,\td: e}\n",
        "l:\n-\tx\n",
        "q:\t\"x\"\n",
        "z: x\t# c\n",
        "a:\t \tb\n",
        "a:\t-1\n",
        "a: 'b\tc'\n",
    ] {
        assert_eq!(found(fine), Vec::<String>::new(), "{fine:?}");
    }
    let tree = gate("a:\tb\tc\n").tree.unwrap();
    let NodeKind::Mapping(pairs) = &tree.node(tree.root().unwrap()).kind else {
        panic!("no mapping")
    };
    assert_eq!(text_of(&tree, pairs[0].1), "b\tc");
    for wrong in ["a:\tb: c\n", "a:\t- b\n", "a:\n\tb: c\n", "-\t- a\n", "a:\n\t- b\n"] {
        assert_eq!(gate(wrong).findings[0].code.as_str(), "yaml-syntax", "{wrong:?}");
    }
}

// SPEC 2: a byte order mark is no part of a line, and line ends of any kind are counted alike.
#[test]
fn places_do_not_depend_on_line_ends() {
    for end in ["\n", "\r\n", "\r"] {
        refused(&format!("a: 1{end}b: &x 1{end}"), &["yaml-anchor b 2:4-2:6"]);
    }
}

// SPEC 2, PERF: no text makes reading slow; each of these is near the size limit.
#[test]
fn hostile_texts_are_read_in_linear_time() {
    let n = crate::MAX_BYTES;
    let texts = [
        "[".repeat(n),
        "- ".repeat(n / 2),
        "? ".repeat(n / 2),
        format!("a: [{}]", "x,".repeat(n / 2 - 8)),
        many(n / 16, |i| format!("- &a{i} x\n")),
        format!("a: [{}]", many(n / 16, |i| format!("&a{i} x,"))),
        format!("[{}]", many(n / 16, |i| format!("*a{i} ,"))),
        format!("{}: x", "k".repeat(n - 8)),
        format!("\"{}\": x", "k".repeat(n - 8)),
        many(n / 12, |i| format!("k{i}: x\n")),
        "a: x\n".repeat(n / 5),
        format!("a: |\n{}", " x\n".repeat(n / 3 - 8)),
        format!("{}x", "!!str ".repeat(n / 6 - 1)),
        format!("# {}", "x".repeat(n - 2)),
        "\n".repeat(n),
        format!("a: {}", "{b: [".repeat(n / 5 - 1)),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let findings = gate(&text[..text.len().min(n)]).findings.len();
        let took = start.elapsed();
        assert!(took.as_secs() < 30, "{took:?} and {findings} findings for {}", &text[..24]);
    }
}
