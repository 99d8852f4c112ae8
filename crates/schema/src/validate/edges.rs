//! Edges in their three places, and the order of launches they ask for (SPEC 2).

use super::cx::Cx;
use super::seats::{PodSeats, Seats};
use super::table::{Table, required};
use crate::diags::At;
use crate::diags::edge::{
    EdgeCycle, EdgeEndMalformed, EdgeEndUnknown, EdgeInsideOnePod, EdgeToItself,
};
use crate::json_schema::{object, qualified, text, word};
use crate::path::Path;
use crate::spec::{Edge, EdgeEnd, EdgeKind, MemberId, MemberRef};
use crate::tree::NodeId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const fn edge_keys(end: fn() -> Value) -> Table<3> {
    Table {
        what: "an edge",
        keys: [required("kind", word::<EdgeKind>), required("from", end), required("to", end)],
        refused: &[],
    }
}

const POD_EDGE: Table<3> = edge_keys(text::<MemberId>);
const RIG_EDGE: Table<3> = edge_keys(qualified);
const PAYLOAD_EDGE: Table<3> =
    edge_keys(|| serde_json::json!({ "anyOf": [text::<MemberId>(), qualified()] }));

pub(crate) fn pod_edge_shape() -> Value {
    object(&POD_EDGE)
}

pub(crate) fn rig_edge_shape() -> Value {
    object(&RIG_EDGE)
}

pub(crate) fn payload_edge_shape() -> Value {
    object(&PAYLOAD_EDGE)
}

/// How many members or edges a message names.
const NAMED: usize = 8;

/// Reads the edges of the last pod of `seats`.
pub(crate) fn in_pod<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    seats: &Seats<'t>,
    order: &mut LaunchOrder<'t>,
) -> Option<Vec<Edge<MemberId>>> {
    let pod = seats.pods.last()?;
    let ids: HashSet<&str> = pod.members.iter().filter_map(|m| m.id).map(|(id, _)| id).collect();
    cx.list(node, path, |cx, node, path| {
        edge(
            cx,
            node,
            path,
            &POD_EDGE,
            |cx, node, path| {
                let end = cx.text(node, path)?;
                let Ok(id) = MemberId::new(end) else {
                    let at = cx.at(node, path);
                    let wanted = "the bare id of a member of this pod";
                    cx.no(EdgeEndMalformed { at, text: end.to_owned(), wanted });
                    return None;
                };
                if !ids.contains(end) && !pod.is_unclear() {
                    let at = cx.at(node, path);
                    let known = first_ids(std::iter::once(pod));
                    cx.no(EdgeEndUnknown { at, text: end.to_owned(), place: "this pod", known });
                    return None;
                }
                Some((id, pod.id.map(|(pod, _)| (pod, end))))
            },
            order,
        )
    })
}

/// Reads the edges between pods.
pub(crate) fn in_rig<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    seats: &Seats<'t>,
    order: &mut LaunchOrder<'t>,
) -> Option<Vec<Edge<MemberRef>>> {
    let mut ends: HashSet<(&str, &str)> = HashSet::new();
    let mut unclear: HashSet<&str> = HashSet::new();
    let mut pod_unclear = false;
    for pod in &seats.pods {
        let Some((id, _)) = pod.id else {
            pod_unclear = true;
            continue;
        };
        ends.extend(pod.members.iter().filter_map(|m| m.id).map(|(member, _)| (id, member)));
        if pod.is_unclear() {
            unclear.insert(id);
        }
    }
    let pods: HashSet<&str> =
        seats.pods.iter().filter_map(|pod| pod.id).map(|(id, _)| id).collect();
    cx.list(node, path, |cx, node, path| {
        let edge = edge(
            cx,
            node,
            path,
            &RIG_EDGE,
            |cx, node, path| {
                let end = cx.text(node, path)?;
                let parsed = MemberRef::new(end).ok().zip(end.split_once('.'));
                let Some((parsed, (pod, member))) = parsed else {
                    let at = cx.at(node, path);
                    cx.no(EdgeEndMalformed { at, text: end.to_owned(), wanted: "<pod>.<member>" });
                    return None;
                };
                let hidden = unclear.contains(pod) || (pod_unclear && !pods.contains(pod));
                if !ends.contains(&(pod, member)) && !hidden {
                    let at = cx.at(node, path);
                    let known = first_ends(&seats.pods);
                    cx.no(EdgeEndUnknown { at, text: end.to_owned(), place: "this rig", known });
                    return None;
                }
                Some((parsed, Some((pod, member))))
            },
            order,
        )?;
        // An edge from a member to itself has its own refusal.
        if edge.from.pod == edge.to.pod && edge.from != edge.to {
            let at = At { path: path.text(), span: cx.head(node) };
            cx.no(EdgeInsideOnePod { at, pod: edge.from.pod.to_string() });
        }
        Some(edge)
    })
}

/// Reads a payload's edges. An end that is not in the payload is `expand`'s to check.
pub(crate) fn in_payload<'t>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    home: Option<&'t str>,
    order: &mut LaunchOrder<'t>,
) -> Option<Vec<Edge<EdgeEnd>>> {
    cx.list(node, path, |cx, node, path| {
        edge(
            cx,
            node,
            path,
            &PAYLOAD_EDGE,
            |cx, node, path| {
                let end = cx.text(node, path)?;
                let Ok(parsed) = EdgeEnd::new(end) else {
                    let at = cx.at(node, path);
                    let wanted = "a bare member id or <pod>.<member>";
                    cx.no(EdgeEndMalformed { at, text: end.to_owned(), wanted });
                    return None;
                };
                // A bare id is of the payload's pod, whichever it will be.
                let key = end.split_once('.').unwrap_or_else(|| (home.unwrap_or_default(), end));
                Some((parsed, Some(key)))
            },
            order,
        )
    })
}

/// One end: its normal form, and (pod, member) where the pod is known.
type End<'t, E> = (E, Option<(&'t str, &'t str)>);

fn edge<'t, E>(
    cx: &mut Cx<'t>,
    node: NodeId,
    path: &Path<'_>,
    table: &Table<3>,
    mut end: impl FnMut(&mut Cx<'t>, NodeId, &Path<'_>) -> Option<End<'t, E>>,
    order: &mut LaunchOrder<'t>,
) -> Option<Edge<E>> {
    let [kind, from, to] = cx.fields(node, path, table)?;
    let kind = cx.read(kind, path, Cx::word::<EdgeKind>);
    // The text is compared too, since a pod without an id has no (pod, member).
    let texts = [from, to].map(|end| end.and_then(|end| cx.raw(end.value)));
    let from = cx.read(from, path, &mut end);
    let to = cx.read(to, path, &mut end);
    let (kind, (from, from_key), (to, to_key)) = (kind?, from?, to?);
    if from_key.is_some() && from_key == to_key || texts[0].is_some() && texts[0] == texts[1] {
        let at = At { path: path.text(), span: cx.head(node) };
        cx.no(EdgeToItself { at, end: texts[0].unwrap_or_default().to_owned() });
    } else if let (Some(from_key), Some(to_key), Some(from_first)) =
        (from_key, to_key, kind.from_comes_first())
    {
        let (before, after) = if from_first { (from_key, to_key) } else { (to_key, from_key) };
        order.add(before, after, At { path: path.text(), span: cx.head(node) });
    }
    Some(Edge { kind, from, to })
}

fn first_ids<'a>(pods: impl Iterator<Item = &'a PodSeats<'a>>) -> Vec<String> {
    pods.flat_map(|pod| &pod.members)
        .filter_map(|member| member.id)
        .take(NAMED)
        .map(|(id, _)| crate::path::shown(id))
        .collect()
}

fn first_ends(pods: &[PodSeats<'_>]) -> Vec<String> {
    pods.iter()
        .filter_map(|pod| Some((pod.id?.0, &pod.members)))
        .flat_map(|(pod, members)| {
            members.iter().filter_map(move |m| Some(format!("{pod}.{}", m.id?.0)))
        })
        .take(NAMED)
        .map(|end| crate::path::shown(&end))
        .collect()
}

/// The order of launches that edges ask for.
#[derive(Default)]
pub(crate) struct LaunchOrder<'t> {
    places: HashMap<(&'t str, &'t str), usize>,
    members: Vec<(&'t str, &'t str)>,
    /// For each member those that come after it, and the edge that says so.
    after: Vec<Vec<(usize, usize)>>,
    edges: Vec<At>,
}

impl<'t> LaunchOrder<'t> {
    fn add(&mut self, before: (&'t str, &'t str), after: (&'t str, &'t str), edge: At) {
        let before = self.place(before);
        let after = self.place(after);
        self.after[before].push((after, self.edges.len()));
        self.edges.push(edge);
    }

    fn place(&mut self, member: (&'t str, &'t str)) -> usize {
        *self.places.entry(member).or_insert_with(|| {
            self.members.push(member);
            self.after.push(Vec::new());
            self.members.len() - 1
        })
    }

    /// Refuses each edge that closes a circle: a walk in depth with a stack of its own, so that depth costs no stack of ours.
    pub(crate) fn check(&self, cx: &mut Cx<'_>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            /// On the walk now, at this depth.
            At(usize),
            Done,
        }
        let mut seen = vec![Seen::Not; self.members.len()];
        for start in 0..self.members.len() {
            if seen[start] != Seen::Not {
                continue;
            }
            // (member, the next of its edges to follow, the edge it was reached by)
            let mut walk = vec![(start, 0, None)];
            seen[start] = Seen::At(0);
            while let Some((member, next, _)) = walk.last_mut() {
                let Some(&(to, edge)) = self.after[*member].get(*next) else {
                    seen[*member] = Seen::Done;
                    walk.pop();
                    continue;
                };
                *next += 1;
                match seen[to] {
                    Seen::Done => {}
                    Seen::Not => {
                        seen[to] = Seen::At(walk.len());
                        walk.push((to, 0, Some(edge)));
                    }
                    Seen::At(depth) => self.circle(cx, &walk[depth..], edge),
                }
            }
        }
    }

    fn circle(&self, cx: &mut Cx<'_>, walk: &[(usize, usize, Option<usize>)], edge: usize) {
        let name = |&(member, ..): &(usize, usize, Option<usize>)| {
            let (pod, member) = self.members[member];
            crate::path::shown(&if pod.is_empty() {
                member.to_owned()
            } else {
                format!("{pod}.{member}")
            })
        };
        let members = walk.iter().take(NAMED).map(name).collect();
        // The first of the walk was reached from outside the circle.
        let others = walk.iter().skip(1).filter_map(|&(_, _, edge)| edge);
        let edges = others.take(NAMED).map(|edge| self.edges[edge].clone()).collect();
        cx.no(EdgeCycle { at: self.edges[edge].clone(), members, length: walk.len(), edges });
    }
}
