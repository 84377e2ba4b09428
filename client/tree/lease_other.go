//go:build !linux

package tree

import (
	"os"
	"syscall"
)

const nonBlocking = syscall.O_NONBLOCK

// leased never works here.
func leased(*os.File, func() ([]byte, info, error)) ([]byte, info, error) {
	return nil, info{}, errNoLease
}
