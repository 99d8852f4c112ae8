//! The rig spec a verb was given: read, validated, and where it comes from (SPEC 2, 7).

use std::path::Path;

use camino::Utf8PathBuf;
use seatfork_codec::{Hints, JsonDiagnostic, Look, Outcome, parse, render};
use seatfork_launch::plan::SpecOrigin;
use seatfork_schema::LaunchCode;
use seatfork_schema::spec::{Document, RigSpec};
use sha2::{Digest as _, Sha256};

use crate::env::Environment;
use crate::exit::Exit;
use crate::input::{Input, STDIN};
use crate::output::{Failure, Output};
use crate::show::lines::{count, put};

/// A valid rig and its origin.
#[derive(Debug)]
pub(crate) struct SpecFile {
    /// The rig.
    pub(crate) spec: RigSpec,
    /// Its directory, file and hash.
    pub(crate) origin: SpecOrigin,
}

impl SpecFile {
    /// Reads and validates; what is wrong is shown as `validate` shows it, and stops the command.
    pub(crate) fn read(
        file: &Path,
        env: &Environment,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let input = Input::read(file)?;
        let outcome = parse(&input.bytes, &Hints::default());
        if !output.is_json() {
            let look = Look { colour: output.has_colour(), ..Look::default() };
            output.talk(&render(input.shown(), &input.bytes, &outcome.diagnostics, look));
        }
        let origin = origin(file, &input, env)?;
        match outcome.document {
            Some(Document::Rig(spec)) => Ok(Self { spec, origin }),
            Some(Document::Payload(_)) => Err(payload(&input)),
            None => Err(refused(&input, &outcome)),
        }
    }
}

fn origin(file: &Path, input: &Input, env: &Environment) -> Result<SpecOrigin, Failure> {
    let sha256 = hex(&Sha256::digest(&input.bytes));
    if file == Path::new(STDIN) {
        let cwd = env.cwd.clone().ok_or_else(|| {
            Failure::new(
                Exit::NotReady,
                LaunchCode::WorkingDirectoryMissing,
                "the working directory cannot be told",
            )
            .hint("go to a directory that is there")
        })?;
        let root = cwd.canonicalize_utf8().map_err(|error| unreal(cwd.as_str(), &error))?;
        return Ok(SpecOrigin { root, path: None, sha256 });
    }
    let real = file.canonicalize().map_err(|error| unreal(&input.file, &error))?;
    let real = Utf8PathBuf::from_path_buf(real).map_err(|path| {
        let message = format!("the path {} is no UTF-8", path.display());
        Failure::new(Exit::NotReady, LaunchCode::PathNotUtf8, message)
            .hint("move the spec to a path that is")
    })?;
    let root = real.parent().unwrap_or(&real).to_owned();
    Ok(SpecOrigin { root, path: Some(real), sha256 })
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        put(&mut text, format_args!("{byte:02x}"));
    }
    text
}

fn unreal(path: &str, error: &std::io::Error) -> Failure {
    let message = format!("the real path of {path} cannot be told: {error}");
    Failure::new(Exit::NotFound, LaunchCode::FileUnreadable, message)
        .hint("check that the file may be read by you")
}

fn payload(input: &Input) -> Failure {
    let message = format!("{} is an expand payload, not a rig; nothing was started", input.shown());
    Failure::new(Exit::SpecRefused, LaunchCode::SpecRefused, message)
        .hint("give the spec of a rig, which has `pods`")
        .detail("document", "payload")
}

fn refused(input: &Input, outcome: &Outcome) -> Failure {
    let errors = outcome
        .diagnostics
        .iter()
        .filter(|found| found.severity == seatfork_schema::Severity::Error);
    let errors = count(errors.count(), "error", "errors");
    let message = format!("{} is refused: {errors}; nothing was started", input.shown());
    let diagnostics: Vec<_> = outcome.diagnostics.iter().map(JsonDiagnostic::from).collect();
    Failure::new(Exit::SpecRefused, LaunchCode::SpecRefused, message)
        .hint("mend what is shown above; `seatfork explain CODE` says more")
        .detail("document", outcome.kind.as_str())
        .detail("diagnostics", serde_json::to_value(diagnostics).unwrap_or_default())
}
