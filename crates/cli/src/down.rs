//! `seatfork down`: processes end, tokens stay (SPEC 7).

use clap::builder::FalseyValueParser;
use seatfork_launch::{Cancel, DownDepth, DownReport, Ground, Target, down, forgotten, own_seat};
use seatfork_schema::printable;

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::wait::{block_on, listen};
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
    /// Retire the seats and remove what is kept beside the store for the rig, and the tmux socket once no pane is left; no conversation is deleted
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
    let cancel = Cancel::new();
    listen(&cancel)?;
    let report = block_on(async {
        let company = Company { cancel, ..Company::default() };
        let ground = open(env, &args.places, Access::Change, company)?
            .ok_or_else(|| naming::no_store(args.rig.as_deref()))?;
        let rig = match naming::one(&ground.store, args.rig.as_deref()).await {
            Ok(Target::Rig(rig)) => rig,
            Ok(Target::Seat(row)) => return Err(naming::wants_a_rig("down", &row.seat.name)),
            Err(unknown) => match (depth, args.rig.as_deref()) {
                // What is kept beside the store for a forgotten rig can still be removed, by the rig's name.
                (DownDepth::Purge, Some(asked)) => {
                    return purge(&ground, asked).await?.ok_or(unknown);
                }
                _ => return Err(unknown),
            },
        };
        let own = own_seat(&ground).await.map_err(|error| failing::store(&error))?;
        if let Some(own) = own.filter(|own| own.rig == rig.id && own.retired_at.is_none()) {
            output.talk(&format!(
                "note: this command runs in the pane of {}, which is ended last; what is said after that may not be seen\n",
                printable(&own.name)
            ));
        }
        down(&ground, &rig, depth).await.map_err(|error| failing::store(&error))
    })??;
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::down::text(&report));
    }
    Ok(report.exit)
}

/// Removes what is kept for the forgotten rigs of a name; `None` where there never was one.
async fn purge(ground: &Ground, asked: &str) -> Result<Option<DownReport>, Failure> {
    let rigs = forgotten(&ground.store, asked).await.map_err(|error| failing::store(&error))?;
    let mut whole: Option<DownReport> = None;
    for rig in rigs {
        let report = down(ground, &rig, DownDepth::Purge).await;
        let report = report.map_err(|error| failing::store(&error))?;
        whole = Some(match whole {
            None => report,
            Some(earlier) => DownReport::new(
                earlier.rig,
                Vec::new(),
                [earlier.kept, report.kept].concat(),
                [earlier.removed, report.removed].concat(),
                [earlier.warnings, report.warnings].concat(),
            ),
        });
    }
    Ok(whole)
}
