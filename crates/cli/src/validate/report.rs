//! What `validate` says of a file: one line for people, one object for programs (SPEC 13).

use seatfork_codec::{JsonDiagnostic, Outcome};
use seatfork_schema::spec::{Document, Member, SessionSource};
use seatfork_schema::{LaunchCode, Runtime, Severity, printable};
use serde::{Serialize, Serializer};

use super::Checked;
use crate::output::{Failure, SCHEMA_VERSION};

/// The object of one file; the shape others build on.
#[derive(Debug, Serialize)]
pub(super) struct Report<'r> {
    schema_version: u32,
    ok: bool,
    file: &'r str,
    document: &'static str,
    rig: Option<&'r str>,
    diagnostics: Vec<JsonDiagnostic>,
    #[serde(skip_serializing_if = "NormalForm::is_unasked")]
    normal_form: NormalForm<'r>,
}

impl<'r> Report<'r> {
    pub(super) fn new(checked: &'r Checked, normal_form: bool) -> Self {
        let Outcome { document, kind, rig, diagnostics } = &checked.outcome;
        Self {
            schema_version: SCHEMA_VERSION,
            ok: document.is_some(),
            file: &checked.input.file,
            document: kind.as_str(),
            rig: rig.as_deref(),
            diagnostics: diagnostics.iter().map(JsonDiagnostic::from).collect(),
            normal_form: match document {
                _ if !normal_form => NormalForm::Unasked,
                None => NormalForm::Refused,
                Some(document) => NormalForm::Of(document),
            },
        }
    }
}

/// The normal form of a document, where it was asked for; `null` of a refused one.
#[derive(Debug)]
enum NormalForm<'r> {
    Unasked,
    Refused,
    Of(&'r Document),
}

impl NormalForm<'_> {
    fn is_unasked(&self) -> bool {
        matches!(self, Self::Unasked)
    }
}

impl Serialize for NormalForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unasked | Self::Refused => serializer.serialize_none(),
            Self::Of(document) => document.serialize(serializer),
        }
    }
}

/// The object of several files.
#[derive(Debug, Serialize)]
pub(super) struct Several<'r> {
    pub(super) schema_version: u32,
    pub(super) ok: bool,
    pub(super) results: Vec<Entry<'r>>,
}

/// One of several files.
#[derive(Debug)]
pub(super) enum Entry<'r> {
    Report(Report<'r>),
    Unread(Unread<'r>),
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Report(report) => report.serialize(serializer),
            Self::Unread(unread) => unread.serialize(serializer),
        }
    }
}

/// One of several files that could not be read: the keys of a report, and why there is none.
#[derive(Debug, Serialize)]
pub(super) struct Unread<'r> {
    schema_version: u32,
    ok: bool,
    file: String,
    document: &'static str,
    rig: Option<&'static str>,
    diagnostics: [JsonDiagnostic; 0],
    code: LaunchCode,
    message: &'r str,
    hint: Option<&'r str>,
}

impl<'r> Unread<'r> {
    pub(super) fn new(file: &str, failure: &'r Failure) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            ok: false,
            file: file.to_owned(),
            document: "unknown",
            rig: None,
            diagnostics: [],
            code: failure.code,
            message: &failure.message,
            hint: failure.hint.as_deref(),
        }
    }
}

/// One line: what the file is and whether it is accepted.
pub(super) fn verdict(file: &str, outcome: &Outcome) -> String {
    let file = printable(file);
    let count = |severity| outcome.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let warned = counted(warnings, "warning");
    match &outcome.document {
        None => format!("{file}: refused, {}, {warned}\n", counted(errors, "error")),
        Some(Document::Rig(rig)) => {
            let members = rig.pods.iter().flat_map(|pod| &pod.members);
            format!("{file}: ok, rig \"{}\", {}, {warned}\n", rig.name, tally(members))
        }
        Some(Document::Payload(payload)) => {
            let pod = payload.pod.as_ref().map(|pod| format!(" for pod \"{pod}\""));
            let pod = pod.unwrap_or_default();
            format!("{file}: ok, payload{pod}, {}, {warned}\n", tally(payload.members.iter()))
        }
    }
}

/// `3 members (2 fork, 1 fresh)`.
fn tally<'m>(members: impl Iterator<Item = &'m Member>) -> String {
    let mut kinds =
        [("fork", 0), ("agent_image", 0), ("rebuild", 0), ("fresh", 0), ("terminal", 0)];
    let mut all = 0;
    for member in members {
        let kind = match (&member.session_source, member.runtime) {
            (Some(SessionSource::Fork { .. }), _) => 0,
            (Some(SessionSource::AgentImage { .. }), _) => 1,
            (Some(SessionSource::Rebuild { .. }), _) => 2,
            (None, Runtime::Terminal) => 4,
            (None, _) => 3,
        };
        kinds[kind].1 += 1;
        all += 1;
    }
    let told: Vec<_> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{} ({})", counted(all, "member"), told.join(", "))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
