package client

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/teammem/teammem/memory"
)

// journaled is an index file with a journal, and what was kept by each record.
type journaled struct {
	index   []byte
	journal []byte
	ends    []int // of the records
	kept    []*index
}

// genJournaled lets an index be kept, and then its changes.
func genJournaled() *rapid.Generator[journaled] {
	return rapid.Custom(func(t *rapid.T) journaled {
		x := genIndex().Draw(t, "index")
		x.sortRows()
		x.sortLists()
		j := newJournal("", x, sumOf(x.encode()))
		out := journaled{index: x.encode(), ends: []int{0}, kept: []*index{copyOf(t, x)}}
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			var at []memory.Path
			var rows [][]row
			x, at, rows = drawChange(t, x)
			out.journal = append(out.journal, j.frame(x, at, rows)...)
			out.ends, out.kept = append(out.ends, len(out.journal)), append(out.kept, copyOf(t, x))
		}
		return out
	})
}

// drawChange makes another index of one, and says where rows are others.
func drawChange(t *rapid.T, x *index) (next *index, at []memory.Path, now [][]row) {
	next = genIndex().Draw(t, "next")
	next.Checkpoints, next.Rows = slices.Clone(x.Checkpoints), slices.Clone(x.Rows)
	if rapid.Bool().Draw(t, "same lists") {
		next.Refusals, next.Proposals, next.Deleted, next.Held, next.Scope = x.Refusals, x.Proposals, x.Deleted, x.Held, x.Scope
	}
	next.vouch(genCursor().Draw(t, "cursor"), memory.Digest(genHash().Draw(t, "digest")))
	rows := map[memory.Path][]row{}
	for _, r := range slices.Concat(rapid.SliceOfN(genRow(), 0, 3).Draw(t, "rows"), x.Rows[:len(x.Rows)/2]) {
		rows[r.Path] = nil
		if rapid.Bool().Draw(t, "there") {
			rows[r.Path] = []row{r}
		}
	}
	next.replaceRows(rows)
	next.sortLists()
	for p, some := range rows {
		at, now = append(at, p), append(now, some)
	}
	return next, at, now
}

func sumOf(index []byte) uint32 { return binary.BigEndian.Uint32(index[len(index)-4:]) }

func copyOf(t *rapid.T, x *index) *index {
	again, err := decodeIndex(x.encode())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// check reads the index with another journal, and compares it with what was kept
// by so many records.
func (j journaled) check(t *rapid.T, index, journal []byte, want *index) {
	got, err := decodeIndex(index)
	if err != nil {
		t.Fatal(err)
	}
	got.replay(string(journal), sumOf(index))
	if diff := indexDiff(want, got); diff != "" {
		t.Fatalf("with %d bytes of %d (-want +got):\n%s", len(journal), len(j.journal), diff)
	}
}

// Wherever a journal is cut off, what it kept before is there, and no more.
func TestJournal_Cut(t *testing.T) {
	t.Parallel()
	x := &index{Rows: someRows(4)}
	j := newJournal("", x, sumOf(x.encode()))
	var index, all []byte
	index = x.encode()
	want := [][]byte{index}
	ends := []int{0}
	for i := range 3 {
		x.ScanStart, x.Rows[i].Base.Rev = int64(i), 77
		x.Refusals = append(x.Refusals, refusal{Disk: "a.md", Code: "secret_found"})
		all = append(all, j.frame(x, []memory.Path{x.Rows[i].Path}, [][]row{x.Rows[i : i+1]})...)
		want, ends = append(want, x.encode()), append(ends, len(all))
	}
	records := 0
	for cut := range len(all) + 1 {
		if records+1 < len(ends) && cut == ends[records+1] {
			records++
		}
		got, err := decodeIndex(index)
		fatal(t, err)
		got.replay(string(all[:cut]), sumOf(index))
		if !bytes.Equal(got.encode(), want[records]) {
			t.Fatalf("with %d bytes of %d, the index is not that of %d records", cut, len(all), records)
		}
	}
}

// Whatever changes, a journal says it.
func TestJournal_Replay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := genJournaled().Draw(t, "journal")
		records := rapid.IntRange(0, len(j.ends)-1).Draw(t, "records")
		j.check(t, j.index, j.journal[:j.ends[records]], j.kept[records])
	})
}

// A bit that flipped ends the journal where it is.
func TestJournal_Flipped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := genJournaled().Draw(t, "journal")
		at := rapid.IntRange(0, len(j.journal)-1).Draw(t, "at")
		records := 0
		for j.ends[records+1] <= at {
			records++
		}
		j.journal[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		j.check(t, j.index, j.journal, j.kept[records])
	})
}

// A journal says nothing of any index file but its own.
func TestJournal_OfAnother(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := genJournaled().Draw(t, "journal")
		other := j.kept[len(j.kept)-1]
		other.ScanStart++
		j.check(t, other.encode(), j.journal, other)
	})
}

// An index is read with its journal, which ends when the file is written anew.
func TestJournal_File(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "index")
	x := &index{Rows: someRows(3)}
	fatal(t, x.save(file))
	mark, _ := markIndex(file)
	j := newJournal(file, x, mark.sum)
	for range 2 {
		x.ScanStart++
		x.Rows[1].Base.Rev++
		if added, err := j.add(x, []memory.Path{x.Rows[1].Path}, [][]row{x.Rows[1:2]}); err != nil || !added {
			t.Fatalf("added %t, %v", added, err)
		}
		got, err := loadIndex(file)
		fatal(t, err)
		if diff := indexDiff(x, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	}
	fatal(t, x.save(file))
	if _, err := os.Stat(j.file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal of an index that was replaced: %v", err)
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A journal that grew too long takes no more, and one that was cut takes nothing.
func TestJournal_Full(t *testing.T) {
	t.Parallel()
	x := &index{Rows: someRows(100)}
	j := newJournal(filepath.Join(t.TempDir(), "index"), x, 0)
	at, rows := make([]memory.Path, len(x.Rows)), make([][]row, len(x.Rows))
	for i, r := range x.Rows {
		at[i], rows[i] = r.Path, []row{r}
	}
	for added := true; added; {
		var err error
		added, err = j.add(x, at, rows)
		fatal(t, err)
	}
	info, err := os.Stat(j.file)
	fatal(t, err)
	if size := info.Size(); size > maxJournal || size < maxJournal/2 {
		t.Errorf("%d bytes; want some, and no more than %d", size, maxJournal)
	}
	fatal(t, os.Truncate(j.file, 5))
	if added, err := j.add(x, nil, nil); added || err == nil {
		t.Error("something was added to a journal that was cut")
	}
}
