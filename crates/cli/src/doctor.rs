//! `seatfork doctor`: whether seats could be launched here, and what is left from before (SPEC 13, 14).
//!
//! Starts nothing but the runtimes' `--version`, and changes nothing.

use std::path::PathBuf;
use std::sync::Arc;

use seatfork_launch::plan::{PlanOptions, plan};
use seatfork_launch::{
    Cancel, Check, CheckStatus, DoctorReport, ErrorReport, LaunchCode, Patient, StoreThread, doctor,
};

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, adapters, open, store};
use crate::output::{Failure, Output};
use crate::places::{PlaceArgs, output_dir};
use crate::show;
use crate::spec_file::SpecFile;
use crate::wait::{block_on, interrupted, listen, unless_asked};

/// The arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// A rig spec: its binaries, directories and the dialogs its seats would meet are looked at as well
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(
    args: &DoctorArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let spec = match &args.file {
        Some(file) => Some(SpecFile::read(file, env, output)?),
        None => None,
    };
    let cancel = Cancel::new();
    listen(&cancel)?;
    let looked = block_on(unless_asked(&cancel, look(args, env, spec)))?;
    let report = looked.ok_or_else(interrupted)??;
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::doctor::text(&report));
    }
    Ok(report.exit)
}

async fn look(
    args: &DoctorArgs,
    env: &Environment,
    spec: Option<SpecFile>,
) -> Result<DoctorReport, Failure> {
    let patient = patient(args, env)?;
    let mut checks = vec![of_this_build()];
    checks.extend(doctor(&patient).await.checks);
    if let Some(spec) = spec {
        // A seat that is there already may have been looked at.
        let new = of_spec(&spec, env).await.into_iter();
        let new: Vec<_> = new.filter(|check| !checks.contains(check)).collect();
        checks.extend(new);
    }
    Ok(DoctorReport::new(checks))
}

/// What is there, each part for itself: a part that is missing is a finding, not the end of the command.
fn patient(args: &DoctorArgs, env: &Environment) -> Result<Patient, Failure> {
    let store_path = args.places.store(env)?;
    let opened = store(&store_path, Access::Read).map_err(report);
    let thread = match opened {
        Ok(Some(store)) => StoreThread::start(store)
            .map(Some)
            .map_err(|error| ErrorReport::new(LaunchCode::SystemRefused, error.to_string())),
        Ok(None) => Ok(None),
        Err(why) => Err(why),
    };
    // Where this fails, the part that is missing says so by itself.
    let ground = open(env, &args.places, Access::Read, Company::default()).unwrap_or_default();
    Ok(Patient {
        adapters: adapters(),
        caller: env.vars.clone(),
        store: thread,
        tmux: args.places.tmux(env).map_err(report),
        output_dir: output_dir(&store_path),
        store_path,
        ground: ground.map(Arc::new),
    })
}

/// A part that is missing, with what to do about it.
fn report(failure: Failure) -> ErrorReport {
    let report = ErrorReport::new(failure.code, failure.message);
    match failure.hint {
        Some(hint) => report.hint(hint),
        None => report,
    }
}

/// Which build answers.
fn of_this_build() -> Check {
    Check {
        name: "seatfork".to_owned(),
        status: CheckStatus::Ok,
        detail: format!("{}; it uses no network and sends no telemetry", crate::version::LONG),
        hint: None,
    }
}

/// What a spec's seats would meet.
async fn of_spec(spec: &SpecFile, env: &Environment) -> Vec<Check> {
    // What is allowed is for `up` to say; here it is looked at what is there.
    let options = PlanOptions { allow_yolo: true, skip_sources: true, ..PlanOptions::default() };
    let plan = plan(&adapters(), &env.vars, &spec.spec, &spec.origin, &options).await;
    let refused = plan.refusals.iter().map(|refusal| Check {
        name: "spec".to_owned(),
        status: CheckStatus::Problem,
        detail: format!("{}: {}", refusal.path, refusal.message),
        hint: Some(refusal.help.clone()),
    });
    let foretold = plan.seats.iter().flat_map(|seat| {
        seat.foretold.iter().map(|foretold| Check {
            name: "dialogs".to_owned(),
            status: CheckStatus::Warning,
            detail: format!("{}: {} ({})", seat.seat, foretold.dialog.question, foretold.why),
            hint: Some(LaunchCode::DialogForetold.next().to_owned()),
        })
    });
    refused.chain(foretold).collect()
}
