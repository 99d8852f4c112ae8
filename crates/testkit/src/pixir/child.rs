//! A child log held against its seed.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Event, Workspace, event::is_hex, faults, fold, fold_bytes, replayed, root_of};

const STRATEGY: &str = "replay_v1";
const MARKER: &str = "lineage_boundary_v1";
/// The keys of a marker, none left out and none besides.
const MARKER_KEYS: [&str; 7] = [
    "author",
    "fork_root_session_id",
    "lineage_boundary",
    "marker_kind",
    "replay_event_count",
    "seed_session_id",
    "text",
];

/// What is wrong with a fork of `parent` up to `to_seq` (everything, without it), events appended to
/// the child later aside.
///
/// # Panics
/// When a file is not there.
pub fn check_fork(
    (parents, parent): (&Workspace, &str),
    (children, child): (&Workspace, &str),
    to_seq: Option<u64>,
) -> Vec<String> {
    let mut held = Held::of((parents, parent), (children, child), to_seq);
    held.lineage();
    held.prefix();
    held.wrong.extend(check_resources((parents, parent), (children, child)));
    held.wrong
}

/// What is wrong with a child started warm from `seed`. `text` is the marker's, whole.
///
/// # Panics
/// When a file is not there.
pub fn check_warm_start(
    (seeds, seed): (&Workspace, &str),
    (children, child): (&Workspace, &str),
    text: &str,
) -> Vec<String> {
    let mut held = Held::of((seeds, seed), (children, child), None);
    held.lineage();
    held.prefix();
    held.marker(text);
    if held.fork()["source"] != "delegate_warm_start" {
        held.say("its first line does not say delegate_warm_start");
    }
    held.wrong.extend(check_resources((seeds, seed), (children, child)));
    held.wrong
}

/// What is wrong with a log that was begun without a seed.
///
/// # Panics
/// When the file is not there.
pub fn check_cold((workspace, session): (&Workspace, &str)) -> Vec<String> {
    let bytes = workspace.bytes(session);
    let mut wrong = faults(session, &bytes);
    let events = fold_bytes(&bytes).unwrap_or_default();
    for event in &events {
        let marked = event.value()["lineage_boundary"] == true;
        if event.kind == "session_fork" || (event.kind == "user_message" && marked) {
            wrong.push(format!("a log without a seed holds {}", event.line));
        }
    }
    wrong
}

/// A child and what it should hold.
struct Held {
    seed_id: String,
    seed: Vec<Event>,
    copied: usize,
    to_seq: Option<u64>,
    workspaces: (String, String),
    child: Vec<Event>,
    wrong: Vec<String>,
}

impl Held {
    fn of(
        (seeds, seed): (&Workspace, &str),
        (children, child): (&Workspace, &str),
        to_seq: Option<u64>,
    ) -> Self {
        let bytes = children.bytes(child);
        let wrong = faults(child, &bytes);
        let events = fold_bytes(&bytes).unwrap_or_default();
        assert!(!events.is_empty(), "the child {child} holds nothing: {wrong:?}");
        let seed_events = fold(&seeds.log(seed)).unwrap_or_else(|err| panic!("the seed: {err}"));
        let within =
            |event: &&Event| to_seq.is_none_or(|to| event.seq.is_some_and(|seq| seq <= to));
        let copied = replayed(&seed_events).into_iter().filter(within).count();
        let real = |workspace: &Workspace| workspace.real().display().to_string();
        Self {
            seed_id: seed.to_owned(),
            seed: seed_events,
            copied,
            to_seq,
            workspaces: (real(seeds), real(children)),
            child: events,
            wrong,
        }
    }

    fn say(&mut self, what: impl Into<String>) {
        self.wrong.push(what.into());
    }

    fn fork(&self) -> Value {
        self.child[0].value()
    }

    /// The first line: where it all comes from.
    fn lineage(&mut self) {
        let root = root_of(&self.seed_id, &self.seed);
        let fork = self.fork();
        let copied: Vec<_> = replayed(&self.seed).into_iter().take(self.copied).collect();
        let from = copied.first().and_then(|event| event.seq);
        let to = copied.last().and_then(|event| event.seq);
        let expected = [
            ("parent_session_id", Value::from(self.seed_id.as_str())),
            ("fork_root_session_id", Value::from(root)),
            ("from_seq", Value::from(from)),
            ("forked_to_seq", Value::from(to)),
            ("parent_workspace", Value::from(self.workspaces.0.as_str())),
            ("child_workspace", Value::from(self.workspaces.1.as_str())),
            ("replay_event_count", Value::from(self.copied)),
            ("strategy", Value::from(STRATEGY)),
        ];
        for (key, value) in expected {
            if fork[key] != value {
                self.say(format!("{key} is {}, not {value}", fork[key]));
            }
        }
        // Pixir records no such thing; where it is recorded it must be true.
        if let Some(requested) = fork.get("requested_to_seq")
            && requested.as_u64() != self.to_seq
        {
            self.say(format!("requested_to_seq is {requested}, not {:?}", self.to_seq));
        }
        let limits = fork["limitations"].as_array();
        if limits.is_none_or(|limits| limits.is_empty() || !limits.iter().all(Value::is_string)) {
            self.say("limitations are no texts");
        }
        let forks = self.child.iter().filter(|event| event.kind == "session_fork").count();
        if self.child[0].kind != "session_fork" || forks != 1 {
            self.say(format!("there are {forks} lines of lineage, not one at the start"));
        }
    }

    /// Lines 1 to n: everything replayable, in order, with its time, type and the bytes of its data.
    fn prefix(&mut self) {
        let mut wrong = Vec::new();
        for (at, seed) in replayed(&self.seed).into_iter().take(self.copied).enumerate() {
            match self.child.get(at + 1) {
                None => wrong.push(format!("line {} of {} is missing", at + 1, self.copied)),
                Some(child) => {
                    let same =
                        (&child.ts, &child.kind, &child.data) == (&seed.ts, &seed.kind, &seed.data);
                    if !same {
                        wrong.push(format!("line {}: {} is not {}", at + 1, child.line, seed.line));
                    }
                    if child.id == seed.id {
                        wrong.push(format!("line {}: its id is the seed's", at + 1));
                    }
                }
            }
        }
        self.wrong.extend(wrong);
    }

    /// Line n+1: the boundary, said by the runtime as a user's message.
    fn marker(&mut self, text: &str) {
        let root = root_of(&self.seed_id, &self.seed);
        let Some(marker) = self.child.get(self.copied + 1).cloned() else {
            self.say("there is no marker after the prefix");
            return;
        };
        if marker.kind != "user_message" {
            self.say(format!("the marker is a {}", marker.kind));
        }
        let data = marker.value();
        let keys: BTreeSet<_> = data.as_object().into_iter().flat_map(|map| map.keys()).collect();
        if !keys.into_iter().map(String::as_str).eq(MARKER_KEYS) {
            self.say(format!("the marker's keys are others: {data}"));
        }
        let expected = [
            ("author", Value::from("runtime")),
            ("fork_root_session_id", Value::from(root)),
            ("lineage_boundary", Value::from(true)),
            ("marker_kind", Value::from(MARKER)),
            ("replay_event_count", Value::from(self.copied)),
            ("seed_session_id", Value::from(self.seed_id.as_str())),
            ("text", Value::from(text)),
        ];
        for (key, value) in expected {
            if data[key] != value {
                self.say(format!("the marker's {key} is {}, not {value}", data[key]));
            }
        }
    }
}

/// What is wrong with the payloads of a child: each that a copied event names stands under the child
/// at the same path with the bytes its sum tells, and nothing else does.
///
/// # Panics
/// When a folder cannot be listed.
pub fn check_resources(
    (seeds, seed): (&Workspace, &str),
    (children, child): (&Workspace, &str),
) -> Vec<String> {
    let events = fold(&children.log(child)).unwrap_or_else(|err| panic!("the child: {err}"));
    let mut wrong = Vec::new();
    let mut named = BTreeSet::new();
    for event in events.iter().filter(|event| event.kind == "user_message") {
        for resource in event.value()["resources"].as_array().into_iter().flatten() {
            let text = |key: &str| resource[key].as_str().unwrap_or_default().to_owned();
            let sum = text("content_sha256");
            if sum.is_empty() {
                continue;
            }
            if !is_hex(&sum, 64) {
                wrong.push(format!("a resource with the sum {sum:?} was copied"));
                continue;
            }
            let file = format!("{}/{sum}.{}", text("resource_id"), text("extension"));
            if named.insert(file.clone()) {
                wrong.extend(payload(&children.resources(child).join(&file), &sum));
            }
        }
    }
    let there = files(&children.resources(child));
    for extra in there.difference(&named) {
        wrong.push(format!("{extra} stands beside the child and no event names it"));
    }
    if named.is_empty() && children.resources(child).exists() {
        wrong.push("an empty folder of resources stands beside the child".to_owned());
    }
    for (file, of) in [(seeds.log(seed), "seed"), (children.log(child), "child")] {
        if fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink()) {
            wrong.push(format!("the {of}'s log is a link"));
        }
    }
    wrong
}

fn payload(path: &Path, sum: &str) -> Option<String> {
    match fs::read(path) {
        Err(err) => Some(format!("{}: {err}", path.display())),
        Ok(bytes) => {
            let digest = Sha256::digest(&bytes);
            let half = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
            let found: String =
                digest.iter().flat_map(|byte| [half(byte >> 4), half(byte & 15)]).collect();
            (found != sum).then(|| format!("{} has the sum {found}", path.display()))
        }
    }
}

fn files(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in fs::read_dir(root).into_iter().flatten().filter_map(Result::ok) {
        for file in fs::read_dir(folder.path()).into_iter().flatten().filter_map(Result::ok) {
            let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
            found.insert(format!("{}/{}", name(&folder), name(&file)));
        }
    }
    found
}
