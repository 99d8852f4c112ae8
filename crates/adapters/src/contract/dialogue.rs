//! What is said to a headless program over its standard input: plain data (SPEC 6 `plan`).
//!
//! Lines of JSON-RPC. A request waits for its answer; a later one may carry
//! what an earlier answer gave. The driver speaks; whoever planned the
//! dialogue reads the answers out of what the program said.

use serde::Serialize;
use serde_json::{Map, Value};

/// Things said one after the other. When the last is answered, or one is refused, standard input is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Dialogue {
    /// They.
    pub says: Vec<Say>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Say {
    /// Its number. `None` for a notice nobody answers.
    pub id: Option<u64>,
    /// What is asked.
    pub method: String,
    /// With what, the values of `fills` left out.
    pub params: Value,
    /// What earlier answers give to `params`: a key of the object, and the slot its value comes from.
    pub fills: Vec<(String, String)>,
    /// What is taken out of the answer: a slot, and where its value stands (RFC 6901) in the whole answer.
    pub takes: Vec<(String, String)>,
    /// What the answer must not give: where it would stand, and the value, whatever its case. Then nothing more is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<(String, String)>,
}

impl Say {
    /// A request.
    pub fn request(id: u64, method: &str, params: Value) -> Self {
        Self { id: Some(id), ..Self::notice(method, params) }
    }

    /// A line nobody answers.
    pub fn notice(method: &str, params: Value) -> Self {
        let method = method.to_owned();
        Self { id: None, method, params, fills: Vec::new(), takes: Vec::new(), never: Vec::new() }
    }

    /// The same with a parameter from an earlier answer.
    #[must_use]
    pub fn fill(mut self, key: &str, slot: &str) -> Self {
        self.fills.push((key.to_owned(), slot.to_owned()));
        self
    }

    /// The same with something to be taken out of its answer.
    #[must_use]
    pub fn take(mut self, slot: &str, pointer: &str) -> Self {
        self.takes.push((slot.to_owned(), pointer.to_owned()));
        self
    }

    /// The same with an answer it must not get.
    #[must_use]
    pub fn never(mut self, pointer: &str, value: &str) -> Self {
        self.never.push((pointer.to_owned(), value.to_owned()));
        self
    }

    /// The line as it is written, line feed included. `None` where no earlier answer gave what it needs.
    ///
    /// ```
    /// use seatfork_adapters::contract::dialogue::Say;
    /// let slots = serde_json::Map::from_iter([("thread".to_owned(), "t1".into())]);
    /// let say = Say::request(3, "name", serde_json::json!({"name": "seat"})).fill("id", "thread");
    /// assert_eq!(say.line(&slots).unwrap(), b"{\"id\":3,\"method\":\"name\",\"params\":{\"id\":\"t1\",\"name\":\"seat\"}}\n");
    /// assert!(say.line(&serde_json::Map::new()).is_none());
    /// ```
    pub fn line(&self, slots: &Map<String, Value>) -> Option<Vec<u8>> {
        let mut params = self.params.clone();
        for (key, slot) in &self.fills {
            params.as_object_mut()?.insert(key.clone(), slots.get(slot)?.clone());
        }
        let mut message = Map::new();
        if let Some(id) = self.id {
            message.insert("id".to_owned(), id.into());
        }
        message.insert("method".to_owned(), self.method.clone().into());
        message.insert("params".to_owned(), params);
        let mut line = Value::Object(message).to_string().into_bytes();
        line.push(b'\n');
        Some(line)
    }
}

/// What a line says to one who asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The whole answer.
    Given(Value),
    /// The reason it was refused.
    Refused(String),
}

/// The answer to a number, if a line is it. Programs ask things of their own and tell news; both have a method.
pub fn answer_to(line: &[u8], id: u64) -> Option<Answer> {
    let value: Value = serde_json::from_slice(line).ok()?;
    if value.get("method").is_some() || value.get("id")?.as_u64()? != id {
        return None;
    }
    match value.get("error") {
        Some(error) => {
            let told = error.get("message").and_then(Value::as_str);
            Some(Answer::Refused(told.map_or_else(|| error.to_string(), ToOwned::to_owned)))
        }
        None => Some(Answer::Given(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SPEC 6: only the answer to the very request counts, not what the program asks or tells by itself.
    #[test]
    fn an_answer_is_told_from_news_and_from_questions() {
        let line = |value: Value| value.to_string().into_bytes();
        let given = json!({"id": 2, "result": {"x": 1}});
        assert_eq!(answer_to(&line(given.clone()), 2), Some(Answer::Given(given.clone())));
        assert_eq!(answer_to(&line(given), 3), None);
        assert_eq!(answer_to(&line(json!({"id": 2, "method": "may/i", "params": {}})), 2), None);
        assert_eq!(answer_to(&line(json!({"method": "news", "params": {"id": 2}})), 2), None);
        let refused = json!({"id": 2, "error": {"code": -1, "message": "no rollout"}});
        assert_eq!(answer_to(&line(refused), 2), Some(Answer::Refused("no rollout".to_owned())));
        assert_eq!(answer_to(b"not json", 2), None);
        assert_eq!(answer_to(&line(json!({"id": "2", "result": {}})), 2), None);
    }
}
