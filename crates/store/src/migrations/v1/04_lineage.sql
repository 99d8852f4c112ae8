-- Which conversation came from which (SPEC 1, 11), append-only.

CREATE TABLE lineage(
  runtime     TEXT NOT NULL,
  scope       TEXT NOT NULL,
  child_id    TEXT NOT NULL,
  parent_scope TEXT,
  parent_id   TEXT,
  root_scope  TEXT NOT NULL,
  root_id     TEXT NOT NULL,
  launch_id   TEXT NOT NULL UNIQUE REFERENCES launches(launch_id),
  created_via TEXT NOT NULL CHECK(created_via IN('fork','warm_start','rebuild','agent_image','fresh','rotated','adopted')),
  inherited_records INTEGER CHECK(inherited_records>=0),
  inherited_bytes   INTEGER CHECK(inherited_bytes>=0),
  inherited_sha256  TEXT CHECK(length(inherited_sha256)=64 AND NOT inherited_sha256 GLOB '*[^0-9a-f]*'),
  last_inherited    TEXT,
  not_inherited     TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(not_inherited) AND json_type(not_inherited)='array'),
  depends_on_source INTEGER NOT NULL DEFAULT 0 CHECK(depends_on_source IN(0,1)),
  at          TEXT NOT NULL CHECK(at GLOB '????-??-??T??:??:??.?????????Z'),
  FOREIGN KEY(runtime,scope,child_id) REFERENCES conversations(runtime,scope,native_id),
  FOREIGN KEY(runtime,parent_scope,parent_id) REFERENCES conversations(runtime,scope,native_id),
  FOREIGN KEY(runtime,root_scope,root_id) REFERENCES conversations(runtime,scope,native_id),
  CONSTRAINT parent_has_scope CHECK((parent_id IS NULL)=(parent_scope IS NULL)),
  CONSTRAINT fork_has_parent CHECK(created_via NOT IN('fork','warm_start','agent_image') OR parent_id IS NOT NULL),
  CONSTRAINT fresh_has_none CHECK(created_via NOT IN('fresh','rebuild') OR parent_id IS NULL),
  CONSTRAINT no_own_parent CHECK(parent_id IS NULL OR lower(trim(parent_id))<>lower(trim(child_id))),
  CONSTRAINT rootless_is_root CHECK(parent_id IS NOT NULL OR created_via='rotated' OR (root_id=child_id AND root_scope=scope)),
  CONSTRAINT inherited_is_whole CHECK((inherited_records IS NULL)=(inherited_bytes IS NULL) AND (inherited_records IS NULL)=(inherited_sha256 IS NULL)),
  CONSTRAINT inherited_from_parent CHECK(inherited_records IS NULL OR parent_id IS NOT NULL)
) STRICT;
-- A conversation was made once, from at most one parent. It may be observed again (rotated back to): that has no parent of its own.
CREATE UNIQUE INDEX one_parent_per_child ON lineage(runtime,scope,child_id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX made_once ON lineage(runtime,scope,child_id) WHERE created_via<>'rotated';
CREATE INDEX lineage_by_child ON lineage(runtime,scope,child_id);
CREATE INDEX lineage_by_parent ON lineage(runtime,parent_scope,parent_id) WHERE parent_id IS NOT NULL;

CREATE TRIGGER lineage_no_replace BEFORE INSERT ON lineage WHEN EXISTS(
  SELECT 1 FROM lineage x WHERE x.launch_id=NEW.launch_id OR (x.runtime=NEW.runtime AND x.scope=NEW.scope AND x.child_id=NEW.child_id
    AND ((x.parent_id IS NOT NULL AND NEW.parent_id IS NOT NULL) OR (x.created_via<>'rotated' AND NEW.created_via<>'rotated'))))
  BEGIN SELECT RAISE(ABORT,'lineage_no_replace: lineage is append-only'); END;
CREATE TRIGGER lineage_is_of_its_launch BEFORE INSERT ON lineage WHEN NOT EXISTS(
  SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.state='realized' AND l.intent<>'resume' AND l.runtime=NEW.runtime
    AND l.child_id IS NEW.child_id AND l.child_scope=NEW.scope AND l.created_via=NEW.created_via
    AND (l.intent='adopt' OR (l.source_id IS NEW.parent_id AND l.source_scope IS NEW.parent_scope)))
  BEGIN SELECT RAISE(ABORT,'lineage_is_of_its_launch: lineage tells what its realized launch did'); END;
CREATE TRIGGER lineage_root_is_parents BEFORE INSERT ON lineage WHEN NEW.parent_id IS NOT NULL AND (
  NEW.root_id IS NOT coalesce((SELECT p.root_id FROM lineage p WHERE p.runtime=NEW.runtime AND p.scope=NEW.parent_scope AND p.child_id=NEW.parent_id ORDER BY p.parent_id IS NULL, p.rowid LIMIT 1),NEW.parent_id)
  OR NEW.root_scope IS NOT coalesce((SELECT p.root_scope FROM lineage p WHERE p.runtime=NEW.runtime AND p.scope=NEW.parent_scope AND p.child_id=NEW.parent_id ORDER BY p.parent_id IS NULL, p.rowid LIMIT 1),NEW.parent_scope))
  BEGIN SELECT RAISE(ABORT,'lineage_root_is_parents: a child has the root of its parent'); END;
CREATE TRIGGER lineage_has_no_cycle BEFORE INSERT ON lineage WHEN NEW.parent_id IS NOT NULL AND EXISTS(
  WITH RECURSIVE up(scope,id) AS (
    SELECT NEW.parent_scope, NEW.parent_id
    UNION SELECT x.parent_scope, x.parent_id FROM up JOIN lineage x ON x.runtime=NEW.runtime AND x.scope=up.scope AND x.child_id=up.id WHERE x.parent_id IS NOT NULL)
  SELECT 1 FROM up WHERE scope=NEW.scope AND id=NEW.child_id)
  BEGIN SELECT RAISE(ABORT,'lineage_has_no_cycle: a conversation does not descend from itself'); END;
CREATE TRIGGER lineage_no_update BEFORE UPDATE ON lineage BEGIN SELECT RAISE(ABORT,'lineage_no_update: lineage is append-only'); END;
CREATE TRIGGER lineage_no_delete BEFORE DELETE ON lineage BEGIN SELECT RAISE(ABORT,'lineage_no_delete: lineage is append-only'); END;

-- Bytes of other files a child's content lives in (Codex paginated), each ancestor by itself.
CREATE TABLE lineage_ranges(
  launch_id TEXT NOT NULL REFERENCES lineage(launch_id), n INTEGER NOT NULL CHECK(n>=1),
  path TEXT NOT NULL CHECK(path LIKE '/%'), dev INTEGER NOT NULL, ino INTEGER NOT NULL,
  from_byte INTEGER NOT NULL CHECK(from_byte>=0), to_byte INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK(length(sha256)=64 AND NOT sha256 GLOB '*[^0-9a-f]*'),
  PRIMARY KEY(launch_id,n), CONSTRAINT range_goes_forward CHECK(to_byte>=from_byte)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER range_no_replace BEFORE INSERT ON lineage_ranges WHEN EXISTS(SELECT 1 FROM lineage_ranges r WHERE r.launch_id=NEW.launch_id AND r.n=NEW.n)
  BEGIN SELECT RAISE(ABORT,'range_no_replace: lineage is append-only'); END;
CREATE TRIGGER range_no_update BEFORE UPDATE ON lineage_ranges BEGIN SELECT RAISE(ABORT,'range_no_update: lineage is append-only'); END;
CREATE TRIGGER range_no_delete BEFORE DELETE ON lineage_ranges BEGIN SELECT RAISE(ABORT,'range_no_delete: lineage is append-only'); END;
