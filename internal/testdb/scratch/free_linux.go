package scratch

import "golang.org/x/sys/unix"

// free is the room in the file system of dir, in bytes.
func free(dir string) uint64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return st.Bavail * uint64(st.Bsize) //nolint:gosec // a block size is positive
}
