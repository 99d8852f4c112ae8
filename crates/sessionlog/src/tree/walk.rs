//! Walking a tree that may be none: every node once, circles closed where they close.

use super::{Edge, Kin, Node, Tree};

/// One row of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The session's place in the tree's nodes.
    pub node: usize,
    /// How many steps below its root.
    pub depth: usize,
    /// How it came from the row it hangs on; `None` at a root.
    pub kind: Option<Kin>,
    /// Whether it is the last of its siblings.
    pub last: bool,
    /// What this row is of it.
    pub place: Place,
}

/// What a row is of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It, with what it leads to below.
    Here,
    /// A mention; it stands in full further up.
    Above,
    /// A mention that closes a circle: it leads to itself.
    Circle,
}

/// The ties that leave each node, as places in the edges.
fn leaving(tree: &Tree) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); tree.nodes.len()];
    for (at, edge) in tree.edges.iter().enumerate() {
        leaving[edge.parent].push(at);
    }
    leaving
}

/// Nodes nothing leads to; then, of what they do not reach, the first of each rest, which is in a circle.
pub(super) fn roots(tree: &Tree) -> Vec<usize> {
    let mut led_to = vec![false; tree.nodes.len()];
    for edge in &tree.edges {
        led_to[edge.child] = true;
    }
    let leaving = leaving(tree);
    let mut reached = vec![false; tree.nodes.len()];
    let mut roots = Vec::new();
    let free = (0..tree.nodes.len()).filter(|node| !led_to[*node]);
    for root in free.chain(0..tree.nodes.len()) {
        if !reached[root] {
            roots.push(root);
            reach(tree, &leaving, root, &mut reached);
        }
    }
    roots
}

fn reach(tree: &Tree, leaving: &[Vec<usize>], root: usize, reached: &mut [bool]) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            waiting.extend(leaving[node].iter().map(|at| tree.edges[*at].child));
        }
    }
}

/// The rows of all roots. A stack of our own: a chain of logs may be longer than a thread's.
pub(super) fn rows(tree: &Tree) -> Vec<Row> {
    let leaving = leaving(tree);
    let mut shown = vec![false; tree.nodes.len()];
    let mut on_path = vec![false; tree.nodes.len()];
    let mut rows = Vec::new();
    for root in &tree.roots {
        rows.push(Row { node: *root, depth: 0, kind: None, last: true, place: Place::Here });
        (shown[*root], on_path[*root]) = (true, true);
        let mut path = vec![(*root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(at) = leaving[*node].get(*next) else {
                on_path[*node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let (Edge { child, kind, .. }, last) =
                (&tree.edges[*at], *next == leaving[*node].len());
            let place = match (on_path[*child], shown[*child]) {
                (true, _) => Place::Circle,
                (false, true) => Place::Above,
                (false, false) => Place::Here,
            };
            rows.push(Row { node: *child, depth: path.len(), kind: Some(*kind), last, place });
            if place == Place::Here {
                (shown[*child], on_path[*child]) = (true, true);
                path.push((*child, 0));
            }
        }
    }
    rows
}

/// What a node leads to in at most `depth` steps, with the ties between what is left.
pub(super) fn below(tree: &Tree, root: usize, depth: usize) -> Tree {
    let leaving = leaving(tree);
    let mut place = vec![None; tree.nodes.len()];
    let mut kept = Vec::new();
    let mut layer = vec![root];
    for steps in 0..=depth {
        let mut next = Vec::new();
        for node in layer {
            if place[node].is_some() {
                continue;
            }
            place[node] = Some(kept.len());
            kept.push(node);
            if steps < depth {
                next.extend(leaving[node].iter().map(|at| tree.edges[*at].child));
            }
        }
        layer = next;
    }
    let nodes = kept.iter().map(|node| {
        let hidden = |at: &&usize| place[tree.edges[**at].child].is_none();
        let hidden = leaving[*node].iter().filter(hidden).count();
        let hidden_children = u64::try_from(hidden).unwrap_or(u64::MAX);
        Node { hidden_children, ..tree.nodes[*node].clone() }
    });
    let edges = tree.edges.iter().filter_map(|edge| {
        let (parent, child) = (place[edge.parent]?, place[edge.child]?);
        Some(Edge { parent, child, ..edge.clone() })
    });
    Tree {
        workspace: tree.workspace.clone(),
        roots: vec![0],
        nodes: nodes.collect(),
        edges: edges.collect(),
        strangers: 0,
    }
}
