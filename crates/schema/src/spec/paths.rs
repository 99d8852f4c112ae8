//! Paths of a spec (SPEC 2). Nothing here touches a file system, and nothing is expanded.

use super::text::{TextProblem, none_of, not_blank, texts};

texts! {
    /// A path, absolute or relative to the spec's directory: `cwd`, a workspace's roots (SPEC 2).
    SpecPath = "a path", spec_path;
    /// A relative path that cannot leave its root: no leading `/` or drive letter, no `..`, no empty segment (SPEC 2).
    SafePath = "a safe relative path", safe_path;
    /// A relative path that may climb with `..`: the `local:` agent reference (SPEC 2).
    LocalPath = "a relative path", local_path;
    /// An absolute path: the `path:` agent reference (SPEC 2).
    AbsolutePath = "an absolute path", absolute_path;
    /// A path of an artifact in a source: neither padded nor blank, no control characters (SPEC 3).
    ArtifactPath = "an artifact path", artifact_path;
    /// A permission policy file: segments `[A-Za-z0-9][A-Za-z0-9._-]*` (SPEC 2).
    PolicyPath = "a policy path", policy_path;
}

fn spec_path(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    none_of(text, char::is_control)?;
    unexpanded(text)
}

fn safe_path(text: &str) -> Result<(), TextProblem> {
    spec_path(text)?;
    relative(text)?;
    for segment in text.split(['/', '\\']) {
        match segment {
            ".." => return Err(TextProblem::Climbs),
            "" => return Err(TextProblem::EmptySegment),
            _ => {}
        }
    }
    Ok(())
}

fn local_path(text: &str) -> Result<(), TextProblem> {
    spec_path(text)?;
    relative(text)
}

fn absolute_path(text: &str) -> Result<(), TextProblem> {
    spec_path(text)?;
    if text.starts_with('/') { Ok(()) } else { Err(TextProblem::Relative) }
}

fn artifact_path(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    none_of(text, char::is_control)?;
    if text.trim() != text {
        return Err(TextProblem::Padded);
    }
    unexpanded(text)
}

fn policy_path(text: &str) -> Result<(), TextProblem> {
    safe_path(text)?;
    let mut starts = true;
    for (at, found) in text.chars().enumerate() {
        let ok =
            found.is_ascii_alphanumeric() || (!starts && matches!(found, '.' | '_' | '-' | '/'));
        if !ok {
            return Err(TextProblem::Character { found, place: at + 1 });
        }
        starts = found == '/';
    }
    Ok(())
}

fn relative(text: &str) -> Result<(), TextProblem> {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if drive || text.starts_with(['/', '\\']) { Err(TextProblem::Absolute) } else { Ok(()) }
}

/// Refuses what a shell would expand and we do not: a leading `~`, `$NAME`, `${NAME}`.
fn unexpanded(text: &str) -> Result<(), TextProblem> {
    if text.starts_with('~') {
        return Err(TextProblem::Tilde);
    }
    for (at, _) in text.match_indices('$') {
        let rest = &text[at + 1..];
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let name = &rest[..end.unwrap_or(rest.len())];
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(TextProblem::Variable { name: name.to_owned() });
        }
    }
    Ok(())
}
