//! What the stub says: a text with what it saw, a tool call it was asked for, or a summary.

use serde_json::{Deserializer, Value};

use super::record::ModelRequest;

/// One reply of the model.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    Text(String),
    ToolUse(Vec<ToolCall>),
}

/// One call in a reply.
#[derive(Debug, PartialEq)]
pub(super) struct ToolCall {
    pub(super) name: String,
    pub(super) input: Value,
}

impl Reply {
    /// The reply to a request.
    pub(super) fn to(request: &ModelRequest) -> Self {
        let last = request.messages().iter().rfind(|m| ModelRequest::is_users(m));
        let texts = last.map(ModelRequest::texts).unwrap_or_default();
        if !answers_a_tool(last) {
            let mut calls: Vec<_> = texts.iter().flat_map(|t| requested_tools(t)).collect();
            calls.retain(|call| offers(request, &call.name));
            if !calls.is_empty() {
                return Self::ToolUse(calls);
            }
        }
        let words = request.user_codewords();
        if texts.iter().any(|t| is_compaction(t)) {
            return Self::Text(summary(words.len()));
        }
        let words = words.join(",");
        Self::Text(format!("STUB-REPLY n_msgs={} words={words}", request.messages().len()))
    }
}

/// A summary in the shape the runtime asks for. It carries a codeword of its own in place of those
/// it replaces, so that a test can tell what came by summary from what came by history.
fn summary(words: usize) -> String {
    format!(
        "<analysis>\nThe conversation so far, in order.\n</analysis>\n\n<summary>\n1. Primary \
         Request and Intent:\n   The user asked to remember {words} words: \
         CODEWORD-summary{words}\n2. Pending Tasks:\n   None.\n</summary>"
    )
}

/// The tool calls a text asks for: each `[[tool NAME {json input}]]` in it. Several make one
/// reply with several calls, as a real model does.
fn requested_tools(text: &str) -> Vec<ToolCall> {
    text.split("[[tool ").skip(1).filter_map(requested_tool).collect()
}

fn requested_tool(text: &str) -> Option<ToolCall> {
    let (name, rest) = text.split_once(' ')?;
    let mut values = Deserializer::from_str(rest).into_iter::<Value>();
    let input = values.next()?.ok()?;
    let closed = rest[values.byte_offset()..].trim_start().starts_with("]]");
    closed.then(|| ToolCall { name: name.to_owned(), input })
}

/// Whether the message brings a tool's result, so that the turn goes on after a call.
fn answers_a_tool(message: Option<&Value>) -> bool {
    let Some(message) = message else { return false };
    let mut blocks = message["content"].as_array().into_iter().flatten();
    message["type"] == "function_call_output" || blocks.any(|b| b["type"] == "tool_result")
}

fn offers(request: &ModelRequest, tool: &str) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| tools.iter().any(|t| t["name"] == tool))
}

/// Whether the text is the runtime's own order to summarise the conversation (`/compact`).
fn is_compaction(text: &str) -> bool {
    ["create a detailed summary of", "CONTEXT CHECKPOINT COMPACTION"]
        .iter()
        .any(|o| text.contains(o))
}
