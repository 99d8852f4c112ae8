//! What a command takes does not grow with what it reads.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use seatfork_testkit::transcript::Row;
use serde_json::json;

use crate::claude::Claude;

/// More than a command may keep, and less than a machine minds.
const SOURCE_BYTES: u64 = 40_000_000;

/// Data a command may have, in kilobytes: far below the source.
const MOST_KB: u32 = 30_000;

/// Lets the prior conversation grow by turns with long replies.
fn grow(claude: &Claude) {
    let text = fs::read_to_string(&claude.parent.path).unwrap();
    let rows: Vec<Row> =
        text.lines().map(|line| Row::new(serde_json::from_str(line).unwrap())).collect();
    let last = |kind: &str| rows.iter().rfind(|row| row.kind() == kind).unwrap();
    let (user, reply) = (last("user"), last("assistant"));
    let mut file = OpenOptions::new().append(true).open(&claude.parent.path).unwrap();
    let mut tip = reply.uuid().unwrap().to_owned();
    let filler = "The quick brown fox. ".repeat(50_000);
    for number in 1_u32.. {
        if file.metadata().unwrap().len() > SOURCE_BYTES {
            break;
        }
        for (row, half) in [(user, 0), (reply, 1)] {
            let uuid = format!("{number:08x}-0000-4000-8000-00000000000{half}");
            let mut json = row.json.clone();
            json["uuid"] = json!(uuid);
            json["parentUuid"] = json!(tip);
            if half == 1 {
                json["message"]["id"] = json!(format!("msg_{number}"));
                json["message"]["content"] = json!([{"type": "text", "text": filler}]);
            }
            writeln!(file, "{json}").unwrap();
            tip = uuid;
        }
    }
    writeln!(
        file,
        "{}",
        json!({"type": "last-prompt", "leafUuid": tip, "sessionId": claude.parent.id})
    )
    .unwrap();
}

// SPEC 6: a source is read streaming: forking and checking one of 40 MB takes a fraction of it in memory.
#[test]
fn a_large_source_takes_little_memory() {
    let claude = Claude::new();
    claude.one_fork();
    grow(&claude);
    let limited = |args: &str| {
        let mut sh = claude.command("sh");
        let line = format!("ulimit -d {MOST_KB}; exec \"$0\" {args}");
        sh.args(["-c", &line, env!("CARGO_BIN_EXE_seatfork")]);
        claude.finish(sh, "seatfork")
    };
    let plan = limited("plan --json work/rig.yaml").exits(0).json();
    let look = &plan["seats"][0]["source"]["look"];
    assert!(look["bytes"].as_u64().unwrap() > SOURCE_BYTES, "{plan:#}");
    drop(limited("sessions --all").exits(0));
    // The runtime itself may take what it likes.
    drop(claude.run(["up", "work/rig.yaml"]).exits(0));
    drop(limited("verify").exits(0));
}
