//! What a runtime sent, kept for tests to look at.

use serde_json::{Value, json};

use super::http::HttpRequest;

/// One request a runtime made.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Its number, counted from 0 since the start or the last `forget`.
    pub number: usize,
    /// `GET`, `POST`.
    pub method: String,
    /// Path with query, as sent.
    pub target: String,
    /// Headers as sent, in order. Credentials in them are dummies by construction of the tests.
    pub headers: Vec<(String, String)>,
    /// The body; a string when it was not JSON, null when there was none.
    pub body: Value,
}

impl ModelRequest {
    pub(super) fn new(number: usize, http: &HttpRequest) -> Self {
        let body = if http.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&http.body)
                .unwrap_or_else(|_| String::from_utf8_lossy(&http.body).into_owned().into())
        };
        Self {
            number,
            method: http.method.clone(),
            target: http.target.clone(),
            headers: http.headers.clone(),
            body,
        }
    }

    /// A header's value, its name compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The conversation's native id as the runtime names it: Claude Code in
    /// `X-Claude-Code-Session-Id`, Codex in `thread-id`.
    pub fn session_id(&self) -> Option<&str> {
        self.header("x-claude-code-session-id").or_else(|| self.header("thread-id"))
    }

    /// Whether it asks the model for a reply.
    pub fn is_model_call(&self) -> bool {
        self.method == "POST" && matches!(self.route(), "/v1/messages" | "/v1/responses")
    }

    fn route(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Whether it is a turn of the conversation: a call that offers tools. Claude Code makes others
    /// under the same session id (2.1.197 asks for a title after each turn), Codex under another.
    pub fn is_turn(&self) -> bool {
        let tools = self.body["tools"].as_array();
        self.is_model_call() && tools.is_some_and(|tools| !tools.is_empty())
    }

    /// The messages sent: Messages' `messages`, or the items of Responses' `input`, tool calls and
    /// their results among them.
    pub fn messages(&self) -> &[Value] {
        let messages = self.body["messages"].as_array().or(self.body["input"].as_array());
        messages.map_or(&[], Vec::as_slice)
    }

    /// The texts of one message's blocks, in order; tool results are included.
    pub(super) fn texts(message: &Value) -> Vec<&str> {
        let mut texts = Vec::new();
        collect_texts(&message["content"], &mut texts);
        collect_texts(&message["output"], &mut texts);
        texts
    }

    /// Whether a message is the user's, or brings a tool's result.
    pub(super) fn is_users(message: &Value) -> bool {
        message["role"] == "user" || message["type"] == "function_call_output"
    }

    /// The codewords in user messages (a summary of a compaction is one), in order of first
    /// appearance. Replies of the model repeat codewords, so they are not counted as history.
    pub fn user_codewords(&self) -> Vec<String> {
        let users = self.messages().iter().filter(|message| Self::is_users(message));
        unique(users.flat_map(Self::texts).flat_map(codewords_in))
    }

    /// The codewords anywhere in the body: system prompt, tools, replies included.
    pub fn all_codewords(&self) -> Vec<String> {
        unique(codewords_in(&self.body.to_string()).into_iter())
    }

    /// The JSON line of the log file.
    pub(super) fn to_json(&self) -> Value {
        let headers = self.headers.iter().map(|(n, v)| json!([n, v])).collect::<Vec<_>>();
        json!({
            "number": self.number, "method": self.method, "target": self.target,
            "headers": headers, "body": self.body,
        })
    }
}

fn collect_texts<'a>(content: &'a Value, texts: &mut Vec<&'a str>) {
    match content {
        Value::String(text) => texts.push(text),
        Value::Array(blocks) => {
            for block in blocks {
                texts.extend(block["text"].as_str());
                collect_texts(&block["content"], texts);
            }
        }
        _ => {}
    }
}

/// Every `CODEWORD-` followed by letters or digits, in order, repeats included.
pub fn codewords_in(text: &str) -> Vec<String> {
    const PREFIX: &str = "CODEWORD-";
    text.match_indices(PREFIX)
        .filter_map(|(start, _)| {
            let rest = &text[start + PREFIX.len()..];
            let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            (len > 0).then(|| text[start..start + PREFIX.len() + len].to_owned())
        })
        .collect()
}

fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}
