//! Rollouts the runtime has compressed: unpacked into a file without a name, to be read as any other.

use super::layout::Rollout;
use crate::record::{OpenError, RecordFile, open};
use ruzstd::decoding::StreamingDecoder;
use std::io::{BufReader, copy};

/// Opens a rollout, packed or not. Device and inode are the packed file's; bytes are those of what was in it.
pub(super) fn open_rollout(rollout: &Rollout) -> Result<RecordFile, OpenError> {
    let packed = open(&rollout.path)?;
    if !rollout.compressed {
        return Ok(packed);
    }
    let failed = |why: String| OpenError::Io(std::io::Error::other(why));
    let input = BufReader::new(packed.file.try_clone()?);
    let mut frames = StreamingDecoder::new(input)
        .map_err(|error| failed(format!("it cannot be unpacked: {error}")))?;
    let mut file = tempfile::tempfile()?;
    let bytes = copy(&mut frames, &mut file)
        .map_err(|error| failed(format!("it cannot be unpacked: {error}")))?;
    Ok(RecordFile { file, bytes, ..packed })
}
