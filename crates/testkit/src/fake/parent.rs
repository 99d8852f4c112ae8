//! Prior conversations without the real program: grown from a recording.

use std::{fs, path::Path};

use super::FakeClaude;
use crate::{
    TestEnv,
    claude_home::ClaudeHome as _,
    fixtures,
    transcript::{Row, Transcript},
    world::{Parent, codeword, turn},
};

/// A conversation of so many turns recorded in `cwd`, its rows of the shapes the real program
/// writes, each turn with a codeword of its own.
///
/// # Panics
/// When it cannot be written, or with no turns.
pub fn recorded_parent(env: &TestEnv, cwd: &Path, turns: usize) -> Parent {
    assert!(turns > 0, "a conversation has a turn");
    let cwd = fs::canonicalize(cwd).expect("resolve the directory");
    let linear = |r: &fixtures::Recording| r.kind == "linear" && r.version == "2.1.332";
    let recording = fixtures::claude().into_iter().find(linear).expect("the recording is there");
    let old_cwd = Row::new(recording.facts.cwd.to_string_lossy().into()).text;
    let new_cwd = Row::new(cwd.to_string_lossy().into()).text;
    let mut transcript = recording.source.under_new_id();
    for row in &mut transcript.rows {
        if row.text.contains(&old_cwd) {
            *row = row.replacing(&old_cwd, &new_cwd);
        }
    }
    let (user, reply) = (first(&transcript, "user"), first(&transcript, "assistant"));
    let end = transcript.rows.iter().position(|row| row.uuid() == reply.uuid()).unwrap_or(0);
    transcript.rows.truncate(end + 1);
    let asked = user.json["message"]["content"].as_str().expect("a question").to_owned();
    let answered = reply.json["message"]["content"][0]["text"].as_str().expect("an answer");
    let mut words = Vec::new();
    let mut say = |row: &Row| {
        let question = row.kind() == "user";
        if question {
            words.push(codeword());
        }
        let word = words.last().cloned().unwrap_or_default();
        let turn = words.len() - 1;
        if question {
            row.replacing(&asked, &format!("Turn {turn}: please remember {word}"))
        } else {
            row.replacing(answered, &format!("I remember {word}"))
        }
    };
    let mut tip = reply.uuid().unwrap_or_default().to_owned();
    for row in transcript.rows.iter_mut().filter(|row| matches!(row.kind(), "user" | "assistant")) {
        *row = say(row);
    }
    for _ in 1..turns {
        let rows = turn(&user, &reply, &mut tip);
        transcript.rows.extend(rows.iter().map(&mut say));
    }
    transcript.rows.push(transcript.last_prompt(&tip));
    let folder = env.project_dir(&cwd);
    fs::create_dir_all(&folder).expect("make the project's folder");
    let path = transcript.write_into(&folder);
    let rows_about = transcript.rows.iter().any(|row| row.text.contains("\"content\":\"Turn 0"));
    debug_assert!(rows_about);
    Parent { id: transcript.id, codewords: words, left_out: Vec::new(), path, cwd }
}

fn first(transcript: &Transcript, kind: &str) -> Row {
    transcript.rows.iter().find(|row| row.kind() == kind).expect("the recording has one").clone()
}

impl FakeClaude {
    /// A faithful fake runtime on the PATH of an environment whose first-run questions are all
    /// answered for these directories.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn ready(env: &mut TestEnv, binary: &Path, trusted: &[&Path]) -> Self {
        use crate::claude_home::{Answered, DUMMY_KEY};
        env.set("ANTHROPIC_API_KEY", DUMMY_KEY);
        let trusted = trusted.iter().map(|dir| dir.to_path_buf()).collect();
        env.answer(&Answered { trusted, ..Answered::default() });
        Self::install(env, binary)
    }
}
