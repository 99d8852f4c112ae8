//! `seatfork reconcile`: what the store says against what is there; shows, and acts only when told (SPEC 7).

use std::sync::Arc;

use clap::builder::FalseyValueParser;
use seatfork_launch::{
    AdoptSeatError, Cancel, Ground, ReconcileOptions, ReconcileReport, Target, adopt_orphan,
    adopt_seat, reconcile, target,
};
use seatfork_schema::{LaunchCode, NativeId};

use crate::env::Environment;
use crate::exit::Exit;
use crate::ground::{Access, Company, PatienceArgs, open};
use crate::output::{Failure, Output};
use crate::places::PlaceArgs;
use crate::progress::Progress;
use crate::show::lines::not_stored;
use crate::wait::{block_on, listen};
use crate::{crash, failing, naming, show};

/// The arguments of `reconcile`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReconcileArgs {
    /// A rig or a seat; all of them where left out
    #[arg(value_name = "RIG|SEAT", conflicts_with = "adopt")]
    which: Option<String>,
    /// Do what needs no choice; what is only taken over when it is named stays
    #[arg(long, env = "SEATFORK_APPLY", value_parser = FalseyValueParser::new())]
    apply: bool,
    /// Take over what a seat's pane serves now, or bind an orphan of ours to its seat by the orphan's id
    #[arg(long, env = "SEATFORK_ADOPT", value_name = "ID|SEAT")]
    adopt: Option<String>,
    /// Allow seats whose permission policy is builtin:yolo to be started
    #[arg(long, env = "SEATFORK_ALLOW_YOLO", value_parser = FalseyValueParser::new())]
    allow_yolo: bool,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    places: PlaceArgs,
}

pub(crate) fn run(
    args: &ReconcileArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let progress = Arc::new(Progress::new(!output.is_json()));
    let report = block_on(async {
        let changes = args.apply || args.adopt.is_some();
        let cancel = Cancel::new();
        if changes {
            listen(&cancel)?;
        }
        let company = Company {
            observer: progress,
            cancel,
            patience: args.patience.patience(),
            crash: crash::points(env),
        };
        // Without --apply nothing is written, not even what was observed.
        let access = if changes { Access::Change } else { Access::Read };
        let asked = args.adopt.as_deref().or(args.which.as_deref());
        let Some(ground) = open(env, &args.places, access, company)? else {
            return match asked {
                Some(_) => Err(naming::no_store(asked)),
                None => Ok(ReconcileReport::new(args.apply, Vec::new(), Vec::new())),
            };
        };
        let ground = Arc::new(ground);
        match &args.adopt {
            Some(asked) => adopt(&ground, asked, args.allow_yolo).await,
            None => compare(&ground, args).await,
        }
    })??;
    for item in &report.items {
        if let Some(lost) = not_stored(&item.seat, item.error.as_ref()) {
            output.talk(&lost);
        }
    }
    if output.is_json() {
        output.object(&report);
    } else {
        output.data(&show::reconcile::text(&report));
    }
    Ok(report.exit)
}

async fn compare(ground: &Arc<Ground>, args: &ReconcileArgs) -> Result<ReconcileReport, Failure> {
    let which = match args.which.as_deref() {
        Some(asked) => Some(naming::one(&ground.store, Some(asked)).await?),
        None => None,
    };
    let options = ReconcileOptions { apply: args.apply, allow_yolo: args.allow_yolo };
    reconcile(ground, which.as_ref(), options).await.map_err(|error| failing::store(&error))
}

/// A seat by its name, or an orphan by its whole id: a prefix could fit one the store knows nothing of.
async fn adopt(
    ground: &Arc<Ground>,
    asked: &str,
    allow_yolo: bool,
) -> Result<ReconcileReport, Failure> {
    match target(&ground.store, asked).await {
        Ok(Target::Seat(row)) => adopt_seat(ground, &row).await.map_err(|error| unadopted(&error)),
        Ok(Target::Rig(rig)) => Err(naming::wants_a_seat("reconcile --adopt", &rig.name)),
        Err(error) => {
            let Ok(id) = NativeId::for_any_runtime(asked) else {
                return Err(naming::unnamed(&error));
            };
            adopt_orphan(ground, &id, allow_yolo).await.map_err(|error| unadopted(&error))
        }
    }
}

fn unadopted(error: &AdoptSeatError) -> Failure {
    let code = LaunchCode::from_word(error.code()).unwrap_or(LaunchCode::AdoptRefused);
    let said = if error.is_untouched() { "; nothing was taken over" } else { "" };
    Failure::new(error.exit(), code, format!("{error}{said}")).hint(error.hint())
}
