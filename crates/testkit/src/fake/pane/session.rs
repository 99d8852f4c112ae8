//! `sessions/<pid>.json`: what a running interactive process says of itself.

use std::{fs, io, path::PathBuf, process};

use serde_json::{Value, json};

use crate::fake::{Act, args, run::Run, store::now_ms};

/// The record of this process; `None` inside when the script wants none.
pub(super) struct Session {
    path: PathBuf,
    record: Option<Value>,
}

impl Session {
    /// Writes the record; without `status` while no conversation is open.
    pub(super) fn start(run: &Run, id: &str, ready: bool) -> io::Result<Self> {
        let pid = process::id();
        let mut start = start_time()?;
        if run.acts.iter().any(|act| matches!(act, Act::StaleStart)) {
            start = "1".into();
        }
        let now = now_ms();
        let (name, named_by) = match &run.args.name {
            Some(name) => (name.as_str(), "user"),
            None => ("w-00", "derived"),
        };
        let mut record = json!({
            "pid": pid, "sessionId": id, "cwd": run.store.cwd, "startedAt": now,
            "procStart": start, "version": run.script.version, "peerProtocol": 1,
            "kind": "interactive", "entrypoint": "cli", "name": name,
        });
        if !args::is_old(&run.script.version) {
            record["nameSource"] = named_by.into();
            record["nameSince"] = now.into();
        }
        if ready {
            record["status"] = "idle".into();
            record["updatedAt"] = now.into();
            record["statusUpdatedAt"] = now.into();
        }
        let none = run.acts.iter().any(|act| matches!(act, Act::NoSessionFile));
        let path = run.store.dir.join("sessions").join(format!("{pid}.json"));
        let session = Self { path, record: (!none).then_some(record) };
        session.write()?;
        Ok(session)
    }

    /// Serves another conversation from now on.
    pub(super) fn serve(&mut self, id: &str) -> io::Result<()> {
        if let Some(record) = &mut self.record {
            record["sessionId"] = id.into();
            record["updatedAt"] = now_ms().into();
        }
        self.write()
    }

    /// Has another status from now on.
    pub(super) fn status(&mut self, status: &str) -> io::Result<()> {
        if let Some(record) = &mut self.record {
            record["status"] = status.into();
            record["statusUpdatedAt"] = now_ms().into();
        }
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.path.with_extension("tmp");
        fs::write(&new, record.to_string())?;
        fs::rename(&new, &self.path)
    }

    /// Takes the record away, as at every end but a kill.
    pub(super) fn end(&self) {
        if self.record.is_some() {
            // A home that has gone has no record in it.
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Field 22 of `/proc/self/stat`. The second field may hold spaces, so it is counted from its
/// closing parenthesis.
fn start_time() -> io::Result<String> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    after
        .split_whitespace()
        .nth(19)
        .map(str::to_owned)
        .ok_or_else(|| io::Error::other("no start time"))
}
