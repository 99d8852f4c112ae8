//! A JSON Schema applied to a value: the keywords our schema uses, and no others.

use std::cell::RefCell;
use std::collections::HashMap;

use fancy_regex::Regex;
use serde_json::Value;

/// Keywords that say nothing of a value's validity.
const SILENT: &[&str] =
    &["$schema", "$defs", "title", "description", "examples", "deprecated", "then", "else"];

/// A schema and the patterns met so far.
pub(super) struct Check {
    schema: Value,
    patterns: RefCell<HashMap<String, Regex>>,
}

impl Check {
    pub(super) fn new(schema: Value) -> Self {
        Self { schema, patterns: RefCell::default() }
    }

    /// Whether the schema accepts a value.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        self.holds(&self.schema, value)
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        match schema {
            Value::Bool(all) => *all,
            Value::Object(rules) => {
                rules.iter().all(|(keyword, rule)| self.rule(schema, keyword, rule, value))
            }
            other => panic!("{other} is no schema"),
        }
    }

    fn rule(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value) -> bool {
        let all =
            |of: &Value| of.as_array().unwrap().iter().filter(|it| self.holds(it, value)).count();
        match keyword {
            "$ref" => {
                let at = rule.as_str().unwrap().strip_prefix('#').unwrap();
                self.holds(self.schema.pointer(at).unwrap(), value)
            }
            "type" => is_a(value, rule.as_str().unwrap()),
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "not" => !self.holds(rule, value),
            "allOf" => all(rule) == rule.as_array().unwrap().len(),
            "anyOf" => all(rule) > 0,
            "oneOf" => all(rule) == 1,
            "if" => {
                let branch = if self.holds(rule, value) { "then" } else { "else" };
                schema.get(branch).is_none_or(|it| self.holds(it, value))
            }
            // The rest is about values of one type and holds for all others.
            "pattern" => value.as_str().is_none_or(|text| self.matches(rule, text)),
            "maxLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 <= number(rule))
            }
            "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|it| it.len() as u64 >= number(rule)),
            "items" => value.as_array().is_none_or(|it| it.iter().all(|it| self.holds(rule, it))),
            "contains" => {
                value.as_array().is_none_or(|it| it.iter().any(|it| self.holds(rule, it)))
            }
            "required" => value.as_object().is_none_or(|map| {
                rule.as_array().unwrap().iter().all(|key| map.contains_key(key.as_str().unwrap()))
            }),
            "properties" => value.as_object().is_none_or(|map| {
                map.iter().all(|(key, it)| rule.get(key).is_none_or(|rule| self.holds(rule, it)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|map| {
                let known = schema["properties"].as_object().unwrap();
                map.iter().all(|(key, it)| known.contains_key(key) || self.holds(rule, it))
            }),
            other => {
                assert!(SILENT.contains(&other), "the keyword {other} is not looked at here");
                true
            }
        }
    }

    fn matches(&self, pattern: &Value, text: &str) -> bool {
        let pattern = pattern.as_str().unwrap();
        let mut known = self.patterns.borrow_mut();
        let regex = known.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap());
        regex.is_match(text).unwrap()
    }
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().unwrap()
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        other => panic!("the type {other} is not looked at here"),
    }
}
