//! What `up` would do with each seat of a plan, given what the store and the panes say now (SPEC 7 "Convergence").

use std::collections::BTreeMap;

use seatfork_launch::converge::Act;
use seatfork_launch::plan::RigPlan;
use seatfork_launch::{ForeseeError, Ground, foresee};
use seatfork_schema::{Intent, LaunchCode};

use crate::exit::Exit;
use crate::failing;
use crate::output::Failure;

/// What would be done, by seat name. A seat that is not in it would be made.
pub(crate) type Acts = BTreeMap<String, Act>;

/// Asks the store and looks at the panes. Nothing is started or changed.
pub(crate) async fn acts(ground: &Ground, plan: &RigPlan) -> Result<Acts, Failure> {
    let name = plan.rig.to_string();
    let known = ground.store.ask(move |store| store.rig_by_name(&name)).await;
    let Some(rig) = known.map_err(|error| failing::store(&error))? else { return Ok(Acts::new()) };
    if rig.name != plan.rig.to_string() {
        let code = LaunchCode::RigNameTaken;
        let message = format!(
            "the rig name {} differs from that of rig {} by letter case alone; nothing was started",
            plan.rig, rig.name
        );
        return Err(Failure::new(Exit::Conflict, code, message).hint(code.next()));
    }
    if rig.root != plan.origin.root {
        return Err(taken(&rig.name, rig.root.as_str(), plan.origin.root.as_str()));
    }
    Box::pin(foresee(ground, &rig, plan)).await.map_err(|error| match error {
        ForeseeError::Store(error) => failing::store(&error),
        ForeseeError::Look(why) => {
            let code = LaunchCode::LookFailed;
            Failure::new(Exit::NotReady, code, why).hint(code.next())
        }
    })
}

/// The word for programs.
pub(crate) const fn word(act: Act) -> &'static str {
    match act {
        Act::Nothing => "unchanged",
        Act::OpenFirstPane => "open_pane",
        Act::Resume => "resume",
        Act::RelaunchFresh(_) => "relaunch_fresh",
        Act::LeaveDown(_) => "leave_down",
        Act::Refuse(_) => "refuse",
        Act::Leave => "leave",
        Act::Recover => "recover",
        Act::Attempt(_) => "create",
    }
}

/// The words for people.
pub(crate) const fn words(act: Act) -> &'static str {
    match act {
        Act::Nothing => "unchanged: it runs",
        Act::OpenFirstPane => "its pane is opened; its conversation is there",
        Act::Resume => "its own conversation is resumed; its source is not read",
        Act::RelaunchFresh(_) => "a fresh conversation; its source is not read",
        Act::LeaveDown(_) => "left down, as its restore_policy says",
        Act::Refuse(_) => "fails: what runs in its pane cannot be told",
        Act::Leave => "left to the command that is launching it",
        Act::Recover => "an interrupted launch is finished or abandoned first",
        Act::Attempt(Intent::Fork) => "forked",
        Act::Attempt(_) => "fresh",
    }
}

/// Whether a new conversation would be made from the member's own words.
pub(crate) const fn is_new(act: Option<Act>) -> bool {
    matches!(act, None | Some(Act::Attempt(_)))
}

fn taken(rig: &str, recorded: &str, asked: &str) -> Failure {
    let code = LaunchCode::RigNameTaken;
    let message =
        format!("the rig name {rig} belongs to {recorded}, not to {asked}; nothing was started");
    Failure::new(Exit::Conflict, code, message).hint(code.next())
}
