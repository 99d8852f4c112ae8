//! `seatfork attach`: a seat's pane in this terminal (SPEC 13, 14).

use std::io::{self, IsTerminal as _};

use seatfork_launch::{AttachError, LaunchCode, Target, attach};
use serde::Serialize;

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, open};
use crate::output::{Failure, Output, SCHEMA_VERSION};
use crate::places::PlaceArgs;
use crate::wait::block_on;
use crate::{exec, failing, naming};

/// The arguments of `attach`.
#[derive(Debug, clap::Args)]
pub(crate) struct AttachArgs {
    /// The seat: its name, RIG/MEMBER, its member alone, its token, or a prefix of one that fits one seat
    #[arg(value_name = "SEAT")]
    seat: String,
    #[command(flatten)]
    places: PlaceArgs,
}

/// `attach --json` names the command and runs nothing.
#[derive(Debug, Serialize)]
struct Object<'o> {
    schema_version: u32,
    ok: bool,
    seat: &'o str,
    argv: &'o [String],
}

pub(crate) fn run(
    args: &AttachArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (seat, command) = block_on(async {
        let ground = open(env, &args.places, Access::Read, Company::default())?
            .ok_or_else(|| naming::no_store(Some(&args.seat)))?;
        match naming::one(&ground.store, Some(&args.seat)).await? {
            Target::Rig(rig) => Err(naming::wants_a_seat("attach", &rig.name)),
            Target::Seat(row) => {
                let command = attach(&ground, &row).await.map_err(|error| unattached(&error))?;
                Ok((row.seat.name.clone(), command))
            }
        }
    })??;
    if output.is_json() {
        output.object(&Object {
            schema_version: SCHEMA_VERSION,
            ok: true,
            seat: &seat,
            argv: &command,
        });
        return Ok(Exit::Ok);
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(no_terminal(&seat, &command));
    }
    // On success nothing of this process is left.
    let error = exec::replace(&command);
    Err(Failure::new(
        Exit::Failed,
        LaunchCode::TmuxServerFailed,
        format!("{} could not be run: {error}", command[0]),
    )
    .hint(LaunchCode::TmuxServerFailed.next()))
}

fn no_terminal(seat: &str, argv: &[String]) -> Failure {
    let message = format!("the pane of {seat} needs a terminal, and this is none");
    Failure::new(Exit::NotReady, LaunchCode::NotATerminal, message)
        .hint(format!("in a terminal run: {}", exec::shown(argv)))
        .detail("argv", argv.to_vec())
}

fn unattached(error: &AttachError) -> Failure {
    let code = match error {
        AttachError::Store(error) => return failing::store(error),
        AttachError::Unknown { .. } => LaunchCode::PaneUnknown,
        AttachError::NoPane { .. } | AttachError::Gone { .. } => {
            return Failure::new(Exit::Failed, LaunchCode::NoPane, error.to_string())
                .hint("run seatfork up with the rig's spec");
        }
    };
    Failure::new(Exit::Failed, code, error.to_string()).hint(code.next())
}
