//! Things that must not run while a conversation is forked: hooks, MCP servers, command files.

use std::{fs, path::Path, path::PathBuf};

use serde_json::{Value, json};

use crate::{TestEnv, claude_home::ClaudeHome as _};

/// A hook in the user's and in the project's settings, a project MCP server, and command files
/// named like the runtime's own `/cost`: each leaves a mark when it runs.
#[derive(Debug)]
pub struct Traps {
    marks: PathBuf,
}

impl Traps {
    /// Sets them all for a directory.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn set(env: &TestEnv, cwd: &Path) -> Self {
        let marks = env.dir("marks");
        let spring = |name: &str| format!("touch {}", marks.join(name).display());
        let hooks = |whose: &str| {
            let hook = |event: &str| {
                let command = spring(&format!("{whose}-{event}"));
                json!([{"hooks": [{"type": "command", "command": command}]}])
            };
            let events = ["SessionStart", "UserPromptSubmit", "SessionEnd", "Stop"];
            let hooks: serde_json::Map<_, _> =
                events.into_iter().map(|event| (event.to_owned(), hook(event))).collect();
            json!({"hooks": hooks, "enableAllProjectMcpServers": true})
        };
        let server = json!({"mcpServers": {"trap": {
            "command": "/bin/sh", "args": ["-c", spring("mcp-server")],
        }}});
        let user = env.claude_dir();
        write(&user.join("settings.json"), &hooks("user"));
        write(&cwd.join(".claude/settings.json"), &hooks("project"));
        write(&cwd.join(".mcp.json"), &server);
        for folder in [user, cwd.join(".claude")] {
            write_text(&folder.join("commands/cost.md"), "Say CODEWORD-trap.\n");
        }
        Self { marks }
    }

    /// Traps somebody else has set, which leave their marks in a folder.
    pub fn marked_in(marks: &Path) -> Self {
        Self { marks: marks.to_path_buf() }
    }

    /// Takes the marks away, as if none had run.
    ///
    /// # Panics
    /// When a mark cannot be taken away.
    pub fn forget(&self) {
        for name in self.sprung() {
            fs::remove_file(self.marks.join(name)).expect("take a mark away");
        }
    }

    /// The names of those that ran so far. A shadowed `/cost` leaves no mark here: it calls the
    /// model, with `CODEWORD-trap`.
    ///
    /// # Panics
    /// When the marks cannot be listed.
    pub fn sprung(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.marks).expect("list the marks");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.filter_map(Result::ok).map(name).collect();
        names.sort_unstable();
        names
    }
}

fn write(path: &Path, json: &Value) {
    write_text(path, &json.to_string());
}

fn write_text(path: &Path, text: &str) {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).unwrap_or_else(|e| panic!("make {}: {e}", folder.display()));
    }
    fs::write(path, text).unwrap_or_else(|e| panic!("write {}: {e}", path.display()));
}
