//! `seatfork plan`: what `up` would do, and what it would refuse. Starts and changes nothing (SPEC 6, 7, 13, 14).

use seatfork_launch::plan::{PlanOptions, PlanReport, RigPlan, SeatPlan, plan};
use seatfork_launch::{Cancel, Clock as _, LaunchCode};
use std::collections::BTreeMap;

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::foresee::{self, Acts};
use crate::ground::{Access, Company, adapters, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::rig_args::RigArgs;
use crate::show;
use crate::spec_file::SpecFile;
use crate::wait::{block_on, interrupted, listen, unless_asked};

/// The arguments of `plan`.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(
    args: &PlanArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let asked = Asked::read(&args.rig, env, false, output)?;
    let cancel = Cancel::new();
    listen(&cancel)?;
    show(&asked.plan_unless(&cancel, env)?, &args.places, env, output)
}

/// A spec that was read, and how its plan is to be made.
#[derive(Debug)]
pub(crate) struct Asked {
    file: SpecFile,
    options: PlanOptions,
}

impl Asked {
    /// Reads it; `skip_sources` leaves the sources for their members' turns.
    pub(crate) fn read(
        rig: &RigArgs,
        env: &Environment,
        skip_sources: bool,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let options = rig.options(env, skip_sources)?;
        Ok(Self { file: SpecFile::read(&rig.file, env, output)?, options })
    }

    /// Makes the plan. One that is given up on the way leaves nothing that runs: a runtime that was asked for its
    /// version ends with it.
    pub(crate) fn plan_unless(
        &self,
        cancel: &Cancel,
        env: &Environment,
    ) -> Result<RigPlan, Failure> {
        let SpecFile { spec, origin } = &self.file;
        let adapters = adapters();
        let plan = plan(&adapters, &env.vars, spec, origin, &self.options);
        block_on(unless_asked(cancel, plan))?.ok_or_else(interrupted)
    }
}

/// Shows a plan and what it comes to with the seats as they are: refusals are talk, the plan is data.
///
/// Refused is exit 7, a rig name that is taken 5, a source that does not resolve 1.
pub(crate) fn show(
    plan: &RigPlan,
    places: &PlaceArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let acts = block_on(async {
        match open(env, places, Access::Read, Company::default())? {
            Some(ground) => foresee::acts(&ground, plan).await,
            None => Ok(Acts::new()),
        }
    })??;
    let report = report(plan, &acts);
    let permissions = permissions(plan);
    if output.is_json() {
        output.object(&with_acts(&report, &acts, &permissions)?);
    } else {
        output.talk(&show::plan::refusals(&report));
        output.data(&show::plan::text(&report, &acts, &permissions, SystemClock.now()));
    }
    Ok(match (report.refusals.is_empty(), report.ok) {
        (false, _) => Exit::NotReady,
        (true, false) => Exit::Failed,
        (true, true) => Exit::Ok,
    })
}

/// The report, without the sources nobody would read: a seat with an occupant never forks again.
fn report(plan: &RigPlan, acts: &Acts) -> PlanReport {
    let mut report = plan.report();
    for seat in &mut report.seats {
        let settled = !foresee::is_new(acts.get(&seat.seat).copied());
        if let (true, Some(source)) = (settled, &mut seat.source) {
            (source.look, source.error) = (None, None);
            seat.warnings.retain(|found| !is_about_a_source(found.code));
        }
    }
    let unresolved = |seat: &seatfork_launch::plan::SeatPlanReport| {
        seat.source.as_ref().is_some_and(|source| source.error.is_some())
    };
    report.ok = report.refusals.is_empty() && !report.seats.iter().any(unresolved);
    report
}

const fn is_about_a_source(code: LaunchCode) -> bool {
    matches!(code, LaunchCode::SourceLive | LaunchCode::SourceElsewhere)
}

/// The flags that carry each seat's permission policy, by seat name. A seat whose policy is refused is not in it.
pub(crate) type Permissions = BTreeMap<String, Vec<String>>;

fn permissions(plan: &RigPlan) -> Permissions {
    let adapters = adapters();
    let of = |seat: &SeatPlan| {
        let adapter = adapters.get(seat.runtime)?;
        match adapter.permission_flags(&seat.wish, &seat.binary) {
            Ok(flags) => Some((seat.seat.to_string(), flags)),
            // Why stands among the plan's refusals already.
            Err(_) => None,
        }
    };
    plan.seats.iter().filter_map(of).collect()
}

/// The report as JSON, each seat with what would be done (`act`) and its explicit `permission_flags`, null where they
/// are refused.
fn with_acts(
    report: &PlanReport,
    acts: &Acts,
    permissions: &Permissions,
) -> Result<serde_json::Value, Failure> {
    let mut object = serde_json::to_value(report).map_err(|error| {
        Failure::new(
            Exit::Failed,
            LaunchCode::OutputNotWritten,
            format!("the plan could not be written as JSON: {error}"),
        )
    })?;
    for (seat, of_report) in object["seats"].as_array_mut().into_iter().flatten().zip(&report.seats)
    {
        let act = acts.get(&of_report.seat).copied().map_or("create", foresee::word);
        seat["act"] = act.into();
        let flags = permissions.get(&of_report.seat);
        seat["permission_flags"] =
            flags.map_or(serde_json::Value::Null, |flags| flags.clone().into());
    }
    Ok(object)
}
