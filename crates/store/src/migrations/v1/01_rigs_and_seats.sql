-- Rigs, seats, and every conversation we saw or made (SPEC 1, 7, 11).
-- A seat has no column for a token and none for a source.

CREATE TABLE rigs(
  rig_id      TEXT PRIMARY KEY CHECK(length(rig_id)=36),
  name        TEXT NOT NULL CHECK(name<>'' AND name=trim(name)),
  root        TEXT NOT NULL CHECK(root LIKE '/%'),   -- real path of the spec's directory; part of the rig's identity
  spec_path   TEXT,                                  -- NULL: read from stdin
  spec_sha256 TEXT NOT NULL CHECK(length(spec_sha256)=64 AND NOT spec_sha256 GLOB '*[^0-9a-f]*'),
  created_at  TEXT NOT NULL CHECK(created_at GLOB '????-??-??T??:??:??.?????????Z'),
  retired_at  TEXT CHECK(retired_at GLOB '????-??-??T??:??:??.?????????Z')
) STRICT;
CREATE UNIQUE INDEX rig_name_live ON rigs(lower(name)) WHERE retired_at IS NULL;

CREATE TRIGGER rig_no_replace BEFORE INSERT ON rigs WHEN EXISTS(
  SELECT 1 FROM rigs r WHERE r.rig_id=NEW.rig_id OR (r.retired_at IS NULL AND NEW.retired_at IS NULL AND lower(r.name)=lower(NEW.name)))
  BEGIN SELECT RAISE(ABORT,'rig_no_replace: a rig of that name is there already'); END;
CREATE TRIGGER rig_identity_frozen BEFORE UPDATE ON rigs
  WHEN NEW.rig_id IS NOT OLD.rig_id OR NEW.name IS NOT OLD.name OR NEW.root IS NOT OLD.root OR NEW.created_at IS NOT OLD.created_at OR OLD.retired_at IS NOT NULL
  BEGIN SELECT RAISE(ABORT,'rig_identity_frozen: a rig is its name and its root, and a retired one does not change'); END;
CREATE TRIGGER rig_no_delete BEFORE DELETE ON rigs
  BEGIN SELECT RAISE(ABORT,'rig_no_delete: rigs are kept'); END;

CREATE TABLE seats(
  seat_id     TEXT PRIMARY KEY CHECK(length(seat_id)=36),
  rig_id      TEXT NOT NULL REFERENCES rigs(rig_id),
  pod         TEXT NOT NULL CHECK(pod<>''),
  member      TEXT NOT NULL CHECK(member<>''),
  name        TEXT NOT NULL,
  runtime     TEXT NOT NULL CHECK(runtime IN('claude-code','codex','terminal','pixir','pi')),
  cwd         TEXT NOT NULL CHECK(cwd LIKE '/%'),
  claude_config_dir TEXT CHECK(claude_config_dir<>''),   -- location variables: read once, given identically to every start
  codex_home  TEXT CHECK(codex_home<>''),
  pass_env    TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(pass_env) AND json_type(pass_env)='array'),  -- names, never values
  created_at  TEXT NOT NULL CHECK(created_at GLOB '????-??-??T??:??:??.?????????Z'),
  retired_at  TEXT CHECK(retired_at GLOB '????-??-??T??:??:??.?????????Z'),
  UNIQUE(seat_id,runtime)
) STRICT;
CREATE UNIQUE INDEX seat_name_live  ON seats(lower(name)) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX seat_place_live ON seats(rig_id,lower(pod),lower(member)) WHERE retired_at IS NULL;
CREATE INDEX seats_by_rig ON seats(rig_id);

CREATE TRIGGER seat_no_replace BEFORE INSERT ON seats WHEN EXISTS(
  SELECT 1 FROM seats s WHERE s.seat_id=NEW.seat_id OR (s.retired_at IS NULL AND NEW.retired_at IS NULL AND lower(s.name)=lower(NEW.name)))
  BEGIN SELECT RAISE(ABORT,'seat_no_replace: a seat of that name is there already'); END;
CREATE TRIGGER seat_name_is_its_place BEFORE INSERT ON seats
  WHEN NEW.name IS NOT NEW.pod||'-'||NEW.member||'@'||(SELECT r.name FROM rigs r WHERE r.rig_id=NEW.rig_id)
  BEGIN SELECT RAISE(ABORT,'seat_name_is_its_place: a seat is called <pod>-<member>@<rig>'); END;
CREATE TRIGGER seat_in_live_rig BEFORE INSERT ON seats
  WHEN NOT EXISTS(SELECT 1 FROM rigs r WHERE r.rig_id=NEW.rig_id AND r.retired_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'seat_in_live_rig: a retired rig takes no seats'); END;
CREATE TRIGGER seat_identity_frozen BEFORE UPDATE ON seats
  WHEN NEW.seat_id IS NOT OLD.seat_id OR NEW.rig_id IS NOT OLD.rig_id OR NEW.pod IS NOT OLD.pod OR NEW.member IS NOT OLD.member
    OR NEW.name IS NOT OLD.name OR NEW.runtime IS NOT OLD.runtime OR NEW.created_at IS NOT OLD.created_at OR OLD.retired_at IS NOT NULL
  BEGIN SELECT RAISE(ABORT,'seat_identity_frozen: a seat keeps its place and runtime, and a retired one does not change'); END;
CREATE TRIGGER seat_no_delete BEFORE DELETE ON seats
  BEGIN SELECT RAISE(ABORT,'seat_no_delete: seats are kept'); END;
CREATE TRIGGER rig_retires_empty BEFORE UPDATE OF retired_at ON rigs
  WHEN NEW.retired_at IS NOT NULL AND EXISTS(SELECT 1 FROM seats s WHERE s.rig_id=OLD.rig_id AND s.retired_at IS NULL)
  BEGIN SELECT RAISE(ABORT,'rig_retires_empty: a rig retires after its seats'); END;

-- One row per native id, so that "token" and "source" are never free text.
CREATE TABLE conversations(
  runtime       TEXT NOT NULL CHECK(runtime IN('claude-code','codex','pixir','pi')),   -- terminal holds no conversation
  scope         TEXT NOT NULL,            -- '' where ids are unique everywhere; the real workspace path for pixir
  native_id     TEXT NOT NULL CHECK(native_id<>'' AND native_id=trim(native_id) AND length(native_id)<=235),
  native_key    TEXT NOT NULL GENERATED ALWAYS AS (CASE runtime WHEN 'pixir' THEN native_id ELSE lower(native_id) END) STORED,
  origin        TEXT NOT NULL CHECK(origin IN('seen','made')),
  first_seen_at TEXT NOT NULL CHECK(first_seen_at GLOB '????-??-??T??:??:??.?????????Z'),
  PRIMARY KEY(runtime,scope,native_id),
  CONSTRAINT scope_is_pixirs CHECK((scope<>'')=(runtime='pixir'))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX conversation_once ON conversations(runtime,scope,native_key);

CREATE TRIGGER conversation_no_replace BEFORE INSERT ON conversations WHEN EXISTS(
  SELECT 1 FROM conversations c WHERE c.runtime=NEW.runtime AND c.scope=NEW.scope
    AND c.native_key=CASE NEW.runtime WHEN 'pixir' THEN NEW.native_id ELSE lower(NEW.native_id) END)
  BEGIN SELECT RAISE(ABORT,'conversation_no_replace: that conversation is known, in one spelling'); END;
CREATE TRIGGER conversation_frozen BEFORE UPDATE ON conversations
  BEGIN SELECT RAISE(ABORT,'conversation_frozen: a conversation does not change'); END;
CREATE TRIGGER conversation_no_delete BEFORE DELETE ON conversations
  BEGIN SELECT RAISE(ABORT,'conversation_no_delete: conversations are kept'); END;
