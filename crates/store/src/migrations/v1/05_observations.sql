-- What was observed, with its time: processes in panes, and proofs looked at again (SPEC 7, 8).
-- Neither ever changes an outcome.

-- A launch has one pane; every later one of its seat is a launch of its own.
CREATE TABLE panes(
  launch_id    TEXT PRIMARY KEY REFERENCES launches(launch_id),
  socket       TEXT NOT NULL CHECK(socket LIKE '/%'),
  session      TEXT NOT NULL CHECK(session<>''),
  server_pid   INTEGER NOT NULL CHECK(server_pid>0),
  server_start TEXT NOT NULL CHECK(server_start<>''),
  pane_id      TEXT NOT NULL CHECK(pane_id GLOB '%[0-9]*'),
  pane_pid     INTEGER NOT NULL CHECK(pane_pid>0),
  pane_start   TEXT NOT NULL CHECK(pane_start<>''),
  opened_at    TEXT NOT NULL CHECK(opened_at GLOB '????-??-??T??:??:??.?????????Z'),
  observed     TEXT NOT NULL CHECK(observed IN('starting','ready','attention_required','exited','lost')),
  exit_code    INTEGER,
  observed_at  TEXT NOT NULL CHECK(observed_at GLOB '????-??-??T??:??:??.?????????Z'),
  CONSTRAINT exit_code_of_exited CHECK(exit_code IS NULL OR observed='exited')
) STRICT;
CREATE TRIGGER pane_no_replace BEFORE INSERT ON panes WHEN EXISTS(SELECT 1 FROM panes p WHERE p.launch_id=NEW.launch_id)
  BEGIN SELECT RAISE(ABORT,'pane_no_replace: a launch has one pane'); END;
CREATE TRIGGER pane_after_forking BEFORE INSERT ON panes
  WHEN NOT EXISTS(SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.forking_at IS NOT NULL AND l.state IN('forking','realized'))
  BEGIN SELECT RAISE(ABORT,'pane_after_forking: a pane belongs to a launch that is forking or realized'); END;
CREATE TRIGGER pane_identity_frozen BEFORE UPDATE ON panes
  WHEN NEW.launch_id IS NOT OLD.launch_id OR NEW.socket IS NOT OLD.socket OR NEW.session IS NOT OLD.session
    OR NEW.server_pid IS NOT OLD.server_pid OR NEW.server_start IS NOT OLD.server_start OR NEW.pane_id IS NOT OLD.pane_id
    OR NEW.pane_pid IS NOT OLD.pane_pid OR NEW.pane_start IS NOT OLD.pane_start OR NEW.opened_at IS NOT OLD.opened_at
  BEGIN SELECT RAISE(ABORT,'pane_identity_frozen: only what is observed of a pane changes'); END;
CREATE TRIGGER pane_observed_later BEFORE UPDATE ON panes WHEN NEW.observed_at<OLD.observed_at
  BEGIN SELECT RAISE(ABORT,'pane_observed_later: a newer observation stands'); END;
CREATE TRIGGER pane_no_delete BEFORE DELETE ON panes BEGIN SELECT RAISE(ABORT,'pane_no_delete: panes are kept'); END;

CREATE TABLE verifications(
  launch_id TEXT NOT NULL REFERENCES launches(launch_id),
  n         INTEGER NOT NULL CHECK(n>=1),
  at        TEXT NOT NULL CHECK(at GLOB '????-??-??T??:??:??.?????????Z'),
  status    TEXT NOT NULL CHECK(status IN('proved','refuted','unverifiable')),
  detail    TEXT NOT NULL,
  PRIMARY KEY(launch_id,n)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER verification_of_realized BEFORE INSERT ON verifications
  WHEN NOT EXISTS(SELECT 1 FROM launches l WHERE l.launch_id=NEW.launch_id AND l.state='realized')
  BEGIN SELECT RAISE(ABORT,'verification_of_realized: only a realized launch is verified'); END;
CREATE TRIGGER verification_no_replace BEFORE INSERT ON verifications WHEN EXISTS(SELECT 1 FROM verifications v WHERE v.launch_id=NEW.launch_id AND v.n=NEW.n)
  BEGIN SELECT RAISE(ABORT,'verification_no_replace: verifications are append-only'); END;
CREATE TRIGGER verification_no_update BEFORE UPDATE ON verifications BEGIN SELECT RAISE(ABORT,'verification_no_update: verifications are append-only'); END;
CREATE TRIGGER verification_no_delete BEFORE DELETE ON verifications BEGIN SELECT RAISE(ABORT,'verification_no_delete: verifications are append-only'); END;
