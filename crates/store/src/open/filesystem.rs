//! Which file systems cannot carry a write-ahead log: shared memory and locks are not coherent there (SPEC 11).

use camino::Utf8Path;
use std::io;

/// Names a network or otherwise shared file system by the magic number `statfs` gives for it on Linux.
///
/// `None` is a file system we take. FUSE is one number for sshfs, virtiofs and
/// all its local kin, so all of it is refused. Overlays and tmpfs are local.
///
/// ```
/// use seatfork_store::network_file_system;
/// assert_eq!(network_file_system(0x6969), Some("NFS"));
/// assert_eq!(network_file_system(0xEF53), None); // ext4
/// ```
pub fn network_file_system(magic: u64) -> Option<&'static str> {
    // The kernel gives a signed word on some targets; only the low 32 bits carry the number.
    Some(match magic & 0xFFFF_FFFF {
        0x6969 => "NFS",
        0xFF53_4D42 | 0xFE53_4D42 | 0x517B => "SMB/CIFS",
        0x6573_5546 => "FUSE (sshfs, virtiofs and the like)",
        0x0102_1997 => "9p",
        0x5346_414F | 0x6B41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x564C => "NCP",
        0x00C3_6400 => "CephFS",
        0x0116_1970 => "GFS2",
        0x7461_636F => "OCFS2",
        0x0BD0_0BD0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x1983_0326 => "BeeGFS",
        0xAAD7_AAEA => "PanFS",
        0x2003_0528 => "OrangeFS",
        0x786F_4256 => "VirtualBox shared folders",
        0xBACB_ACBC => "VMware shared folders",
        0x7C7C_6673 => "Parallels shared folders",
        _ => return None,
    })
}

/// The network file system a directory lies on, if any.
#[cfg(target_os = "linux")]
pub(crate) fn of_directory(directory: &Utf8Path) -> io::Result<Option<&'static str>> {
    let stat = rustix::fs::statfs(directory.as_std_path())?;
    #[expect(
        clippy::cast_sign_loss,
        reason = "a bit pattern; the type of f_type differs between targets"
    )]
    let magic = stat.f_type as u64;
    Ok(network_file_system(magic))
}

/// Elsewhere the numbers mean other things: not checked, as the documentation says.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_directory(_directory: &Utf8Path) -> io::Result<Option<&'static str>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 11: refused on network file systems; local ones are taken.
    #[test]
    fn network_file_systems_are_known_by_number_and_local_ones_pass() {
        for shared in [
            0x6969,
            0xFF53_4D42,
            0xFE53_4D42,
            0x517B,
            0x6573_5546,
            0x0102_1997,
            0x5346_414F,
            0x00C3_6400,
            0xFFFF_FFFF_FF53_4D42,
        ] {
            assert!(network_file_system(shared).is_some(), "{shared:#x}");
        }
        // ext4, tmpfs, btrfs, xfs, overlay, zfs, f2fs
        for local in
            [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630, 0x2FC1_2FC1, 0xF2F5_2010]
        {
            assert!(network_file_system(local).is_none(), "{local:#x}");
        }
    }
}
