//! Prior conversations across all days, newest first (SPEC 12 `sessions`).

use super::held::written;
use super::layout::{Layout, Rollout};
use super::lineage::{first_meta, hide_compressed, stands};
use super::packed::open_rollout as open;
use super::scan::{Scanned, scan};
use crate::contract::evidence::SessionSummary;
use crate::contract::failure::FindError;
use crate::record::PrefixHash;
use jiff::Timestamp;
use seatfork_schema::{ConversationId, NativeId, Runtime};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;

/// Files up to this size are read whole to say whether they can be forked; of larger ones only the start is read, and
/// the whole is judged when one is named as a source.
const WHOLE: u64 = 4 * 1024 * 1024;

/// Bytes read of a larger file.
const START: u64 = 256 * 1024;

/// A rollout by its name.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) rollout: Rollout,
    bytes: u64,
    pub(super) changed: Option<Timestamp>,
}

/// The file each thread goes on in, without reading any.
pub(super) fn list_all(layout: &Layout) -> Result<Vec<Listed>, FindError> {
    let all = layout.rollouts()?;
    let mut newest: BTreeMap<&NativeId, Vec<&Rollout>> = BTreeMap::new();
    let mut named: Vec<&Rollout> = all.iter().collect();
    hide_compressed(&mut named);
    for one in named {
        let of_thread = newest.entry(&one.thread).or_default();
        if of_thread.first().is_none_or(|other| other.id <= one.id) {
            of_thread.retain(|other| other.id == one.id);
            of_thread.push(one);
        }
    }
    let mut listed = Vec::new();
    for one in newest.into_values().flatten() {
        let (bytes, changed) = match std::fs::symlink_metadata(&one.path) {
            Ok(meta) => {
                let nanos = i32::try_from(meta.mtime_nsec()).unwrap_or(0);
                (meta.len(), Timestamp::new(meta.mtime(), nanos).ok())
            }
            // Gone since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(FindError { path: one.path.clone(), why: error.to_string() });
            }
        };
        listed.push(Listed { rollout: one.clone(), bytes, changed });
    }
    Ok(listed)
}

/// Every thread with what can be said of it, newest first.
pub(super) fn sessions(layout: &Layout) -> Result<Vec<SessionSummary>, FindError> {
    let mut all = list_all(layout)?;
    all.sort_by(|a, b| {
        b.changed.cmp(&a.changed).then_with(|| a.rollout.thread.cmp(&b.rollout.thread))
    });
    let served = written(layout)?;
    let names = names(layout);
    let mut count: HashMap<NativeId, usize> = HashMap::new();
    for one in &all {
        *count.entry(one.rollout.thread.clone()).or_default() += 1;
    }
    let summary = |one: Listed| {
        let thread = one.rollout.thread.clone();
        let live = served.iter().find(|(id, _)| *id == thread).map(|(_, by)| by.clone());
        let (seen, records, mut not_forkable) = one.judge(layout);
        if count.get(&thread).is_some_and(|count| *count > 1) {
            not_forkable = Some("it stands in several places".to_owned());
        } else if one.rollout.archived {
            not_forkable = Some("it is archived".to_owned());
        }
        let Seen { cwd, opening } = seen;
        SessionSummary {
            preview: names.get(thread.as_str()).cloned().or(opening),
            conversation: ConversationId::new(Runtime::Codex, thread),
            path: one.rollout.path,
            bytes: one.bytes,
            records,
            last_activity: one.changed,
            cwd,
            not_forkable,
            live,
        }
    };
    Ok(all.into_iter().map(summary).collect())
}

/// What a rollout tells a reader of lists.
#[derive(Debug, Default)]
struct Seen {
    cwd: Option<String>,
    opening: Option<String>,
}

impl From<&Scanned> for Seen {
    fn from(scanned: &Scanned) -> Self {
        Self { cwd: scanned.cwd.clone(), opening: scanned.opening.clone() }
    }
}

impl Listed {
    /// The start of its first message.
    pub(super) fn preview(&self) -> Option<String> {
        self.start().ok()?.opening
    }

    /// Reads the beginning alone.
    fn start(&self) -> Result<Seen, String> {
        let mut file = open(&self.rollout).map_err(|error| error.to_string())?;
        file.bytes = file.bytes.min(START);
        match scan(&file, PrefixHash::new(None), None) {
            Ok(scanned) => Ok(Seen::from(&scanned)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads the start, and all of a small one. What it tells, how many records there are where all was read, and why
    /// it cannot be forked.
    fn judge(&self, layout: &Layout) -> (Seen, Option<u64>, Option<String>) {
        let file = match open(&self.rollout) {
            Ok(file) => file,
            Err(error) => return (Seen::default(), None, Some(error.to_string())),
        };
        if file.bytes == 0 {
            return (Seen::default(), None, Some("it has no bytes".to_owned()));
        }
        if file.bytes > WHOLE {
            return match self.start() {
                Ok(seen) => (seen, None, self.broken(layout)),
                Err(why) => (Seen::default(), None, Some(why)),
            };
        }
        let scanned = match scan(&file, PrefixHash::new(None), None) {
            Ok(scanned) => scanned,
            Err(error) => return (Seen::default(), None, Some(error.to_string())),
        };
        let inherits = scanned.meta.history_base.is_some();
        let why = if scanned.meta.id != self.rollout.thread.as_str() {
            Some("its first line belongs to another thread".to_owned())
        } else if !(inherits || scanned.user && scanned.assistant) {
            Some("nothing to inherit".to_owned())
        } else {
            self.broken(layout)
        };
        (Seen::from(&scanned), Some(scanned.records), why)
    }

    /// Why the history it goes on from is not whole.
    fn broken(&self, layout: &Layout) -> Option<String> {
        let meta = first_meta(&self.rollout).ok()?;
        stands(layout, meta.history_base.as_ref()).err().map(|why| why.to_string())
    }
}

/// The names people gave to threads; the last one counts.
fn names(layout: &Layout) -> HashMap<String, String> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
        thread_name: String,
    }
    // A file that is not there, or holds something else, names nothing.
    let text = std::fs::read_to_string(layout.names()).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Named>(line).ok())
        .map(|named| (named.id, named.thread_name))
        .collect()
}
