//! The model stub, spoken to over the wire.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use seatfork_testkit::model_stub::{Mode, ModelRequest, ModelStub};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(5);

/// One request; the status and the body of the answer.
fn ask(port: u16, method: &str, target: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nHost: x\r\nX-Claude-Code-Session-Id: the-session\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split_whitespace().nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, body.to_owned())
}

fn say(port: u16, text: &str) -> Value {
    let body = json!({"model": "m", "tools": [{"name": "Bash"}, {"name": "Read"}],
                      "messages": [{"role": "user", "content": text}]});
    let (status, answer) = ask(port, "POST", "/v1/messages?beta=true", &body.to_string());
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn a_reply_names_each_codeword_the_user_said_once() {
    let stub = ModelStub::start().unwrap();
    let reply = say(stub.port, "CODEWORD-aa, CODEWORD-bb and CODEWORD-aa again");
    let text = "STUB-REPLY n_msgs=1 words=CODEWORD-aa,CODEWORD-bb";
    assert_eq!(reply["content"], json!([{"type": "text", "text": text}]));
    let seen = stub.wait_for(|r| r.session_id() == Some("the-session"), SOON).unwrap();
    assert_eq!(seen.user_codewords(), ["CODEWORD-aa", "CODEWORD-bb"]);
    assert!(seen.is_model_call() && seen.is_turn());
}

/// What Codex asks: the items of its input, streamed.
fn respond(port: u16, input: &Value) -> Vec<Value> {
    let body = json!({"model": "m", "stream": true, "tools": [{"name": "exec_command"}],
                      "input": input});
    let (status, events) = ask(port, "POST", "/v1/responses", &body.to_string());
    assert_eq!(status, 200, "{events}");
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn the_other_protocol_tells_the_same_words_and_calls_the_tools_it_is_asked_for() {
    let stub = ModelStub::start().unwrap();
    let said = |text: &str| {
        json!({"type": "message", "role": "user",
                                   "content": [{"type": "input_text", "text": text}]})
    };
    let call = r#"CODEWORD-aa [[tool exec_command {"cmd":"ls"}]]"#;
    let asked = respond(stub.port, &json!([said(call)]));
    let done = asked.iter().find(|e| e["type"] == "response.output_item.done").unwrap();
    assert_eq!(done["item"]["type"], "function_call");
    assert_eq!(done["item"]["arguments"], r#"{"cmd":"ls"}"#);
    let result = json!({"type": "function_call_output", "call_id": "x", "output": "CODEWORD-bb"});
    let answered = respond(stub.port, &json!([said(call), done["item"], result]));
    let completed = answered.last().unwrap();
    assert_eq!(completed["type"], "response.completed");
    let text = &completed["response"]["output"][0]["content"][0]["text"];
    assert_eq!(text, "STUB-REPLY n_msgs=3 words=CODEWORD-aa,CODEWORD-bb");
    let delta = answered.iter().find(|e| e["type"] == "response.output_text.delta").unwrap();
    assert_eq!(&delta["delta"], text);
    assert!(stub.requests().iter().all(|r| r.is_turn() && r.is_model_call()));
}

#[test]
fn words_of_the_model_itself_are_no_history() {
    let stub = ModelStub::start().unwrap();
    let messages = json!([{"role": "user", "content": "CODEWORD-one"},
        {"role": "assistant", "content": "CODEWORD-two"},
        {"role": "user", "content": [{"type": "tool_result", "content": [
            {"type": "text", "text": "CODEWORD-three"}]}]}]);
    ask(stub.port, "POST", "/v1/messages", &json!({"messages": messages}).to_string());
    let request = stub.requests().remove(0);
    assert_eq!(request.user_codewords(), ["CODEWORD-one", "CODEWORD-three"]);
    assert!(request.all_codewords().contains(&"CODEWORD-two".to_owned()));
}

#[test]
fn a_streamed_reply_adds_up_to_the_plain_one() {
    let stub = ModelStub::start().unwrap();
    let text = r#"[[tool Bash {"command":"echo ]] x"}]] [[tool Read {"file_path":"f"}]]"#;
    let plain = say(stub.port, text);
    let body = json!({"stream": true, "tools": [{"name": "Bash"}, {"name": "Read"}],
                      "messages": [{"role": "user", "content": text}]});
    let (_, events) = ask(stub.port, "POST", "/v1/messages", &body.to_string());
    let events: Vec<Value> = events
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let inputs: Vec<Value> = events
        .iter()
        .filter_map(|e| e["delta"]["partial_json"].as_str())
        .map(|part| serde_json::from_str(part).unwrap())
        .collect();
    let calls = plain["content"].as_array().unwrap();
    assert_eq!(calls.iter().map(|c| c["input"].clone()).collect::<Vec<_>>(), inputs);
    assert_eq!(inputs, [json!({"command": "echo ]] x"}), json!({"file_path": "f"})]);
    assert_eq!(events[0]["type"], "message_start");
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    assert_eq!(plain["stop_reason"], "tool_use");
}

#[test]
fn a_tool_that_was_not_offered_is_not_called() {
    let stub = ModelStub::start().unwrap();
    let reply = say(stub.port, r#"[[tool Edit {"file_path":"f"}]]"#);
    assert_eq!(reply["stop_reason"], "end_turn");
}

#[test]
fn the_order_to_compact_is_answered_with_a_summary_that_counts_the_words_it_replaces() {
    let stub = ModelStub::start().unwrap();
    let order = "Your task is to create a detailed summary of the conversation. CODEWORD-aa";
    let reply = say(stub.port, order);
    let text = reply["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("<summary>") && text.contains("CODEWORD-summary1"), "{text}");
}

#[test]
fn modes_change_the_answer_and_every_request_is_recorded_all_the_same() {
    let stub = ModelStub::start().unwrap();
    for (mode, status) in [("500", 500), ("401", 401), ("404", 404), ("ok", 200)] {
        ask(stub.port, "GET", &format!("/__stub?mode={mode}"), "");
        for (route, body) in
            [("/v1/messages", r#"{"messages":[]}"#), ("/v1/responses", r#"{"input":[]}"#)]
        {
            let (got, _) = ask(stub.port, "POST", route, body);
            assert_eq!(got, status, "{mode}: {route}");
        }
    }
    assert_eq!(ask(stub.port, "GET", "/__stub?mode=nonsense", "").0, 400);
    assert_eq!(stub.model_calls().len(), 8);
    assert_eq!(ask(stub.port, "GET", "/v1/models", "").0, 200);
    assert_eq!(ask(stub.port, "GET", "/elsewhere", "").0, 404);
    assert_eq!(stub.requests().len(), 10);
    stub.forget();
    assert!(stub.requests().is_empty());
}

#[test]
fn a_hanging_call_is_recorded_at_once_and_answered_when_the_mode_changes() {
    let stub = ModelStub::start().unwrap();
    stub.set_mode(Mode::Hang);
    let port = stub.port;
    let asking = thread::spawn(move || ask(port, "POST", "/v1/messages", r#"{"messages":[]}"#));
    assert!(stub.wait_for(ModelRequest::is_model_call, SOON).is_some());
    assert!(!asking.is_finished());
    stub.set_mode(Mode::Ok);
    assert_eq!(asking.join().unwrap().0, 200);
}

#[test]
fn a_slow_call_is_answered_after_its_delay() {
    let stub = ModelStub::start().unwrap();
    stub.set_mode(Mode::parse("slow:0.3").unwrap());
    let start = Instant::now();
    say(stub.port, "hi");
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn waiting_for_what_never_comes_ends_at_its_deadline() {
    let stub = ModelStub::start().unwrap();
    assert!(stub.wait_for(|_| true, Duration::from_millis(50)).is_none());
}

#[test]
fn the_binary_prints_its_port_logs_each_request_and_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let mut child = command(env!("CARGO_BIN_EXE_model-stub"))
        .args(["--until-eof", "--log"])
        .arg(&log)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().parse().unwrap();
    say(port, "CODEWORD-aa");
    let logged: Value = serde_json::from_str(&std::fs::read_to_string(&log).unwrap()).unwrap();
    assert_eq!(logged["body"]["messages"][0]["content"], "CODEWORD-aa");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[expect(clippy::disallowed_methods, reason = "tests start the binaries they test")]
fn command(program: &str) -> Command {
    Command::new(program)
}
