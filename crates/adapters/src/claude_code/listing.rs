//! Prior conversations across all projects, newest first (SPEC 12 `sessions`).

use super::layout::{Layout, list};
use super::live;
use super::resolve::{inheritable, look};
use super::row::Head;
use crate::contract::evidence::SessionSummary;
use crate::contract::failure::{FindError, ResolveError};
use crate::record::open;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_schema::{ConversationId, NativeId, Runtime};
use std::collections::HashMap;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Files up to this size are read whole to say whether they can be forked; of larger ones only both ends are read,
/// and the whole is judged when one is named as a source.
pub(super) const WHOLE: u64 = 4 * 1024 * 1024;

/// Bytes read at each end.
const END: u64 = 128 * 1024;

/// A transcript by its name.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) id: NativeId,
    path: Utf8PathBuf,
    bytes: u64,
    pub(super) changed: Option<Timestamp>,
}

/// What the two ends of a transcript tell.
#[derive(Debug, Default)]
struct Ends {
    title: Option<String>,
    opening: Option<String>,
    cwd: Option<String>,
}

/// Every transcript, without reading any.
pub(super) fn list_all(layout: &Layout) -> Result<Vec<Listed>, FindError> {
    let mut all = Vec::new();
    for dir in layout.project_dirs()? {
        for path in list(&dir)? {
            let id = path.file_name().and_then(|name| name.strip_suffix(".jsonl"));
            let Some(id) = id.and_then(|id| NativeId::new(id).ok()) else { continue };
            if !id.is_lowercase_uuid() {
                continue;
            }
            let (bytes, changed) = match std::fs::symlink_metadata(&path) {
                Ok(meta) => {
                    let nanos = i32::try_from(meta.mtime_nsec()).unwrap_or(0);
                    (meta.len(), Timestamp::new(meta.mtime(), nanos).ok())
                }
                // Gone since it was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(FindError { path, why: error.to_string() }),
            };
            all.push(Listed { id, path, bytes, changed });
        }
    }
    Ok(all)
}

/// Every transcript with what can be said of it, newest first.
pub(super) fn sessions(layout: &Layout) -> Result<Vec<SessionSummary>, FindError> {
    let mut all = list_all(layout)?;
    all.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.id.cmp(&b.id)));
    let served = live::served(layout)?;
    let mut count: HashMap<NativeId, usize> = HashMap::new();
    for one in &all {
        *count.entry(one.id.clone()).or_default() += 1;
    }
    all.into_iter()
        .map(|one| {
            let conversation = ConversationId::new(Runtime::ClaudeCode, one.id.clone());
            let live = served.iter().find(|(one, _)| one.is_same(&conversation));
            let live = live.map(|(_, by)| by.clone());
            let (ends, records, mut not_forkable) = one.judge(live.is_some());
            if count.get(&one.id).is_some_and(|count| *count > 1) {
                not_forkable = Some("it stands in several places".to_owned());
            }
            Ok(SessionSummary {
                conversation,
                path: one.path,
                bytes: one.bytes,
                records,
                last_activity: one.changed,
                cwd: ends.cwd,
                preview: ends.title.or(ends.opening),
                not_forkable,
                live,
            })
        })
        .collect()
}

impl Listed {
    /// A title, or the start of its first message.
    pub(super) fn preview(&self) -> Option<String> {
        let (ends, _) = self.ends().ok()?;
        ends.title.or(ends.opening)
    }

    /// Reads both ends, and all of a small one. What they tell, how many records there are where all was read, and why
    /// it cannot be forked: by the very judgement it would meet as a source.
    fn judge(&self, served: bool) -> (Ends, Option<u64>, Option<String>) {
        let (ends, bytes) = match self.ends() {
            Ok(read) => read,
            Err(why) => return (Ends::default(), None, Some(why)),
        };
        if bytes > WHOLE {
            return (ends, None, None);
        }
        let looked = match look(&self.path, &self.id, served) {
            Ok(looked) => looked,
            Err(error) => return (ends, None, Some(short(error))),
        };
        let index = &looked.scanned.index;
        let why = inheritable(&self.path, looked.file.bytes, index).err().map(short);
        (ends, Some(index.records()), why)
    }

    /// What both ends tell, and how long it is; or why it cannot be read.
    fn ends(&self) -> Result<(Ends, u64), String> {
        let file = open(&self.path).map_err(|error| error.to_string())?;
        let mut ends = Ends::default();
        let mut buffer = Vec::new();
        let starts = [0, file.bytes.saturating_sub(END).max(END.min(file.bytes))];
        for start in starts {
            let length = (file.bytes - start).min(END);
            buffer.resize(usize::try_from(length).unwrap_or(0), 0);
            file.file.read_exact_at(&mut buffer, start).map_err(|error| error.to_string())?;
            // The line the piece begins in, and the one it ends in, may be cut; what is no record is skipped here.
            for line in buffer.split(|byte| *byte == b'\n') {
                if let Ok(head) = serde_json::from_slice::<Head<'_>>(line) {
                    ends.note(&head);
                }
            }
        }
        Ok((ends, file.bytes))
    }
}

/// A refusal without the path, which stands in the row.
fn short(error: ResolveError) -> String {
    match error {
        ResolveError::Damaged { line, why, .. } => format!("damaged at line {line}: {why}"),
        ResolveError::Empty { why, .. } | ResolveError::Unreadable { why, .. } => why,
        other => other.to_string(),
    }
}

impl Ends {
    fn note(&mut self, head: &Head<'_>) {
        if head.cwd.0.is_some() {
            self.cwd.clone_from(&head.cwd.0);
        }
        let title = match head.kind.0.as_deref() {
            Some("custom-title") => &head.custom_title,
            // A title that a person gave is not overruled by one that was made up.
            Some("ai-title") if self.title.is_none() => &head.ai_title,
            Some("summary") if self.title.is_none() => &head.summary,
            Some("user") => {
                if self.opening.is_none() && !head.is_meta.0 {
                    self.opening.clone_from(&head.message.opening);
                }
                return;
            }
            _ => return,
        };
        if title.0.is_some() {
            self.title.clone_from(&title.0);
        }
    }
}
