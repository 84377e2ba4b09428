package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// writeWhole gives a file its name when everything is in it and on disk. Only
// its owner may read it.
func writeWhole(file string, write func(io.Writer) error) (err error) {
	p, err := newPart(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer func() { err = errors.Join(err, p.discard()) }()
	buffered := bufio.NewWriterSize(p, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	if err := errors.Join(buffered.Flush(), p.keepAs(file)); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

// partSuffix ends the names of files that are not whole yet. Nobody else calls
// a file so.
const partSuffix = ".teammem-part"

// part is a file in the making. Its process holds a lock on it, so whoever can
// take that knows that the file will never be finished.
type part struct {
	*os.File

	lock *flock.Flock
	kept bool
}

func newPart(file string) (*part, error) {
	for {
		f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*"+partSuffix)
		if err != nil {
			return nil, err
		}
		p := &part{File: f, lock: flock.New(f.Name(), flock.SetFlag(os.O_RDWR))}
		if p.claim() {
			return p, nil
		}
		_ = p.discard() // somebody swept it between its making and its lock
	}
}

// claim takes the lock, and reports false if the file is not there any more.
// Where a file system has no locks nothing is swept either, and on Windows
// nobody removes a file that is open.
func (p *part) claim() bool {
	if runtime.GOOS == "windows" {
		return true
	}
	locked, err := p.lock.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	ours, err := p.Stat()
	if !locked || err != nil {
		return false
	}
	named, err := os.Lstat(p.Name())
	return err == nil && os.SameFile(ours, named)
}

// keepAs makes the file durable and gives it its name.
func (p *part) keepAs(file string) error {
	if err := errors.Join(p.Sync(), p.Close()); err != nil { // Windows renames no open file
		return err
	}
	if err := os.Rename(p.Name(), file); err != nil {
		return err
	}
	p.kept = true
	return syncFolder(filepath.Dir(file))
}

// discard removes what was not kept, and gives the lock back. Whatever becomes
// of the lock, a file that was kept is whole.
func (p *part) discard() error {
	if p.kept {
		_ = p.lock.Close()
		return nil
	}
	_ = p.Close() // which it may be already
	_, err := removeIfThere(p.Name())
	return errors.Join(err, p.lock.Close())
}

// partRests is how long nobody has written to a part that is swept: a lock may
// be known only to the machine that took it, and several write into one folder.
const partRests = 6 * time.Hour

// sweepParts removes what processes left in a folder that were killed, and
// returns how much that was.
func sweepParts(dir string, now time.Time) (swept int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), partSuffix) {
			continue
		}
		info, problem := e.Info()
		if problem != nil || now.Sub(info.ModTime()) < partRests {
			continue // finished meanwhile, or perhaps still at work
		}
		removed, problem := sweepPart(filepath.Join(dir, e.Name()))
		if err = errors.Join(err, problem); removed {
			swept++
		}
	}
	return swept, err
}

func sweepPart(file string) (removed bool, err error) {
	if runtime.GOOS == "windows" {
		return os.Remove(file) == nil, nil // else it is in use
	}
	lock := flock.New(file, flock.SetFlag(os.O_RDWR))
	locked, err := lock.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was finished meanwhile
		return false, nil
	case err != nil || !locked:
		return false, err
	}
	removed, err = removeIfThere(file)
	return removed, errors.Join(err, lock.Close())
}

// removeIfThere removes a file that may have another name by now, or none.
func removeIfThere(file string) (removed bool, err error) {
	err = os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// syncFolder makes the names in a folder durable; Windows keeps them in a
// journal.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
