//! A seat's turn without its spec: from what the store holds of its latest launch.

use crate::adapters::Locations;
use crate::converge::Policy;
use crate::fail::plan_refusal;
use crate::ground::Ground;
use crate::plan::SeatPlan;
use crate::ps::equipment;
use crate::report::ErrorReport;
use crate::state::SeatState;
use crate::turn::Turn;
use seatfork_adapters::SeatWish;
use seatfork_schema::LaunchCode;
use seatfork_schema::spec::{MemberId, PodId, SeatName};
use seatfork_store::Launch;
use std::sync::Arc;

/// A turn that can finish what is begun: model, profile, permissions and notice are those of the launch.
pub(super) async fn turn_of(
    ground: &Arc<Ground>,
    state: &SeatState,
    allow_yolo: bool,
) -> Result<Turn, ErrorReport> {
    let seat = &state.row.seat;
    let no = |code, message: String| ErrorReport::new(code, message);
    let (adapter, env) = equipment(ground, seat).ok_or_else(|| {
        no(LaunchCode::NotInThisBuild, format!("this build has no adapter for {}", seat.runtime))
    })?;
    let rig = seat.rig;
    let root = ground
        .store
        .ask(move |store| store.rigs().map(|rigs| rigs.into_iter().find(|one| one.id == rig)))
        .await
        .map_err(|error| no(LaunchCode::StoreCorrupt, crate::pane::chain(&error)))?
        .map(|rig| rig.root);
    let root = root.unwrap_or_else(|| seat.cwd.clone());
    let binary =
        adapter.probe(&env, &root).await.map_err(|error| no(error.code(), error.to_string()))?;
    let latest = state.row.last_launch.as_ref();
    let wish = wish(state, latest, allow_yolo);
    if let Some(refused) = adapter.check(&wish, &binary).into_iter().next() {
        return Err(plan_refusal(refused));
    }
    let text = |error: seatfork_schema::spec::TextError| {
        no(LaunchCode::StoreCorrupt, format!("the store's name of the seat is none: {error}"))
    };
    let plan = SeatPlan {
        seat: SeatName::new(seat.name.clone()).map_err(text)?,
        pod: PodId::new(seat.pod.clone()).map_err(text)?,
        member: MemberId::new(seat.member.clone()).map_err(text)?,
        path: String::new(),
        runtime: seat.runtime,
        source: latest.and_then(|launch| launch.source.clone()),
        wish,
        workspace: None,
        policy: Policy::ResumeIfPossible,
        pin_source: false,
        locations: Locations::from_store(&seat.location),
        pass_env: seat.pass_env.clone(),
        env: env.clone(),
        needs_process: adapter.needs_process(&binary),
        binary,
        foretold: Vec::new(),
        look: None,
        findings: Vec::new(),
    };
    Ok(Turn::new(Arc::clone(ground), adapter, plan, seat.id, env))
}

fn wish(state: &SeatState, latest: Option<&Launch>, allow_yolo: bool) -> SeatWish {
    let seat = &state.row.seat;
    SeatWish {
        seat_name: seat.name.clone(),
        cwd: seat.cwd.clone(),
        model: latest.and_then(|launch| launch.model.clone()),
        codex_config_profile: latest.and_then(|launch| launch.profile.clone()),
        permission: latest.map(|launch| launch.permission.clone()),
        allow_yolo,
        wants_fork: latest.is_some_and(|launch| launch.source.is_some()),
        notice: latest.is_none_or(|launch| launch.notice_wanted),
    }
}
