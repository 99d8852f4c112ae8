//! `seatfork down`: processes end, tokens stay (SPEC 7).

use clap::builder::FalseyValueParser;
use seatfork_launch::{DownDepth, Target, down};

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::wait::block_on;
use crate::{failing, naming, show};

/// The arguments of `down`.
#[derive(Debug, clap::Args)]
pub(crate) struct DownArgs {
    /// The rig; may be left out where there is one only
    #[arg(value_name = "RIG")]
    rig: Option<String>,
    /// Retire the seats as well: their rows stay, their names are free, the next `up` makes new seats
    #[arg(long, env = "SEATFORK_FORGET", value_parser = FalseyValueParser::new())]
    forget: bool,
    /// Retire the seats and remove what is kept beside the store for the rig; no conversation is deleted
    #[arg(long, env = "SEATFORK_PURGE", value_parser = FalseyValueParser::new())]
    purge: bool,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(
    args: &DownArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let depth = match (args.purge, args.forget) {
        (true, _) => DownDepth::Purge,
        (false, true) => DownDepth::Forget,
        (false, false) => DownDepth::Stop,
    };
    let report = block_on(async {
        let ground = open(env, &args.places, Access::Change, Company::default())?
            .ok_or_else(|| naming::no_store(args.rig.as_deref()))?;
        let rig = match naming::one(&ground, args.rig.as_deref()).await? {
            Target::Rig(rig) => rig,
            Target::Seat(row) => return Err(naming::wants_a_rig("down", &row.seat.name)),
        };
        down(&ground, &rig, depth).await.map_err(|error| failing::store(&error))
    })??;
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::down::text(&report));
    }
    Ok(report.exit.into())
}
