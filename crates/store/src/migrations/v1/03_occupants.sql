-- Who lives in a seat (SPEC 1, 11). Born only of a realized launch of that seat, with exactly its child id.
-- There is no column for a source.

CREATE TABLE occupants(
  seat_id      TEXT NOT NULL,
  n            INTEGER NOT NULL CHECK(n>=1),
  runtime      TEXT NOT NULL,
  scope        TEXT NOT NULL DEFAULT '',
  resume_token TEXT CHECK(resume_token<>'' AND resume_token=trim(resume_token)),   -- NULL: terminal, or a Codex token not stored yet
  token_key    TEXT GENERATED ALWAYS AS (CASE runtime WHEN 'pixir' THEN resume_token ELSE lower(resume_token) END) VIRTUAL,
  launch_id    TEXT NOT NULL,
  since        TEXT NOT NULL CHECK(since GLOB '????-??-??T??:??:??.?????????Z'),
  ended_at     TEXT CHECK(ended_at GLOB '????-??-??T??:??:??.?????????Z'),
  end_reason   TEXT CHECK(end_reason IN('handover','rotated','retired','relaunched')),
  PRIMARY KEY(seat_id,n),
  FOREIGN KEY(launch_id,seat_id) REFERENCES launches(launch_id,seat_id),
  FOREIGN KEY(seat_id,runtime) REFERENCES seats(seat_id,runtime),
  FOREIGN KEY(runtime,scope,resume_token) REFERENCES conversations(runtime,scope,native_id),
  CONSTRAINT ended_with_reason CHECK((ended_at IS NULL)=(end_reason IS NULL)),
  CONSTRAINT occupant_scope_is_pixirs CHECK((scope<>'')=(runtime='pixir')),
  CONSTRAINT terminal_has_no_token CHECK(runtime<>'terminal' OR resume_token IS NULL),
  CONSTRAINT only_codex_waits CHECK(resume_token IS NOT NULL OR runtime IN('terminal','codex'))
) STRICT;
CREATE UNIQUE INDEX one_current_occupant ON occupants(seat_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX token_owned_once ON occupants(runtime,scope,token_key) WHERE resume_token IS NOT NULL AND ended_at IS NULL;
CREATE UNIQUE INDEX one_occupant_per_launch ON occupants(launch_id);
CREATE INDEX occupants_by_token ON occupants(runtime,token_key) WHERE resume_token IS NOT NULL;

CREATE TRIGGER occupant_no_replace BEFORE INSERT ON occupants WHEN EXISTS(
  SELECT 1 FROM occupants o WHERE (o.seat_id=NEW.seat_id AND (o.n=NEW.n OR o.ended_at IS NULL)) OR o.launch_id=NEW.launch_id)
  BEGIN SELECT RAISE(ABORT,'occupant_no_replace: the seat has a current occupant'); END;
CREATE TRIGGER occupant_token_taken BEFORE INSERT ON occupants WHEN NEW.resume_token IS NOT NULL AND EXISTS(
  SELECT 1 FROM occupants o WHERE o.ended_at IS NULL AND o.runtime=NEW.runtime AND o.scope=NEW.scope
    AND o.token_key=CASE NEW.runtime WHEN 'pixir' THEN NEW.resume_token ELSE lower(NEW.resume_token) END)
  BEGIN SELECT RAISE(ABORT,'occupant_token_taken: another seat has that token'); END;
CREATE TRIGGER occupants_count BEFORE INSERT ON occupants
  WHEN NEW.n<>1+(SELECT coalesce(max(o.n),0) FROM occupants o WHERE o.seat_id=NEW.seat_id)
  BEGIN SELECT RAISE(ABORT,'occupants_count: occupants of a seat count up by one'); END;
CREATE TRIGGER occupant_begins_current BEFORE INSERT ON occupants WHEN NEW.ended_at IS NOT NULL
  BEGIN SELECT RAISE(ABORT,'occupant_begins_current: an occupant begins as the current one'); END;
CREATE TRIGGER occupant_not_a_source BEFORE INSERT ON occupants WHEN NEW.resume_token IS NOT NULL AND EXISTS(
  SELECT 1 FROM launches l WHERE l.seat_id=NEW.seat_id AND l.source_id IS NOT NULL AND lower(trim(l.source_id))=lower(trim(NEW.resume_token)))
  BEGIN SELECT RAISE(ABORT,'occupant_not_a_source: a source id cannot be a seat token'); END;
CREATE TRIGGER occupant_needs_realized BEFORE INSERT ON occupants WHEN NOT EXISTS(
  SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.seat_id=NEW.seat_id AND l.state='realized' AND l.intent<>'resume'
    AND l.child_id IS NEW.resume_token AND l.child_scope=NEW.scope)
  BEGIN SELECT RAISE(ABORT,'occupant_needs_realized: only a realized launch can occupy a seat, with its own token'); END;
CREATE TRIGGER occupant_of_live_seat BEFORE INSERT ON occupants
  WHEN NOT EXISTS(SELECT 1 FROM seats s WHERE s.seat_id=NEW.seat_id AND s.retired_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'occupant_of_live_seat: a retired seat has no occupant'); END;
CREATE TRIGGER occupant_frozen BEFORE UPDATE ON occupants
  WHEN NEW.seat_id IS NOT OLD.seat_id OR NEW.n IS NOT OLD.n OR NEW.runtime IS NOT OLD.runtime OR NEW.scope IS NOT OLD.scope
    OR NEW.launch_id IS NOT OLD.launch_id OR NEW.since IS NOT OLD.since OR (OLD.resume_token IS NOT NULL AND NEW.resume_token IS NOT OLD.resume_token)
  BEGIN SELECT RAISE(ABORT,'occupant_frozen: a seat token is never rewritten; end this occupant and add one'); END;
CREATE TRIGGER occupant_ended_frozen BEFORE UPDATE ON occupants WHEN OLD.ended_at IS NOT NULL
  BEGIN SELECT RAISE(ABORT,'occupant_ended_frozen: an ended occupant does not change'); END;
CREATE TRIGGER occupant_late_not_a_source BEFORE UPDATE OF resume_token ON occupants WHEN NEW.resume_token IS NOT NULL AND EXISTS(
  SELECT 1 FROM launches l WHERE l.seat_id=NEW.seat_id AND l.source_id IS NOT NULL AND lower(trim(l.source_id))=lower(trim(NEW.resume_token)))
  BEGIN SELECT RAISE(ABORT,'occupant_not_a_source: a source id cannot be a seat token'); END;
CREATE TRIGGER occupant_late_taken BEFORE UPDATE OF resume_token ON occupants WHEN NEW.resume_token IS NOT NULL AND EXISTS(
  SELECT 1 FROM occupants o WHERE o.ended_at IS NULL AND o.seat_id<>NEW.seat_id AND o.runtime=NEW.runtime AND o.scope=NEW.scope
    AND o.token_key=CASE NEW.runtime WHEN 'pixir' THEN NEW.resume_token ELSE lower(NEW.resume_token) END)
  BEGIN SELECT RAISE(ABORT,'occupant_token_taken: another seat has that token'); END;
CREATE TRIGGER occupant_late_is_child BEFORE UPDATE OF resume_token ON occupants
  WHEN NEW.resume_token IS NOT OLD.resume_token AND NOT EXISTS(
    SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.child_id IS NEW.resume_token AND l.child_scope=NEW.scope)
  BEGIN SELECT RAISE(ABORT,'occupant_late_is_child: a late token is the child of its launch'); END;
CREATE TRIGGER occupant_no_delete BEFORE DELETE ON occupants
  BEGIN SELECT RAISE(ABORT,'occupant_no_delete: occupants are kept'); END;

-- Guards between launches and occupants.
CREATE TRIGGER resume_own_token BEFORE INSERT ON launches WHEN NEW.intent='resume' AND NOT EXISTS(
  SELECT 1 FROM occupants o WHERE o.seat_id=NEW.seat_id AND o.ended_at IS NULL AND o.resume_token=NEW.resume_id AND o.scope=NEW.child_scope)
  BEGIN SELECT RAISE(ABORT,'resume_own_token: resume takes the current occupant''s own token'); END;
CREATE TRIGGER resumed_own_token BEFORE UPDATE OF state ON launches WHEN NEW.intent='resume' AND NEW.state='realized' AND NOT EXISTS(
  SELECT 1 FROM occupants o WHERE o.seat_id=NEW.seat_id AND o.ended_at IS NULL AND o.resume_token=NEW.child_id AND o.scope=NEW.child_scope)
  BEGIN SELECT RAISE(ABORT,'resumed_own_token: the token is no longer the seat''s own'); END;
CREATE TRIGGER launch_replaces_current BEFORE INSERT ON launches WHEN NEW.intent<>'resume'
  AND NEW.replaces_n IS NOT (SELECT o.n FROM occupants o WHERE o.seat_id=NEW.seat_id AND o.ended_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'launch_replaces_current: the seat has an occupant this launch does not mean to replace, or not the one it means'); END;
CREATE TRIGGER source_is_not_own_token BEFORE INSERT ON launches WHEN NEW.source_id IS NOT NULL AND EXISTS(
  SELECT 1 FROM occupants o WHERE o.seat_id=NEW.seat_id AND o.ended_at IS NULL AND lower(trim(o.resume_token))=lower(trim(NEW.source_id)))
  BEGIN SELECT RAISE(ABORT,'source_is_not_own_token: a seat''s own token cannot be its source'); END;
CREATE TRIGGER adopt_is_not_a_source BEFORE UPDATE OF child_id ON launches WHEN NEW.intent='adopt' AND NEW.child_id IS NOT NULL AND EXISTS(
  SELECT 1 FROM launches l WHERE l.seat_id=NEW.seat_id AND l.source_id IS NOT NULL AND lower(trim(l.source_id))=lower(trim(NEW.child_id)))
  BEGIN SELECT RAISE(ABORT,'adopt_is_not_a_source: a conversation that was a source of this seat cannot be its token'); END;
CREATE TRIGGER seat_retires_empty BEFORE UPDATE OF retired_at ON seats
  WHEN NEW.retired_at IS NOT NULL AND EXISTS(SELECT 1 FROM occupants o WHERE o.seat_id=OLD.seat_id AND o.ended_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'seat_retires_empty: a seat retires after its occupant'); END;
CREATE TRIGGER seat_settings_frozen BEFORE UPDATE OF cwd,claude_config_dir,codex_home ON seats
  WHEN (NEW.cwd IS NOT OLD.cwd OR NEW.claude_config_dir IS NOT OLD.claude_config_dir OR NEW.codex_home IS NOT OLD.codex_home)
    AND EXISTS(SELECT 1 FROM occupants o WHERE o.seat_id=OLD.seat_id AND o.ended_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'seat_settings_frozen: an occupied seat keeps its directory and the homes of its runtime'); END;
