-- One row per attempt to fill a seat (SPEC 7): declared facts that never change, and states that go one way.

CREATE TABLE launches(
  launch_id   TEXT PRIMARY KEY CHECK(length(launch_id)=36),
  seat_id     TEXT NOT NULL,
  runtime     TEXT NOT NULL,
  attempt     INTEGER NOT NULL CHECK(attempt>=1),
  intent      TEXT NOT NULL CHECK(intent IN('fork','fresh','resume','rebuild','adopt')),
  created_via TEXT CHECK(created_via IN('fork','warm_start','rebuild','agent_image','fresh','rotated','adopted')),
  state       TEXT NOT NULL DEFAULT 'declared' CHECK(state IN('declared','resolved','forking','realized','failed','abandoned')),
  nonce       TEXT NOT NULL UNIQUE CHECK(length(nonce)>=32 AND NOT nonce GLOB '*[^0-9a-f]*'),

  owner_host  TEXT NOT NULL CHECK(owner_host<>''),
  owner_boot  TEXT NOT NULL CHECK(owner_boot<>''),
  owner_pid   INTEGER NOT NULL CHECK(owner_pid>0),
  owner_start TEXT NOT NULL CHECK(owner_start<>''),
  owner_lock  TEXT NOT NULL CHECK(owner_lock<>'' AND NOT owner_lock GLOB '*/*'),   -- file name under locks/

  -- declared facts
  source_scope TEXT,
  source_id    TEXT,
  child_scope  TEXT NOT NULL DEFAULT '',
  resume_id    TEXT,
  planned_child_id TEXT CHECK(planned_child_id<>'' AND planned_child_id=trim(planned_child_id)),
  adopts_launch TEXT REFERENCES launches(launch_id),   -- the launch whose mark an orphan bears
  image_name   TEXT,
  image_version TEXT,
  replaces_n   INTEGER,                                -- the current occupant this launch is to replace
  replaces_reason TEXT CHECK(replaces_reason IN('handover','rotated','retired','relaunched')),
  cwd          TEXT NOT NULL CHECK(cwd LIKE '/%'),
  model        TEXT,
  profile      TEXT,                                   -- the runtime's configuration profile
  notice_wanted INTEGER NOT NULL DEFAULT 1 CHECK(notice_wanted IN(0,1)),
  permission   TEXT NOT NULL CHECK(permission<>''),
  build_identity TEXT NOT NULL CHECK(build_identity<>''),
  runtime_version TEXT,
  binary_path  TEXT CHECK(binary_path LIKE '/%'),
  binary_dev   INTEGER,
  binary_ino   INTEGER,
  binary_mtime TEXT CHECK(binary_mtime GLOB '????-??-??T??:??:??.?????????Z'),
  declared_at  TEXT NOT NULL CHECK(declared_at GLOB '????-??-??T??:??:??.?????????Z'),

  -- resolved: what the adapter saw of the source
  resolved_at  TEXT CHECK(resolved_at GLOB '????-??-??T??:??:??.?????????Z'),
  evidence_path TEXT CHECK(evidence_path LIKE '/%'),
  evidence_dev INTEGER,
  evidence_ino INTEGER,
  evidence_bytes INTEGER CHECK(evidence_bytes>=0),
  evidence_sha256 TEXT CHECK(length(evidence_sha256)=64 AND NOT evidence_sha256 GLOB '*[^0-9a-f]*'),
  evidence_records INTEGER CHECK(evidence_records>=0),
  evidence_detail TEXT CHECK(json_valid(evidence_detail)),

  -- forking
  forking_at   TEXT CHECK(forking_at GLOB '????-??-??T??:??:??.?????????Z'),
  phase1_pid   INTEGER CHECK(phase1_pid>0),
  phase1_start TEXT CHECK(phase1_start<>''),
  child_id     TEXT,

  -- ended
  proof_grade  TEXT CHECK(proof_grade IN('L0','L1','L2','L3')),
  proof_status TEXT CHECK(proof_status IN('proved','refuted','unverifiable')),
  proof_detail TEXT,
  outcome      TEXT CHECK(outcome IN('forked','fresh','resumed','rebuilt','failed')),
  failed_step  TEXT CHECK(failed_step<>''),
  error_code   TEXT CHECK(error_code<>''),
  error_text   TEXT,
  error_hint   TEXT,
  output_path  TEXT CHECK(output_path LIKE '/%'),      -- captured runtime output, 0600
  leftover     TEXT,                                   -- what exists now although the launch ended without a seat
  ended_at     TEXT CHECK(ended_at GLOB '????-??-??T??:??:??.?????????Z'),
  notice       TEXT CHECK(notice IN('injected','with_first_text','none')),
  warnings     TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(warnings) AND json_type(warnings)='array'),

  source_key  TEXT GENERATED ALWAYS AS (CASE runtime WHEN 'pixir' THEN source_id ELSE lower(source_id) END) VIRTUAL,
  planned_key TEXT GENERATED ALWAYS AS (CASE runtime WHEN 'pixir' THEN planned_child_id ELSE lower(planned_child_id) END) VIRTUAL,
  child_key   TEXT GENERATED ALWAYS AS (CASE runtime WHEN 'pixir' THEN child_id ELSE lower(child_id) END) VIRTUAL,

  UNIQUE(seat_id,attempt), UNIQUE(launch_id,seat_id),
  FOREIGN KEY(seat_id,runtime) REFERENCES seats(seat_id,runtime),
  FOREIGN KEY(runtime,source_scope,source_id) REFERENCES conversations(runtime,scope,native_id),
  FOREIGN KEY(runtime,child_scope,resume_id)  REFERENCES conversations(runtime,scope,native_id),
  FOREIGN KEY(runtime,child_scope,child_id)   REFERENCES conversations(runtime,scope,native_id),

  CONSTRAINT source_has_scope CHECK((source_id IS NULL)=(source_scope IS NULL)),
  CONSTRAINT child_scope_is_pixirs CHECK((child_scope<>'')=(runtime='pixir')),
  CONSTRAINT fork_has_source CHECK((intent='fork')=(source_id IS NOT NULL)),
  CONSTRAINT resume_has_token CHECK((intent='resume')=(resume_id IS NOT NULL)),
  CONSTRAINT resume_plans_no_child CHECK(intent NOT IN('resume','adopt') OR planned_child_id IS NULL),
  CONSTRAINT via_fits_intent CHECK(CASE intent
    WHEN 'fork'    THEN created_via IS NOT NULL AND created_via IN('fork','warm_start','agent_image','adopted')
    WHEN 'fresh'   THEN created_via IS NOT NULL AND created_via IN('fresh','adopted')
    WHEN 'rebuild' THEN created_via IS NOT NULL AND created_via IN('rebuild','adopted')
    WHEN 'resume'  THEN created_via IS NULL
    ELSE created_via IS 'rotated' END),
  CONSTRAINT adopted_names_its_launch CHECK((created_via IS 'adopted')=(adopts_launch IS NOT NULL)),
  CONSTRAINT image_names_itself CHECK((created_via IS 'agent_image')=(image_name IS NOT NULL) AND (image_version IS NULL OR image_name IS NOT NULL)),
  CONSTRAINT child_is_planned CHECK(runtime NOT IN('claude-code','pixir') OR intent IN('resume','adopt') OR created_via IS 'adopted' OR planned_child_id IS NOT NULL),
  CONSTRAINT terminal_is_fresh CHECK(runtime<>'terminal' OR (intent='fresh' AND created_via IS 'fresh' AND child_id IS NULL AND planned_child_id IS NULL)),
  CONSTRAINT replaces_with_reason CHECK((replaces_n IS NULL)=(replaces_reason IS NULL)),
  CONSTRAINT resume_replaces_nobody CHECK(intent<>'resume' OR replaces_n IS NULL),
  CONSTRAINT child_is_not_source CHECK(source_id IS NULL OR child_id IS NULL OR lower(trim(child_id))<>lower(trim(source_id))),
  CONSTRAINT planned_is_not_source CHECK(source_id IS NULL OR planned_child_id IS NULL OR lower(planned_child_id)<>lower(source_id)),
  CONSTRAINT child_as_planned CHECK(planned_child_id IS NULL OR child_id IS NULL OR child_id=planned_child_id),
  CONSTRAINT binary_is_whole CHECK((binary_path IS NULL)=(binary_dev IS NULL) AND (binary_path IS NULL)=(binary_ino IS NULL) AND (binary_path IS NULL)=(binary_mtime IS NULL)),
  CONSTRAINT evidence_is_whole CHECK((evidence_path IS NULL)=(evidence_dev IS NULL) AND (evidence_path IS NULL)=(evidence_ino IS NULL) AND (evidence_path IS NULL)=(evidence_bytes IS NULL)
    AND (evidence_path IS NULL)=(evidence_sha256 IS NULL) AND (evidence_path IS NULL)=(evidence_records IS NULL) AND (evidence_path IS NULL)=(evidence_detail IS NULL)),
  CONSTRAINT evidence_is_resolved CHECK(evidence_path IS NULL OR (resolved_at IS NOT NULL AND source_id IS NOT NULL)),
  CONSTRAINT fork_goes_by_evidence CHECK(intent<>'fork' OR state NOT IN('resolved','forking','realized') OR evidence_path IS NOT NULL),
  CONSTRAINT declared_knows_no_more CHECK(state<>'declared' OR (child_id IS NULL AND resolved_at IS NULL AND forking_at IS NULL AND ended_at IS NULL)),
  CONSTRAINT resolved_is_dated CHECK(state NOT IN('resolved','forking','realized') OR resolved_at IS NOT NULL),
  CONSTRAINT forking_is_dated CHECK(state NOT IN('forking','realized') OR forking_at IS NOT NULL),
  CONSTRAINT resolved_is_not_forking CHECK(state<>'resolved' OR (forking_at IS NULL AND child_id IS NULL)),
  CONSTRAINT spawned_while_forking CHECK(phase1_pid IS NULL OR forking_at IS NOT NULL),
  CONSTRAINT phase1_is_whole CHECK((phase1_pid IS NULL)=(phase1_start IS NULL)),
  CONSTRAINT ended_is_dated CHECK((state IN('realized','failed','abandoned'))=(ended_at IS NOT NULL)),
  CONSTRAINT ended_has_outcome CHECK((state IN('realized','failed','abandoned') AND NOT(intent='adopt' AND state='realized'))=(outcome IS NOT NULL)),
  CONSTRAINT failed_is_failed CHECK((state IN('failed','abandoned'))=(outcome IS 'failed')),
  CONSTRAINT outcome_fits_intent CHECK(outcome IS NULL OR outcome='failed'
    OR outcome IS CASE intent WHEN 'fork' THEN 'forked' WHEN 'fresh' THEN 'fresh' WHEN 'resume' THEN 'resumed' WHEN 'rebuild' THEN 'rebuilt' END),
  CONSTRAINT forked_is_proved CHECK(outcome IS NOT 'forked' OR (child_id IS NOT NULL AND proof_status IS 'proved'
    AND (proof_grade IS 'L3' OR (proof_grade IS 'L2' AND runtime NOT IN('claude-code','pixir'))))),
  CONSTRAINT resumed_is_its_token CHECK(outcome IS NOT 'resumed' OR child_id IS resume_id),
  CONSTRAINT realized_has_child CHECK(state<>'realized' OR child_id IS NOT NULL OR runtime='terminal' OR (intent IN('fresh','rebuild') AND runtime='codex')),
  CONSTRAINT child_of_new_is_proved CHECK(state<>'realized' OR child_id IS NULL OR intent NOT IN('fresh','rebuild') OR (proof_status IS 'proved' AND proof_grade IS NOT NULL AND proof_grade<>'L0')),
  CONSTRAINT proof_is_whole CHECK((proof_grade IS NULL)=(proof_status IS NULL) AND (proof_grade IS NULL)=(proof_detail IS NULL)),
  CONSTRAINT failed_says_why CHECK(state NOT IN('failed','abandoned') OR (failed_step IS NOT NULL AND error_code IS NOT NULL AND error_text IS NOT NULL)),
  CONSTRAINT error_is_of_failed CHECK(state IN('failed','abandoned') OR (failed_step IS NULL AND error_code IS NULL AND error_text IS NULL AND error_hint IS NULL AND leftover IS NULL))
) STRICT;
CREATE UNIQUE INDEX one_open_launch_per_seat ON launches(seat_id) WHERE state IN('declared','resolved','forking');
CREATE UNIQUE INDEX planned_child_once ON launches(runtime,child_scope,planned_key) WHERE planned_child_id IS NOT NULL;
CREATE UNIQUE INDEX child_made_once ON launches(runtime,child_scope,child_key) WHERE child_id IS NOT NULL AND intent IN('fork','fresh','rebuild') AND created_via<>'adopted';
CREATE INDEX launches_by_source ON launches(runtime,source_key) WHERE source_id IS NOT NULL;
CREATE INDEX launches_by_child ON launches(runtime,child_scope,child_id) WHERE child_id IS NOT NULL;
CREATE INDEX launches_open ON launches(state) WHERE state IN('declared','resolved','forking');
CREATE INDEX launches_by_adopted ON launches(adopts_launch) WHERE adopts_launch IS NOT NULL;

CREATE TABLE allowed_steps(a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY(a,b)) STRICT, WITHOUT ROWID;
INSERT INTO allowed_steps VALUES
  ('declared','resolved'),('declared','failed'),('declared','abandoned'),
  ('resolved','forking'),('resolved','failed'),('resolved','abandoned'),
  ('forking','realized'),('forking','failed'),('forking','abandoned');
CREATE TRIGGER steps_frozen_insert BEFORE INSERT ON allowed_steps BEGIN SELECT RAISE(ABORT,'steps_frozen: the steps of a launch are fixed'); END;
CREATE TRIGGER steps_frozen_update BEFORE UPDATE ON allowed_steps BEGIN SELECT RAISE(ABORT,'steps_frozen: the steps of a launch are fixed'); END;
CREATE TRIGGER steps_frozen_delete BEFORE DELETE ON allowed_steps BEGIN SELECT RAISE(ABORT,'steps_frozen: the steps of a launch are fixed'); END;

CREATE TRIGGER launch_no_replace BEFORE INSERT ON launches WHEN EXISTS(
  SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id OR l.nonce=NEW.nonce OR (l.seat_id=NEW.seat_id AND l.attempt=NEW.attempt))
  BEGIN SELECT RAISE(ABORT,'launch_no_replace: that launch is there already'); END;
CREATE TRIGGER launch_one_open BEFORE INSERT ON launches WHEN EXISTS(
  SELECT 1 FROM launches l WHERE l.seat_id=NEW.seat_id AND l.state IN('declared','resolved','forking'))
  BEGIN SELECT RAISE(ABORT,'launch_one_open: the seat has an open launch'); END;
CREATE TRIGGER launch_planned_once BEFORE INSERT ON launches WHEN NEW.planned_child_id IS NOT NULL AND EXISTS(
  SELECT 1 FROM launches l WHERE l.runtime=NEW.runtime AND l.child_scope=NEW.child_scope
    AND CASE NEW.runtime WHEN 'pixir' THEN NEW.planned_child_id ELSE lower(NEW.planned_child_id) END IN(l.planned_key,l.child_key))
  BEGIN SELECT RAISE(ABORT,'launch_planned_once: a child id is planned once'); END;
CREATE TRIGGER launch_starts_declared BEFORE INSERT ON launches WHEN NEW.state<>'declared'
  BEGIN SELECT RAISE(ABORT,'launch_starts_declared: a launch starts as declared'); END;
CREATE TRIGGER launch_attempts_count BEFORE INSERT ON launches
  WHEN NEW.attempt<>1+(SELECT coalesce(max(l.attempt),0) FROM launches l WHERE l.seat_id=NEW.seat_id)
  BEGIN SELECT RAISE(ABORT,'launch_attempts_count: attempts of a seat count up by one'); END;
CREATE TRIGGER launch_of_live_seat BEFORE INSERT ON launches
  WHEN NOT EXISTS(SELECT 1 FROM seats s WHERE s.seat_id=NEW.seat_id AND s.retired_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'launch_of_live_seat: a retired seat is not launched'); END;
CREATE TRIGGER adopted_orphan_is_ours BEFORE INSERT ON launches WHEN NEW.adopts_launch IS NOT NULL AND NOT EXISTS(
  SELECT 1 FROM launches l WHERE l.launch_id=NEW.adopts_launch AND l.seat_id=NEW.seat_id AND l.state IN('failed','abandoned')
    AND l.intent=NEW.intent AND l.source_id IS NEW.source_id AND l.source_scope IS NEW.source_scope AND l.child_scope=NEW.child_scope)
  BEGIN SELECT RAISE(ABORT,'adopted_orphan_is_ours: an orphan bears the mark of a failed or abandoned launch of this seat, with the same source'); END;
CREATE TRIGGER seat_retires_idle BEFORE UPDATE OF retired_at ON seats
  WHEN NEW.retired_at IS NOT NULL AND EXISTS(SELECT 1 FROM launches l WHERE l.seat_id=OLD.seat_id AND l.state IN('declared','resolved','forking'))
  BEGIN SELECT RAISE(ABORT,'seat_retires_idle: a seat with an open launch does not retire'); END;

CREATE TRIGGER launch_steps BEFORE UPDATE OF state ON launches
  WHEN NEW.state<>OLD.state AND NOT EXISTS(SELECT 1 FROM allowed_steps WHERE a=OLD.state AND b=NEW.state)
  BEGIN SELECT RAISE(ABORT,'launch_steps: a launch has no such step'); END;
CREATE TRIGGER launch_declared_frozen BEFORE UPDATE ON launches
  WHEN NEW.launch_id IS NOT OLD.launch_id OR NEW.seat_id IS NOT OLD.seat_id OR NEW.runtime IS NOT OLD.runtime OR NEW.attempt IS NOT OLD.attempt
    OR NEW.intent IS NOT OLD.intent OR NEW.created_via IS NOT OLD.created_via OR NEW.nonce IS NOT OLD.nonce
    OR NEW.source_scope IS NOT OLD.source_scope OR NEW.source_id IS NOT OLD.source_id OR NEW.child_scope IS NOT OLD.child_scope
    OR NEW.resume_id IS NOT OLD.resume_id OR NEW.planned_child_id IS NOT OLD.planned_child_id OR NEW.adopts_launch IS NOT OLD.adopts_launch
    OR NEW.image_name IS NOT OLD.image_name OR NEW.image_version IS NOT OLD.image_version
    OR NEW.replaces_n IS NOT OLD.replaces_n OR NEW.replaces_reason IS NOT OLD.replaces_reason
    OR NEW.cwd IS NOT OLD.cwd OR NEW.model IS NOT OLD.model OR NEW.profile IS NOT OLD.profile OR NEW.notice_wanted IS NOT OLD.notice_wanted OR NEW.permission IS NOT OLD.permission OR NEW.build_identity IS NOT OLD.build_identity
    OR NEW.runtime_version IS NOT OLD.runtime_version OR NEW.binary_path IS NOT OLD.binary_path OR NEW.binary_dev IS NOT OLD.binary_dev
    OR NEW.binary_ino IS NOT OLD.binary_ino OR NEW.binary_mtime IS NOT OLD.binary_mtime OR NEW.declared_at IS NOT OLD.declared_at
  BEGIN SELECT RAISE(ABORT,'launch_declared_frozen: declared facts do not change'); END;
CREATE TRIGGER launch_evidence_frozen BEFORE UPDATE ON launches
  WHEN OLD.resolved_at IS NOT NULL AND (NEW.resolved_at IS NOT OLD.resolved_at OR NEW.evidence_path IS NOT OLD.evidence_path
    OR NEW.evidence_dev IS NOT OLD.evidence_dev OR NEW.evidence_ino IS NOT OLD.evidence_ino OR NEW.evidence_bytes IS NOT OLD.evidence_bytes
    OR NEW.evidence_sha256 IS NOT OLD.evidence_sha256 OR NEW.evidence_records IS NOT OLD.evidence_records OR NEW.evidence_detail IS NOT OLD.evidence_detail)
  BEGIN SELECT RAISE(ABORT,'launch_evidence_frozen: what was seen of a source does not change'); END;
CREATE TRIGGER launch_child_frozen BEFORE UPDATE ON launches
  WHEN (OLD.child_id IS NOT NULL AND NEW.child_id IS NOT OLD.child_id) OR (OLD.phase1_pid IS NOT NULL AND (NEW.phase1_pid IS NOT OLD.phase1_pid OR NEW.phase1_start IS NOT OLD.phase1_start))
    OR (OLD.forking_at IS NOT NULL AND NEW.forking_at IS NOT OLD.forking_at)
  BEGIN SELECT RAISE(ABORT,'launch_child_frozen: a launch makes one child, once'); END;
CREATE TRIGGER launch_child_is_marked BEFORE UPDATE OF child_id ON launches
  WHEN NEW.child_id IS NOT NULL AND NEW.adopts_launch IS NOT NULL AND EXISTS(
    SELECT 1 FROM launches l WHERE l.launch_id=NEW.adopts_launch AND coalesce(l.planned_child_id,l.child_id) IS NOT NULL AND coalesce(l.planned_child_id,l.child_id)<>NEW.child_id)
  BEGIN SELECT RAISE(ABORT,'launch_child_is_marked: an adopted child bears the mark of the launch it is adopted from'); END;
-- What may still change after the end: notice and warnings, and a late Codex token, once, from nothing.
CREATE TRIGGER launch_ended_frozen BEFORE UPDATE ON launches
  WHEN OLD.state IN('realized','failed','abandoned') AND (
    NEW.outcome IS NOT OLD.outcome OR NEW.ended_at IS NOT OLD.ended_at OR NEW.failed_step IS NOT OLD.failed_step OR NEW.error_code IS NOT OLD.error_code
    OR NEW.error_text IS NOT OLD.error_text OR NEW.error_hint IS NOT OLD.error_hint OR NEW.output_path IS NOT OLD.output_path OR NEW.leftover IS NOT OLD.leftover
    OR NEW.owner_host IS NOT OLD.owner_host OR NEW.owner_boot IS NOT OLD.owner_boot OR NEW.owner_pid IS NOT OLD.owner_pid OR NEW.owner_start IS NOT OLD.owner_start
    OR NEW.owner_lock IS NOT OLD.owner_lock OR NEW.phase1_pid IS NOT OLD.phase1_pid OR NEW.forking_at IS NOT OLD.forking_at OR NEW.resolved_at IS NOT OLD.resolved_at
    OR ((NEW.child_id IS NOT OLD.child_id OR NEW.proof_grade IS NOT OLD.proof_grade OR NEW.proof_status IS NOT OLD.proof_status OR NEW.proof_detail IS NOT OLD.proof_detail)
        AND NOT(OLD.state='realized' AND OLD.runtime='codex' AND OLD.child_id IS NULL AND NEW.child_id IS NOT NULL)))
  BEGIN SELECT RAISE(ABORT,'launch_ended_frozen: an ended launch does not change'); END;
CREATE TRIGGER launch_no_delete BEFORE DELETE ON launches
  BEGIN SELECT RAISE(ABORT,'launch_no_delete: launches are kept'); END;

-- Artifact files of a rebuild in trust order, gaps included (SPEC 10, failure 2).
CREATE TABLE launch_artifacts(
  launch_id TEXT NOT NULL REFERENCES launches(launch_id), n INTEGER NOT NULL CHECK(n>=1),
  path TEXT NOT NULL CHECK(path<>''), state TEXT NOT NULL CHECK(state IN('found','missing','unreadable')),
  bytes INTEGER CHECK(bytes>=0), sha256 TEXT CHECK(length(sha256)=64 AND NOT sha256 GLOB '*[^0-9a-f]*'),
  PRIMARY KEY(launch_id,n), CONSTRAINT found_is_measured CHECK((state='found')=(bytes IS NOT NULL) AND (state='found')=(sha256 IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TRIGGER artifact_of_rebuild BEFORE INSERT ON launch_artifacts
  WHEN NOT EXISTS(SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.intent IN('rebuild','fresh') AND l.state IN('declared','resolved'))
  BEGIN SELECT RAISE(ABORT,'artifact_of_rebuild: artifacts belong to an open rebuild or fresh launch'); END;
CREATE TRIGGER artifact_no_replace BEFORE INSERT ON launch_artifacts WHEN EXISTS(SELECT 1 FROM launch_artifacts a WHERE a.launch_id=NEW.launch_id AND a.n=NEW.n)
  BEGIN SELECT RAISE(ABORT,'artifact_no_replace: that artifact is recorded'); END;
CREATE TRIGGER artifact_frozen BEFORE UPDATE ON launch_artifacts BEGIN SELECT RAISE(ABORT,'artifact_frozen: artifacts are append-only'); END;
CREATE TRIGGER artifact_no_delete BEFORE DELETE ON launch_artifacts BEGIN SELECT RAISE(ABORT,'artifact_no_delete: artifacts are append-only'); END;
