//! Declaring a launch: durable before anything is done for it (SPEC 7, state 1).

use super::{ImageRef, Launch, Owner, Replaces, RuntimeBinary, by_id, last_of};
use crate::column::{bits, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{LaunchId, Nonce, SeatId};
use crate::lineage::see;
use crate::open::Store;
use crate::owner_lock::OwnerLock;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::{
    ConversationId, CreatedVia, Intent, PlannedChild, Runtime, SeatToken, SourceId,
};
use thiserror::Error;

/// How a fork comes to be (SPEC 11, `created_via`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkVia {
    /// By the runtime's own fork.
    Fork,
    /// By a session log seeded from another.
    WarmStart,
    /// Through an agent image.
    AgentImage(ImageRef),
}

/// What a launch is to do. A source and a resume token exclude each other here already (SPEC 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// A new conversation from a prior one.
    Fork {
        /// The prior one.
        source: SourceId,
        /// The child's id where we choose it (Claude Code, pixir).
        planned: Option<PlannedChild>,
        /// By what.
        via: ForkVia,
    },
    /// A new conversation from nothing; for terminal none at all.
    Fresh {
        /// The child's id where we choose it.
        planned: Option<PlannedChild>,
    },
    /// A new conversation to which artifacts are delivered.
    Rebuild {
        /// The child's id where we choose it.
        planned: Option<PlannedChild>,
    },
    /// The occupant's own conversation.
    Resume {
        /// Its token.
        token: SeatToken,
    },
    /// A child that bears the mark of a failed or abandoned launch of the same seat: same intent, same source, same proof (`reconcile --adopt ID`).
    Orphan {
        /// The launch whose mark it bears.
        of: LaunchId,
    },
}

/// A launch to be declared. Its id is its owner lock's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLaunch {
    /// The seat.
    pub seat: SeatId,
    /// What to do.
    pub work: Work,
    /// Its mark.
    pub nonce: Nonce,
    /// Who drives it.
    pub owner: Owner,
    /// The current occupant, where this launch is meant to replace it. Without it an occupied seat takes a resume only.
    pub replaces: Option<Replaces>,
    /// The working directory.
    pub cwd: Utf8PathBuf,
    /// The model asked for.
    pub model: Option<String>,
    /// The runtime's configuration profile asked for.
    pub profile: Option<String>,
    /// Whether a fork is to be told what it is (SPEC 6).
    pub notice_wanted: bool,
    /// The permission policy, by name.
    pub permission: String,
    /// The build identity of seatfork: version, commit, dirty.
    pub build: String,
    /// The binary that answered the probe; `None` where no binary runs.
    pub binary: Option<RuntimeBinary>,
    /// Now.
    pub at: Timestamp,
}

/// Why a launch was not declared. Nothing was stored and nothing may be started.
#[derive(Debug, Error)]
pub enum DeclareError {
    /// The seat has an open launch; its owner lives or has to be looked after first.
    #[error("the seat has an open launch {}, attempt {}", .open.id, .open.attempt)]
    Open {
        /// That launch, with its owner.
        open: Box<Launch>,
    },
    /// Somebody lives in the seat whom this launch does not mean to replace.
    #[error("the seat has occupant {n}, which this launch is not to replace")]
    Occupied {
        /// Which occupant.
        n: u32,
    },
    /// The occupant to be replaced or resumed is not the current one any more.
    #[error("the seat's occupant is another one than this launch was planned for")]
    OccupantChanged,
    /// Somebody else launched the seat since the caller looked.
    #[error("the seat was launched by somebody else meanwhile: its latest attempt is {latest}")]
    Overtaken {
        /// The number of its latest launch.
        latest: u32,
    },
    /// The source is this seat's own token.
    #[error("{source_id} is this seat's own conversation, which cannot be its source")]
    OwnToken {
        /// The source.
        source_id: SourceId,
    },
    /// Source or child belong to another runtime than the seat.
    #[error("the seat's runtime is {seat}, the conversation's is {given}")]
    OtherRuntime {
        /// The seat's.
        seat: Runtime,
        /// The conversation's.
        given: Runtime,
    },
    /// The orphan's launch is not of this seat, or did not fail.
    #[error(
        "launch {of} is no failed or abandoned launch of this seat, so nothing that bears its mark can be adopted by it"
    )]
    NoOrphanOf {
        /// The launch named.
        of: LaunchId,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The declared facts that depend on the work.
pub(crate) struct Facts {
    pub(crate) intent: Intent,
    pub(crate) via: Option<CreatedVia>,
    pub(crate) source: Option<ConversationId>,
    pub(crate) planned: Option<ConversationId>,
    pub(crate) resume: Option<ConversationId>,
    pub(crate) adopts: Option<LaunchId>,
    pub(crate) image: Option<ImageRef>,
    pub(crate) child_scope: String,
}

impl Store {
    /// Declares a launch whose owner lock the caller holds already, so that nobody ever sees it without an owner.
    ///
    /// One open launch per seat: of two that declare at once one gets [`DeclareError::Open`].
    pub fn declare(&mut self, lock: &OwnerLock, new: &NewLaunch) -> Result<Launch, DeclareError> {
        self.declare_if(lock, new, None)
    }

    /// The same for a caller who decided by what it saw: `after` is the number of the seat's latest launch then, 0
    /// where it had none. With a later one nothing is declared ([`DeclareError::Overtaken`]).
    pub fn declare_after(
        &mut self,
        lock: &OwnerLock,
        new: &NewLaunch,
        after: u32,
    ) -> Result<Launch, DeclareError> {
        self.declare_if(lock, new, Some(after))
    }

    fn declare_if(
        &mut self,
        lock: &OwnerLock,
        new: &NewLaunch,
        after: Option<u32>,
    ) -> Result<Launch, DeclareError> {
        self.write("declaring the launch", |db| {
            let seat = crate::seat::by_id(db, new.seat)?;
            let latest = check_latest(db, new.seat, after)?;
            let facts = facts(db, new)?;
            for given in [&facts.source, &facts.planned, &facts.resume].into_iter().flatten() {
                if given.runtime != seat.runtime {
                    return Err(DeclareError::OtherRuntime {
                        seat: seat.runtime,
                        given: given.runtime,
                    });
                }
            }
            check_occupant(db, new, &facts)?;
            if let Some(source) = &facts.source {
                see(db, source, "seen", new.at)?;
            }
            insert(db, lock, new, seat.runtime, latest + 1, &facts)?;
            Ok(by_id(db, lock.launch())?)
        })
    }
}

/// Nobody is at work on the seat, nor was since the caller looked. The number of its latest launch.
pub(crate) fn check_latest(
    db: Db<'_>,
    seat: SeatId,
    after: Option<u32>,
) -> Result<u32, DeclareError> {
    let last = last_of(db, seat)?;
    let latest = last.as_ref().map_or(0, |launch| launch.attempt);
    match last {
        Some(open) if open.state.is_open() => Err(DeclareError::Open { open: Box::new(open) }),
        _ if after.is_some_and(|after| after != latest) => Err(DeclareError::Overtaken { latest }),
        _ => Ok(latest),
    }
}

fn facts(db: Db<'_>, new: &NewLaunch) -> Result<Facts, DeclareError> {
    let planned = |planned: &Option<PlannedChild>| {
        planned.as_ref().map(|planned| planned.conversation().clone())
    };
    let mut facts = Facts {
        intent: Intent::Fresh,
        via: Some(CreatedVia::Fresh),
        source: None,
        planned: None,
        resume: None,
        adopts: None,
        image: None,
        child_scope: String::new(),
    };
    match &new.work {
        Work::Fork { source, planned: child, via } => {
            facts.intent = Intent::Fork;
            facts.source = Some(source.conversation().clone());
            facts.planned = planned(child);
            facts.via = Some(match via {
                ForkVia::Fork => CreatedVia::Fork,
                ForkVia::WarmStart => CreatedVia::WarmStart,
                ForkVia::AgentImage(_) => CreatedVia::AgentImage,
            });
            if let ForkVia::AgentImage(image) = via {
                facts.image = Some(image.clone());
            }
        }
        Work::Fresh { planned: child } => facts.planned = planned(child),
        Work::Rebuild { planned: child } => {
            facts.intent = Intent::Rebuild;
            facts.via = Some(CreatedVia::Rebuild);
            facts.planned = planned(child);
        }
        Work::Resume { token } => {
            facts.intent = Intent::Resume;
            facts.via = None;
            facts.resume = Some(token.conversation().clone());
        }
        Work::Orphan { of } => {
            let lost = by_id(db, *of)?;
            let ended = !lost.state.is_open() && lost.error.is_some();
            let made = matches!(lost.intent, Intent::Fork | Intent::Fresh | Intent::Rebuild);
            if lost.seat != new.seat || !ended || !made {
                return Err(DeclareError::NoOrphanOf { of: *of });
            }
            facts.intent = lost.intent;
            facts.via = Some(CreatedVia::Adopted);
            facts.source = lost.source.map(|source| source.conversation().clone());
            facts.adopts = Some(*of);
            let marked = lost.planned_child.map(|child| child.conversation().clone());
            if let Some(child) = marked.or(lost.child) {
                child.scope.as_str().clone_into(&mut facts.child_scope);
            }
        }
    }
    if let Some(child) = facts.planned.as_ref().or(facts.resume.as_ref()) {
        child.scope.as_str().clone_into(&mut facts.child_scope);
    }
    Ok(facts)
}

/// The seat is as the caller saw it when it planned: empty, or with the occupant meant.
fn check_occupant(db: Db<'_>, new: &NewLaunch, facts: &Facts) -> Result<(), DeclareError> {
    let Some(occupant) = crate::occupant::current(db, new.seat)? else {
        let meant = new.replaces.is_some() || facts.resume.is_some();
        return if meant { Err(DeclareError::OccupantChanged) } else { Ok(()) };
    };
    if let Some(resume) = &facts.resume {
        let own = occupant.token.as_ref().is_some_and(|token| token.conversation() == resume);
        return if own { Ok(()) } else { Err(DeclareError::OccupantChanged) };
    }
    match new.replaces {
        None => return Err(DeclareError::Occupied { n: occupant.n }),
        Some(replaces) if replaces.n != occupant.n => return Err(DeclareError::OccupantChanged),
        Some(_) => {}
    }
    match (&facts.source, &occupant.token) {
        (Some(source), Some(token)) if token.conversation().is_same(source) => {
            Err(DeclareError::OwnToken { source_id: SourceId::new(source.clone()) })
        }
        _ => Ok(()),
    }
}

pub(crate) fn insert(
    db: Db<'_>,
    lock: &OwnerLock,
    new: &NewLaunch,
    runtime: Runtime,
    attempt: u32,
    facts: &Facts,
) -> Result<(), StoreError> {
    let binary = new.binary.as_ref();
    let source = facts.source.as_ref();
    let native = |id: &Option<ConversationId>| id.as_ref().map(|id| id.native_id.to_string());
    db.execute(
        "storing the launch",
        "INSERT INTO launches(launch_id,seat_id,runtime,attempt,intent,created_via,nonce,
           owner_host,owner_boot,owner_pid,owner_start,owner_lock,
           source_scope,source_id,child_scope,resume_id,planned_child_id,adopts_launch,image_name,image_version,
           replaces_n,replaces_reason,cwd,model,profile,notice_wanted,permission,build_identity,
           runtime_version,binary_path,binary_dev,binary_ino,binary_mtime,declared_at)
         VALUES(:id,:seat,:runtime,:attempt,:intent,:via,:nonce,
           :host,:boot,:pid,:start,:lock,
           :source_scope,:source,:child_scope,:resume,:planned,:adopts,:image,:image_version,
           :replaces,:reason,:cwd,:model,:profile,:notice_wanted,:permission,:build,
           :version,:binary,:dev,:ino,:mtime,:at)",
        named_params! {
            ":id": lock.launch().to_string(),
            ":seat": new.seat.to_string(),
            ":runtime": runtime.as_str(),
            ":attempt": attempt,
            ":intent": facts.intent.as_str(),
            ":via": facts.via.map(CreatedVia::as_str),
            ":nonce": new.nonce.as_str(),
            ":host": new.owner.host,
            ":boot": new.owner.boot,
            ":pid": new.owner.process.pid,
            ":start": new.owner.process.start,
            ":lock": lock.file_name(),
            ":source_scope": source.map(|source| source.scope.as_str().to_owned()),
            ":source": native(&facts.source),
            ":child_scope": facts.child_scope,
            ":resume": native(&facts.resume),
            ":planned": native(&facts.planned),
            ":adopts": facts.adopts.map(|of| of.to_string()),
            ":image": facts.image.as_ref().map(|image| image.name.as_str()),
            ":image_version": facts.image.as_ref().and_then(|image| image.version.as_deref()),
            ":replaces": new.replaces.map(|replaces| replaces.n),
            ":reason": new.replaces.map(|replaces| replaces.reason.as_str()),
            ":cwd": new.cwd.as_str(),
            ":model": new.model,
            ":profile": new.profile,
            ":notice_wanted": new.notice_wanted,
            ":permission": new.permission,
            ":build": new.build,
            ":version": binary.map(|binary| binary.version.as_str()),
            ":binary": binary.map(|binary| binary.path.as_str()),
            ":dev": binary.map(|binary| bits(binary.device)),
            ":ino": binary.map(|binary| bits(binary.inode)),
            ":mtime": binary.map(|binary| time_text(binary.modified)),
            ":at": time_text(new.at),
        },
    )?;
    Ok(())
}
