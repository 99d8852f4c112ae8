//! What stands around a transcript, and what its rows say of permissions, decides nothing.

use super::home::{Home, SLUG};
use super::made::{SOURCE, text, user};
use seatfork_adapters::ResolveError;
use serde_json::{Value, json};

fn talk() -> Vec<Value> {
    vec![user(1, None), super::made::assistant(2, Some(1))]
}

// SPEC 6, 10: the transcript on disk decides; an index beside it neither hides one that is there nor makes up one that is not.
#[test]
fn an_index_beside_the_transcripts_decides_nothing() {
    let other = "11111111-1111-4111-8111-111111111111";
    let entry = |id: &str, project: &str| {
        json!({"version": 1, "entries": [{"sessionId": id, "fullPath": format!("{project}/{id}.jsonl"), "projectPath": project}]})
            .to_string()
    };
    for index in [
        String::new(),
        "{}".to_owned(),
        r#"{"version":1,"entries":[{"sessio"#.to_owned(),
        entry(other, "/home/user/project"),
        entry(SOURCE, "/somewhere/else"),
        "[1, null]".to_owned(),
    ] {
        let home = Home::new();
        let path = home.write(SOURCE, text(&talk()));
        home.place.file(&format!(".claude/projects/{SLUG}/sessions-index.json"), &index);
        let evidence = home.resolve(SOURCE).unwrap();
        assert_eq!((evidence.path, evidence.records), (path, 2), "{index}");
        let error = home.resolve(other).unwrap_err();
        assert!(matches!(error, ResolveError::NotFound { .. }), "{index}: {error}");
    }
}

// SPEC 6: whose a conversation is is told by the directory in its rows, not by its folder: two directories can share one.
#[test]
fn directories_that_share_a_folder_are_told_apart() {
    let home = Home::new();
    for cwd in ["/home/user/project", "/home/user-project", "/home/user_project"] {
        let mut rows = talk();
        for row in &mut rows {
            row["cwd"] = json!(cwd);
        }
        // The folder of the seat's own directory.
        home.write(SOURCE, text(&rows));
        assert_eq!(home.resolve(SOURCE).unwrap().recorded_cwd.as_deref(), Some(cwd));
    }
}
