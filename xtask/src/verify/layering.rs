//! Which crate may know which: the edges between our crates, and third-party crates that stay out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::failure::{Failure, Finding};
use crate::workspace::Workspace;

/// What a crate of ours may depend on.
struct Room {
    krate: &'static str,
    /// Our crates it may name in `[dependencies]`; in `[dev-dependencies]` also the test support.
    knows: &'static [&'static str],
    /// Packages that must not be reachable from it, however far down, and why.
    never_reaches: &'static [(&'static str, &'static str)],
}

/// Test support: for tests of every crate, in the product of none.
const TEST_SUPPORT: &str = "seatfork-testkit";

const PURE: &str = "it does no I/O, keeps no clock and runs nothing";
const NO_TEXT: &str = "YAML text is codec's alone";
const NO_SQL: &str = "SQLite is store's alone";
const SYNC: &str = "it is called synchronously; only what drives processes is async";

const ROOMS: &[Room] = &[
    Room {
        krate: "seatfork-schema",
        knows: &[],
        never_reaches: &[
            ("yaml_serde", NO_TEXT),
            ("serde_yaml", NO_TEXT),
            ("saphyr-parser", NO_TEXT),
            ("tokio", PURE),
            ("rusqlite", NO_SQL),
        ],
    },
    Room {
        krate: "seatfork-codec",
        knows: &["seatfork-schema"],
        never_reaches: &[("tokio", PURE), ("rusqlite", NO_SQL)],
    },
    Room {
        krate: "seatfork-process",
        knows: &[],
        never_reaches: &[("tokio", SYNC), ("rusqlite", NO_SQL)],
    },
    Room {
        krate: "seatfork-adapters",
        knows: &["seatfork-process", "seatfork-schema", "seatfork-sessionlog"],
        never_reaches: &[("rusqlite", NO_SQL), ("saphyr-parser", NO_TEXT), ("yaml_serde", NO_TEXT)],
    },
    Room {
        krate: "seatfork-store",
        knows: &["seatfork-schema"],
        never_reaches: &[("tokio", SYNC)],
    },
    Room {
        krate: "seatfork-sessionlog",
        knows: &["seatfork-schema"],
        never_reaches: &[
            ("tokio", SYNC),
            ("rusqlite", NO_SQL),
            ("saphyr-parser", NO_TEXT),
            ("yaml_serde", NO_TEXT),
        ],
    },
    Room {
        krate: "seatfork-tmux",
        knows: &["seatfork-process"],
        never_reaches: &[("rusqlite", NO_SQL), ("saphyr-parser", NO_TEXT), ("yaml_serde", NO_TEXT)],
    },
    Room {
        krate: "seatfork-launch",
        knows: &[
            "seatfork-adapters",
            "seatfork-process",
            "seatfork-schema",
            "seatfork-store",
            "seatfork-tmux",
        ],
        never_reaches: &[("saphyr-parser", NO_TEXT), ("yaml_serde", NO_TEXT)],
    },
    Room {
        krate: "seatfork",
        knows: &[
            "seatfork-adapters",
            "seatfork-codec",
            "seatfork-launch",
            "seatfork-schema",
            "seatfork-sessionlog",
            "seatfork-store",
            "seatfork-tmux",
        ],
        never_reaches: &[],
    },
    Room { krate: TEST_SUPPORT, knows: &[], never_reaches: &[] },
    Room {
        krate: "seatfork-conformance",
        knows: &["seatfork-adapters", "seatfork-schema"],
        never_reaches: &[("rusqlite", NO_SQL), ("saphyr-parser", NO_TEXT), ("yaml_serde", NO_TEXT)],
    },
    Room {
        krate: "xtask",
        knows: &[],
        never_reaches: &[
            ("rusqlite", "a task must not wait for SQLite to build"),
            ("clap", "a task must build in seconds"),
        ],
    },
];

/// Packages only one crate of ours may name, in any kind of dependency.
const ONE_OWNER: &[(&str, &str)] =
    &[("rusqlite", "seatfork-store"), ("saphyr-parser", "seatfork-codec")];

/// Edges to such a package that tests alone may have, and why.
const IN_TESTS: &[(&str, &str, &str)] =
    &[("seatfork", "rusqlite", "end to end, another program holds the store's lock")];

/// What one package of the workspace depends on, out of `cargo metadata`.
#[derive(Debug, Default)]
struct Package {
    manifest: String,
    /// Name and kind (`""` for ordinary ones, else `dev` or `build`) of each dependency.
    names: Vec<(String, String)>,
}

/// Checks the edges cargo knows of.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Failure> {
    check_metadata(&workspace.metadata(true)?)
}

fn check_metadata(metadata: &Value) -> Result<Vec<Finding>, Failure> {
    let members = members(metadata)?;
    let graph = graph(metadata)?;
    let mut findings = Vec::new();
    for (name, package) in &members {
        match ROOMS.iter().find(|room| room.krate == name) {
            Some(room) => {
                findings.extend(own_edges(room, package, &members));
                findings.extend(reached(room, package, &graph));
            }
            None => findings.push(Finding::new(
                &package.manifest,
                0,
                format!("{name} has no row in the layering table; add one to ROOMS of xtask/src/verify/layering.rs saying what it may know"),
            )),
        }
        for (third, owner) in ONE_OWNER {
            let for_tests = |kind: &str| {
                kind == "dev" && IN_TESTS.iter().any(|(who, what, _)| who == name && what == third)
            };
            let names_it = |(named, kind): &(String, String)| named == third && !for_tests(kind);
            if name != owner && package.names.iter().any(names_it) {
                findings.push(Finding::new(
                    &package.manifest,
                    0,
                    format!("{name} -> {third} is forbidden: only {owner} names it; put what needs it there and use its types"),
                ));
            }
        }
    }
    for room in ROOMS.iter().filter(|room| !members.contains_key(room.krate)) {
        findings.push(Finding::new(
            "xtask/src/verify/layering.rs",
            0,
            format!("the layering table has a row for {}, which is no crate of the workspace; remove it", room.krate),
        ));
    }
    Ok(findings)
}

/// Edges between our own crates that the table does not allow.
fn own_edges(room: &Room, package: &Package, members: &BTreeMap<String, Package>) -> Vec<Finding> {
    let name = room.krate;
    let ours = package.names.iter().filter(|(named, _)| members.contains_key(named));
    ours.filter(|(named, kind)| {
        let support = named == TEST_SUPPORT && kind == "dev" && name != TEST_SUPPORT && name != "xtask";
        !support && !room.knows.contains(&named.as_str())
    })
    .map(|(named, kind)| {
        let advice = match named.as_str() {
            TEST_SUPPORT if kind != "dev" => "test support belongs in [dev-dependencies]".to_owned(),
            _ if room.knows.is_empty() => format!("{name} depends on no crate of ours; move what it needs into it, or hand it in as plain data"),
            _ => format!("{name} may know {}; hand the rest in through a trait or as plain data", room.knows.join(", ")),
        };
        let edge = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
        Finding::new(&package.manifest, 0, format!("{name} -> {named}{edge} is forbidden: {advice}"))
    })
    .collect()
}

/// Forbidden packages reachable from a crate by ordinary and build edges, with the way there.
fn reached(
    room: &Room,
    package: &Package,
    graph: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<Finding> {
    room.never_reaches
        .iter()
        .filter_map(|(third, why)| Some((way(graph, room.krate, third)?, why)))
        .map(|(way, why)| {
            let message = format!(
                "{} is forbidden: {why}; drop the dependency that brings it",
                way.join(" -> ")
            );
            Finding::new(&package.manifest, 0, message)
        })
        .collect()
}

/// The shortest way from one package to another.
fn way(graph: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::from([from]);
    let mut open = VecDeque::from([vec![from]]);
    while let Some(so_far) = open.pop_front() {
        let here = *so_far.last()?;
        if here == to {
            return Some(so_far.into_iter().map(str::to_owned).collect());
        }
        for next in graph.get(here).into_iter().flatten() {
            if seen.insert(next) {
                open.push_back(so_far.iter().copied().chain([next.as_str()]).collect());
            }
        }
    }
    None
}

/// The members of the workspace by name, with what their manifests declare.
fn members(metadata: &Value) -> Result<BTreeMap<String, Package>, Failure> {
    let ids: BTreeSet<&str> =
        array(&metadata["workspace_members"])?.iter().filter_map(Value::as_str).collect();
    let mut members = BTreeMap::new();
    for package in array(&metadata["packages"])? {
        if !ids.contains(text(&package["id"])?) {
            continue;
        }
        let root = metadata["workspace_root"].as_str().unwrap_or_default();
        let manifest = text(&package["manifest_path"])?;
        let mut known = Package {
            manifest: manifest.trim_start_matches(root).trim_start_matches('/').to_owned(),
            names: Vec::new(),
        };
        for dependency in array(&package["dependencies"])? {
            let kind = dependency["kind"].as_str().unwrap_or_default();
            known.names.push((text(&dependency["name"])?.to_owned(), kind.to_owned()));
        }
        members.insert(text(&package["name"])?.to_owned(), known);
    }
    Ok(members)
}

/// Package names and the names they reach by ordinary and build edges, as cargo resolved them.
fn graph(metadata: &Value) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
    let mut names = BTreeMap::new();
    for package in array(&metadata["packages"])? {
        names.insert(text(&package["id"])?, text(&package["name"])?);
    }
    let name = |id: &str| names.get(id).map_or(id, |name| *name).to_owned();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in array(&metadata["resolve"]["nodes"])? {
        let edges = graph.entry(name(text(&node["id"])?)).or_default();
        for dependency in array(&node["deps"])? {
            if array(&dependency["dep_kinds"])?.iter().any(|kind| kind["kind"] != "dev") {
                edges.insert(name(text(&dependency["pkg"])?));
            }
        }
    }
    Ok(graph)
}

fn array(value: &Value) -> Result<&Vec<Value>, Failure> {
    value.as_array().ok_or_else(|| shape("a list"))
}

fn text(value: &Value) -> Result<&str, Failure> {
    value.as_str().ok_or_else(|| shape("a string"))
}

fn shape(wanted: &str) -> Failure {
    Failure::Content {
        path: "cargo metadata".to_owned(),
        why: format!("{wanted} is not where it should be"),
    }
}

#[cfg(test)]
mod tests;
