//! What is wrong with an edge (SPEC 2).

use super::{At, refusals};
use crate::diagnostic::Related;
use crate::path::shown;

refusals! {
    /// An end of another shape than its place needs.
    EdgeEndMalformed = EdgeEndMalformed {
        /// The end.
        text: String,
        /// What it must be here: `the bare id of a member of this pod`.
        wanted: &'static str,
    } |me| {
        message: format!("\"{}\" is not {}", shown(&me.text), me.wanted),
        help: "inside a pod an edge names bare member ids; at the level of the rig it names <pod>.<member>; in an expand payload both are fine",
    }

    /// An end that is no member.
    EdgeEndUnknown = EdgeEndUnknown {
        /// The end.
        text: String,
        /// Where it was looked for: `this pod`.
        place: &'static str,
        /// The first few members there are.
        known: Vec<String>,
    } |me| {
        message: format!("{} has no member \"{}\"", me.place, shown(&me.text)),
        help: if me.known.is_empty() {
            format!("{} has no members at all", me.place)
        } else {
            format!("{} has: {}", me.place, me.known.join(", "))
        },
    }

    /// Both ends are one member. Reported at the edge.
    EdgeToItself = EdgeToItself {
        /// The member.
        end: String,
    } |me| {
        message: format!("both ends are \"{}\"; an edge needs two members", shown(&me.end)),
        help: "name two different members, or remove the edge",
    }

    /// A rig's edge inside one pod. Reported at the edge.
    EdgeInsideOnePod = EdgeInsideOnePod {
        /// The pod.
        pod: String,
    } |me| {
        message: format!("both ends are in the pod \"{}\"; edges at the level of the rig join different pods", shown(&me.pod)),
        help: format!("move the edge into the `edges` of the pod \"{}\", and name bare member ids there", shown(&me.pod)),
    }

    /// Edges that order launches in a circle. Reported at the edge that closes it.
    EdgeCycle = EdgeCycle {
        /// The members of the circle in launch order, the first few of them.
        members: Vec<String>,
        /// How many members it has.
        length: usize,
        /// The other edges of the circle, the first few of them.
        edges: Vec<At>,
    } |me| {
        message: format!(
            "this edge closes a circle in launch order: {}{}",
            me.members.join(" before "),
            if me.length > me.members.len() {
                format!(" before {} more", me.length - me.members.len())
            } else {
                format!(" before {}", me.members.first().map_or("", String::as_str))
            }
        ),
        label: "closes the circle",
        help: "delegates_to starts `from` before `to`, spawned_by starts `to` before `from`; remove or turn one of these edges, or use a kind that orders nothing",
        related: me.edges.iter().map(|at| Related {
            path: at.path.clone(),
            message: "part of the circle".to_owned(),
            span: at.span,
        }).collect(),
    }
}
