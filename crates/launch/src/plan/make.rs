//! Making a plan: reads only, and everything that is wrong at once.

use super::{PlanOptions, Refusal, RigPlan, SeatPlan, SourceLook, SpecOrigin, build, cwd, unacted};
use crate::adapters::{Adapters, CallerEnv, Locations, is_within, planned_child, seat_env};
use crate::converge::Policy;
use crate::fail::{plan_refusal, resolve_error};
use crate::ground::Patience;
use crate::report::{ErrorReport, Finding};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::contract::environment::SeatEnv;
use seatfork_adapters::contract::plan::{Binary, SeatWish};
use seatfork_adapters::{Adapter, Phase1, Phase1Ask};
use seatfork_schema::spec::{
    AgentRef, Member, Pod, RestorePolicy, RigSpec, SeatName, SessionSource,
};
use seatfork_schema::{ConversationId, LaunchCode, Runtime, Scope, SourceId};
use std::collections::BTreeMap;
use std::io::Read;

/// The longest agent file looked into for a `session_source` that does not belong there.
const AGENT_FILE_MAX: u64 = 1024 * 1024;

/// Makes the plan of a rig. Everything wrong is told at once; nothing is started or changed.
///
/// What is wrong with the spec's demands, the build, a binary, a permission or a cwd is a refusal and
/// stops the whole command; a source that does not resolve fails its member alone (SPEC 7).
pub async fn plan(
    adapters: &Adapters,
    caller: &CallerEnv,
    spec: &RigSpec,
    origin: &SpecOrigin,
    options: &PlanOptions,
) -> RigPlan {
    let rig = options.rig_name.clone().unwrap_or_else(|| spec.name.clone());
    let mut plan = RigPlan {
        rig,
        origin: origin.clone(),
        seats: Vec::new(),
        findings: Vec::new(),
        refusals: Vec::new(),
        not_acted_on: unacted::keys(spec),
    };
    build::rig(spec, &mut plan.refusals);
    let workspace = options.workspace.as_deref().and_then(|dir| {
        let real = cwd::workspace(dir);
        real.map_err(|(code, message)| plan.refusals.push(Refusal::new("", code, message))).ok()
    });
    plan.findings.extend(unset(caller, &options.pass_env));
    let mut maker = Maker { adapters, caller, spec, options, workspace, probed: BTreeMap::new() };
    for (at, pod) in spec.pods.iter().enumerate() {
        for (n, member) in pod.members.iter().enumerate() {
            let path = format!("pods[{at}].members[{n}]");
            maker.member(&mut plan, pod, member, path).await;
        }
    }
    plan
}

/// Names that were to be passed on and have no value here. Said once: no seat gets them.
fn unset(caller: &CallerEnv, names: &[String]) -> Option<Finding> {
    let missing = |name: &&String| !caller.0.contains_key(*name);
    let missing: Vec<_> = names.iter().filter(missing).map(String::as_str).collect();
    (!missing.is_empty()).then(|| {
        let message = format!(
            "to be passed on, and not set here as text: {}; no seat gets it",
            missing.join(", ")
        );
        Finding::new(LaunchCode::Remark, message)
    })
}

struct Maker<'a> {
    adapters: &'a Adapters,
    caller: &'a CallerEnv,
    spec: &'a RigSpec,
    options: &'a PlanOptions,
    /// `--workspace`, real.
    workspace: Option<Utf8PathBuf>,
    /// One answer per runtime: all seats of one plan have one caller, so one PATH.
    probed: BTreeMap<Runtime, Option<Binary>>,
}

impl Maker<'_> {
    async fn member(&mut self, plan: &mut RigPlan, pod: &Pod, member: &Member, path: String) {
        let seat = SeatName::of(&pod.id, &member.id, &plan.rig);
        let of_build = build::member(&path, member, self.adapters);
        let stopped = !of_build.is_empty();
        plan.refusals.extend(of_build.into_iter().map(|refusal| refusal.of(&seat)));
        let cwd = cwd::real(&plan.origin.root, member.cwd.as_str());
        if let Err((code, message)) = &cwd {
            let refusal = Refusal::new(format!("{path}.cwd"), *code, message.clone());
            plan.refusals.push(refusal.of(&seat));
        }
        let Some(adapter) = self.adapters.get(member.runtime) else { return };
        let locations = Locations::of(self.caller, adapter.describe());
        let env = seat_env(self.caller, adapter.describe(), &self.options.pass_env, &locations);
        let binary = self.probe(plan, adapter, &env, &path).await;
        let (Some(binary), false) = (binary, stopped) else { return };
        // What is asked is checked where the cwd is wrong too, so that all is told at once.
        let real = cwd.as_ref().ok().cloned();
        let asked = real.clone().unwrap_or_else(|| plan.origin.root.join(member.cwd.as_str()));
        let wish = self.wish(&seat, member, asked);
        let refused = adapter.check(&wish, &binary);
        let stopped = real.is_none() || !refused.is_empty();
        plan.refusals.extend(
            refused
                .into_iter()
                .map(|no| Refusal::new(path.clone(), no.code, no.message).help(no.help).of(&seat)),
        );
        if stopped {
            return;
        }
        let mut findings = findings(&plan.origin.root, &wish, member);
        let foretold = adapter.foretell(&wish, &env).await;
        findings.extend(foretold.iter().map(|foretold| {
            let message = format!("{}: {}", foretold.dialog.question, foretold.why);
            Finding::new(LaunchCode::DialogForetold, message)
        }));
        let source = source(member, adapter.scope(&wish.cwd));
        let workspace = self.workspace.clone();
        let look = match &source {
            Some(source) if !self.options.skip_sources => {
                let kept_in = workspace.as_deref().unwrap_or(&wish.cwd);
                Some(look(adapter, source, (&wish, kept_in), &env, &binary, &mut findings).await)
            }
            _ => None,
        };
        plan.seats.push(SeatPlan {
            seat,
            pod: pod.id.clone(),
            member: member.id.clone(),
            path,
            runtime: member.runtime,
            source,
            policy: policy(member.restore_policy),
            pin_source: self.options.pin_source,
            locations,
            pass_env: self.options.pass_env.clone(),
            env,
            workspace,
            needs_process: adapter.needs_process(&binary),
            binary,
            foretold,
            look,
            findings,
            wish,
        });
    }

    /// The binary of a member's runtime. A refusal is told at the first member that needs it.
    async fn probe(
        &mut self,
        plan: &mut RigPlan,
        adapter: &dyn Adapter,
        env: &SeatEnv,
        path: &str,
    ) -> Option<Binary> {
        let runtime = adapter.runtime();
        if let Some(answered) = self.probed.get(&runtime) {
            return answered.clone();
        }
        let answered = match adapter.probe(env, &plan.origin.root).await {
            Ok(binary) => Some(binary),
            Err(error) => {
                let message = format!("runtime {runtime}: {error}");
                plan.refusals.push(Refusal::new(format!("{path}.runtime"), error.code(), message));
                None
            }
        };
        self.probed.insert(runtime, answered.clone());
        answered
    }

    fn wish(&self, seat: &SeatName, member: &Member, cwd: camino::Utf8PathBuf) -> SeatWish {
        let policy = match member.runtime {
            Runtime::Terminal => None,
            _ => member.permission_policy.as_ref().or(self.spec.permission_policy.as_ref()),
        };
        SeatWish {
            seat_name: seat.to_string(),
            cwd,
            model: member.model.as_ref().map(ToString::to_string),
            codex_config_profile: member.codex_config_profile.as_ref().map(ToString::to_string),
            permission: policy.map(ToString::to_string),
            allow_yolo: self.options.allow_yolo,
            wants_fork: member.session_source.is_some(),
            notice: !self.options.no_notice,
        }
    }
}

/// Looks at a source, and at what forking it takes.
async fn look(
    adapter: &dyn Adapter,
    source: &SourceId,
    (wish, kept_in): (&SeatWish, &Utf8Path),
    env: &SeatEnv,
    binary: &Binary,
    findings: &mut Vec<Finding>,
) -> Result<SourceLook, ErrorReport> {
    let evidence =
        adapter.resolve(source, env, &wish.cwd).await.map_err(|error| resolve_error(&error))?;
    findings.extend(source_findings(&evidence, &wish.cwd));
    let child = planned_child(adapter, kept_in);
    // The nonce of a plan is nobody's: this command is not run.
    let surroundings = adapter
        .surroundings(wish, env)
        .await
        .map_err(|error| ErrorReport::new(LaunchCode::LookFailed, error.to_string()))?;
    let planned = adapter
        .phase1(&Phase1Ask {
            wish,
            binary,
            source: Some(&evidence),
            child: child.as_ref(),
            nonce: &"0".repeat(32),
            surroundings: &surroundings,
        })
        .map_err(plan_refusal)?;
    let deadline = match planned {
        Phase1::Headless(plan) => plan.deadline,
        // Its pane makes it, within the time a pane has to be ready.
        Phase1::InPane => Patience::default().ready,
        // A disk takes what it takes.
        Phase1::NoConversation | Phase1::Write(_) => std::time::Duration::default(),
    };
    let of_source = evidence.path.parent().unwrap_or(kept_in);
    let dir = if adapter.scope(kept_in) == Scope::everywhere() { of_source } else { kept_in };
    let free = rustix::fs::statvfs(dir.as_str()).ok();
    Ok(SourceLook {
        deadline,
        disk_bytes: evidence.fork_bytes.unwrap_or(evidence.bytes),
        disk_free: free.map(|free| free.f_bavail.saturating_mul(free.f_frsize)),
        evidence,
    })
}

/// What deserves a word about a source, and stops nothing.
pub(crate) fn source_findings(
    evidence: &seatfork_adapters::contract::evidence::Evidence,
    cwd: &Utf8Path,
) -> Vec<Finding> {
    let mut findings: Vec<_> = evidence
        .remarks
        .iter()
        .map(|said| Finding::new(LaunchCode::Remark, said.clone()))
        .collect();
    if let Some(live) = &evidence.live {
        let message = format!("source is live: process {} serves it ({})", live.pid, live.seen_in);
        findings.push(Finding::new(LaunchCode::SourceLive, message));
    }
    if let Some(recorded) = &evidence.recorded_cwd
        && recorded != cwd.as_str()
    {
        let message = format!("source was recorded in {recorded}, the seat works in {cwd}");
        findings.push(Finding::new(LaunchCode::SourceElsewhere, message));
    }
    findings
}

fn findings(root: &Utf8Path, wish: &SeatWish, member: &Member) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !is_within(&wish.cwd, root) {
        let message = format!("cwd {} is outside the rig's directory {root}", wish.cwd);
        findings.push(Finding::new(LaunchCode::CwdOutsideRig, message));
    }
    if let AgentRef::Local(path) = &member.agent_ref
        && carries_source(&root.join(path.as_str()))
    {
        let message = format!(
            "agent file {path} carries session_source, which is a launch-time input of a member and is not read there"
        );
        findings.push(Finding::new(LaunchCode::AgentCarriesSource, message));
    }
    findings
}

/// Whether an agent file has a `session_source` key at the start of a line. Agent files are not read
/// otherwise; one that is missing or odd is no concern of a launch.
fn carries_source(path: &Utf8Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    if !meta.is_file() || meta.len() > AGENT_FILE_MAX {
        return false;
    }
    let mut text = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(AGENT_FILE_MAX).read_to_end(&mut text));
    read.is_ok()
        && String::from_utf8_lossy(&text)
            .lines()
            .any(|line| line.trim_start().trim_start_matches("- ").starts_with("session_source:"))
}

fn source(member: &Member, scope: Scope) -> Option<SourceId> {
    match &member.session_source {
        Some(SessionSource::Fork { native_id }) => {
            let (runtime, native_id) = (member.runtime, native_id.clone());
            Some(SourceId::new(ConversationId { runtime, scope, native_id }))
        }
        // Refused before (`not-in-this-build`).
        Some(SessionSource::Rebuild { .. } | SessionSource::AgentImage { .. }) | None => None,
    }
}

fn policy(policy: Option<RestorePolicy>) -> Policy {
    match policy {
        None | Some(RestorePolicy::ResumeIfPossible) => Policy::ResumeIfPossible,
        Some(RestorePolicy::RelaunchFresh) => Policy::RelaunchFresh,
        Some(RestorePolicy::CheckpointOnly) => Policy::CheckpointOnly,
    }
}
