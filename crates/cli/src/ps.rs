//! `seatfork ps`: the seats as they are now (SPEC 13). Starts, stops and types nothing.

use seatfork_launch::{Clock as _, PsReport, ps};

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::wait::block_on;
use crate::{failing, naming, show};

/// The arguments of `ps`.
#[derive(Debug, clap::Args)]
pub(crate) struct PsArgs {
    /// A rig or a seat; all of them where left out
    #[arg(value_name = "RIG|SEAT")]
    which: Option<String>,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(args: &PsArgs, env: &Environment, output: &mut Output) -> Result<Exit, Failure> {
    let which = args.which.as_deref();
    let report = block_on(async {
        let Some(ground) = open(env, &args.places, Access::Observe, Company::default())? else {
            return match which {
                Some(_) => Err(naming::no_store(which)),
                None => Ok(PsReport::new(None, Vec::new(), Vec::new())),
            };
        };
        let target = match which {
            Some(asked) => Some(naming::one(&ground.store, Some(asked)).await?),
            None => None,
        };
        Box::pin(ps(&ground, target.as_ref())).await.map_err(|error| failing::store(&error))
    })??;
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::ps::text(&report, SystemClock.now()));
    }
    Ok(report.exit)
}
