//! Whole valid documents of every shape, made from dice.
//!
//! A document is made as a plain JSON value from a string of random bytes.
//! Where the bytes run out every choice is the smallest one, so a failing case
//! shrinks by losing bytes until only what matters is left.

mod dice;
mod parts;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use dice::Dice;
use parts::{continuity, services, startup, workspace};

/// A valid rig or payload, as a value whose keys stand in random order.
pub(crate) fn document() -> impl Strategy<Value = Value> {
    proptest::collection::vec(any::<u8>(), 0..3000).prop_map(|bytes| {
        let mut dice = Dice { bytes: bytes.into_iter() };
        if dice.roll(4) == 3 { payload(&mut dice) } else { rig(&mut dice) }
    })
}

const WORD: &[char] = &['a', 'b', 'Z', '_', '0', '9'];

fn rig(dice: &mut Dice) -> Value {
    let mut rig = Map::new();
    rig.insert("version".into(), dice.text(|t| !t.trim().is_empty()).into());
    let name = dice.word(WORD, &['a', 'Z', '_', '.', '-', '1'], 30);
    rig.insert("name".into(), name.into());
    dice.maybe(&mut rig, "summary", Dice::summary);
    dice.maybe(&mut rig, "culture_file", Dice::safe_path);
    dice.maybe(&mut rig, "permission_policy", policy);
    dice.maybe(
        &mut rig,
        "managed_blocks",
        |dice| json!({"claude-code": dice.pick(&["CLAUDE.md", "CLAUDE.local.md"])}),
    );
    dice.maybe(&mut rig, "docs", |dice| {
        dice.several(0, 3, |dice| json!({"path": dice.safe_path()}))
    });
    dice.maybe(&mut rig, "startup", startup);
    dice.maybe(&mut rig, "services", services);
    dice.maybe(&mut rig, "workspace", workspace);
    let count = 1 + dice.roll(3);
    let mut pods: Vec<Value> = (0..count).map(|index| pod(dice, index, index == 0)).collect();
    if dice.coin() {
        pods.reverse();
    }
    let ends: Vec<(usize, String)> = pods
        .iter()
        .enumerate()
        .flat_map(|(at, pod)| {
            let members = pod["members"].as_array().into_iter().flatten();
            members.map(move |member| (at, format!("{}.{}", text(&pod["id"]), text(&member["id"]))))
        })
        .collect();
    rig.insert("pods".into(), pods.into());
    dice.maybe(&mut rig, "edges", |dice| edges(dice, &ends, |a, b| a.0 != b.0));
    rig.into()
}

fn payload(dice: &mut Dice) -> Value {
    let mut payload = Map::new();
    dice.maybe(&mut payload, "pod", |dice| pod_id(dice, 0));
    let members = members(dice, 1);
    let mut ends: Vec<(usize, String)> =
        members.iter().map(|m| (0, text(&m["id"]).to_owned())).collect();
    payload.insert("members".into(), members.into());
    ends.push((1, "other.member".to_owned()));
    dice.maybe(&mut payload, "edges", |dice| edges(dice, &ends, |_, _| true));
    payload.into()
}

fn pod_id(dice: &mut Dice, index: usize) -> String {
    format!("{}_{index}", dice.word(WORD, WORD, 12))
}

fn pod(dice: &mut Dice, index: usize, needs_members: bool) -> Value {
    let mut pod = Map::new();
    pod.insert("id".into(), pod_id(dice, index).into());
    pod.insert("label".into(), dice.line().into());
    dice.maybe(&mut pod, "summary", Dice::summary);
    dice.maybe(&mut pod, "continuity_policy", continuity);
    dice.maybe(&mut pod, "startup", startup);
    let members = members(dice, usize::from(needs_members));
    let ends: Vec<(usize, String)> =
        members.iter().map(|m| (0, text(&m["id"]).to_owned())).collect();
    pod.insert("members".into(), members.into());
    dice.maybe(&mut pod, "edges", |dice| edges(dice, &ends, |_, _| true));
    pod.into()
}

fn members(dice: &mut Dice, least: usize) -> Vec<Value> {
    let count = least + dice.roll(4 - least);
    (0..count).map(|index| member(dice, index)).collect()
}

fn member(dice: &mut Dice, index: usize) -> Value {
    let runtime = dice.pick(&["claude-code", "codex", "pixir", "pi", "terminal"]);
    let terminal = runtime == "terminal";
    let mut member = Map::new();
    let id = format!("{}_{index}", dice.word(WORD, &['a', 'Z', '-', '_', '1'], 20));
    member.insert("id".into(), id.into());
    dice.maybe(&mut member, "label", Dice::line);
    member.insert(
        "agent_ref".into(),
        if terminal { "builtin:terminal".into() } else { agent_ref(dice).into() },
    );
    let profile = if terminal { "none".to_owned() } else { dice.text(|t| line(t) && t != "none") };
    member.insert("profile".into(), profile.into());
    member.insert("runtime".into(), runtime.into());
    if runtime == "codex" {
        dice.maybe(&mut member, "codex_config_profile", |dice| {
            dice.word(&['a', '.', '_', '1'], &['a', '.', '-', '_'], 9)
        });
    }
    dice.maybe(&mut member, "model", Dice::line);
    member.insert("cwd".into(), dice.path().into());
    dice.maybe(&mut member, "restore_policy", |dice| {
        dice.pick(&["resume_if_possible", "relaunch_fresh", "checkpoint_only"])
    });
    dice.maybe(&mut member, "compaction_strategy", |dice| {
        dice.pick(&[
            "default-compaction",
            "managed-compaction",
            "handover",
            "apprentice-handover",
            "harness_native",
            "pod_continuity",
        ])
    });
    dice.maybe(&mut member, "mechanic", |dice| dice.pick(&["ops-mech@rig.x", "a-b-c_1@r"]));
    dice.maybe(&mut member, "startup", startup);
    if terminal {
        return member.into();
    }
    dice.maybe(&mut member, "role", |dice| {
        dice.word(&['a', '.', '_', '1'], &['a', '.', '-', '_'], 9)
    });
    dice.maybe(&mut member, "permission_policy", policy);
    let mode = dice.pick(&["", "fork", "rebuild", "agent_image"]);
    match mode {
        "fork" => {
            let value = native_id(dice, runtime);
            member.insert(
                "session_source".into(),
                json!({"mode": mode, "ref": {"kind": "native_id", "value": value}}),
            );
        }
        "rebuild" => {
            let value = dice.several(1, 3, |dice| dice.path().trim().to_owned());
            member.insert(
                "session_source".into(),
                json!({"mode": mode, "ref": {"kind": "artifact_set", "value": value}}),
            );
        }
        "agent_image" => {
            let mut image = Map::new();
            image.insert("kind".into(), "image_name".into());
            image.insert("value".into(), dice.name().into());
            dice.maybe(&mut image, "version", Dice::name);
            member.insert("session_source".into(), json!({"mode": mode, "ref": image}));
        }
        _ => {}
    }
    if matches!(mode, "" | "rebuild") {
        dice.maybe(
            &mut member,
            "starter_ref",
            |dice| json!({"name": dice.word(&['a', '1'], &['b', '_', '-'], 9)}),
        );
    }
    member.into()
}

fn line(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().all(seatfork_schema::printable::is_printable)
}

fn native_id(dice: &mut Dice, runtime: &str) -> String {
    match (runtime, dice.roll(3)) {
        ("pi", 0) => format!("/{}.jsonl", dice.safe_path().replace("..", "x")),
        ("pixir", 0) => "20260101T000000-abcdef".to_owned(),
        (_, 1) => "0b0165d7-cb4d-4650-90de-15c0a1ede9e6".to_owned(),
        // No member's id has a dot, and no seat's name is without an @.
        _ => format!("1e3.{}", dice.word(WORD, &['a', '.', '-', '_', '7'], 40)),
    }
}

fn agent_ref(dice: &mut Dice) -> String {
    match dice.roll(4) {
        0 => format!("path:/{}", dice.safe_path()),
        1 => format!("local:../{}", dice.safe_path()),
        2 => format!("local:{}", dice.safe_path()),
        _ => format!("agents/{}", dice.safe_path()),
    }
}

fn policy(dice: &mut Dice) -> String {
    match dice.roll(3) {
        0 => "none".to_owned(),
        1 => format!("builtin:{}", dice.pick(&["locked", "standard", "open", "yolo"])),
        _ => format!("{}/p.md", dice.word(&['a', '1', 'Z'], &['a', '_', '-'], 9)),
    }
}

/// Edges between members, none to itself, and none against the order in which launches may go.
fn edges(
    dice: &mut Dice,
    ends: &[(usize, String)],
    may: impl Fn(&(usize, String), &(usize, String)) -> bool,
) -> Vec<Value> {
    let mut edges = Vec::new();
    for _ in 0..dice.roll(4) {
        if ends.len() < 2 {
            break;
        }
        let (a, b) = (dice.roll(ends.len()), dice.roll(ends.len()));
        let (first, last) = (a.min(b), a.max(b));
        if first == last || !may(&ends[first], &ends[last]) {
            continue;
        }
        let (first, last) = (&ends[first].1, &ends[last].1);
        edges.push(match dice.roll(6) {
            0 => json!({"kind": "delegates_to", "from": first, "to": last}),
            1 => json!({"kind": "spawned_by", "from": last, "to": first}),
            2 => json!({"kind": "can_observe", "from": last, "to": first}),
            3 => json!({"kind": "collaborates_with", "from": first, "to": last}),
            4 => json!({"kind": "escalates_to", "from": last, "to": first}),
            _ => continue,
        });
    }
    edges
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
