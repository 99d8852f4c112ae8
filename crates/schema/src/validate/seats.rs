//! What holds between the members of a file: ids, seat names, sources (SPEC 2, 3).

use super::cx::Cx;
use crate::conversation::NativeIdError;
use crate::diags::At;
use crate::diags::document::{DuplicateId, EmptyList};
use crate::diags::member::SeatNameClash;
use crate::diags::source::{NativeIdNamesASeat, NativeIdUnsafe};
use crate::path::{Path, push_index, push_key};
use crate::spec::RigName;
use crate::tree::{NodeId, NodeKind};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The members of a file as far as they could be read, in file order.
#[derive(Default)]
pub(crate) struct Seats<'t> {
    /// The pods; a payload has one.
    pub(crate) pods: Vec<PodSeats<'t>>,
    payload: bool,
}

/// One pod. A pod that cannot be read is empty.
#[derive(Default)]
pub(crate) struct PodSeats<'t> {
    /// Its id as written, and where; a payload's may come from the command line.
    pub(crate) id: Option<(&'t str, Option<NodeId>)>,
    /// Whether its members are a list at all.
    pub(crate) members_read: bool,
    /// Its members.
    pub(crate) members: Vec<MemberSeat<'t>>,
}

/// One member, as far as it could be read.
#[derive(Default)]
pub(crate) struct MemberSeat<'t> {
    /// Its id as written.
    pub(crate) id: Option<(&'t str, NodeId)>,
    /// The native id of its source.
    pub(crate) source: Option<NativeIdSeen<'t>>,
}

/// A native id as written. That it is unsafe is told only where it names no seat of the file.
pub(crate) struct NativeIdSeen<'t> {
    /// The text.
    pub(crate) text: &'t str,
    /// Where it stands.
    pub(crate) node: NodeId,
    /// Why it is unsafe, if it is.
    pub(crate) fault: Option<NativeIdError>,
}

impl PodSeats<'_> {
    /// Whether a member may be hidden by something that could not be read.
    pub(crate) fn is_unclear(&self) -> bool {
        !self.members_read || self.members.iter().any(|member| member.id.is_none())
    }
}

impl<'t> Seats<'t> {
    /// Of a rig.
    pub(crate) fn of_rig() -> Self {
        Self::default()
    }

    /// Of a payload, whose pod may be known.
    pub(crate) fn of_payload(pod: Option<&'t str>) -> Self {
        let pod = PodSeats { id: pod.map(|id| (id, None)), ..PodSeats::default() };
        Self { pods: vec![pod], payload: true }
    }

    /// Refuses a file without any member: at the list of pods, or at the first list of members.
    pub(crate) fn need_a_member(&self, cx: &mut Cx<'_>, node: NodeId, path: &Path<'_>) {
        if !matches!(cx.tree.node(node).kind, NodeKind::Sequence(_)) {
            return;
        }
        if self.pods.is_empty() {
            let at = cx.at(node, path);
            cx.no(EmptyList { at, needs: "a pod" });
        } else if self.pods.iter().all(|pod| pod.members_read && pod.members.is_empty()) {
            let mut at = cx.at(node, path);
            if !self.payload {
                at.path.push_str("[0].members");
            }
            cx.no(EmptyList { at, needs: "a member" });
        }
    }

    /// Tells what is wrong between members, once all are read.
    pub(crate) fn check(&self, cx: &mut Cx<'_>, rig: Option<&RigName>) {
        self.duplicates(cx);
        self.clashes(cx);
        self.sources(cx, rig);
    }

    fn member_path(&self, pod: usize, member: usize, key: &str) -> String {
        let mut path = String::new();
        if !self.payload {
            path.push_str("pods");
            push_index(&mut path, pod);
        }
        push_key(&mut path, "members");
        push_index(&mut path, member);
        for key in key.split('.') {
            push_key(&mut path, key);
        }
        path
    }

    fn at(&self, cx: &Cx<'_>, pod: usize, member: usize, key: &str, node: NodeId) -> At {
        At { path: self.member_path(pod, member, key), span: cx.tree.node(node).span }
    }

    fn duplicates(&self, cx: &mut Cx<'_>) {
        let mut first_pod = HashMap::new();
        for (pod, seats) in self.pods.iter().enumerate() {
            if let Some((id, Some(node))) = seats.id {
                let at = At { path: format!("pods[{pod}].id"), span: cx.tree.node(node).span };
                match first_pod.entry(id) {
                    Entry::Vacant(entry) => {
                        entry.insert(at);
                    }
                    Entry::Occupied(entry) => {
                        let first = entry.get().clone();
                        cx.no(DuplicateId { at, id: id.to_owned(), of: "pod", first });
                    }
                }
            }
            let mut first_member = HashMap::new();
            for (member, seat) in seats.members.iter().enumerate() {
                let Some((id, node)) = seat.id else { continue };
                match first_member.entry(id) {
                    Entry::Vacant(entry) => {
                        entry.insert((member, node));
                    }
                    Entry::Occupied(entry) => {
                        let &(first, first_node) = entry.get();
                        cx.no(DuplicateId {
                            at: self.at(cx, pod, member, "id", node),
                            id: id.to_owned(),
                            of: "member",
                            first: self.at(cx, pod, first, "id", first_node),
                        });
                    }
                }
            }
        }
    }

    /// Seats that would share a name, or differ only by case. Equal ids in one list are told by [`Self::duplicates`].
    fn clashes(&self, cx: &mut Cx<'_>) {
        let mut first_of: HashMap<String, (usize, usize, NodeId)> = HashMap::new();
        for (pod, seats) in self.pods.iter().enumerate() {
            let pod_id = match seats.id {
                Some((id, _)) => id,
                // Members of a payload share a pod, whichever it will be.
                None if self.payload => "",
                None => continue,
            };
            for (member, seat) in seats.members.iter().enumerate() {
                let Some((id, node)) = seat.id else { continue };
                let mut folded = format!("{pod_id}-{id}");
                folded.make_ascii_lowercase();
                match first_of.entry(folded) {
                    Entry::Vacant(entry) => {
                        entry.insert((pod, member, node));
                    }
                    Entry::Occupied(entry) => {
                        let &(first_pod, first_member, first_node) = entry.get();
                        let other_pod = self.pods[first_pod].id.map_or("", |(id, _)| id);
                        let other = self.pods[first_pod].members[first_member].id;
                        let other_id = other.map_or("", |(id, _)| id);
                        if (other_pod, other_id) == (pod_id, id) {
                            continue;
                        }
                        cx.no(SeatNameClash {
                            at: self.at(cx, pod, member, "id", node),
                            seat: crate::path::shown(&format!("{pod_id}-{id}")),
                            other: crate::path::shown(&format!("{other_pod}-{other_id}")),
                            first: self.at(cx, first_pod, first_member, "id", first_node),
                        });
                    }
                }
            }
        }
    }

    /// Sources that name a member or a seat of this file.
    fn sources(&self, cx: &mut Cx<'_>, rig: Option<&RigName>) {
        let mut sources = Vec::new();
        for (pod, seats) in self.pods.iter().enumerate() {
            for (member, seat) in seats.members.iter().enumerate() {
                sources.extend(seat.source.as_ref().map(|source| (source, pod, member)));
            }
        }
        if sources.is_empty() {
            return;
        }
        let mut ids: HashMap<&str, (usize, usize, NodeId)> = HashMap::new();
        // No id holds an `@`, so seat names are put together only where a source does.
        let mut names: HashMap<String, (usize, usize, NodeId)> = HashMap::new();
        let need_names = sources.iter().any(|(source, ..)| source.text.contains('@'));
        for (pod, seats) in self.pods.iter().enumerate() {
            for (member, seat) in seats.members.iter().enumerate() {
                let Some((id, node)) = seat.id else { continue };
                ids.entry(id).or_insert((pod, member, node));
                if let (true, Some((pod_id, _)), Some(rig)) = (need_names, seats.id, rig) {
                    names.entry(format!("{pod_id}-{id}@{rig}")).or_insert((pod, member, node));
                }
            }
        }
        for (source, pod, member) in sources {
            let text = source.text;
            let at =
                |cx: &Cx<'_>| self.at(cx, pod, member, "session_source.ref.value", source.node);
            let seat = ids.get(text).map(|seat| ("a member id", seat));
            let seat = seat.or_else(|| names.get(text).map(|seat| ("a seat name", seat)));
            match (seat, &source.fault) {
                (Some((is, &(pod, member, node))), _) => cx.no(NativeIdNamesASeat {
                    at: at(cx),
                    text: text.to_owned(),
                    is,
                    member: self.at(cx, pod, member, "id", node),
                }),
                (None, Some(error)) => cx.no(NativeIdUnsafe { at: at(cx), error: error.clone() }),
                (None, None) => {}
            }
        }
    }
}
