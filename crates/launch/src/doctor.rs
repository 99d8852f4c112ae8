//! `doctor`: whether seats could be launched here, and what stays from before (SPEC 13, 14).

mod depends;

use crate::adapters::{Adapters, CallerEnv, Locations, seat_env};
use crate::ground::Ground;
use crate::living::{STORE_GONE_NEXT, living_panes, store_gone};
use crate::pane::chain;
use crate::ps::equipment;
use crate::report::{Check, CheckStatus, DoctorReport, ErrorReport};
use crate::store_thread::StoreThread;
use crate::target::everything;
use crate::tasks::off_thread;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{Adapter, ProbeError, SeatWish};
use seatfork_schema::LaunchCode;
use seatfork_store::rescue::{self, Found};
use seatfork_store::{OwnerLock, SeatRow};
use seatfork_tmux::{Lookup, Server};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// What `doctor` looks at. Each part may be missing, with why: that is what it is for.
#[derive(Debug)]
pub struct Patient {
    /// The adapters this build has.
    pub adapters: Adapters,
    /// The variables the caller has.
    pub caller: CallerEnv,
    /// The store; `Ok(None)` where none was made yet.
    pub store: Result<Option<StoreThread>, ErrorReport>,
    /// Where the store is, or would be.
    pub store_path: Utf8PathBuf,
    /// Our tmux server.
    pub tmux: Result<Server, ErrorReport>,
    /// Where the runtimes' own words are kept.
    pub output_dir: Utf8PathBuf,
    /// Everything, where it could be put together: then the seats are looked at as well.
    pub ground: Option<Arc<Ground>>,
}

/// Looks at everything a launch stands on. Starts nothing but `--version` questions and changes nothing.
pub async fn doctor(patient: &Patient) -> DoctorReport {
    let mut checks = vec![store(patient).await];
    checks.push(tmux(patient).await);
    for adapter in patient.adapters.iter() {
        checks.push(runtime(patient, adapter).await);
    }
    checks.push(output(&patient.output_dir));
    if let Ok(Some(thread)) = &patient.store {
        checks.extend(rescues(thread).await);
        checks.extend(open_launches(thread).await);
        checks.extend(depends::checks(thread, &patient.output_dir).await);
    }
    if let Some(ground) = &patient.ground {
        checks.extend(dialogs(ground).await);
    }
    DoctorReport::new(checks)
}

fn check(name: &str, status: CheckStatus, detail: impl Into<String>) -> Check {
    Check { name: name.to_owned(), status, detail: detail.into(), hint: None }
}

fn hinted(check: Check, code: LaunchCode) -> Check {
    Check { hint: Some(code.next().to_owned()), ..check }
}

/// What is missing, with its own hint: here is where one is sent for it.
fn failed(name: &str, error: &ErrorReport) -> Check {
    let check = check(name, CheckStatus::Problem, error.message.clone());
    Check { hint: error.hint.clone(), ..check }
}

/// A tmux that is there and does not answer.
fn unanswered(server: &Server, why: String) -> Check {
    let hint =
        format!("run {} -S {} ls yourself and see what it says", server.tmux(), server.socket());
    Check { hint: Some(hint), ..check("tmux", CheckStatus::Problem, why) }
}

async fn store(patient: &Patient) -> Check {
    match &patient.store {
        Ok(Some(thread)) => {
            let path = thread.ask(|store| store.path().to_owned()).await;
            check("store", CheckStatus::Ok, format!("{path}, sound as far as reading it tells"))
        }
        Ok(None) => no_store(patient).await,
        Err(error) => failed("store", error),
    }
}

/// None was made yet, or it is gone while seats of it live. That tmux cannot be asked is said by its own check.
async fn no_store(patient: &Patient) -> Check {
    let path = &patient.store_path;
    if let Ok(server) = patient.tmux.clone()
        && let Ok(living) = off_thread(move || living_panes(&server)).await
        && !living.is_empty()
    {
        let hint = Some(STORE_GONE_NEXT.to_owned());
        return Check { hint, ..check("store", CheckStatus::Problem, store_gone(path, &living)) };
    }
    check("store", CheckStatus::Ok, format!("{path} is not there yet; the first up makes it"))
}

async fn tmux(patient: &Patient) -> Check {
    let server = match &patient.tmux {
        Ok(server) => server.clone(),
        Err(error) => return failed("tmux", error),
    };
    let asked = server.clone();
    let answer = off_thread(move || (asked.version(), asked.list(&[]))).await;
    match answer {
        (Ok(version), Ok(panes)) => {
            let count = match panes {
                Lookup::Found(panes) => panes.len(),
                _ => 0,
            };
            let detail = format!(
                "{version} at {}, socket {}, {count} {} of ours",
                server.tmux(),
                server.socket(),
                if count == 1 { "pane" } else { "panes" }
            );
            check("tmux", CheckStatus::Ok, detail)
        }
        (Err(error), _) => unanswered(&server, chain(&error)),
        (_, Err(error)) => unanswered(&server, chain(&error)),
    }
}

async fn runtime(patient: &Patient, adapter: &dyn Adapter) -> Check {
    let name = adapter.runtime().as_str();
    let description = adapter.describe();
    let locations = Locations::of(&patient.caller, description);
    let env = seat_env(&patient.caller, description, &[], &locations);
    // No rig is meant, so no directory's PATH entries are skipped.
    match adapter.probe(&env, Utf8Path::new("/nonexistent")).await {
        Ok(binary) => {
            let tested = description.tested_versions;
            // What this very program does itself needs no other version of anything.
            let known = tested.is_empty()
                || tested.contains(&binary.version.as_str())
                || !adapter.needs_process(&binary);
            let mut detail = format!("{} ({})", binary.path, binary.version);
            if !known {
                detail.push_str("; tested with ");
                detail.push_str(&tested.join(", "));
            }
            check(name, CheckStatus::Ok, detail)
        }
        // A runtime nobody asks for may well be missing; a rig that asks for it is planned, and refused by name.
        Err(error @ ProbeError::Missing { .. }) => {
            check(name, CheckStatus::Absent, error.to_string())
        }
        Err(error) => check(name, CheckStatus::Warning, error.to_string()),
    }
}

/// Captured output holds a runtime's own words, perhaps of a conversation: it is counted and named.
fn output(dir: &Utf8Path) -> Check {
    let entries = match dir.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return check("output", CheckStatus::Ok, format!("none kept; it would be in {dir}"));
        }
        Err(error) => return check("output", CheckStatus::Warning, format!("{dir}: {error}")),
    };
    let (mut files, mut bytes, mut open) = (0_u64, 0_u64, Vec::new());
    for entry in entries {
        let meta = entry.and_then(|entry| entry.metadata().map(|meta| (entry, meta)));
        match meta {
            Ok((entry, meta)) => {
                files += 1;
                bytes += meta.len();
                if meta.mode() & 0o077 != 0 {
                    open.push(entry.path().to_string());
                }
            }
            Err(error) => return check("output", CheckStatus::Warning, format!("{dir}: {error}")),
        }
    }
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let detail = format!("{files}, {bytes} bytes of captured runtime output in {dir}");
    if open.is_empty() {
        check("output", CheckStatus::Ok, detail)
    } else {
        let detail = format!("{detail}; others may read {}", open.join(", "));
        check("output", CheckStatus::Warning, detail)
    }
}

async fn rescues(thread: &StoreThread) -> Vec<Check> {
    let found = thread.ask(|store| rescue::list(&store.rescue_dir())).await;
    let found = match found {
        Ok(found) => found,
        Err(error) => return vec![check("rescue", CheckStatus::Warning, chain(&error))],
    };
    let say = |Found { path, rescue }: &Found| {
        let what = match rescue {
            Ok(rescue) => {
                format!("{}'s conversation {}", rescue.seat_name, rescue.child.native_id)
            }
            Err(error) => chain(error),
        };
        hinted(
            check("rescue", CheckStatus::Warning, format!("{path}: {what}")),
            LaunchCode::RescueFile,
        )
    };
    found.iter().map(say).collect()
}

async fn open_launches(thread: &StoreThread) -> Vec<Check> {
    let answer = thread
        .ask(|store| {
            let locks = store.locks_dir();
            let open = store.open_launches().map_err(|error| chain(&error))?;
            open.into_iter()
                .map(|launch| {
                    let free = OwnerLock::is_free(&locks.join(&launch.owner_lock));
                    free.map(|free| (launch, free)).map_err(|error| chain(&error))
                })
                .collect::<Result<Vec<_>, String>>()
        })
        .await;
    match answer {
        Err(why) => vec![check("launches", CheckStatus::Problem, why)],
        Ok(open) => open
            .into_iter()
            .filter(|(_, free)| *free)
            .map(|(launch, _)| {
                let detail =
                    format!("launch {} is {} and its owner is gone", launch.id, launch.state);
                hinted(
                    check("launches", CheckStatus::Warning, detail),
                    LaunchCode::InterruptedLaunch,
                )
            })
            .collect(),
    }
}

/// Dialogs that seats would meet, as far as files tell.
async fn dialogs(ground: &Ground) -> Vec<Check> {
    let rows: Vec<SeatRow> = match ground.store.ask(|store| everything(store)).await {
        Ok(all) => all.into_iter().flat_map(|(_, seats)| seats).collect(),
        Err(error) => return vec![check("dialogs", CheckStatus::Problem, chain(&error))],
    };
    let mut checks: Vec<Check> = Vec::new();
    for row in rows {
        let Some((adapter, env)) = equipment(ground, &row.seat) else { continue };
        let last = row.last_launch.as_ref();
        let wish = SeatWish {
            seat_name: row.seat.name.clone(),
            cwd: row.seat.cwd.clone(),
            model: last.and_then(|launch| launch.model.clone()),
            codex_config_profile: None,
            permission: last.map(|launch| launch.permission.clone()),
            allow_yolo: true,
            wants_fork: false,
            notice: true,
        };
        for foretold in adapter.foretell(&wish, &env).await {
            let detail =
                format!("{}: {} ({})", row.seat.name, foretold.dialog.question, foretold.why);
            checks.push(hinted(
                check("dialogs", CheckStatus::Warning, detail),
                LaunchCode::DialogForetold,
            ));
        }
    }
    checks
}
