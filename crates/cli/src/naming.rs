//! Words of the command line that name a rig or a seat (SPEC 13): a name, or a prefix that fits one.

use seatfork_launch::{StoreThread, Target, TargetError, target};

use seatfork_schema::LaunchCode;

use crate::exit::Exit;
use crate::failing;
use crate::output::Failure;

/// What a word names. Without a word: the one rig there is.
pub(crate) async fn one(store: &StoreThread, asked: Option<&str>) -> Result<Target, Failure> {
    if let Some(asked) = asked {
        return target(store, asked).await.map_err(|error| unnamed(&error));
    }
    let rigs = store.ask(|store| store.rigs()).await.map_err(|error| failing::store(&error))?;
    let mut rigs = rigs.into_iter();
    match (rigs.next(), rigs.len()) {
        (Some(rig), 0) => Ok(Target::Rig(rig)),
        (None, _) => Err(no_store(None)),
        (Some(first), _) => {
            let names: Vec<_> = std::iter::once(first).chain(rigs).map(|rig| rig.name).collect();
            Err(Failure::new(
                Exit::NotFound,
                LaunchCode::IdAmbiguous,
                format!("there are {} rigs", names.len()),
            )
            .hint(format!("name one of them: {}", names.join(", ")))
            .detail("candidates", names))
        }
    }
}

/// No store stands, so nothing has a name yet.
pub(crate) fn no_store(asked: Option<&str>) -> Failure {
    let message = match asked {
        Some(asked) => format!("nothing here is called \"{asked}\"; no rig is known"),
        None => "no rig is known".to_owned(),
    };
    Failure::new(Exit::NotFound, LaunchCode::SeatUnknown, message)
        .hint("seatfork up FILE makes the seats of a rig; --store names another store")
        .detail("known", Vec::<String>::new())
}

/// A seat was named where a verb takes a rig.
pub(crate) fn wants_a_rig(verb: &str, seat: &str) -> Failure {
    let rig = seat.rsplit_once('@').map_or(seat, |(_, rig)| rig);
    Failure::new(
        Exit::NotFound,
        LaunchCode::RigUnknown,
        format!("{seat} is a seat, and {verb} takes a rig"),
    )
    .hint(format!("its rig is {rig}"))
}

/// A rig was named where a verb takes a seat.
pub(crate) fn wants_a_seat(verb: &str, rig: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        LaunchCode::SeatUnknown,
        format!("{rig} is a rig, and {verb} takes a seat"),
    )
    .hint(format!("seatfork ps {rig} lists its seats"))
}

/// A word that may name several things.
pub(crate) fn ambiguous(asked: &str, candidates: &[String]) -> Failure {
    let message = format!("\"{asked}\" may mean {}", candidates.join(", "));
    Failure::new(Exit::NotFound, LaunchCode::IdAmbiguous, message)
        .hint("give the whole name of one")
        .detail("candidates", candidates.to_vec())
}

/// A word that names nothing, or too much.
pub(crate) fn unnamed(error: &TargetError) -> Failure {
    match error {
        TargetError::NotFound { asked, known } => Failure::new(
            Exit::NotFound,
            LaunchCode::SeatUnknown,
            format!("nothing here is called \"{asked}\""),
        )
        .hint(if known.is_empty() {
            "no rig is known yet; seatfork up FILE makes the seats of one".to_owned()
        } else {
            format!("known: {}", known.join(", "))
        })
        .detail("known", known.clone()),
        TargetError::Ambiguous { asked, candidates } => ambiguous(asked, candidates),
        TargetError::Store(error) => failing::store(error),
    }
}
