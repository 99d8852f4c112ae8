//! Trees that are none: circles, ladders, chains longer than a stack.

use super::read::blank;
use super::walk::roots;
use super::*;
use crate::test_support::{Home, id, line};

/// Sessions `s0`, `s1`, … tied as given.
fn tree(nodes: usize, ties: &[(usize, usize)]) -> Tree {
    let session = |at: usize| id(&format!("s{at}"));
    let edge = |&(parent, child): &(usize, usize)| Edge {
        parent,
        child,
        kind: Kin::Fork,
        parent_session: session(parent),
        child_session: session(child),
    };
    let mut tree = Tree {
        workspace: "/w".into(),
        roots: Vec::new(),
        nodes: (0..nodes).map(|at| blank(session(at), LogState::Whole)).collect(),
        edges: ties.iter().map(edge).collect(),
        strangers: 0,
    };
    tree.roots = roots(&tree);
    tree
}

fn places(tree: &Tree) -> Vec<(usize, usize, Place)> {
    tree.rows().iter().map(|row| (row.node, row.depth, row.place)).collect()
}

#[test]
fn a_circle_is_shown_where_it_closes_and_walked_once() {
    use Place::{Circle, Here};
    let two = tree(2, &[(0, 1), (1, 0)]);
    assert_eq!(places(&two), [(0, 0, Here), (1, 1, Here), (0, 2, Circle)]);
    let led_into = tree(3, &[(1, 2), (2, 1), (0, 1)]);
    assert_eq!(places(&led_into), [(0, 0, Here), (1, 1, Here), (2, 2, Here), (1, 3, Circle)]);
    let itself = tree(1, &[(0, 0)]);
    assert_eq!(places(&itself), [(0, 0, Here), (0, 1, Circle)]);
}

#[test]
fn a_child_of_two_parents_is_no_circle_and_stands_in_full_once() {
    use Place::{Above, Here};
    let shared = tree(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    assert_eq!(
        places(&shared),
        [(0, 0, Here), (1, 1, Here), (3, 2, Here), (2, 1, Here), (3, 2, Above)]
    );
}

#[test]
fn every_tie_is_one_row_however_many_ways_lead_to_a_session() {
    // Two ways at each of 60 rungs: more than 10^18 ways to the last.
    let rungs = 60;
    let ties: Vec<_> = (0..rungs)
        .flat_map(|rung| {
            let at = rung * 3;
            [(at, at + 1), (at, at + 2), (at + 1, at + 3), (at + 2, at + 3)]
        })
        .collect();
    let ladder = tree(rungs * 3 + 1, &ties);
    assert_eq!(ladder.rows().len(), ladder.edges.len() + ladder.roots.len());
}

#[test]
fn a_chain_longer_than_a_stack_is_walked() {
    let length = 200_000;
    let ties: Vec<_> = (1..length).map(|at| (at - 1, at)).collect();
    let chain = tree(length, &ties);
    assert_eq!(chain.roots, [0]);
    assert_eq!(chain.rows().last().map(|row| row.depth), Some(length - 1));
    assert_eq!(chain.below(0, length).nodes.len(), length);
}

#[test]
fn what_lies_deeper_than_was_asked_for_is_counted() {
    let deep = tree(5, &[(0, 1), (1, 2), (1, 3), (2, 4)]);
    let cut = deep.below(0, 1);
    assert_eq!(cut.nodes.len(), 2);
    assert_eq!(cut.nodes[1].hidden_children, 2);
    assert_eq!(deep.below(1, 1).roots, [0]);
    assert_eq!(deep.below(1, 9).nodes.len(), 4);
}

#[test]
fn hostile_text_reaches_no_row_and_no_picture() {
    let home = Home::new();
    let fork = r#"{"parent_session_id":"p","fork_root_session_id":"p","parent_workspace":"/a\u001b[31m\"]","child_workspace":"/b"}"#;
    home.log("c", &line("c", 0, "session_fork", fork));
    let tree = Tree::read(&home.workspace).unwrap();
    for shown in [tree.text(), tree.mermaid(), tree.dot()] {
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
    assert!(tree.text().contains("(in another workspace: /a\\u{1b}[31m\"])"), "{}", tree.text());
}

#[test]
fn a_workspace_without_sessions_has_an_empty_tree_and_strangers_are_counted() {
    let home = Home::new();
    let nothing = tempfile::tempdir().unwrap();
    let nothing = camino::Utf8Path::from_path(nothing.path()).unwrap();
    let empty = Tree::read(&Workspace::open(nothing).unwrap()).unwrap();
    assert!(empty.nodes.is_empty() && empty.roots.is_empty());
    for name in ["-x.ndjson", "a b.ndjson", "s.ndjson.tmp-0011aabb", "notes.txt"] {
        std::fs::write(home.sessions().join(name), "x").unwrap();
    }
    let tree = Tree::read(&home.workspace).unwrap();
    assert_eq!((tree.nodes.len(), tree.strangers), (0, 2));
    assert_eq!(tree.text(), "beside the logs: 2 files whose name is no session's\n");
}

#[test]
fn a_workspace_that_was_moved_is_still_one() {
    let home = Home::new();
    let fork = r#"{"parent_session_id":"p","fork_root_session_id":"p","parent_workspace":"/old","child_workspace":"/old"}"#;
    home.log("p", &line("p", 0, "user_message", "{}"));
    home.log("c", &line("c", 0, "session_fork", fork));
    let tree = Tree::read(&home.workspace).unwrap();
    assert_eq!(tree.text(), "p  1 event\n└─ fork c  1 event\n");
}
