//! What a spec asks that this build cannot do yet (SPEC 2, 7): refused by name, never dropped.

use super::Refusal;
use crate::adapters::Adapters;
use seatfork_schema::LaunchCode;
use seatfork_schema::spec::{DeliveryHint, Member, RigSpec, SessionSource, Startup};

/// Everything of the rig as a whole.
pub(super) fn rig(rig: &RigSpec, refusals: &mut Vec<Refusal>) {
    startup("startup", &rig.startup, refusals);
    for (at, pod) in rig.pods.iter().enumerate() {
        startup(&format!("pods[{at}].startup"), &pod.startup, refusals);
    }
}

/// Everything of one member.
pub(super) fn member(path: &str, member: &Member, adapters: &Adapters) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if adapters.get(member.runtime).is_none() {
        let message = format!("runtime {} has no adapter in this build", member.runtime);
        refusals.push(later(format!("{path}.runtime"), message));
    }
    match &member.session_source {
        None | Some(SessionSource::Fork { .. }) => {}
        Some(source @ (SessionSource::Rebuild { .. } | SessionSource::AgentImage { .. })) => {
            let message = format!("session_source mode {} is not launched yet", source.mode());
            refusals.push(later(format!("{path}.session_source.mode"), message));
        }
    }
    if let Some(starter) = &member.starter_ref {
        let message =
            format!("starter {} would have to be delivered, which is not done yet", starter.name);
        refusals.push(later(format!("{path}.starter_ref"), message));
    }
    startup(&format!("{path}.startup"), &member.startup, &mut refusals);
    refusals
}

/// Actions, and files that are to be typed: neither is delivered yet.
fn startup(path: &str, startup: &Startup, refusals: &mut Vec<Refusal>) {
    for (at, action) in startup.actions.iter().enumerate() {
        let message = format!(
            "a startup action ({}) would have to be typed into the seat, which is not done yet",
            action.action
        );
        refusals.push(later(format!("{path}.actions[{at}]"), message));
    }
    for (at, file) in startup.files.iter().enumerate() {
        if file.delivery_hint == Some(DeliveryHint::SendText) {
            let message = "a file with delivery_hint send_text would have to be typed into the seat, which is not done yet";
            refusals.push(later(format!("{path}.files[{at}]"), message));
        }
    }
}

fn later(path: String, message: impl Into<String>) -> Refusal {
    Refusal::new(path, LaunchCode::NotInThisBuild, message)
}
