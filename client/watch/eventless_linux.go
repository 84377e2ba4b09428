package watch

import "golang.org/x/sys/unix"

// eventless names the file system of a folder if others can write to it without
// this kernel knowing; "" if it sends events for all that happens.
func eventless(folder string) string {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return ""
	}
	const vboxsf, vmhgfs, ceph = 0x786f4256, 0xbacbacbc, 0x00c36400
	switch uint32(s.Type) { //nolint:gosec // the numbers have 32 bits, whatever the type
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "smb"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "afs"
	case ceph:
		return "ceph"
	case vboxsf, vmhgfs:
		return "a shared folder of a virtual machine"
	}
	return ""
}
