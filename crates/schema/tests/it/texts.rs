//! The validated texts, one table each (SPEC 2, 3).

use seatfork_schema::spec::{
    AbsolutePath, AgentRef, ArtifactPath, CodexConfigProfile, ImageName, ImageVersion, Line,
    LocalPath, MemberId, MemberRef, PermissionPolicy, PodId, PolicyPath, ProjectName, RigName,
    RigVersion, Role, SafePath, Script, SeatName, SpecPath, StarterName, Summary, TextError,
};

fn table<T>(new: fn(&str) -> Result<T, TextError>, good: &[&str], bad: &[&str]) {
    for text in good {
        if let Err(error) = new(text) {
            panic!("{text:?} is refused: {error}");
        }
    }
    for text in bad {
        assert!(new(text).is_err(), "{} accepts {text:?}", std::any::type_name::<T>());
    }
}

// SPEC 2: ids and names keep to their charsets.
#[test]
fn ids_and_names_keep_to_their_charsets() {
    let long = "x".repeat(65);
    let fits = "x".repeat(64);
    let bad = ["", " ", "-a", "a b", "a@b", "a/b", "ä", "a\n", "$(id)", "a:b", long.as_str()];
    table(
        |it| PodId::new(it),
        &["a", "_", "9", "a-b", "constructor", &fits],
        &[&bad[..], &[".a", "a.b"]].concat(),
    );
    table(|it| MemberId::new(it), &["a", "A-1_"], &[&bad[..], &["a.b"]].concat());
    table(
        |it| RigName::new(it),
        &["a", "a.b", "off", "_.a"],
        &[&bad[..], &[".a", "a..b", ".."]].concat(),
    );
    table(|it| Role::new(it), &["a", ".a", "..", "a.b-c"], &["", "-a", "a b", "a\n", "ä"]);
    table(|it| CodexConfigProfile::new(it), &["a", ".a"], &["", "--a", "a b"]);
    let long = "x".repeat(129);
    let fits = "x".repeat(128);
    let bad =
        ["", " ", "_a", "-a", ".a", "a b", "a/b", "a:b", "a..b", "../a", "a\n", long.as_str()];
    table(|it| ImageName::new(it), &["a", "A", "a.b_c-d", &fits], &bad);
    table(|it| ImageVersion::new(it), &["1", "1.10", "007", "v1"], &bad);
    table(|it| StarterName::new(it), &["a", "9_-"], &[&bad[..], &["a.b"]].concat());
    table(|it| ProjectName::new(it), &["a", "0_-"], &["", "A", "_a", "-a", "a.b", "a b"]);
}

// SPEC 1, 2: a seat name is `<pod>-<member>@<rig>`.
#[test]
fn seat_names_have_one_form() {
    table(
        |it| SeatName::new(it),
        &["a-b@r", "a-b-c@r.x", "_-_@_", "a--b@r"],
        &[
            "", "a@r", "a-@r", "-b@r", "a-b", "a-b@", "a-b@r@s", "a.b-c@r", "a-b@.r", "a b-c@r",
            "a-b@r\n",
        ],
    );
    table(MemberRef::new, &["a.b", "a-1.b_2"], &["", "a", "a.", ".b", "a.b.c", "a b.c"]);
    let name = SeatName::new("a-b-c@r.x").unwrap();
    assert_eq!((name.seat(), name.rig()), ("a-b-c", "r.x"));
}

// SPEC 2: free text is kept, and holds nothing that cannot be seen.
#[test]
fn free_text_holds_nothing_invisible() {
    let long = "x".repeat(4097);
    let bad = [
        "",
        " \t",
        "a\u{200b}",
        "a\u{202e}",
        "a\u{0}",
        "\u{e000}",
        "\u{378}",
        "a\u{feff}",
        "a\u{2028}",
        long.as_str(),
    ];
    table(
        |it| Line::new(it),
        &["a", " a ", "é 日 🙂", "yes"],
        &[&bad[..], &["a\n", "a\tb", "a\rb"]].concat(),
    );
    table(|it| Summary::new(it), &["a\n\tb\n"], &[&bad[..], &["a\rb"]].concat());
    table(
        |it| Script::new(it),
        &["a\n", "👩\u{200d}💻", &long],
        &["", " ", "a\u{1b}", "a\r", "\u{0}"],
    );
    table(|it| RigVersion::new(it), &["0.2", "v", "ä"], &["", "  "]);
    assert_eq!(Line::new(" a ").unwrap().as_str(), " a ");
}

// SPEC 2, 3: paths are not expanded, and safe ones stay below their root.
#[test]
fn paths_are_what_they_say() {
    let bad = ["", " ", "~", "~/a", "~user/a", "$A", "a/$HOME", "a/${X}", "a\nb", "a\u{0}"];
    table(|it| SpecPath::new(it), &[".", "/a b", "../x", "a~", "a$", "$1", "a\\b"], &bad);
    table(
        |it| SafePath::new(it),
        &["a", "a/b.md", "./a", "a..b/c", "..."],
        &[
            &bad[..],
            &["/a", "\\a", "C:\\a", "c:a", "..", "a/..", "a/../b", "..\\a", "a//b", "a/", "a\\\\b"],
        ]
        .concat(),
    );
    table(|it| LocalPath::new(it), &["../a", "a"], &[&bad[..], &["/a", "C:/a"]].concat());
    table(|it| AbsolutePath::new(it), &["/a"], &[&bad[..], &["a"]].concat());
    table(
        |it| ArtifactPath::new(it),
        &["/abs/a", "../a", "a b"],
        &[&bad[..], &[" a", "a ", "\ta", "\u{a0}a"]].concat(),
    );
    table(
        |it| PolicyPath::new(it),
        &["a", "a/b.c", "policies/team.policy.md"],
        &[&bad[..], &["/a", "../a", "a//b", ".a", "a/.b", "a b", "a/-b", "ä"]].concat(),
    );
}

// SPEC 2: the forms of an agent reference and of a permission policy.
#[test]
fn references_have_their_forms() {
    table(
        AgentRef::new,
        &["local:a", "local:../a", "path:/a", "builtin:terminal", "a/b:c", "specs/a.yaml"],
        &[
            "",
            " ",
            "local:",
            "local:/a",
            "local: ",
            "path:a",
            "path:",
            "builtin:shell",
            "github:a/b",
            "C:\\a",
            "/a",
            "~/a",
            "local:$A",
        ],
    );
    assert_eq!(AgentRef::new("a").unwrap(), AgentRef::new("local:a").unwrap());
    table(
        PermissionPolicy::new,
        &["none", "builtin:locked", "builtin:yolo", "a", "p/a.md"],
        &["", "locked", "standard", "open", "yolo", "builtin:", "builtin:none", "/a", "../a"],
    );
}
