//! Errors of the libraries as failures of a command: one exit code each (SPEC 13).

pub(crate) use seatfork_launch::chain;
use seatfork_schema::LaunchCode;
use seatfork_store::{OpenError, StoreError};

use crate::exit::Exit;
use crate::output::Failure;

/// A store that cannot be opened: the environment is not ready, and nothing was started.
pub(crate) fn store_open(error: &OpenError) -> Failure {
    let own;
    let (code, hint) = match error {
        OpenError::MissingBesideWal { .. }
        | OpenError::Empty { .. }
        | OpenError::Corrupt { .. } => {
            (LaunchCode::StoreCorrupt, "do not delete it: copy it away, then look at the copy")
        }
        OpenError::Invariant { .. } | OpenError::Migration { .. } => {
            (LaunchCode::StoreCorrupt, "copy it away and look at the copy; it is as it was")
        }
        OpenError::NotADatabase { .. }
        | OpenError::Foreign { .. }
        | OpenError::NotAFile { .. }
        | OpenError::Symlink { .. } => {
            (LaunchCode::StoreForeign, "name a store of seatfork with --store")
        }
        OpenError::OtherOwner { .. } => {
            (LaunchCode::StoreUnsafeDirectory, "name a store of your own with --store")
        }
        OpenError::FileOpenToOthers { path, .. } => {
            own = format!("make the store yours alone: chmod 600 {path}");
            (LaunchCode::StoreUnsafeDirectory, own.as_str())
        }
        // Only a directory that is seatfork's by its name is there for nothing else.
        OpenError::DirectoryOpenToOthers { directory, .. }
            if directory.file_name() == Some(crate::places::OURS) =>
        {
            own = format!("make it yours alone: chmod 700 {directory}");
            (LaunchCode::StoreUnsafeDirectory, own.as_str())
        }
        OpenError::DirectoryOpenToOthers { .. } => (
            LaunchCode::StoreUnsafeDirectory,
            "name a store in a directory of yours alone with --store",
        ),
        OpenError::NetworkFileSystem { .. } => {
            (LaunchCode::StoreNetworkFilesystem, "name a place on a local disk with --store")
        }
        OpenError::Newer { .. } => (LaunchCode::StoreNewer, "use the newer seatfork"),
        OpenError::Busy { .. } => {
            (LaunchCode::StoreBusy, "wait for the other command, then run this one again")
        }
        OpenError::Older { .. } => (
            LaunchCode::StoreUnwritable,
            "run a verb that changes seats: it brings the store up to date",
        ),
        OpenError::Missing { .. }
        | OpenError::AlreadyThere { .. }
        | OpenError::NotWal { .. }
        | OpenError::NotWritable { .. }
        | OpenError::WalUnreadable { .. }
        | OpenError::Io { .. }
        | OpenError::Sqlite { .. } => {
            (LaunchCode::StoreUnwritable, "mend the store's directory; seatfork doctor shows it")
        }
    };
    let message = format!("{}; nothing was started", chain(error));
    Failure::new(Exit::NotReady, code, message).hint(hint)
}

/// A store that was opened and does not answer.
pub(crate) fn store(error: &StoreError) -> Failure {
    let (code, hint) = match error {
        StoreError::Corrupt { .. } | StoreError::Unreadable { .. } => {
            (LaunchCode::StoreCorrupt, "do not delete it: copy it away, then look at the copy")
        }
        StoreError::Busy { .. } => {
            (LaunchCode::StoreBusy, "wait for the other command, then run this one again")
        }
        _ => (LaunchCode::StoreUnwritable, "seatfork doctor shows what is wrong with the store"),
    };
    Failure::new(Exit::NotReady, code, chain(error)).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 11: a network file system cannot be had in a test, its refusal can: a code of its own, exit 7.
    // code: store-network-filesystem
    #[test]
    fn a_network_file_system_has_its_own_code() {
        let refused = store_open(&OpenError::NetworkFileSystem {
            directory: "/net/state".into(),
            file_system: "NFS",
        });
        assert_eq!(
            (refused.code.as_str(), refused.exit),
            ("store-network-filesystem", Exit::NotReady)
        );
        assert!(refused.message.contains("/net/state") && refused.message.contains("NFS"));
    }
}
