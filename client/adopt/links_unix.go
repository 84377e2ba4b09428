//go:build !windows

package adopt

import (
	"io/fs"
	"os"
	"syscall"
)

// links returns how many names an open file has.
func links(_ *os.File, info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}
