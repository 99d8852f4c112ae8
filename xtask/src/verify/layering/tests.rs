//! Edges that must be refused, each as cargo would report it.

use serde_json::json;

use super::*;

/// Metadata of a workspace with every crate of the table and these `(from, to, kind)` edges.
fn metadata(edges: &[(&str, &str, Option<&str>)]) -> Value {
    let members: Vec<&str> = ROOMS.iter().map(|room| room.krate).collect();
    let mut all: BTreeSet<&str> = members.iter().copied().collect();
    all.extend(edges.iter().flat_map(|(from, to, _)| [*from, *to]));
    let of = |name: &str| edges.iter().filter(move |(from, ..)| *from == name).collect::<Vec<_>>();
    json!({
        "workspace_root": "/w",
        "workspace_members": members,
        "packages": all.iter().map(|&name| json!({
            "id": name,
            "name": name,
            "manifest_path": format!("/w/crates/{name}/Cargo.toml"),
            "dependencies": of(name).iter().map(|(_, to, kind)| json!({"name": to, "kind": kind})).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "resolve": {"nodes": all.iter().map(|&name| json!({
            "id": name,
            "deps": of(name).iter().map(|(_, to, kind)| json!({"pkg": to, "dep_kinds": [{"kind": kind}]})).collect::<Vec<_>>(),
        })).collect::<Vec<_>>()},
    })
}

fn messages(edges: &[(&str, &str, Option<&str>)]) -> Vec<String> {
    check_metadata(&metadata(edges)).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn the_edges_of_the_table_and_test_support_in_tests_are_allowed() {
    let edges = [
        ("seatfork-codec", "seatfork-schema", None),
        ("seatfork-launch", "seatfork-store", None),
        ("seatfork-store", "rusqlite", None),
        ("seatfork-codec", "saphyr-parser", None),
        ("seatfork", "seatfork-store", None),
        ("seatfork-adapters", TEST_SUPPORT, Some("dev")),
        ("seatfork-adapters", "tokio", None),
    ];
    assert_eq!(messages(&edges), [""; 0]);
}

#[test]
fn an_edge_against_the_direction_is_named_with_what_to_do() {
    for (from, to) in [
        ("seatfork-schema", "seatfork-codec"),
        ("seatfork-store", "seatfork-adapters"),
        ("seatfork-adapters", "seatfork-store"),
        ("seatfork-tmux", "seatfork-schema"),
        ("seatfork-process", "seatfork-schema"),
        ("seatfork-launch", "seatfork-codec"),
        ("seatfork-launch", "seatfork"),
        (TEST_SUPPORT, "seatfork-schema"),
        ("xtask", "seatfork-schema"),
    ] {
        for kind in [None, Some("dev"), Some("build")] {
            let found = messages(&[(from, to, kind)]);
            assert_eq!(found.len(), 1, "{from} {to} {kind:?}: {found:?}");
            assert!(found[0].contains(&format!("{from} -> {to}")), "{found:?}");
            assert!(
                found[0].contains("is forbidden: ") && found[0].contains("plain data"),
                "{found:?}"
            );
        }
    }
}

#[test]
fn test_support_outside_tests_is_refused() {
    let found = messages(&[("seatfork-launch", TEST_SUPPORT, None)]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("[dev-dependencies]"), "{found:?}");
    assert_eq!(messages(&[("xtask", TEST_SUPPORT, Some("dev"))]).len(), 1);
}

#[test]
fn a_forbidden_package_is_found_however_far_down_and_the_way_is_shown() {
    let found = messages(&[
        ("seatfork-schema", "serde", None),
        ("serde", "middle", None),
        ("middle", "tokio", None),
    ]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("seatfork-schema -> serde -> middle -> tokio is forbidden"),
        "{found:?}"
    );
    let in_tests_only = [("seatfork-schema", "proptest", Some("dev")), ("proptest", "tokio", None)];
    assert_eq!(messages(&in_tests_only), [""; 0]);
}

#[test]
fn a_package_with_one_owner_is_refused_elsewhere_even_in_tests() {
    let found = messages(&[("seatfork-launch", "rusqlite", Some("dev"))]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("only seatfork-store names it"), "{found:?}");
    assert_eq!(messages(&[("seatfork", "rusqlite", Some("dev"))]), [""; 0], "named in IN_TESTS");
    assert_eq!(messages(&[("seatfork", "rusqlite", None)]).len(), 1, "for tests alone");
    assert_eq!(messages(&[("seatfork", "saphyr-parser", None)]).len(), 1);
}

#[test]
fn a_crate_without_a_row_and_a_row_without_a_crate_are_refused() {
    let mut extra = metadata(&[("seatfork-new", "serde", None)]);
    extra["workspace_members"].as_array_mut().unwrap().push("seatfork-new".into());
    assert_eq!(check_metadata(&extra).unwrap().len(), 1);

    let mut fewer = metadata(&[]);
    fewer["workspace_members"].as_array_mut().unwrap().retain(|name| name != "seatfork-tmux");
    assert_eq!(check_metadata(&fewer).unwrap().len(), 1);
}
