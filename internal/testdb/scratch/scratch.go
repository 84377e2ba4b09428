// Package scratch says where tests may write a lot for a short time. It imports
// nothing of ours.
package scratch

import "os"

// ramDisk is Linux' file system in memory that every process may use.
const ramDisk = "/dev/shm"

// roomy is how much has to be free there. A test cluster takes some 50 MB, each
// of its databases 8 MB, and a container gets 64 MB in all by default.
const roomy = 4 << 30

// Dir returns a folder in memory if there is plenty, and the system's temporary
// folder otherwise. A cluster is a thousand small files, which a disk may need
// a second for.
func Dir() string {
	if free(ramDisk) >= roomy {
		if dir, err := os.MkdirTemp(ramDisk, "teammem-probe-"); err == nil {
			os.Remove(dir) //nolint:errcheck,gosec // empty, and only a probe
			return ramDisk
		}
	}
	return os.TempDir()
}
