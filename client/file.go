package client

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// WriteFile replaces a file of teammem's own as one step that survives a
// crash: a new file beside it, synced, renamed over it, and the folder synced.
// No library does this: those that rename leave out the folder, or a platform.
func WriteFile(path string, data []byte) error { return ReplaceFile(path, data, private) }

// private is the mode of what concerns nobody but the member.
const private fs.FileMode = 0o600

// ReplaceFile is [WriteFile] for a file that is not teammem's own, and keeps
// its mode.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	return replaceFile(path, data, mode, time.Time{})
}

// replaceFile is [ReplaceFile] for a file whose time tells something: it has
// that time from the start. Zero leaves it at now.
func replaceFile(path string, data []byte, mode fs.FileMode, at time.Time) error {
	dir := filepath.Dir(path)
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("make folder for %s: %w", path, err)
	}
	written, err := replaceBy(dir, path, data, mode, at)
	if err != nil {
		return err
	}
	sweepTemps(dir, written.Add(-longestWrite))
	return syncDir(dir)
}

// replaceBy replaces a file by way of a new one in a folder of the same file
// system. It returns when that was written, by the clock of the file system.
func replaceBy(temps, path string, data []byte, mode fs.FileMode, at time.Time) (written time.Time, err error) {
	temp := filepath.Join(temps, tempPrefix+rand.Text()[:16]+tempSuffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return written, fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
		}
	}()
	if written, err = fill(f, data, mode); err != nil {
		return written, fmt.Errorf("write %s: %w", path, err)
	}
	if !at.IsZero() {
		if err := os.Chtimes(temp, time.Time{}, at); err != nil {
			return written, fmt.Errorf("write %s: %w", path, err)
		}
	}
	if err := os.Rename(temp, path); err != nil {
		return written, fmt.Errorf("replace %s: %w", path, err)
	}
	return written, nil
}

// fill writes a new file durably, closes it, and returns its time.
func fill(f *os.File, data []byte, mode fs.FileMode) (written time.Time, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	if mode != private {
		if err := f.Chmod(mode); err != nil {
			return written, err
		}
	}
	if _, err := f.Write(data); err != nil {
		return written, err
	}
	if err := f.Sync(); err != nil {
		return written, err
	}
	info, err := f.Stat()
	if err != nil {
		return written, err
	}
	return info.ModTime(), nil
}

const (
	tempPrefix = ".teammem-"
	tempSuffix = ".tmp"

	// longestWrite is longer than any program needs for one file.
	longestWrite = time.Hour
)

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// sweepTemps removes what programs that were killed left half written in a
// folder: what was begun before the given time, or all of it for the zero time,
// where a lock says that nobody else writes there. What stays does no harm.
func sweepTemps(dir string, before time.Time) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if !isTemp(n.Name()) {
			continue
		}
		info, err := n.Info()
		if err == nil && info.Mode().IsRegular() && (before.IsZero() || info.ModTime().Before(before)) {
			_ = os.Remove(filepath.Join(dir, n.Name()))
		}
	}
}

// roomIn makes sure that a folder takes so many bytes, where it would be too
// late to find out when they are there.
func roomIn(dir string, size int64) error {
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("make folder %s: %w", dir, err)
	}
	file := filepath.Join(dir, tempPrefix+rand.Text()[:16]+tempSuffix)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return fmt.Errorf("write to %s: %w", dir, err)
	}
	_, err = io.CopyN(f, zeros{}, size) // a file system may count only what is written
	if err := errors.Join(err, f.Close(), os.Remove(file)); err != nil {
		return fmt.Errorf("write to %s: %w", dir, err)
	}
	return nil
}

// zeros is endless.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// makeDir makes a folder and those above it, durably: a file is only as safe
// as the names of all folders on the way to it.
func makeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch above := filepath.Dir(dir); {
	case err == nil:
		return syncDir(above)
	case errors.Is(err, fs.ErrExist):
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", dir)
		}
		return err
	case errors.Is(err, fs.ErrNotExist) && above != dir:
		if err := makeDir(above); err != nil {
			return err
		}
		return makeDir(dir)
	}
	return err
}

// syncDir makes the names in a folder durable. Windows cannot, and keeps them
// in a journal.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
