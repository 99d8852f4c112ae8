//! A runtime made for these tests: conversations are files in a directory, its program is a shell script.
//!
//! It is an adapter like any other to the machine under test: it plans, and the
//! driver runs its script. What the script does is told by the file `mode`.

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::binary::stamp_of;
use seatfork_adapters::{
    Adapter, Binary, Description, Dialog, Evidence, FindError, Foretold, InUse, Made, Observation,
    PaneStart, Phase1, Phase1Ask, Phase1Output, Phase1Refusal, PlanRefusal, ProbeError, ProcessId,
    ProcessPlan, ProveError, ResolveError, SeatEnv, SeatWish, SessionSummary,
};
use seatfork_schema::proof::Inherited;
use seatfork_schema::{
    ConversationId, LaunchCode, NativeId, PlannedChild, Proof, ProofGrade, ProofStatus, Runtime,
    SourceId,
};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// What the script is told to do; the words of the file `mode`.
const SCRIPT: &str = r#"
set -u
home=$1; what=$2; id=$3; from=$4
mode=$(cat "$home/mode" 2>/dev/null || echo ok)
echo "$what $id" >> "$home/calls"
case $what in
make)
  case $mode in
  fail) echo "no good: $id with sk-ant-REDACTED" >&2; echo "and so on"; exit 3;;
  hang) sleep 1000;;
  nothing) exit 0;;
  empty) : > "$home/records/$id"; exit 0;;
  partial) head -c 5 "$from" > "$home/records/$id"; exit 0;;
  other) echo "another history" > "$home/records/$id"; echo "all is well"; exit 0;;
  slow) sleep 1; [ -e "$from" ] || from="$home/records/.kept";;
  late) (sleep 2; cp "$from" "$home/records/$id") </dev/null >/dev/null 2>&1 & exit 4;;
  esac
  if [ "$from" = - ]; then echo "fresh" > "$home/records/.$id"; else cp "$from" "$home/records/.$id"; fi
  mv "$home/records/.$id" "$home/records/$id"
  echo "made $id";;
fork | start)
  # The pane makes the conversation itself.
  id=$(cat /proc/sys/kernel/random/uuid)
  case $mode in
  dies) echo "cannot fork $from"; exit 7;;
  asks) echo "do you trust this folder?"; sleep 1000;;
  other) echo "another history" > "$home/records/$id";;
  itself) id=${from##*/};;
  esac
  # A new one holds nothing on disk before its first message.
  if [ "$what" = start ]; then id=-; elif [ "$mode" = ok ]; then cp "$from" "$home/records/$id"; fi
  echo "$id" > "$home/serving/.$$"
  mv "$home/serving/.$$" "$home/serving/$$"
  exec sleep 1000;;
serve)
  case $mode in
  dies) echo "cannot serve $id"; exit 7;;
  asks) echo "do you trust this folder?"; sleep 1000;;
  mute) sleep 1000;;
  # Its process does not mind that its terminal goes.
  other | other-pane) trap '' HUP; id=ffffffff-0000-4000-8000-000000000000;;
  leaves) setsid sleep 1000 </dev/null >/dev/null 2>&1 &;;
  stays) trap '' HUP;;
  drowsy) sleep 1;;
  esac
  echo "$id" > "$home/serving/.$$"
  mv "$home/serving/.$$" "$home/serving/$$"
  echo "serving $id"
  exec sleep 1000;;
esac
"#;

/// The adapter.
#[derive(Debug)]
pub(crate) struct RecordRuntime {
    home: Utf8PathBuf,
    /// Codex: a version that makes its conversations in their panes. Else one that makes them beforehand.
    runtime: Runtime,
}

static DESCRIPTION: Description = Description {
    runtime: Runtime::ClaudeCode,
    fork: true,
    resume: true,
    fresh: true,
    tested_versions: &["1"],
    inherits: &[],
    does_not_inherit: &[],
    depends: None,
    location_vars: &["CLAUDE_CONFIG_DIR"],
    pass_vars: &[],
};

static IN_PANE: Description = Description {
    runtime: Runtime::Codex,
    fork: true,
    resume: true,
    fresh: false,
    tested_versions: &["1"],
    inherits: &[],
    does_not_inherit: &[],
    depends: None,
    location_vars: &["CODEX_HOME"],
    pass_vars: &[],
};

impl RecordRuntime {
    /// The same for a runtime that makes its conversations in their panes.
    pub(crate) fn in_pane(home: &Utf8Path) -> Self {
        Self { runtime: Runtime::Codex, ..Self::at(home) }
    }

    /// The runtime whose things are in `home`, which is made where it is missing.
    pub(crate) fn at(home: &Utf8Path) -> Self {
        for dir in ["records", "serving"] {
            std::fs::create_dir_all(home.join(dir)).unwrap();
        }
        std::fs::write(home.join("runtime.sh"), SCRIPT).unwrap();
        Self { home: home.to_owned(), runtime: Runtime::ClaudeCode }
    }

    fn record(&self, id: &NativeId) -> Utf8PathBuf {
        self.home.join("records").join(id.as_str())
    }

    fn argv(&self, what: &str, id: &str, from: &str) -> Vec<String> {
        let script = self.home.join("runtime.sh");
        ["/bin/sh", script.as_str(), self.home.as_str(), what, id, from].map(str::to_owned).into()
    }

    fn plan(wish: &SeatWish, argv: Vec<String>) -> ProcessPlan {
        ProcessPlan {
            argv,
            cwd: wish.cwd.clone(),
            set_env: Vec::new(),
            unset_env: Vec::new(),
            deadline: Duration::from_secs(4),
            dialogue: None,
        }
    }

    fn find_error(path: &Utf8Path, error: &std::io::Error) -> FindError {
        FindError { path: path.to_owned(), why: error.to_string() }
    }
}

/// 64 hex digits that tell contents apart; no cryptography is at stake here.
fn digest(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for salt in 0..4_u8 {
        let mut hasher = DefaultHasher::new();
        (salt, bytes).hash(&mut hasher);
        write!(digits, "{:016x}", hasher.finish()).unwrap();
    }
    digits
}

fn refuted(code: LaunchCode, message: String) -> ProveError {
    ProveError::Refuted { code, message }
}

#[async_trait]
impl Adapter for RecordRuntime {
    fn runtime(&self) -> Runtime {
        self.runtime
    }

    fn describe(&self) -> &'static Description {
        if self.runtime == Runtime::Codex { &IN_PANE } else { &DESCRIPTION }
    }

    async fn probe(&self, _: &SeatEnv, _: &Utf8Path) -> Result<Binary, ProbeError> {
        let path = Utf8Path::new("/bin/sh").canonicalize_utf8().unwrap();
        let stamp = stamp_of(&path).unwrap();
        Ok(Binary {
            path,
            device: stamp.device,
            inode: stamp.inode,
            stamp: stamp.stamp,
            version: "1".to_owned(),
            abilities: Vec::new(),
        })
    }

    fn check(&self, wish: &SeatWish, _: &Binary) -> Vec<PlanRefusal> {
        let yolo = wish.permission.as_deref() == Some("builtin:yolo") && !wish.allow_yolo;
        let refusal = yolo.then(|| PlanRefusal {
            code: LaunchCode::YoloNotAllowed,
            message: format!("{} asks for builtin:yolo", wish.seat_name),
            help: None,
        });
        refusal.into_iter().collect()
    }

    async fn foretell(&self, _: &SeatWish, _: &SeatEnv) -> Vec<Foretold> {
        // Told by a file that is there: the seat will ask.
        let told = self.home.join("foretold").exists().then(|| Foretold {
            dialog: Dialog { code: LaunchCode::AttentionTrust, question: "trust this folder?" },
            why: "it was never trusted".to_owned(),
        });
        told.into_iter().collect()
    }

    fn check_source(&self, source: &SourceId) -> Result<(), ResolveError> {
        let id = &source.conversation().native_id;
        if id.is_lowercase_uuid() {
            return Ok(());
        }
        let given = id.to_string();
        Err(ResolveError::Malformed { runtime: self.runtime, given, did_you_mean: None })
    }

    async fn resolve(
        &self,
        source: &SourceId,
        env: &SeatEnv,
        _: &Utf8Path,
    ) -> Result<Evidence, ResolveError> {
        let id = &source.conversation().native_id;
        let live = self.in_use(source.conversation(), env).await.unwrap();
        let path = self.record(id);
        let bytes = std::fs::read(&path).map_err(|_| ResolveError::NotFound {
            runtime: self.runtime,
            id: id.to_string(),
            looked_in: vec![self.home.join("records")],
            nearest: Vec::new(),
        })?;
        let meta = path.metadata().unwrap();
        let records = bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        Ok(Evidence {
            native_id: id.clone(),
            device: meta.dev(),
            inode: meta.ino(),
            bytes: bytes.len() as u64,
            sha256: digest(&bytes),
            records,
            effective_records: records,
            last_record: None,
            not_inherited: Vec::new(),
            last_activity: None,
            recorded_cwd: std::fs::read_to_string(self.home.join("recorded_cwd")).ok(),
            live,
            written_by: None,
            remarks: Vec::new(),
            ancestors: Vec::new(),
            fork_bytes: None,
            path,
        })
    }

    fn plan_child(&self) -> Option<PlannedChild> {
        if self.runtime == Runtime::Codex {
            return None;
        }
        let id = NativeId::new(uuid::Uuid::new_v4().to_string()).unwrap();
        Some(PlannedChild::new(ConversationId::new(self.runtime, id)))
    }

    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
        if self.runtime == Runtime::Codex {
            return Ok(Phase1::InPane);
        }
        let id = ask.child.unwrap().conversation().native_id.to_string();
        let from = ask.source.map_or("-", |source| source.path.as_str());
        Ok(Phase1::Headless(Box::new(Self::plan(ask.wish, self.argv("make", &id, from)))))
    }

    fn learn(
        &self,
        _: Option<&SourceId>,
        child: Option<&PlannedChild>,
        output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal> {
        if output.timed_out {
            let message = "the runtime did not end in time and was ended".to_owned();
            return Err(Phase1Refusal { code: LaunchCode::Phase1Timeout, message });
        }
        if output.exit_code != Some(0) {
            let said = String::from_utf8_lossy(&output.stderr);
            let message = format!("the runtime ended with {:?}: {said}", output.exit_code);
            return Err(Phase1Refusal { code: LaunchCode::Phase1Failed, message });
        }
        Ok(child.unwrap().conversation().clone())
    }

    async fn prove(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        _: &SeatEnv,
        _: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        let path = self.record(&child.native_id);
        let made = std::fs::read(&path)
            .map_err(|_| refuted(LaunchCode::ChildMissing, format!("{path} is not there")))?;
        if made.is_empty() {
            return Err(refuted(LaunchCode::ChildEmpty, format!("{path} is empty")));
        }
        let weak = std::fs::read(self.home.join("mode")).is_ok_and(|mode| mode == b"weak");
        let Some(source) = source.filter(|_| !weak) else {
            return Ok(Proof::new_id("a new record"));
        };
        let now = std::fs::read(&source.path).map_err(|_| ProveError::Unverifiable {
            code: LaunchCode::SourceGone,
            message: format!("{} is gone", source.path),
        })?;
        let length = usize::try_from(source.bytes).unwrap();
        let seen = now.get(..length).unwrap_or(&now);
        if digest(seen) != source.sha256 {
            return Err(refuted(LaunchCode::SourceChanged, format!("{} changed", source.path)));
        }
        if made.get(..length) != Some(seen) {
            let message =
                format!("the source's history is {}, the child's {}", digest(seen), digest(&made));
            return Err(refuted(LaunchCode::ProofFailed, message));
        }
        Ok(Proof {
            grade: ProofGrade::L3,
            status: ProofStatus::Proved,
            detail: format!("content proved {0}/{0}", source.records),
            inherited: Some(Inherited {
                records: source.records,
                source_bytes: source.bytes,
                sha256: digest(seen),
                last_record: None,
                not_inherited: Vec::new(),
                depends_on_source: false,
                depends_on: Vec::new(),
            }),
        })
    }

    async fn find_made(
        &self,
        child: Option<&PlannedChild>,
        _: &str,
        _: &SeatEnv,
    ) -> Result<Option<Made>, FindError> {
        let Some(child) = child else { return Ok(None) };
        let path = self.record(&child.conversation().native_id);
        match path.metadata() {
            Ok(meta) => {
                let conversation = child.conversation().clone();
                Ok(Some(Made { conversation, path, bytes: meta.len() }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Self::find_error(&path, &error)),
        }
    }

    async fn forks_of_others(&self, _: &SourceId, _: &SeatEnv) -> Result<Vec<Made>, FindError> {
        // Told by a file: ids that a user's own forks have.
        let told = std::fs::read_to_string(self.home.join("others")).unwrap_or_default();
        let made = |id: &str| {
            let id = NativeId::new(id).unwrap();
            let path = self.record(&id);
            Made { conversation: ConversationId::new(self.runtime, id), path, bytes: 1 }
        };
        Ok(told.lines().map(made).collect())
    }

    fn born(&self, conversation: &ConversationId) -> Option<jiff::Timestamp> {
        let changed = self.record(&conversation.native_id).metadata().ok()?.modified().ok()?;
        jiff::Timestamp::try_from(changed).ok()
    }

    async fn in_use(
        &self,
        conversation: &ConversationId,
        _: &SeatEnv,
    ) -> Result<Option<InUse>, FindError> {
        let dir = self.home.join("serving");
        let entries = dir.read_dir_utf8().map_err(|error| Self::find_error(&dir, &error))?;
        for entry in entries {
            let path = entry.unwrap().into_path();
            let Some(pid) = path.file_name().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let served = std::fs::read_to_string(&path).unwrap_or_default();
            let alive = seatfork_process::entry(pid).unwrap().is_some_and(|found| !found.ended);
            if alive && served.trim() == conversation.native_id.as_str() {
                return Ok(Some(InUse { pid, seen_in: format!("serving/{pid}") }));
            }
        }
        Ok(None)
    }

    async fn locate(
        &self,
        conversation: &ConversationId,
        _: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError> {
        let path = self.record(&conversation.native_id);
        Ok(path.exists().then_some(path))
    }

    fn pane(
        &self,
        wish: &SeatWish,
        _: &Binary,
        start: PaneStart<'_>,
    ) -> Result<ProcessPlan, PlanRefusal> {
        let argv = match start {
            PaneStart::Resume(token) => {
                self.argv("serve", token.conversation().native_id.as_str(), "-")
            }
            PaneStart::Fork(source) => self.argv("fork", "-", source.path.as_str()),
            PaneStart::Fresh => self.argv("start", "-", "-"),
        };
        Ok(Self::plan(wish, argv))
    }

    async fn observe(&self, pane: ProcessId, _: &SeatEnv) -> Observation {
        if !pane.alive().unwrap() {
            return Observation::Gone;
        }
        match std::fs::read_to_string(self.home.join("serving").join(pane.pid.to_string())) {
            Ok(id) if id.trim() == "-" => Observation::Up,
            Ok(id) => Observation::Serving {
                conversation: ConversationId::new(self.runtime, NativeId::new(id.trim()).unwrap()),
                ready: true,
            },
            Err(_) => Observation::Unknown,
        }
    }

    fn wake_dirs(&self, _: &SeatEnv) -> Vec<Utf8PathBuf> {
        vec![self.home.join("serving")]
    }

    fn recognise(&self, screen: &[String]) -> Option<Dialog> {
        let asks = screen.iter().any(|line| line.contains("do you trust"));
        asks.then_some(Dialog { code: LaunchCode::AttentionTrust, question: "trust this folder?" })
    }

    async fn sessions(&self, _: &SeatEnv) -> Result<Vec<SessionSummary>, FindError> {
        Ok(Vec::new())
    }
}
