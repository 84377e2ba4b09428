package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/teammem/teammem/client"
)

// file is a file as it was looked at.
type file struct {
	path    string // where a link leads to
	there   bool
	content []byte
	mode    fs.FileMode
}

// look reads a file that may be missing. A link that leads nowhere is not
// filled: who made it meant something else.
func look(path string) (file, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return file{}, fmt.Errorf("%s is a link that leads nowhere", path)
		}
		return file{path: path, mode: 0o600}, nil
	}
	if err != nil {
		return file{}, fmt.Errorf("look up %s: %w", path, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return file{}, fmt.Errorf("look up %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s is no file", path)
	}
	content, err := os.ReadFile(real)
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", path, err)
	}
	return file{real, true, content, info.Mode().Perm()}, nil
}

// Change is one file that a plan writes or removes.
type Change struct {
	File          string
	Before, After []byte
	Removed       bool
	was           file
}

// apply makes the change, if the file still is what it was.
func (c Change) apply() error {
	now, err := look(c.was.path)
	if err != nil {
		return err
	}
	if now.there != c.was.there || !bytes.Equal(now.content, c.was.content) {
		return fmt.Errorf("%s changed in the meantime, so nothing was written to it; run it again", c.File)
	}
	if c.Removed {
		if err := os.Remove(c.was.path); err != nil {
			return fmt.Errorf("remove %s: %w", c.File, err)
		}
		return nil
	}
	return client.ReplaceFile(c.was.path, c.After, c.was.mode)
}

// missingFolders returns the folders above a file that are not there, outermost
// first.
func missingFolders(path string) (dirs []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			slices.Reverse(dirs)
			return dirs
		}
		dirs = append(dirs, dir)
	}
}
