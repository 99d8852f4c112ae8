//! Speaking a planned dialogue to a program while its output is captured.

use crate::contract::dialogue::{Answer, Dialogue, Say, answer_to};
use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Pieces of output that may wait to be heard; then the program waits.
pub(super) const PIECES: usize = 16;

/// The longest line that is listened to, in bytes.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// A dialogue that goes on beside the program.
pub(super) struct Talk(JoinHandle<Option<String>>);

impl Talk {
    /// Why it was not said to its end; called once the program has ended.
    pub(super) async fn finish(self) -> Option<String> {
        // The program is gone, so both ends of the talk end: what it still holds back cannot come.
        match tokio::time::timeout(std::time::Duration::from_secs(1), self.0).await {
            Ok(Ok(why)) => why,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("the program's output stayed open".to_owned()),
        }
    }
}

/// Says everything in order, then closes standard input.
pub(super) fn speak(dialogue: Dialogue, stdin: ChildStdin, heard: mpsc::Receiver<Vec<u8>>) -> Talk {
    Talk(tokio::spawn(async move {
        let mut ear = Ear { heard, held: Vec::new() };
        say_all(&dialogue, stdin, &mut ear).await.err()
    }))
}

async fn say_all(dialogue: &Dialogue, mut stdin: ChildStdin, ear: &mut Ear) -> Result<(), String> {
    let mut slots = Map::new();
    for say in &dialogue.says {
        let method = &say.method;
        let line = say
            .line(&slots)
            .ok_or_else(|| format!("no earlier answer gave what {method} needs"))?;
        stdin.write_all(&line).await.map_err(|error| format!("{method}: {error}"))?;
        stdin.flush().await.map_err(|error| format!("{method}: {error}"))?;
        if let Some(id) = say.id {
            match ear.answer(id).await? {
                Answer::Given(answer) => take(say, &answer, &mut slots)?,
                Answer::Refused(why) => return Err(format!("{method} was refused: {why}")),
            }
        }
    }
    Ok(())
}

fn take(say: &Say, answer: &Value, slots: &mut Map<String, Value>) -> Result<(), String> {
    for (pointer, barred) in &say.never {
        let given = answer.pointer(pointer).and_then(Value::as_str);
        if given.is_some_and(|given| given.trim().eq_ignore_ascii_case(barred)) {
            return Err(format!("the answer to {} gives {barred}, which it must not", say.method));
        }
    }
    for (slot, pointer) in &say.takes {
        let value = answer
            .pointer(pointer)
            .ok_or_else(|| format!("the answer to {} holds no {pointer}", say.method))?;
        slots.insert(slot.clone(), value.clone());
    }
    Ok(())
}

/// Lines out of pieces.
struct Ear {
    heard: mpsc::Receiver<Vec<u8>>,
    held: Vec<u8>,
}

impl Ear {
    async fn answer(&mut self, id: u64) -> Result<Answer, String> {
        loop {
            while let Some(end) = memchr::memchr(b'\n', &self.held) {
                let line: Vec<u8> = self.held.drain(..=end).collect();
                if let Some(answer) = answer_to(&line, id) {
                    return Ok(answer);
                }
            }
            if self.held.len() > MAX_LINE {
                return Err(format!("a line of it is longer than {MAX_LINE} bytes"));
            }
            match self.heard.recv().await {
                Some(piece) => self.held.extend_from_slice(&piece),
                None => return Err("it ended without an answer".to_owned()),
            }
        }
    }
}
