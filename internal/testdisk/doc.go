// Package testdisk lets a test decide what the disk does to a program: die
// with it at a call, refuse one call, or take two spellings for one name, as
// the disks of other systems do.
//
// The kernel asks the test about each call that names or changes a file
// (seccomp's user notification), so the program is the real one and nothing is
// mounted: it works for every user, on Linux from 5.14 on. It imports nothing
// of ours.
//
// # Use
//
// The test starts its own binary in a role, which gives itself up first:
//
//	if os.Getenv(role) != "" {
//		err := testdisk.Submit() // from here on, the test is asked
//		...
//	}
//
//	cmd := exec.Command("/proc/self/exe")
//	err := testdisk.Run(cmd, func(c testdisk.Call) testdisk.Verdict {
//		if c.Changes() && strings.HasSuffix(c.Path, ".md") {
//			return testdisk.Fail(syscall.EIO)
//		}
//		return testdisk.Go
//	})
package testdisk
