//! Which conversation a process serves.

use super::home::{Home, claude, start_of};
use super::made::{CHILD, SOURCE, assistant, text, user};
use crate::support::block_on;
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::{Adapter, Observation, ProcessId};
use seatfork_testkit::offline;
use std::path::Path;
use std::process::{Child, Stdio};

/// A process that just is there, ended with its owner.
struct Sleeper(Child);

impl Sleeper {
    fn new() -> Self {
        // Inside a namespace or not does not matter to it.
        let mut command = offline::command_offline(Path::new("/bin/sleep")).unwrap();
        Self(command.arg("600").stdin(Stdio::null()).spawn().unwrap())
    }

    fn id(&self) -> ProcessId {
        ProcessId { pid: self.0.id(), start: start_of(self.0.id()) }
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn observe(home: &Home, pane: ProcessId) -> Observation {
    block_on(ClaudeCode.observe(pane, &home.env))
}

// SPEC 6: what the pane's own process serves is told by its own file, with its start time; ready is idle or busy.
#[test]
fn a_pane_serves_what_its_own_process_says() {
    let home = Home::new();
    let pane = Sleeper::new();
    assert_eq!(observe(&home, pane.id()), Observation::Unknown, "before any file is there");
    for (status, ready) in
        [(None, false), (Some("idle"), true), (Some("busy"), true), (Some("picking"), false)]
    {
        home.serve(CHILD, pane.id().pid, status);
        assert_eq!(
            observe(&home, pane.id()),
            Observation::Serving { conversation: claude(CHILD), ready },
            "{status:?}"
        );
    }
    // A file left by a process that had the same id before.
    home.serve_since(CHILD, pane.id().pid, pane.id().start - 1, Some("idle"));
    assert_eq!(observe(&home, pane.id()), Observation::Unknown);
    // Another process that serves it does not count for this pane.
    let other = Sleeper::new();
    home.stop_serving(pane.id().pid);
    home.serve(CHILD, other.id().pid, Some("idle"));
    assert_eq!(observe(&home, pane.id()), Observation::Unknown);
    // The pane's process is a wrapper, and the program its child.
    let me = std::process::id();
    let wrapper = ProcessId { pid: me, start: start_of(me) };
    assert_eq!(
        observe(&home, wrapper),
        Observation::Serving { conversation: claude(CHILD), ready: true }
    );
    let gone = pane.id();
    drop(pane);
    assert_eq!(observe(&home, gone), Observation::Gone);
}

// SPEC 6: a conversation is in use when a living process of the recorded start time serves it; a stale file is nobody.
#[test]
fn a_conversation_is_in_use_only_while_its_process_lives() {
    let home = Home::new();
    let in_use = |id: &str| block_on(ClaudeCode.in_use(&claude(id), &home.env));
    assert!(in_use(SOURCE).unwrap().is_none(), "a runtime that never ran");
    let process = Sleeper::new();
    let pid = process.id().pid;
    home.serve(SOURCE, pid, Some("idle"));
    let found = in_use(SOURCE).unwrap().unwrap();
    assert_eq!((found.pid, found.seen_in), (pid, format!("sessions/{pid}.json")));
    assert!(in_use(CHILD).unwrap().is_none());
    assert!(in_use(&SOURCE.to_ascii_uppercase()).unwrap().is_some(), "by case too");
    // The seat's name, a key and a torn file of the dead are no conversation.
    home.place.file(&format!(".claude/sessions/{pid}.abc.key"), "secret");
    home.place.file(".claude/sessions/4194304.json", "");
    home.place.file(".claude/sessions/notes.json", "{}");
    assert!(in_use(CHILD).unwrap().is_none());
    // A torn file of the living is no absence.
    home.place.file(&format!(".claude/sessions/{pid}.json"), "{\"pid\":");
    assert!(in_use(CHILD).unwrap_err().to_string().contains(&format!("{pid}.json")));
    home.serve_since(SOURCE, pid, process.id().start + 7, Some("idle"));
    assert!(in_use(SOURCE).unwrap().is_none(), "the id of a process is given again");
    home.serve(SOURCE, pid, Some("idle"));
    drop(process);
    assert!(in_use(SOURCE).unwrap().is_none(), "left behind by a kill");
}

// SPEC 6, 7: where a seat's own conversation stands, and whether a child of ours was made, whole or partial.
#[test]
fn a_conversation_is_located_by_its_id_alone() {
    let home = Home::new();
    let locate = || block_on(ClaudeCode.locate(&claude(CHILD), &home.env));
    let planned = seatfork_schema::PlannedChild::new(claude(CHILD));
    let made = || block_on(ClaudeCode.find_made(Some(&planned), "nonce", &home.env));
    assert!(locate().unwrap().is_none() && made().unwrap().is_none());
    assert!(block_on(ClaudeCode.find_made(None, "nonce", &home.env)).unwrap().is_none());
    let path = home.write(CHILD, "");
    assert_eq!(locate().unwrap(), Some(path.clone()));
    let found = made().unwrap().unwrap();
    assert_eq!((found.conversation, found.path, found.bytes), (claude(CHILD), path, 0));
    home.place.file(&format!(".claude/projects/-w-b/{CHILD}.jsonl"), "");
    assert!(locate().unwrap_err().to_string().contains("2 places"));
    std::fs::remove_dir_all(home.place.path.join(".claude/projects")).unwrap();
    home.place.file(".claude/projects", "");
    assert!(locate().is_err(), "an error is not an absence");
}

// SPEC 12: prior conversations across projects, newest first, with forkable or why not.
#[test]
fn prior_conversations_are_listed_newest_first() {
    let home = Home::new();
    let sessions = || block_on(ClaudeCode.sessions(&home.env)).unwrap();
    assert!(sessions().is_empty());
    let id = |number: u32| format!("{number}1111111-1111-4111-8111-111111111111");
    let talk = |number: u32| {
        let mut rows = vec![user(1, None), assistant(2, Some(1))];
        for row in &mut rows {
            row["sessionId"] = serde_json::json!(id(number));
        }
        rows
    };
    let mut titled = text(&talk(1));
    titled.push_str("{\"type\":\"ai-title\",\"aiTitle\":\"made up\"}\n{\"type\":\"custom-title\",\"customTitle\":\"given\"}\n");
    titled.push_str("{\"type\":\"ai-title\",\"aiTitle\":\"made up again\"}\n");
    let files = [
        (1, titled),
        (2, text(&talk(2))),
        (3, String::new()),
        (4, "garbage\n".to_owned()),
        (5, text(&talk(5)[..1])),
        (6, text(&talk(6))),
    ];
    for (number, bytes) in files {
        let path = home.write(&id(number), bytes);
        let time =
            std::time::SystemTime::now() - std::time::Duration::from_secs(u64::from(number) * 60);
        std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }
    home.place.file(&format!(".claude/projects/-w-b/{}.jsonl", id(6)), text(&talk(6)));
    home.serve(&id(2), std::process::id(), Some("idle"));
    let told: Vec<String> = sessions()
        .into_iter()
        .map(|one| {
            format!(
                "{} {} {} {} {}",
                one.conversation.native_id.as_str().split('-').next().unwrap(),
                one.preview.as_deref().unwrap_or("-"),
                one.records.map_or_else(|| "?".to_owned(), |count| count.to_string()),
                one.not_forkable.as_deref().unwrap_or("forkable"),
                if one.live.is_some() { "live" } else { "" },
            )
        })
        .collect();
    insta::assert_snapshot!("sessions", told.join("\n"));
    assert!(sessions().iter().all(|one| one.last_activity.is_some()));
}
