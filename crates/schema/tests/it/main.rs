//! Tests of the crate through its public face.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod build;
mod codes;
mod documents;
mod hostile;
mod json_schema;
mod matrix;
mod provoked;
mod rules;
mod serde_documents;
mod texts;
