//go:build linux || darwin

package tree

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// owned reports whether the file is the user's who runs this program.
func (i info) owned() bool { return int64(i.owner) == int64(os.Geteuid()) }

// trusted reports whether the file is the user's or the system's.
func (i info) trusted() bool { return i.owned() || i.owner == 0 }

// inspect looks at a name above the tree.
func inspect(name string, stat func(string) (fs.FileInfo, error)) (info, error) {
	fi, err := stat(name)
	if err != nil {
		return info{}, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return info{}, fmt.Errorf("%s: %w", name, unix.ENOTSUP)
	}
	return info{mode: fi.Mode(), identity: identity{owner: st.Uid}}, nil
}
