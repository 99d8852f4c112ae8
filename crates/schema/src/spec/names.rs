//! Ids and names (SPEC 2, 3).

use super::text::{TextProblem, at_most, chars, none_of, not_blank, texts};
use std::fmt;

texts! {
    /// A rig's name: `[A-Za-z0-9_][A-Za-z0-9_.-]*`, at most 64 bytes, no `..` (SPEC 2).
    RigName = "a rig name", rig_name;
    /// A pod's id: `[A-Za-z0-9_][A-Za-z0-9_-]*`, at most 64 bytes (SPEC 2).
    PodId = "a pod id", id;
    /// A member's id: `[A-Za-z0-9_][A-Za-z0-9_-]*`, at most 64 bytes (SPEC 2).
    MemberId = "a member id", id;
    /// A seat's name, `<pod>-<member>@<rig>` (SPEC 1).
    SeatName = "a seat name", seat_name;
    /// A role: `[A-Za-z0-9_.][A-Za-z0-9_.-]*` (SPEC 2).
    Role = "a role", role;
    /// A Codex configuration profile: `[A-Za-z0-9_.][A-Za-z0-9_.-]*` (SPEC 2).
    CodexConfigProfile = "a Codex configuration profile", role;
    /// The name of an agent image or a context pack: `[A-Za-z0-9][A-Za-z0-9_.-]*`, at most 128 bytes, no `..` (SPEC 3).
    ImageName = "an image name", image_name;
    /// The version of an agent image or a context pack: such a name, kept as written, `1.10` and `007` too (SPEC 3).
    ImageVersion = "an image version", image_name;
    /// The name of a starter: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 128 bytes (SPEC 3).
    StarterName = "a starter name", starter_name;
    /// A compose project: `[a-z0-9][a-z0-9_-]*` (SPEC 2).
    ProjectName = "a compose project name", project_name;
}

/// The longest pod id, member id and rig name, in bytes.
pub const MAX_ID_BYTES: usize = 64;
/// The longest image, version and starter name, in bytes.
pub const MAX_NAME_BYTES: usize = 128;

impl SeatName {
    /// The name of a member's seat in a rig.
    ///
    /// ```
    /// use seatfork_schema::spec::{MemberId, PodId, RigName, SeatName};
    /// let name = SeatName::of(&PodId::new("dev").unwrap(), &MemberId::new("impl").unwrap(), &RigName::new("demo").unwrap());
    /// assert_eq!(name.as_str(), "dev-impl@demo");
    /// ```
    pub fn of(pod: &PodId, member: &MemberId, rig: &RigName) -> Self {
        Self(format!("{pod}-{member}@{rig}"))
    }

    /// The part before the `@`: pod and member, which a `-` joins but does not tell apart.
    pub fn seat(&self) -> &str {
        self.0.split_once('@').map_or(self.0.as_str(), |(seat, _)| seat)
    }

    /// The rig's name.
    pub fn rig(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, rig)| rig)
    }
}

/// A member of a rig, `<pod>.<member>`: an end of a rig's edge (SPEC 2).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberRef {
    /// Its pod.
    pub pod: PodId,
    /// Its id in the pod.
    pub member: MemberId,
}

impl MemberRef {
    /// Reads `<pod>.<member>`. Ids hold no dots, so there is one reading.
    pub fn new(text: &str) -> Result<Self, super::TextError> {
        let shape = || super::TextError {
            what: "a member of a rig",
            problem: TextProblem::Shape { wanted: "<pod>.<member>" },
        };
        let (pod, member) = text.split_once('.').ok_or_else(shape)?;
        Ok(Self { pod: PodId::new(pod)?, member: MemberId::new(member)? })
    }
}

impl fmt::Display for MemberRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pod, self.member)
    }
}

impl serde::Serialize for MemberRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn id(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_ID_BYTES)?;
    chars(text, word, |c| word(c) || c == '-')
}

fn rig_name(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_ID_BYTES)?;
    chars(text, word, |c| word(c) || matches!(c, '-' | '.'))?;
    no_double_dot(text)
}

fn seat_name(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    let shape = TextProblem::Shape { wanted: "<pod>-<member>@<rig>" };
    none_of(text, |c| !(word(c) || matches!(c, '-' | '.' | '@')))?;
    let Some((seat, rig)) = text.split_once('@') else { return Err(shape) };
    rig_name(rig)?;
    // A seat of the longest ids and its dash; this also bounds the search below.
    if seat.len() > 2 * MAX_ID_BYTES + 1 {
        return Err(TextProblem::TooLong { bytes: seat.len(), max: 2 * MAX_ID_BYTES + 1 });
    }
    let splits = seat
        .match_indices('-')
        .any(|(at, _)| id(&seat[..at]).is_ok() && id(&seat[at + 1..]).is_ok());
    if splits { Ok(()) } else { Err(shape) }
}

fn role(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    chars(text, |c| word(c) || c == '.', |c| word(c) || matches!(c, '-' | '.'))
}

fn image_name(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_NAME_BYTES)?;
    chars(text, |c| c.is_ascii_alphanumeric(), |c| word(c) || matches!(c, '-' | '.'))?;
    no_double_dot(text)
}

fn starter_name(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_NAME_BYTES)?;
    chars(text, |c| c.is_ascii_alphanumeric(), |c| word(c) || c == '-')
}

fn project_name(text: &str) -> Result<(), TextProblem> {
    const fn low(c: char) -> bool {
        c.is_ascii_lowercase() || c.is_ascii_digit()
    }
    not_blank(text)?;
    chars(text, low, |c| low(c) || matches!(c, '_' | '-'))
}

fn no_double_dot(text: &str) -> Result<(), TextProblem> {
    if text.contains("..") { Err(TextProblem::Climbs) } else { Ok(()) }
}
