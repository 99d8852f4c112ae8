//! The Anthropic Messages protocol: replies plain and streamed, errors, counts, models.

use serde_json::{Value, json};

use super::{
    http::HttpResponse,
    record::ModelRequest,
    reply::{Reply, ToolCall},
};

/// The reply to `POST /v1/messages`, streamed if asked for.
pub(super) fn reply(request: &ModelRequest) -> HttpResponse {
    let model = request.body["model"].as_str().unwrap_or("stub-model");
    let (blocks, stop) = match Reply::to(request) {
        Reply::Text(text) => (vec![json!({"type": "text", "text": text})], "end_turn"),
        Reply::ToolUse(calls) => (calls.into_iter().map(tool_use).collect(), "tool_use"),
    };
    let mut message = json!({
        "id": id("msg"), "type": "message", "role": "assistant", "model": model,
        "content": blocks, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": tokens(request), "output_tokens": 20},
    });
    if request.body["stream"] != true {
        return HttpResponse::json(200, &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.into_iter().enumerate() {
        events.extend(block_events(index, block));
    }
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"output_tokens": 20},
    }));
    events.push(json!({"type": "message_stop"}));
    HttpResponse::events(&events)
}

fn tool_use(ToolCall { name, input }: ToolCall) -> Value {
    json!({"type": "tool_use", "id": id("toolu"), "name": name, "input": input})
}

/// One content block as the stream sends it: empty, its content, its end.
fn block_events(index: usize, mut block: Value) -> [Value; 3] {
    let delta = if block["type"] == "text" {
        json!({"type": "text_delta", "text": block["text"].take()})
    } else {
        json!({"type": "input_json_delta", "partial_json": block["input"].take().to_string()})
    };
    if block["type"] == "text" {
        block["text"] = "".into();
    } else {
        block["input"] = json!({});
    }
    [
        json!({"type": "content_block_start", "index": index, "content_block": block}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ]
}

fn id(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::new_v4().simple())
}

/// An error body in the protocol's shape.
pub(super) fn error(status: u16) -> HttpResponse {
    let kind = match status {
        401 => "authentication_error",
        404 => "not_found_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    let message = format!("stub {status}");
    let body = json!({"type": "error", "error": {"type": kind, "message": message}});
    HttpResponse::json(status, &body)
}

/// The answer to `POST /v1/messages/count_tokens`.
pub(super) fn count_tokens(request: &ModelRequest) -> HttpResponse {
    HttpResponse::json(200, &json!({"input_tokens": tokens(request)}))
}

/// The answer to `GET /v1/models`.
pub(super) fn models() -> HttpResponse {
    let model = json!({"type": "model", "id": "stub-model", "display_name": "Stub",
                       "created_at": "2026-01-01T00:00:00Z"});
    let body = json!({"data": [model], "has_more": false, "first_id": "stub-model",
                      "last_id": "stub-model"});
    HttpResponse::json(200, &body)
}

/// A rough count: four bytes a token, of the messages alone.
fn tokens(request: &ModelRequest) -> usize {
    request.body["messages"].to_string().len() / 4
}
