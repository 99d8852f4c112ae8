//! `seatfork up`: every member of a rig brought to a running seat (SPEC 7, 13).

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use seatfork_launch::plan::RigPlan;
use seatfork_launch::{Cancel, Observer, UpError, UpOptions, UpReport, up};

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, PatienceArgs, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::progress::Progress;
use crate::rig_args::RigArgs;
use crate::show::lines::{count, not_stored};
use crate::wait::{block_on, interrupted, listen};
use crate::{crash, plan, show};

/// The arguments of `up`.
#[derive(Debug, clap::Args)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    rig: RigArgs,
    /// How many members at a time; given, they start together [default: 2, one a moment after the other]
    #[arg(long, env = "SEATFORK_JOBS", value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Exit 6 where a seat and the spec differ, or a seat serves another conversation than its own
    #[arg(long, env = "SEATFORK_STRICT", value_parser = FalseyValueParser::new())]
    strict: bool,
    /// Show what would be done, as `plan` does, and do nothing
    #[arg(long, env = "SEATFORK_DRY_RUN", value_parser = FalseyValueParser::new())]
    dry_run: bool,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    places: PlaceArgs,
}

impl UpArgs {
    fn options(&self) -> UpOptions {
        let default = UpOptions { strict: self.strict, ..UpOptions::default() };
        match self.jobs {
            Some(jobs) => UpOptions { jobs, stagger: Duration::ZERO, ..default },
            None => default,
        }
    }
}

pub(crate) fn run(args: &UpArgs, env: &Environment, output: &mut Output) -> Result<Exit, Failure> {
    let asked = plan::Asked::read(&args.rig, env, !args.dry_run, output)?;
    let cancel = Cancel::new();
    listen(&cancel)?;
    let plan = asked.plan_unless(&cancel, env)?;
    if args.dry_run {
        return plan::show(&plan, &args.places, env, output);
    }
    if !plan.refusals.is_empty() {
        return refused(&plan, output);
    }
    let progress = Arc::new(Progress::new(!output.is_json()));
    let observer = Arc::clone(&progress) as Arc<dyn Observer>;
    let report = block_on(bring_up(args, env, plan, observer, cancel))??;
    for seat in &report.seats {
        if let Some(lost) = not_stored(&seat.seat, seat.error.as_ref()) {
            output.talk(&lost);
        }
    }
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::up::text(&report, &progress.took()));
        if show::up::has_no_process(&report) {
            output.talk(&kept(&report, args, env)?);
        }
    }
    Ok(report.exit)
}

/// Where a rig without processes has left what it is made of, and how it is ended.
fn kept(report: &UpReport, args: &UpArgs, env: &Environment) -> Result<String, Failure> {
    let logs: BTreeSet<_> =
        report.seats.iter().filter_map(|seat| seat.workspace.as_deref()).collect();
    let logs: Vec<_> = logs.into_iter().map(|dir| format!("{dir}/.pixir/sessions")).collect();
    let store = args.places.store(env)?;
    Ok(format!(
        "session logs: {}\nstate: {store}; seatfork down --purge {} retires the seats\n",
        logs.join(", "),
        report.rig
    ))
}

async fn bring_up(
    args: &UpArgs,
    env: &Environment,
    plan: RigPlan,
    observer: Arc<dyn Observer>,
    cancel: Cancel,
) -> Result<UpReport, Failure> {
    let crash = crash::points(env);
    let patience = args.patience.patience();
    let company = Company { observer, cancel: cancel.clone(), patience, crash };
    let Some(ground) = open(env, &args.places, Access::Create, company)? else {
        unreachable!("a store is made where none stands");
    };
    if cancel.is_requested() {
        return Err(interrupted());
    }
    up(Arc::new(ground), plan, args.options()).await.map_err(|error| stopped(&error))
}

/// The refusals of a plan stop the whole command; in text each is told by itself.
fn refused(plan: &RigPlan, output: &mut Output) -> Result<Exit, Failure> {
    let report = plan.report();
    let error = UpError::Refused(plan.refusals.clone());
    if output.is_json() {
        let details = serde_json::to_value(&report.refusals).unwrap_or_default();
        return Err(stopped(&error).detail("refusals", details));
    }
    output.talk(&show::plan::refusals(&report));
    let refused = count(report.refusals.len(), "demand", "demands");
    output.talk(&format!("{}: {refused} of the spec refused; nothing was started\n", report.rig));
    Ok(error.exit())
}

fn stopped(error: &UpError) -> Failure {
    let code = error.code();
    let failure = Failure::new(error.exit(), code, error.to_string());
    match error {
        // Each refusal has its own help.
        UpError::Refused(refusals) if refusals.len() > 1 => {
            failure.hint("mend what is refused; `seatfork plan` shows it again and starts nothing")
        }
        UpError::Refused(refusals) if let [only] = &refusals[..] => failure.hint(only.help.clone()),
        _ => failure.hint(code.next()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        up: UpArgs,
    }

    // SPEC 13: two at a time, one a moment after the other; a number of the user's own starts them together.
    #[test]
    fn a_number_of_jobs_starts_them_together() {
        let options = |words: &[&str]| {
            let words = ["up", "rig.yaml"].iter().chain(words);
            Line::try_parse_from(words).map(|line| line.up.options())
        };
        let (default, three) = (options(&[]).ok(), options(&["--jobs", "3"]).ok());
        let facts =
            |options: Option<UpOptions>| options.map(|it| (it.jobs.get(), it.stagger.is_zero()));
        assert_eq!((facts(default), facts(three)), (Some((2, false)), Some((3, true))));
        assert!(options(&["--jobs", "0"]).is_err());
    }
}
