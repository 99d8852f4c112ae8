//! The `OpenAI` Responses protocol, as Codex speaks it: replies plain and streamed, errors, models.

use serde_json::{Value, json};

use super::{
    http::HttpResponse,
    record::ModelRequest,
    reply::{Reply, ToolCall},
};

/// The reply to `POST /v1/responses`, streamed if asked for.
pub(super) fn reply(request: &ModelRequest) -> HttpResponse {
    let items: Vec<Value> = match Reply::to(request) {
        Reply::Text(text) => vec![message(&text)],
        Reply::ToolUse(calls) => calls.into_iter().map(function_call).collect(),
    };
    let tokens = request.body["input"].to_string().len() / 4;
    let mut response = json!({
        "id": id("resp"), "object": "response", "created_at": 1_767_225_600, "status": "completed",
        "model": request.body["model"], "output": items, "parallel_tool_calls": true,
        "usage": {
            "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens + 20,
        },
    });
    if request.body["stream"] != true {
        return HttpResponse::json(200, &response);
    }
    let mut events = vec![json!({"type": "response.created", "response": in_progress(&response)})];
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item));
    }
    events.push(json!({"type": "response.completed", "response": response.take()}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    HttpResponse::events(&events)
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": id("msg"), "status": "completed", "role": "assistant",
           "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn function_call(ToolCall { name, input }: ToolCall) -> Value {
    json!({"type": "function_call", "id": id("fc"), "call_id": id("call"), "status": "completed",
           "name": name, "arguments": input.to_string()})
}

fn in_progress(response: &Value) -> Value {
    let mut response = response.clone();
    response["status"] = "in_progress".into();
    response["output"] = json!([]);
    response["usage"] = Value::Null;
    response
}

/// One item as the stream sends it: announced, its text, whole.
fn item_events(index: usize, item: &Value) -> Vec<Value> {
    let mut announced = item.clone();
    announced["status"] = "in_progress".into();
    let text = item["content"][0]["text"].as_str();
    if text.is_some() {
        announced["content"] = json!([]);
    }
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": announced}),
    ];
    if let Some(text) = text {
        events.push(json!({"type": "response.output_text.delta", "item_id": item["id"],
                           "output_index": index, "content_index": 0, "delta": text}));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    events
}

fn id(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::new_v4().simple())
}

/// An error body in the protocol's shape.
pub(super) fn error(status: u16) -> HttpResponse {
    let kind = match status {
        401 => "invalid_api_key",
        400..500 => "invalid_request_error",
        _ => "server_error",
    };
    let message = format!("stub {status}");
    let body = json!({"error": {"message": message, "type": kind, "code": kind, "param": null}});
    HttpResponse::json(status, &body)
}

/// The answer to `GET /v1/models?client_version=…`: no model it does not know by itself.
pub(super) fn models() -> HttpResponse {
    HttpResponse::json(200, &json!({"models": []}))
}
