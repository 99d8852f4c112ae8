//! The Anthropic Messages protocol: replies plain and streamed, errors, counts, models.

use serde_json::{Value, json};

use super::{http::HttpResponse, record::ModelRequest, reply::Reply};

/// The reply to `POST /v1/messages`, streamed if asked for.
pub(super) fn reply(request: &ModelRequest) -> HttpResponse {
    let reply = Reply::to(request);
    let id = uuid::Uuid::new_v4().simple().to_string();
    let model = request.body["model"].as_str().unwrap_or("stub-model");
    let usage = json!({"input_tokens": tokens(request), "output_tokens": 20});
    let (block, stop) = match &reply {
        Reply::Text(text) => (json!({"type": "text", "text": text}), "end_turn"),
        Reply::ToolUse { name, input } => (
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input}),
            "tool_use",
        ),
    };
    let mut message = json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": model,
        "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage,
    });
    if request.body["stream"] != true {
        return HttpResponse::json(200, &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let (empty, delta) = match &reply {
        Reply::Text(text) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
        }
        Reply::ToolUse { name, input } => (
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        ),
    };
    HttpResponse::events(&[
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
               "usage": {"output_tokens": 20}}),
        json!({"type": "message_stop"}),
    ])
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
