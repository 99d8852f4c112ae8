//! The tables of states, in shorthand: whole rows with what differs, read into SQL.
//!
//! `# name -> guard`, then one statement a line. `+ table | column=value` inserts
//! the base row of that table with some columns changed, `+!` with OR REPLACE.
//! `@1`..`@3` are new ids, `@at` a time, `@sha` a hash; `<name>` is a row of the town.

/// The rows that are right as they stand.
const BASES: &[(&str, &[(&str, &str)])] = &[
    (
        "launches",
        &[
            ("launch_id", "@1"),
            ("seat_id", "<d>"),
            ("runtime", "'claude-code'"),
            ("attempt", "1"),
            ("intent", "'fork'"),
            ("created_via", "'fork'"),
            ("nonce", "'0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f'"),
            ("owner_host", "'h'"),
            ("owner_boot", "'b'"),
            ("owner_pid", "1"),
            ("owner_start", "'s'"),
            ("owner_lock", "'l'"),
            ("source_scope", "''"),
            ("source_id", "'n1'"),
            ("child_scope", "''"),
            ("resume_id", "NULL"),
            ("planned_child_id", "'new'"),
            ("adopts_launch", "NULL"),
            ("image_name", "NULL"),
            ("image_version", "NULL"),
            ("replaces_n", "NULL"),
            ("replaces_reason", "NULL"),
            ("cwd", "'/w'"),
            ("permission", "'default'"),
            ("build_identity", "'b'"),
            ("declared_at", "@at"),
        ],
    ),
    (
        "seats",
        &[
            ("seat_id", "@2"),
            ("rig_id", "<rig>"),
            ("pod", "'dev'"),
            ("member", "'new'"),
            ("name", "'dev-new@review'"),
            ("runtime", "'codex'"),
            ("cwd", "'/w'"),
            ("created_at", "@at"),
        ],
    ),
    (
        "rigs",
        &[
            ("rig_id", "@3"),
            ("name", "'other'"),
            ("root", "'/w'"),
            ("spec_sha256", "@sha"),
            ("created_at", "@at"),
        ],
    ),
    (
        "occupants",
        &[
            ("seat_id", "<b>"),
            ("n", "1"),
            ("runtime", "'claude-code'"),
            ("scope", "''"),
            ("resume_token", "'c2'"),
            ("launch_id", "<b.launch>"),
            ("since", "@at"),
        ],
    ),
    (
        "conversations",
        &[
            ("runtime", "'claude-code'"),
            ("scope", "''"),
            ("native_id", "'z1'"),
            ("origin", "'seen'"),
            ("first_seen_at", "@at"),
        ],
    ),
    (
        "lineage",
        &[
            ("runtime", "'claude-code'"),
            ("scope", "''"),
            ("child_id", "'c2'"),
            ("parent_scope", "''"),
            ("parent_id", "'s2'"),
            ("root_scope", "''"),
            ("root_id", "'s2'"),
            ("launch_id", "<b.launch>"),
            ("created_via", "'fork'"),
            ("at", "@at"),
        ],
    ),
    (
        "lineage_ranges",
        &[
            ("launch_id", "<a.launch>"),
            ("n", "1"),
            ("path", "'/p'"),
            ("dev", "1"),
            ("ino", "1"),
            ("from_byte", "0"),
            ("to_byte", "9"),
            ("sha256", "@sha"),
        ],
    ),
    (
        "panes",
        &[
            ("launch_id", "<e.launch>"),
            ("socket", "'/s'"),
            ("session", "'x'"),
            ("server_pid", "1"),
            ("server_start", "'1'"),
            ("pane_id", "'%1'"),
            ("pane_pid", "2"),
            ("pane_start", "'2'"),
            ("opened_at", "@at"),
            ("observed", "'ready'"),
            ("observed_at", "@at"),
        ],
    ),
    (
        "verifications",
        &[
            ("launch_id", "<a.launch>"),
            ("n", "2"),
            ("at", "@at"),
            ("status", "'proved'"),
            ("detail", "''"),
        ],
    ),
    (
        "launch_artifacts",
        &[
            ("launch_id", "<g.launch>"),
            ("n", "2"),
            ("path", "'p'"),
            ("state", "'missing'"),
            ("bytes", "NULL"),
            ("sha256", "NULL"),
        ],
    ),
];

const CONSTANTS: &[(&str, &str)] = &[
    (
        "@forking-by-evidence",
        "UPDATE launches SET state='resolved', resolved_at=@at, @evidence WHERE launch_id=@1;
         UPDATE launches SET state='forking', forking_at=@at WHERE launch_id=@1",
    ),
    (
        "@forking",
        "UPDATE launches SET state='resolved', resolved_at=@at WHERE launch_id=@1;
         UPDATE launches SET state='forking', forking_at=@at WHERE launch_id=@1",
    ),
    (
        "@evidence",
        "evidence_path='/p', evidence_dev=1, evidence_ino=1, evidence_bytes=1, evidence_sha256=@sha, evidence_records=1, evidence_detail='{}'",
    ),
    ("@at", "'2026-01-02T03:04:05.000000000Z'"),
    ("@sha", "'abababababababababababababababababababababababababababababababab'"),
    ("@1", "'01900000-0000-7000-8000-000000000001'"),
    ("@2", "'01900000-0000-7000-8000-000000000002'"),
    ("@3", "'01900000-0000-7000-8000-000000000003'"),
];

/// One state: its name, the guard that refuses it, and its SQL.
pub(super) struct State {
    pub(super) name: &'static str,
    pub(super) rule: &'static str,
    pub(super) sql: String,
}

/// States that must be refused.
pub(super) fn wrong() -> Vec<State> {
    read(include_str!("wrong.txt"))
}

/// States that must be accepted.
pub(super) fn right() -> Vec<State> {
    read(include_str!("right.txt"))
}

fn read(text: &'static str) -> Vec<State> {
    let states: Vec<State> = text
        .split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .map(|block| {
            let (head, body) = block.trim().split_once('\n').unwrap();
            let head = head.strip_prefix("# ").unwrap();
            let (name, rule) = head.split_once(" -> ").unwrap_or((head, ""));
            let sql = body.lines().map(statement).collect::<Vec<_>>().join(";\n");
            State { name, rule, sql: CONSTANTS.iter().fold(sql, |sql, (k, v)| sql.replace(k, v)) }
        })
        .collect();
    assert!(states.len() > 20);
    states
}

fn statement(line: &str) -> String {
    let (verb, rest) = if let Some(rest) = line.strip_prefix("+! ") {
        ("INSERT OR REPLACE", rest)
    } else if let Some(rest) = line.strip_prefix("+ ") {
        ("INSERT", rest)
    } else {
        return line.to_owned();
    };
    let mut parts = rest.split(" | ");
    let table = parts.next().unwrap();
    let (_, base) = BASES.iter().find(|(name, _)| *name == table).unwrap();
    let mut row = base.to_vec();
    for part in parts {
        let (column, value) = part.split_once('=').unwrap();
        match row.iter_mut().find(|(name, _)| *name == column) {
            Some(cell) => cell.1 = value,
            None => row.push((column, value)),
        }
    }
    let (columns, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
    format!("{verb} INTO {table}({}) VALUES({})", columns.join(","), values.join(","))
}
