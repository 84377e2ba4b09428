package client

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// index is what the client remembers of a linked tree: observations, never a
// list of work. The plan is made anew from it in every cycle, so a lost or
// stale index costs time and nothing else. It lives outside the tree as one
// file that is replaced as a whole, and only when something changed.
type index struct {
	Instance    string
	Project     memory.ProjectID
	RootID      string
	MarkerInode uint64
	MarkerCTime int64
	Cursor      memory.Cursor
	Digest      memory.Digest // that the server stated at Cursor
	Own         memory.Digest // of the rows: the server's side as far as it is known
	Checkpoints []checkpoint  // stated by the server, newest last
	ScanStart   int64         // ns since 1970 of the newest recorded scan
	LastSync    time.Time     // when the last run began that ended in sync; the file's own time, so that a run without news writes nothing
	Rows        []row         // by path
	Refusals    []refusal     // by name on disk
	Proposals   []proposal    // by path
	Deleted     []deleted     // lately, a run each, newest last
	Held        []msync.HeldOp
	Scope       scope // of the last run that planned

	// Unattributed says that the rows come from an older version's index, which
	// did not keep who wrote what: the manifest has to be asked for that, once.
	Unattributed bool
}

// checkpoint is a state of the project that the server vouched for.
type checkpoint struct {
	Cursor memory.Cursor
	Digest memory.Digest
}

// maxCheckpoints bounds what the client remembers to find a fork point.
const maxCheckpoints = 64

// row is what is known about one path.
type row struct {
	Path   memory.Path
	Base   base   // what client and server last agreed on; no EntryID: nothing
	Remote remote // what the server has, while it differs from Base
	File   file   // what the last scan saw; no Disk: nothing
	Author string // of the newest revision that is known; "" with neither Base nor Remote, or if not told
	At     int64  // when that was written: ns since 1970, server time; 0: not known
}

type base struct {
	EntryID memory.EntryID
	Rev     int64
	Sum     memory.Hash
	Text    memory.Hash // of the text without BOM and line-end style
}

type remote struct {
	EntryID memory.EntryID
	Path    memory.Path
	Rev     int64
	Sum     memory.Hash
	Deleted bool
	Imposed bool // a maintainer took back what was there
	Purged  bool // for good
}

type file struct {
	Disk  string // as spelled on disk
	Size  int64
	MTime int64 // ns since 1970
	CTime int64
	Inode uint64
	Sum   memory.Hash
	Text  memory.Hash
	Blank bool // it is nothing but white space
}

// refusal is why a file is not shared, and the state of the file and the rules
// for which that holds.
type refusal struct {
	Entry     memory.EntryID // set: the server has it, and Disk is its path there
	Disk      string
	Path      memory.Path   // zero if the name itself is refused
	Unwritten bool          // an entry of the server's is not written to this name
	Action    memory.Action // that was refused; "" if what is on disk is never offered
	Sum       memory.Hash   // of the file then; zero if the name itself is refused
	RuleSet   string
	Code      memory.Code
	Layer     string
	Position  int64
	Message   string
	Hint      string
	Findings  []sanitize.Finding
}

// errIndexDamaged means that the file is no index that this program reads. An
// empty index takes its place: equal files are adopted, nothing is deleted.
var errIndexDamaged = errors.New("the index is damaged")

// loadIndex reads an index file and its journal. A missing one is empty.
func loadIndex(path string) (*index, error) {
	for {
		x, read, err := loadFile(path)
		if err != nil || read == nil {
			return x, err
		}
		if now, err := os.Stat(path); err != nil || os.SameFile(now, read) {
			return x, nil //nolint:nilerr // what was read is whole, whatever became of the file
		}
		// It was replaced meanwhile, and its journal may have gone with it.
	}
}

// loadFile also returns which file it was, nil for a missing one.
func loadFile(path string) (*index, fs.FileInfo, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &index{}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("read index: %w", err)
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil, fmt.Errorf("read index: %w", err)
	}
	x, err := decodeIndex(b)
	if err != nil {
		return nil, nil, err
	}
	if info.ModTime().After(never()) {
		x.LastSync = info.ModTime()
	}
	journal, err := readJournal(path)
	if err != nil {
		return nil, nil, err
	}
	x.replay(journal, binary.BigEndian.Uint32(b[len(b)-crc32.Size:]))
	return x, info, nil
}

// save replaces the index file. What its journal said is in the file then.
func (x *index) save(path string) error {
	x.sortRows()
	x.sortLists()
	if err := replaceFile(path, x.encode(), private, x.time()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	_ = os.Remove(journalOf(path)) // it belongs to no file now
	return nil
}

func (x *index) sortRows() {
	slices.SortFunc(x.Rows, func(a, b row) int {
		return cmp.Or(strings.Compare(a.Path.String(), b.Path.String()), cmp.Compare(a.id(), b.id()))
	})
}

func (x *index) sortLists() {
	slices.SortFunc(x.Refusals, func(a, b refusal) int {
		return cmp.Or(strings.Compare(a.Disk, b.Disk), strings.Compare(string(a.Entry), string(b.Entry)))
	})
	slices.SortFunc(x.Proposals, func(a, b proposal) int {
		return cmp.Or(strings.Compare(a.Path.String(), b.Path.String()), strings.Compare(string(a.ID), string(b.ID)))
	})
}

// time is the file's time: that of the last run which ended in sync. A reader
// beside a run must never see another one.
func (x *index) time() time.Time {
	if x.LastSync.IsZero() {
		return never()
	}
	return x.LastSync
}

// stamp sets the time of a file that was not written anew.
func (x *index) stamp(path string) error {
	if err := os.Chtimes(path, time.Time{}, x.time()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("stamp index: %w", err)
	}
	return nil
}

// never is the time of an index whose tree was not in sync yet.
func never() time.Time { return time.Unix(0, 0) }

// vouch remembers a state that the server stated.
func (x *index) vouch(c memory.Cursor, d memory.Digest) {
	x.Cursor, x.Digest = c, d
	if n := len(x.Checkpoints); n > 0 && x.Checkpoints[n-1].Cursor == c {
		x.Checkpoints[n-1].Digest = d
		return
	}
	x.Checkpoints = append(x.Checkpoints, checkpoint{c, d})
	if extra := len(x.Checkpoints) - maxCheckpoints; extra > 0 {
		x.Checkpoints = slices.Delete(x.Checkpoints, 0, extra)
	}
}
