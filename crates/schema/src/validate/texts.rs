//! Which refusal each validated text has, and its shape for editors.

use crate::diagnostic::Diagnostic;
use crate::diags::At;
use crate::diags::member::{
    AgentRefMalformed, CodexConfigProfileMalformed, IdMalformed, MechanicMalformed,
    PermissionPolicyBareName, PermissionPolicyMalformed, RigNameMalformed, RoleMalformed,
};
use crate::diags::startup::{ContextPackNameMalformed, ProjectNameMalformed};
use crate::diags::value::{
    PathNotExpanded, PathUnsafe, TextBlank, TextCharacter, TextSeveralLines, TextTooLong,
};
use crate::spec::{
    AgentRef, ArtifactPath, CodexConfigProfile, ImageName, ImageVersion, Line, MemberId,
    PermissionPolicy, PodId, ProjectName, RigName, RigVersion, Role, SafePath, Script, SeatName,
    SpecPath, StarterName, Summary, TextError, TextProblem,
};

/// The form of a text, for editors: never stricter than its type.
pub(crate) trait Shaped {
    /// A regular expression (ECMA 262).
    const PATTERN: &'static str;
    /// Its longest form in bytes, where there is one.
    const MAX: Option<usize> = None;
}

/// A text of a spec: how it is read, and what is said when it is refused.
pub(crate) trait SpecText: Shaped + Sized {
    /// Reads it.
    fn read(text: &str) -> Result<Self, TextError>;
    /// Its refusal.
    fn refuse(at: At, text: &str, problem: TextProblem) -> Diagnostic;
}

macro_rules! shapes {
    ($($name:ident: $pattern:expr $(, $max:expr)?;)+) => {$(
        impl Shaped for $name {
            const PATTERN: &'static str = $pattern;
            $(const MAX: Option<usize> = Some($max);)?
        }
    )+};
}

macro_rules! spec_texts {
    ($($name:ident: $pattern:expr $(, $max:expr)? => |$at:ident, $text:ident, $problem:ident| $refusal:expr;)+) => {$(
        shapes! { $name: $pattern $(, $max)?; }

        impl SpecText for $name {
            fn read(text: &str) -> Result<Self, TextError> {
                Self::new(text)
            }

            fn refuse($at: At, $text: &str, $problem: TextProblem) -> Diagnostic {
                $refusal
            }
        }
    )+};
}

const ID: &str = "^[A-Za-z0-9_][A-Za-z0-9_-]*$";
const ROLE: &str = "^[A-Za-z0-9_.][A-Za-z0-9_.-]*$";
const IMAGE: &str = r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]*$";
const NOT_BLANK: &str = r"\S";
// Of what cannot be seen, the characters people meet: controls, bidi marks, zero-width ones.
const ONE_LINE: &str =
    r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$";
const SUMMARY: &str = r"^(?=[\s\S]*\S)[^\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$";
const PATH: &str = r"^(?=.*\S)(?!~)(?!.*\$\{?[A-Za-z_])[^\x00-\x1f\x7f-\x9f]*$";
const ARTIFACT: &str = r"^(?![ ~])(?!.* $)(?!.*\$\{?[A-Za-z_])[^\x00-\x1f\x7f-\x9f]+$";
const SAFE_PATH: &str = r"^(?=.*\S)(?!~)(?!.*\$\{?[A-Za-z_])(?![/\\])(?![A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$))(?!.*[/\\]([/\\]|$))[^\x00-\x1f\x7f-\x9f]*$";
const AGENT_REF: &str = r"^(?! *$)(?!.*\$\{?[A-Za-z_])(?![\s\S]*[\x00-\x1f\x7f-\x9f])(builtin:terminal$|path:/|local:(?! *$)[^/\\]|[^:/\\~][^:]*$|[^:/\\~][^:/]*/)";

spec_texts! {
    RigName: r"^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_.-]*$", 64 => |at, text, problem|
        RigNameMalformed { at, name: text.to_owned(), why: problem.to_string() }.into();
    PodId: ID, 64 => |at, text, problem| id(at, text, &problem);
    MemberId: ID, 64 => |at, text, problem| id(at, text, &problem);
    Role: ROLE => |at, text, problem|
        RoleMalformed { at, text: text.to_owned(), why: problem.to_string() }.into();
    CodexConfigProfile: ROLE => |at, text, problem|
        CodexConfigProfileMalformed { at, text: text.to_owned(), why: problem.to_string() }.into();
    SeatName: "^[A-Za-z0-9_][A-Za-z0-9_-]*-[A-Za-z0-9_][A-Za-z0-9_-]*@[A-Za-z0-9_][A-Za-z0-9_.-]*$" => |at, text, problem|
        MechanicMalformed { at, text: text.to_owned(), why: problem.to_string() }.into();
    // In a session source and a starter these are read by the rules of section 3 instead.
    ImageName: IMAGE, 128 => |at, text, problem| pack(at, text, &problem);
    ImageVersion: IMAGE, 128 => |at, text, problem| pack(at, text, &problem);
    ProjectName: "^[a-z0-9][a-z0-9_-]*$" => |at, text, problem|
        ProjectNameMalformed { at, text: text.to_owned(), why: problem.to_string() }.into();
    RigVersion: NOT_BLANK => |at, _text, problem| prose(at, &problem);
    Line: ONE_LINE, 4096 => |at, _text, problem| prose(at, &problem);
    Summary: SUMMARY, 4096 => |at, _text, problem| prose(at, &problem);
    Script: NOT_BLANK => |at, _text, problem| prose(at, &problem);
    SpecPath: PATH => |at, _text, problem| path(at, problem);
    SafePath: SAFE_PATH => |at, _text, problem| path(at, problem);
    AgentRef: AGENT_REF => |at, text, problem| match problem {
        TextProblem::Tilde | TextProblem::Variable { .. } => path(at, problem),
        problem => AgentRefMalformed { at, text: text.to_owned(), why: problem.to_string() }.into(),
    };
    PermissionPolicy: r"^(none|builtin:(locked|standard|open|yolo)|(?!(locked|standard|open|yolo)$)[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*)$" => |at, text, problem| match problem {
        TextProblem::BareBuiltin { name } => PermissionPolicyBareName { at, name }.into(),
        TextProblem::Tilde | TextProblem::Variable { .. } => path(at, problem),
        problem => PermissionPolicyMalformed { at, text: text.to_owned(), why: problem.to_string() }.into(),
    };
}

// Section 3 reads these with refusals of its own.
shapes! {
    ArtifactPath: ARTIFACT;
    StarterName: "^[A-Za-z0-9][A-Za-z0-9_-]*$", 128;
}

fn id(at: At, text: &str, problem: &TextProblem) -> Diagnostic {
    IdMalformed { at, id: text.to_owned(), why: problem.to_string() }.into()
}

fn pack(at: At, text: &str, problem: &TextProblem) -> Diagnostic {
    ContextPackNameMalformed { at, text: text.to_owned(), why: problem.to_string() }.into()
}

/// The refusal of free text.
fn prose(at: At, problem: &TextProblem) -> Diagnostic {
    match *problem {
        TextProblem::TooLong { bytes, max } => TextTooLong { at, bytes, max }.into(),
        TextProblem::Character { found, place } => TextCharacter { at, found, place }.into(),
        TextProblem::SeveralLines => TextSeveralLines { at }.into(),
        // Free text knows no other problem than these and blankness.
        _ => TextBlank { at }.into(),
    }
}

/// The refusal of a path.
fn path(at: At, problem: TextProblem) -> Diagnostic {
    match problem {
        TextProblem::Tilde => PathNotExpanded { at, what: "~".to_owned() }.into(),
        TextProblem::Variable { name } => PathNotExpanded { at, what: format!("${name}") }.into(),
        TextProblem::Blank
        | TextProblem::Character { .. }
        | TextProblem::TooLong { .. }
        | TextProblem::SeveralLines => prose(at, &problem),
        problem => PathUnsafe { at, why: problem.to_string() }.into(),
    }
}
