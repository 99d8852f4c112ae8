//! `seatfork plan`: what `up` would do, and what it would refuse. Starts and changes nothing (SPEC 6, 13, 14).

use jiff::Timestamp;
use seatfork_launch::Clock as _;
use seatfork_launch::plan::{PlanReport, RigPlan, plan};

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::adapters;
use crate::output::{Failure, Output};
use crate::rig_args::RigArgs;
use crate::show;
use crate::spec_file::SpecFile;
use crate::wait::block_on;

/// The arguments of `plan`.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    rig: RigArgs,
}

pub(crate) fn run(
    args: &PlanArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let plan = make(&args.rig, env, false, output)?;
    Ok(show(&plan.report(), SystemClock.now(), output))
}

/// Makes the plan of a rig; `skip_sources` leaves the sources for their members' turns.
pub(crate) fn make(
    rig: &RigArgs,
    env: &Environment,
    skip_sources: bool,
    output: &mut Output,
) -> Result<RigPlan, Failure> {
    let options = rig.options(skip_sources)?;
    if let Some(remark) = rig.remark() {
        output.talk(remark);
    }
    let SpecFile { spec, origin } = SpecFile::read(&rig.file, env, output)?;
    block_on(plan(&adapters(), &env.vars, &spec, &origin, &options))
}

/// Shows a plan: refusals are talk, the plan is data. Refused is exit 7, a source that does not resolve 1.
pub(crate) fn show(report: &PlanReport, now: Timestamp, output: &mut Output) -> Exit {
    if output.is_json() {
        output.object(report);
    } else {
        output.talk(&show::plan::refusals(report));
        output.data(&show::plan::text(report, now));
    }
    match (report.refusals.is_empty(), report.ok) {
        (false, _) => Exit::NotReady,
        (true, false) => Exit::Failed,
        (true, true) => Exit::Ok,
    }
}
