package client

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/teammem/teammem/memory"
)

// maxJournal is the size from which the index file is written anew.
const maxJournal = 128 << 10

// journal is the file beside an index file in which a run that watches adds
// what has changed, where all of it would be a thousand times as much. Each
// record has its length and a checksum before it, which goes on from the one
// before, the first from the index file's. So a record that was cut off ends the
// journal, and one that belongs to an earlier index file never begins it.
//
// Only who began a journal adds to it; whoever else has something to keep writes
// the index file, and with that the journal is over.
type journal struct {
	file  string
	size  int64
	sum   uint32        // of the last record
	point memory.Cursor // the newest checkpoint that is kept
	lists []byte        // of the index, as they were written last
}

const journalHead = 4 + crc32.Size // bytes before a record

func journalOf(index string) string { return index + ".journal" }

// newJournal begins a journal of an index that was just written.
func newJournal(file string, x *index, sum uint32) *journal {
	return &journal{file: journalOf(file), sum: sum, point: x.newest(), lists: x.encodeLists()}
}

// newest is the cursor of the newest checkpoint.
func (x *index) newest() (c memory.Cursor) {
	if n := len(x.Checkpoints); n > 0 {
		c = x.Checkpoints[n-1].Cursor
	}
	return c
}

// follow is the checksum of what comes after something with that checksum.
func follow(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}

// add appends the header of the index, its lists if they changed, and rows: all
// that there are now at some paths. It reports false if there is too much in the
// journal already.
func (j *journal) add(x *index, at []memory.Path, rows [][]row) (ok bool, err error) {
	next := *j
	framed := next.frame(x, at, rows)
	if next.size > maxJournal {
		return false, nil
	}
	if err := appendDurably(j.file, framed, j.size); err != nil {
		return false, fmt.Errorf("write index: %w", err)
	}
	*j = next
	return true, nil
}

// frame makes the next record.
func (j *journal) frame(x *index, at []memory.Path, rows [][]row) []byte {
	lists := x.encodeLists()
	record := x.encodeChange(j.point, at, rows)
	if bytes.Equal(lists, j.lists) {
		record = append(record, 0)
	} else {
		record = append(append(record, 1), lists...)
	}
	framed := binary.BigEndian.AppendUint32(make([]byte, 0, journalHead+len(record)), uint32(len(record))) //nolint:gosec // an index is smaller
	j.sum = follow(follow(j.sum, framed), record)
	framed = append(binary.BigEndian.AppendUint32(framed, j.sum), record...)
	j.size, j.point, j.lists = j.size+int64(len(framed)), x.newest(), lists
	return framed
}

// appendDurably writes to the end of a file that has to have the size. One that
// is not there yet is made.
func appendDurably(path string, b []byte, size int64) (err error) {
	flags := os.O_WRONLY
	if size == 0 {
		flags |= os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, private)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err == nil && info.Size() < size {
		err = errors.New("somebody cut the journal")
	}
	if err == nil {
		_, err = f.WriteAt(b, size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil && size == 0 {
		err = syncDir(filepath.Dir(path))
	}
	return err
}

// encodeChange is a record but for the lists.
func (x *index) encodeChange(since memory.Cursor, at []memory.Path, rows [][]row) []byte {
	var e encoder
	e.header(x)
	from := len(x.Checkpoints)
	for from > 0 && (from == len(x.Checkpoints) || x.Checkpoints[from].Cursor != since) {
		from--
	}
	e.checkpoints(x.Checkpoints[from:])
	e.authorsOf(slices.Concat(rows...))
	e.number(uint64(len(at)))
	for i, p := range at {
		e.text(p.String())
		e.number(uint64(len(rows[i])))
		for k := range rows[i] {
			e.row(&rows[i][k])
		}
	}
	return e.b
}

// change is what a record says.
type change struct {
	x     *index // header, newest checkpoints, and lists if they changed
	lists bool
	rows  map[memory.Path][]row
}

func decodeChange(record string) (c change, ok bool) {
	d := decoder{s: record, version: versionNow}
	c = change{x: &index{}, rows: map[memory.Path][]row{}}
	d.header(c.x)
	d.checkpoints(c.x)
	d.readAuthors()
	for range d.count() {
		p := memory.StoredPath(d.text())
		c.rows[p] = nil
		for range d.count() {
			c.rows[p] = append(c.rows[p], d.row())
		}
	}
	if c.lists = d.fact(); c.lists {
		d.lists(c.x)
	}
	return c, !d.bad && d.s == ""
}

// replay takes in what a journal adds to the index that was read from a file
// with this checksum.
func (x *index) replay(journal string, sum uint32) {
	rows := map[memory.Path][]row{}
	for len(journal) >= journalHead {
		size, stated := binary.BigEndian.Uint32([]byte(journal[:4])), binary.BigEndian.Uint32([]byte(journal[4:journalHead]))
		if int64(size) > int64(len(journal)-journalHead) {
			break
		}
		record := journal[journalHead : journalHead+int(size)]
		if sum = follow(follow(sum, []byte(journal[:4])), []byte(record)); sum != stated {
			break
		}
		c, ok := decodeChange(record)
		if !ok {
			break
		}
		for p, now := range c.rows {
			rows[p] = now
		}
		x.take(c)
		journal = journal[journalHead+len(record):]
	}
	x.replaceRows(rows)
}

// take takes in all but the rows.
func (x *index) take(c change) {
	now := *c.x
	now.Checkpoints, now.Rows, now.LastSync = x.Checkpoints, x.Rows, x.LastSync
	if !c.lists {
		now.Refusals, now.Proposals, now.Deleted, now.Held, now.Scope = x.Refusals, x.Proposals, x.Deleted, x.Held, x.Scope
	}
	for _, known := range c.x.Checkpoints {
		now.vouch(known.Cursor, known.Digest)
	}
	now.Cursor, now.Digest = c.x.Cursor, c.x.Digest
	*x = now
}

// replaceRows puts rows in the place of those that there are at some paths.
func (x *index) replaceRows(rows map[memory.Path][]row) {
	if len(rows) == 0 {
		return
	}
	x.Rows = slices.DeleteFunc(x.Rows, func(r row) bool { _, replaced := rows[r.Path]; return replaced })
	for _, now := range rows {
		x.Rows = append(x.Rows, now...)
	}
	x.sortRows()
}

// readJournal returns what is beside an index file, "" if there is nothing.
func readJournal(index string) (string, error) {
	b, err := os.ReadFile(journalOf(index))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read index: %w", err)
	}
	return string(b), nil
}
