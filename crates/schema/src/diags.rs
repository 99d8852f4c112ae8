//! Every refusal and warning of a spec: one struct per code, with its data (SPEC 4).
//!
//! A struct says what is wrong; its [`Refusal`] impl words it, once. Nobody
//! formats a message anywhere else.

pub mod document;
pub mod edge;
pub mod member;
pub mod rebuild;
pub mod source;
pub mod starter;
pub mod startup;
pub mod value;
pub mod yaml;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Related, Severity};
use crate::tree::Span;

/// Where a problem is: the path of the value, empty for the document, and its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct At {
    /// The path of the value: `pods[0].members[1].cwd`.
    pub path: String,
    /// Where it stands.
    pub span: Span,
}

/// A refusal or a warning before it is worded.
pub trait Refusal {
    /// Its code.
    const CODE: Code;
    /// How grave it is.
    const SEVERITY: Severity = Severity::Error;

    /// Where it is.
    fn at(&self) -> &At;
    /// What is wrong, without the path.
    fn message(&self) -> String;
    /// A few words under the marked text.
    fn label(&self) -> Option<String> {
        None
    }
    /// What to do about it.
    fn help(&self) -> Option<String>;
    /// Other places that matter.
    fn related(&self) -> Vec<Related> {
        Vec::new()
    }
}

impl<R: Refusal> From<R> for Diagnostic {
    fn from(refusal: R) -> Self {
        let At { path, span } = refusal.at();
        let message = refusal.message();
        Self {
            code: R::CODE,
            severity: R::SEVERITY,
            message: if path.is_empty() { message } else { format!("{path}: {message}") },
            path: path.clone(),
            label: refusal.label(),
            help: refusal.help(),
            span: *span,
            related: refusal.related(),
        }
    }
}

/// Declares refusals: the struct with its data, its code, its words.
macro_rules! refusals {
    ($(
        $(#[$meta:meta])*
        $name:ident = $code:ident $(, $severity:ident)? {
            $($(#[$fmeta:meta])* $field:ident: $ty:ty),* $(,)?
        } |$me:ident| {
            message: $message:expr
            $(, label: $label:expr)?
            , help: $help:expr
            $(, related: $related:expr)? $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            /// Where it is.
            pub at: $crate::diags::At,
            $($(#[$fmeta])* pub $field: $ty,)*
        }

        impl $crate::diags::Refusal for $name {
            const CODE: $crate::code::Code = $crate::code::Code::$code;
            $(const SEVERITY: $crate::diagnostic::Severity = $crate::diagnostic::Severity::$severity;)?

            fn at(&self) -> &$crate::diags::At {
                &self.at
            }
            fn message(&self) -> String {
                let $me = self;
                let _: &Self = $me;
                String::from($message)
            }
            $(fn label(&self) -> Option<String> {
                let $me = self;
                let _: &Self = $me;
                Some(String::from($label))
            })?
            fn help(&self) -> Option<String> {
                let $me = self;
                let _: &Self = $me;
                Option::<String>::from($crate::diags::Help::from($help))
            }
            $(fn related(&self) -> Vec<$crate::diagnostic::Related> {
                let $me = self;
                $related
            })?
        }
    )+};
}
pub(crate) use refusals;

/// The second place of every rule about terminals.
pub(crate) fn says_terminal(at: &At) -> Related {
    Related { path: at.path.clone(), message: "runtime terminal".to_owned(), span: at.span }
}

/// A help that may be missing, so that a refusal can give a text, an owned text or an option.
pub(crate) struct Help(Option<String>);

impl From<&str> for Help {
    fn from(text: &str) -> Self {
        Self(Some(text.to_owned()))
    }
}

impl From<String> for Help {
    fn from(text: String) -> Self {
        Self(Some(text))
    }
}

impl From<Option<String>> for Help {
    fn from(text: Option<String>) -> Self {
        Self(text)
    }
}

impl From<Help> for Option<String> {
    fn from(help: Help) -> Self {
        help.0
    }
}
