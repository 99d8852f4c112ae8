//! `seatfork verify`: every stored proof looked at again, offline (SPEC 8). Starts and changes nothing.

use seatfork_launch::{VerifyReport, verify};

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, offline};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::wait::block_on;
use crate::{failing, naming, show};

/// The arguments of `verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// A rig or a seat; all of them where left out
    #[arg(value_name = "RIG|SEAT")]
    which: Option<String>,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(
    args: &VerifyArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let which = args.which.as_deref();
    let report = block_on(async {
        let Some(ground) = offline(env, &args.places, Access::Observe)? else {
            return match which {
                Some(_) => Err(naming::no_store(which)),
                None => Ok(VerifyReport::new(Vec::new(), Vec::new(), Vec::new())),
            };
        };
        let target = match which {
            Some(asked) => Some(naming::one(&ground.store, Some(asked)).await?),
            None => None,
        };
        verify(&ground, target.as_ref()).await.map_err(|error| failing::store(&error))
    })??;
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::verify::text(&report));
    }
    Ok(report.exit)
}
