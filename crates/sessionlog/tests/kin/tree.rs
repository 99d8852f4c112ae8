//! The trees of the workspaces made by hand.

use camino::Utf8Path;
use seatfork_sessionlog::{LogState, SessionId, Tree, Workspace};
use seatfork_testkit::pixir;

fn tree(folder: &str) -> (pixir::Workspace, Tree) {
    let files = pixir::Workspace::of(folder);
    let path = Utf8Path::from_path(files.path()).unwrap();
    let tree = Tree::read(&Workspace::open(path).unwrap()).unwrap();
    (files, tree)
}

#[test]
fn a_family_is_shown_with_what_is_missing_and_what_has_two_parents() {
    let (_files, tree) = tree("family");
    insta::assert_snapshot!("tree__family_text", tree.text());
    insta::assert_snapshot!("tree__family_mermaid", tree.mermaid());
    insta::assert_snapshot!("tree__family_dot", tree.dot());
    assert!(!tree.is_damaged());
}

#[test]
fn circles_of_forks_and_of_subagents_are_closed_where_they_close() {
    let (_files, tree) = tree("cycle");
    insta::assert_snapshot!("tree__cycle", tree.text());
}

#[test]
fn damage_is_shown_with_its_line_and_a_torn_tail_is_none() {
    let (_files, torn) = tree("torn");
    insta::assert_snapshot!("tree__torn", torn.text());
    let (_files, damaged) = tree("damaged");
    insta::assert_snapshot!("tree__damaged", damaged.text());
    assert!(damaged.is_damaged());
}

#[test]
fn a_part_of_a_tree_starts_at_a_session_and_says_what_it_leaves_out() {
    let (_files, tree) = tree("family");
    let fork = SessionId::new("20260303T090000-bbbbbb").unwrap();
    let part = tree.below(tree.find(&fork).unwrap(), 1);
    insta::assert_snapshot!("tree__part", part.text());
    assert_eq!(tree.find(&SessionId::new("nobody").unwrap()), None);
}

#[test]
fn a_tree_as_json_names_every_node_and_tie() {
    let (_files, tree) = tree("family");
    let json = serde_json::to_value(&tree).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), tree.nodes.len());
    assert_eq!(json["nodes"][0]["log"]["state"], "whole");
    let missing = tree.nodes.iter().position(|node| node.log == LogState::Missing).unwrap();
    assert_eq!(json["nodes"][missing]["log"]["state"], "missing");
    for edge in json["edges"].as_array().unwrap() {
        let place = |end: &str| usize::try_from(edge[end].as_u64().unwrap()).unwrap();
        assert_eq!(json["nodes"][place("parent")]["session"], edge["parent_session"]);
        assert_eq!(json["nodes"][place("child")]["session"], edge["child_session"]);
    }
}
