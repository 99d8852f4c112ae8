//! Lineage both ways (SPEC 11, 13).

use crate::support::*;
use seatfork_schema::{ConversationId, CreatedVia, Runtime};
use seatfork_store::{Adoption, LineageGraph, LineageOf};

/// s → c1 → c2 → c3, and c1 → d, in four seats; and e alone.
fn family(home: &mut Home) {
    for (member, from, to) in
        [("a", "s", "c1"), ("b", "c1", "c2"), ("c", "c2", "c3"), ("d", "c1", "d")]
    {
        let seat = home.seat(member, Runtime::ClaudeCode);
        home.fork(&seat, from, to);
    }
    let alone = home.seat("e", Runtime::ClaudeCode);
    let launch = home.forking(&alone, fresh_work("e"));
    home.store.realize(launch.id, &fresh(&claude("e")), &realized(9)).unwrap();
}

fn names(graph: &LineageGraph) -> String {
    let name = |id: &ConversationId| id.native_id.to_string();
    let mut nodes: Vec<_> = graph.nodes.iter().map(|node| name(&node.conversation)).collect();
    let mut edges: Vec<_> =
        graph.edges.iter().map(|e| format!("{}>{}", name(&e.parent), name(&e.child))).collect();
    nodes.sort();
    edges.sort();
    format!("{} | {}", nodes.join(" "), edges.join(" "))
}

// SPEC 11: provenance is queryable both ways.
#[test]
fn a_conversation_is_found_with_its_ancestors_and_descendants() {
    let mut home = Home::new();
    family(&mut home);
    let of = |home: &Home, id: &str| {
        names(&home.store.lineage(&LineageOf::Conversation(claude(id))).unwrap())
    };
    assert_eq!(of(&home, "c2"), "c1 c2 c3 s | c1>c2 c2>c3 s>c1");
    assert_eq!(of(&home, "S"), "c1 c2 c3 d s | c1>c2 c1>d c2>c3 s>c1");
    assert_eq!(of(&home, "c3"), "c1 c2 c3 s | c1>c2 c2>c3 s>c1");
    assert_eq!(of(&home, "e"), "e | ");
    assert_eq!(of(&home, "unknown"), " | ");
    let rig = home.store.lineage(&LineageOf::Rig(home.rig.id)).unwrap();
    assert_eq!(names(&rig), "c1 c2 c3 d e s | c1>c2 c1>d c2>c3 s>c1");
    let seat = home.store.seat_by_name("dev-d@review").unwrap().unwrap();
    let seat = home.store.lineage(&LineageOf::Seat(seat.id)).unwrap();
    assert_eq!(names(&seat), "c1 d s | c1>d s>c1");
}

// SPEC 11: root, kind, proof and seat stand on every node; a mere source has none but itself.
#[test]
fn every_node_knows_its_root_and_how_it_came_to_be() {
    let mut home = Home::new();
    family(&mut home);
    let graph = home.store.lineage(&LineageOf::Rig(home.rig.id)).unwrap();
    let node = |id: &str| graph.nodes.iter().find(|n| n.conversation == claude(id)).unwrap();
    for id in ["c1", "c2", "c3", "d"] {
        assert_eq!(node(id).root, claude("s"), "{id}");
        assert_eq!(node(id).created_via, Some(CreatedVia::Fork));
        assert_eq!(node(id).proof.as_ref().unwrap().detail, "content proved 10/10");
    }
    assert_eq!(node("c2").seat.as_ref().unwrap().1, "dev-b@review");
    assert_eq!(node("e").root, claude("e"));
    assert_eq!(node("e").created_via, Some(CreatedVia::Fresh));
    let s = node("s");
    assert_eq!((&s.root, &s.seat, s.created_via), (&claude("s"), &None, None));
    assert!(graph.edges.iter().all(|edge| edge.kind == CreatedVia::Fork));
}

// SPEC 7: a retired seat's lineage stays, marked retired.
#[test]
fn lineage_outlives_its_seat() {
    let mut home = Home::new();
    family(&mut home);
    home.store.retire_rig(home.rig.id, &home.seen(), at(60)).unwrap();
    let graph = home.store.lineage(&LineageOf::Rig(home.rig.id)).unwrap();
    assert_eq!(graph.nodes.len(), 6);
    assert!(graph.nodes.iter().all(|n| n.seat.is_none() || n.seat_retired_at == Some(at(60))));
}

// SPEC 7: a rotation has a parent only where the runtime names it, and going back tells no parent twice.
#[test]
fn a_rotation_back_keeps_the_first_parent_and_root() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    home.fork(&seat, "s", "c1");
    for (observed, parent) in [("r1", None), ("r2", Some("r1")), ("c1", Some("s"))] {
        let after = home.latest(seat.id);
        let (observed, parent) = (claude(observed), parent.map(claude));
        let adoption = Adoption { observed, parent, proof: None, after };
        let lock = home.lock();
        let new = Home::new_launch(&seat, fresh_work("unused"));
        home.store.adopt(&lock, &new, &adoption).unwrap();
    }
    let graph = home.store.lineage(&LineageOf::Seat(seat.id)).unwrap();
    assert_eq!(names(&graph), "c1 r1 r2 s | r1>r2 s>c1");
    let root =
        |id: &str| graph.nodes.iter().find(|n| n.conversation == claude(id)).unwrap().root.clone();
    assert_eq!((root("r1"), root("r2"), root("c1")), (claude("r1"), claude("r1"), claude("s")));
}
