//! Startup, services, workspace and continuity policy, of every shape.

use serde_json::{Map, Value, json};

use super::dice::Dice;

pub(crate) fn startup(dice: &mut Dice) -> Value {
    let mut startup = Map::new();
    dice.maybe(&mut startup, "files", |dice| dice.several(0, 3, startup_file));
    dice.maybe(&mut startup, "actions", |dice| dice.several(0, 3, startup_action));
    startup.into()
}

fn startup_file(dice: &mut Dice) -> Value {
    let mut file = Map::new();
    if dice.coin() {
        file.insert("kind".into(), "context_pack".into());
        file.insert("name".into(), dice.name().into());
        dice.maybe(&mut file, "version", Dice::name);
    } else {
        dice.maybe(&mut file, "kind", |_| "file");
        file.insert("path".into(), dice.safe_path().into());
    }
    dice.maybe(&mut file, "delivery_hint", |dice| {
        dice.pick(&["auto", "guidance_merge", "skill_install", "send_text"])
    });
    dice.maybe(&mut file, "required", Dice::coin);
    dice.maybe(&mut file, "applies_on", |dice| applies_on(dice, true));
    file.into()
}

fn startup_action(dice: &mut Dice) -> Value {
    let idempotent = dice.coin();
    let mut action = Map::new();
    action.insert("type".into(), dice.pick(&["slash_command", "send_text"]).into());
    action.insert("value".into(), dice.script().into());
    dice.maybe(&mut action, "phase", |dice| dice.pick(&["after_files", "after_ready"]));
    action.insert("idempotent".into(), idempotent.into());
    if idempotent {
        dice.maybe(&mut action, "applies_on", |dice| applies_on(dice, true));
    } else {
        action.insert("applies_on".into(), applies_on(dice, false));
    }
    action.into()
}

fn applies_on(dice: &mut Dice, restore: bool) -> Value {
    if !restore {
        return json!(["fresh_start"]);
    }
    dice.pick(&[
        &["fresh_start"] as &[_],
        &["restore"],
        &["restore", "fresh_start"],
        &["fresh_start", "restore"],
    ])
    .into()
}

pub(crate) fn services(dice: &mut Dice) -> Value {
    let mut services = Map::new();
    services.insert("kind".into(), "compose".into());
    services.insert("compose_file".into(), dice.safe_path().into());
    dice.maybe(&mut services, "project_name", |dice| {
        dice.word(&['a', '0'], &['a', '0', '_', '-'], 9)
    });
    dice.maybe(&mut services, "profiles", |dice| dice.several(0, 2, Dice::line));
    dice.maybe(&mut services, "down_policy", |dice| {
        dice.pick(&["leave_running", "down", "down_and_volumes"])
    });
    dice.maybe(&mut services, "wait_for", |dice| {
        dice.several(0, 3, |dice| match dice.roll(3) {
            0 => json!({"service": dice.line(), "condition": "healthy"}),
            1 => json!({"url": dice.line()}),
            _ => json!({"tcp": dice.line()}),
        })
    });
    dice.maybe(&mut services, "surfaces", |dice| {
        let mut surfaces = Map::new();
        dice.maybe(&mut surfaces, "urls", |dice| {
            dice.several(0, 2, |dice| json!({"name": dice.line(), "url": dice.line()}))
        });
        dice.maybe(&mut surfaces, "commands", |dice| {
            dice.several(0, 2, |dice| json!({"name": dice.line(), "command": dice.script()}))
        });
        surfaces
    });
    dice.maybe(&mut services, "checkpoints", |dice| {
        dice.several(0, 2, |dice| {
            let mut checkpoint = Map::new();
            checkpoint.insert("id".into(), dice.line().into());
            checkpoint.insert("export".into(), dice.script().into());
            dice.maybe(&mut checkpoint, "import", Dice::script);
            checkpoint
        })
    });
    services.into()
}

pub(crate) fn workspace(dice: &mut Dice) -> Value {
    let mut workspace = Map::new();
    workspace.insert("workspace_root".into(), dice.path().into());
    let count = dice.roll(3);
    let repos: Vec<_> = (0..count)
        .map(|index| {
            let kind = dice.pick(&["user", "project", "knowledge", "lab", "delivery"]);
            json!({"name": format!("{}{index}", dice.line()), "path": dice.path(), "kind": kind})
        })
        .collect();
    if let Some(first) = repos.first() {
        let name = first["name"].clone();
        dice.maybe(&mut workspace, "default_repo", |_| name);
    }
    workspace.insert("repos".into(), repos.into());
    dice.maybe(&mut workspace, "knowledge_root", Dice::path);
    workspace.into()
}

pub(crate) fn continuity(dice: &mut Dice) -> Value {
    let mut policy = Map::new();
    policy.insert("enabled".into(), dice.coin().into());
    dice.maybe(&mut policy, "sync_triggers", |dice| {
        dice.several(0, 3, |dice| {
            dice.pick(&["pre_compaction", "pre_shutdown", "manual", "milestone"])
        })
    });
    dice.maybe(&mut policy, "artifacts", |dice| {
        flags(dice, &["session_log", "restore_brief", "quiz"])
    });
    dice.maybe(&mut policy, "restore_protocol", |dice| {
        flags(dice, &["peer_driven", "verify_via_quiz"])
    });
    policy.into()
}

fn flags(dice: &mut Dice, keys: &[&str]) -> Value {
    let mut flags = Map::new();
    for key in keys {
        dice.maybe(&mut flags, key, Dice::coin);
    }
    flags.into()
}
