package client

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// resident is what a run leaves to the next one of the same Syncer, if somebody
// watches the tree: what it has read and looked at already. It is good for as
// long as the index file is the one that it was kept with.
type resident struct {
	index   *index
	state   *state
	file    indexMark
	journal *journal      // nil: the next that has something to keep writes the file
	listing *tree.Listing // nil: it says nothing of what the tree is now
	folders []string      // in which the run changed something after that, on disk
}

// indexMark tells whether an index file is the same: one that was replaced is
// another file, or says something else, and a run that only stamped it gave it
// another time.
type indexMark struct {
	info fs.FileInfo
	sum  uint32
}

func markIndex(path string) (m indexMark, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return m, false
	}
	defer f.Close()
	var sum [crc32.Size]byte
	info, err := f.Stat()
	if err == nil {
		_, err = f.ReadAt(sum[:], info.Size()-crc32.Size)
	}
	return indexMark{info, binary.BigEndian.Uint32(sum[:])}, err == nil
}

func (m indexMark) same(o indexMark) bool {
	return os.SameFile(m.info, o.info) && m.info.Size() == o.info.Size() && m.info.ModTime().Equal(o.info.ModTime()) && m.sum == o.sum
}

// remember returns what the last run left, if nobody changed the index since,
// or else what the index says. Whatever becomes of this run, the next has to be
// left something anew.
func (s *Syncer) remember(file string, o SyncOptions, report *Report) (*resident, error) {
	r := s.resident
	s.resident = nil
	if r != nil && o.Touched != nil {
		if now, ok := markIndex(file); ok && now.same(r.file) {
			r.state.dirty = false
			return r, nil
		}
	}
	x, err := loadIndex(file)
	if errors.Is(err, errIndexDamaged) {
		report.Notices = append(report.Notices, "the index was damaged and is made anew; equal files are adopted, nothing is deleted")
		x, err = &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &resident{index: x, state: newState(x)}, nil
}

// write keeps what is known: in the journal, if this run's Syncer began one.
func (c *cycle) write(file string) error {
	x := c.index
	x.sortLists()
	if j := c.last.journal; j != nil {
		paths, rows := c.state.unsaved()
		if added, err := j.add(x, paths, rows); added && err == nil { // else all of it is written
			clear(c.state.tracked.unsaved)
			return x.stamp(file)
		}
	}
	x.Rows, c.last.journal = c.state.rows(), nil
	if err := x.save(file); err != nil {
		return err
	}
	c.written = true
	return nil
}

// leave keeps for the next run what this one knows.
func (c *cycle) leave(path string) {
	mark, ok := markIndex(path)
	if c.options.Touched == nil || c.options.DryRun || c.options.Offline || !ok {
		return
	}
	c.index.Rows = nil
	c.state.track(func(p memory.Path, f file) bool {
		_, listed := c.listing.File(p)
		return !listed || c.racy(f.stamp())
	})
	c.resident = &resident{index: c.index, state: c.state, file: mark, journal: c.last.journal}
	if c.written {
		clear(c.state.tracked.unsaved)
		c.resident.journal = newJournal(path, c.index, mark.sum)
	}
	if !c.scanned || c.unclear || len(c.failures)+len(c.blocked)+len(c.blockedDirs) > 0 {
		return
	}
	listing := c.listing // a copy, or all of the cycle would stay
	c.resident.listing, c.resident.folders = &listing, c.tree.Changed()
}
