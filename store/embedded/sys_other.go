//go:build !linux && !darwin

package embedded

import (
	"errors"
	"io/fs"
	"syscall"
)

const haveNamespaces = false

func supported() error {
	return errors.New("run a private Postgres: only on Linux and macOS; give a database URL")
}

func (owner) attr(syscall.Signal) *syscall.SysProcAttr { return nil }
func idsOf(fs.FileInfo) (uid, gid int)                 { return -1, -1 }
func isPostmaster(int, string) bool                    { return false }
func processExists(int) bool                           { return false }
func segmentInUse(int, int) bool                       { return false }
func freeBytes(string) int64                           { return -1 }
