//! What a member's `agent_ref` and `permission_policy` may be (SPEC 2).

use super::paths::{AbsolutePath, LocalPath, PolicyPath};
use super::text::{TextError, TextProblem};
use super::words::BuiltinPolicy;
use std::fmt;

/// Which agent a member runs as (SPEC 2). seatfork reads it and does not act on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AgentRef {
    /// `local:<relative>`, from the spec's directory; a bare relative path reads as this.
    Local(LocalPath),
    /// `path:<absolute>`.
    Path(AbsolutePath),
    /// `builtin:terminal`.
    Terminal,
}

impl AgentRef {
    /// Reads an agent reference; a bare relative path is `local:`.
    ///
    /// ```
    /// use seatfork_schema::spec::AgentRef;
    /// assert_eq!(AgentRef::new("agents/a.yaml").unwrap().to_string(), "local:agents/a.yaml");
    /// assert!(AgentRef::new("github:x/y").is_err());
    /// ```
    pub fn new(text: &str) -> Result<Self, TextError> {
        if text == "builtin:terminal" {
            return Ok(Self::Terminal);
        }
        if let Some(path) = text.strip_prefix("path:") {
            return AbsolutePath::new(path).map(Self::Path);
        }
        if let Some(path) = text.strip_prefix("local:") {
            return LocalPath::new(path).map(Self::Local);
        }
        // `scheme:…` is a scheme we do not know, not a path with a colon.
        let head = text.split('/').next().unwrap_or_default();
        if head.contains(':') {
            return Err(TextError {
                what: "an agent reference",
                problem: TextProblem::Shape {
                    wanted: "local:<relative path>, path:<absolute path>, builtin:terminal, or a bare relative path",
                },
            });
        }
        LocalPath::new(text).map(Self::Local)
    }
}

impl fmt::Display for AgentRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(path) => write!(f, "local:{path}"),
            Self::Path(path) => write!(f, "path:{path}"),
            Self::Terminal => f.write_str("builtin:terminal"),
        }
    }
}

impl serde::Serialize for AgentRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a seat may do (SPEC 2, 6).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PermissionPolicy {
    /// `none`: the runtime's own default, passed explicitly.
    None,
    /// `builtin:<name>`.
    Builtin(BuiltinPolicy),
    /// A policy file; refused at plan until a format exists.
    Path(PolicyPath),
}

impl PermissionPolicy {
    /// Reads a policy. The bare name of a built-in one is refused.
    ///
    /// ```
    /// use seatfork_schema::spec::PermissionPolicy;
    /// assert!(PermissionPolicy::new("builtin:locked").is_ok());
    /// assert!(PermissionPolicy::new("locked").is_err());
    /// ```
    pub fn new(text: &str) -> Result<Self, TextError> {
        let error = |problem| TextError { what: "a permission policy", problem };
        if text == "none" {
            return Ok(Self::None);
        }
        if let Some(name) = text.strip_prefix("builtin:") {
            return BuiltinPolicy::from_word(name).map(Self::Builtin).ok_or_else(|| {
                error(TextProblem::Shape {
                    wanted: "none, builtin:locked, builtin:standard, builtin:open, builtin:yolo, or a safe relative path",
                })
            });
        }
        if let Some(builtin) = BuiltinPolicy::from_word(text) {
            return Err(error(TextProblem::BareBuiltin { name: builtin.as_str() }));
        }
        PolicyPath::new(text).map(Self::Path)
    }
}

impl fmt::Display for PermissionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Builtin(name) => write!(f, "builtin:{name}"),
            Self::Path(path) => write!(f, "{path}"),
        }
    }
}

impl serde::Serialize for PermissionPolicy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
