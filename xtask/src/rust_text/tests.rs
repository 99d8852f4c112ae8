//! What the scanner takes for literals, comments and code.

use super::*;

fn of(source: &str, kind: Kind) -> Vec<&str> {
    pieces(source)
        .unwrap()
        .into_iter()
        .filter(|piece| piece.kind == kind)
        .map(|piece| piece.text)
        .collect()
}

fn whole(source: &str) -> String {
    pieces(source).unwrap().iter().map(|piece| piece.text).collect()
}

#[test]
fn every_kind_of_string_is_found() {
    let source = r###"f("plain", r"raw \", r#"one " hash"#, r##"two "# hashes"##, b"bytes", br#"raw bytes"#, c"c", cr"rc")"###;
    assert_eq!(of(source, Kind::Text), ["plain", "bytes", "c"]);
    assert_eq!(
        of(source, Kind::RawText),
        ["raw \\", "one \" hash", "two \"# hashes", "raw bytes", "rc"]
    );
}

#[test]
fn an_escaped_quote_does_not_end_a_string_and_an_escaped_backslash_does_not_save_it() {
    assert_eq!(of(r#"("a\"b", "c\\", "d")"#, Kind::Text), [r#"a\"b"#, r"c\\", "d"]);
}

#[test]
fn quotes_in_characters_begin_no_string() {
    let source = r#"match c { '"' => '\'', '\\' => b'"', 'é' => '\u{22}', _ => "text" }"#;
    assert_eq!(of(source, Kind::Text), ["text"]);
    assert_eq!(of(source, Kind::Char), ["\"", "\\'", "\\\\", "\"", "é", "\\u{22}"]);
}

#[test]
fn lifetimes_and_labels_are_no_characters() {
    let source =
        r#"fn f<'a, 'b>(x: &'a str) -> &'static str { 'outer: loop { break 'outer; } "x" }"#;
    assert_eq!(of(source, Kind::Char), [""; 0]);
    assert_eq!(of(source, Kind::Text), ["x"]);
}

#[test]
fn raw_identifiers_and_words_that_end_in_a_prefix_are_code() {
    assert_eq!(of("let r#fn = f(\"x\");", Kind::Text), ["x"]);
    assert_eq!(of("bar\"x\"", Kind::Text), ["x"]);
    assert_eq!(of("let r#fn = bar\"x\";", Kind::RawText), [""; 0]);
}

#[test]
fn comments_hold_no_strings_and_strings_hold_no_comments() {
    let source = "let a = \"// not a comment\"; // \"not a string\"\n/* \"nor\" /* nested */ 'this' */ let b = \"/*\";";
    assert_eq!(of(source, Kind::Text), ["// not a comment", "/*"]);
    assert_eq!(
        of(source, Kind::Comment),
        ["// \"not a string\"", "/* \"nor\" /* nested */ 'this' */"]
    );
}

#[test]
fn documentation_is_told_from_other_comments() {
    let source = "//! a\n/// b\n//// c\n// d\n/** e */ /*! f */ /*** g */ /**/ /* h */";
    assert_eq!(of(source, Kind::Doc), ["//! a", "/// b", "/** e */", "/*! f */"]);
    assert_eq!(of(source, Kind::Comment), ["//// c", "// d", "/*** g */", "/**/", "/* h */"]);
}

#[test]
fn lines_are_counted_through_every_kind() {
    let source = "\n\"a\nb\" /*\n*/ r\"\n\" 'c'\n\"here\"";
    let here = pieces(source).unwrap().into_iter().find(|piece| piece.text == "here").unwrap();
    assert_eq!(here.line, 6);
}

#[test]
fn the_code_alone_keeps_its_lines_and_columns() {
    let source = "a(\"todo!()\"); // dbg!\nb('x')";
    assert_eq!(code_only(&pieces(source).unwrap()), "a(\"       \");        \nb(' ')");
}

#[test]
fn what_never_ends_is_refused_with_its_line() {
    for source in ["\n\"open", "\nr#\"open\"", "\n/* open /* */", "\n'\\n"] {
        assert_eq!(pieces(source), Err(Unclosed { line: 2 }), "{source}");
    }
}

#[test]
fn literal_values_have_their_escapes_read() {
    let source = "\"re\\u{73}umed the \\\n   ori\\x67inal\\n\\\"x\\\"\"";
    let text = pieces(source).unwrap().into_iter().find(|piece| piece.kind == Kind::Text).unwrap();
    assert_eq!(value(&text), "resumed the \n   original \"x\"");
}

#[test]
fn nothing_of_the_source_is_lost() {
    let source = "fn f() { /* c */ g(1.0, 'x'); } // é\n";
    assert_eq!(whole(source), source);
}

#[test]
fn the_scanner_reads_its_own_source() {
    for source in
        [include_str!("../rust_text.rs"), include_str!("literal.rs"), include_str!("tests.rs")]
    {
        assert_eq!(whole(source), source);
    }
}
