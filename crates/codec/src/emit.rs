//! Documents as canonical YAML (SPEC 5).
//!
//! One text per document: fixed key order, block style, no empty containers
//! but the lists a reader must see, ids and free text double-quoted. It reads
//! the same under YAML 1.1 and 1.2, and writing what was read from it gives it
//! again, byte for byte. Every struct is taken apart without `..`, so a field
//! that is added and not written does not compile.

mod parts;
mod rig;
mod writer;

use seatfork_schema::spec::{Document, Payload, RigSpec};

use writer::Writer;

/// Writes a document as canonical YAML.
///
/// ```
/// # use seatfork_codec::{Hints, emit, parse};
/// let text = b"{version: '0.2', name: demo, pods: [{id: dev, label: Dev, members: [
///   {id: a, runtime: codex, agent_ref: agents/a.yaml, profile: p, cwd: .}]}]}";
/// let document = parse(text, &Hints::default()).document.expect("it is valid");
/// let canonical = emit(&document);
/// assert!(canonical.starts_with("version: \"0.2\"\nname: \"demo\"\npods:\n  - id: \"dev\"\n"));
///
/// let again = parse(canonical.as_bytes(), &Hints::default()).document.expect("it is valid");
/// assert_eq!(emit(&again), canonical);
/// ```
pub fn emit(document: &Document) -> String {
    match document {
        Document::Rig(rig) => emit_rig(rig),
        Document::Payload(payload) => emit_payload(payload),
    }
}

/// A document's normal form as a JSON value: the same tree that [`emit`] writes as YAML.
///
/// # Panics
/// Never: the normal form holds text, booleans, lists and mappings with text as keys.
pub fn normal_form(document: &Document) -> serde_json::Value {
    serde_json::to_value(document).expect("the normal form is text, booleans, lists and mappings")
}

/// Writes a rig as canonical YAML.
pub fn emit_rig(rig: &RigSpec) -> String {
    let mut writer = Writer::default();
    rig::rig(&mut writer, rig.fields());
    writer.finish()
}

/// Writes an expand payload as canonical YAML.
pub fn emit_payload(payload: &Payload) -> String {
    let mut writer = Writer::default();
    rig::payload(&mut writer, payload.fields());
    writer.finish()
}
