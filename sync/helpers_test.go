package sync_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// The tests write the three sides as short lists, separated by commas:
//
//	base, remote   id path text rev, as in "e1 a.md A 7"; the text "-" is a deleted entry
//	local          path text, as in "a.md A"; the text "!symlink" is a blocked file
//
// The text A stands for "A\n", and A^ for the same with CRLF.

func key(path string) memory.Path { return memory.StoredPath(path) }

func content(text string) []byte {
	if plain, crlf := strings.CutSuffix(text, "^"); crlf {
		return []byte(plain + "\r\n")
	}
	return []byte(text + "\n")
}

func sum(text string) memory.Hash { return memory.Sum(content(text)) }

func records(t *testing.T, list string, fields int) [][]string {
	t.Helper()
	if list == "" {
		return nil
	}
	var all [][]string
	for record := range strings.SplitSeq(list, ",") {
		parts := strings.Fields(record)
		if len(parts) != fields {
			t.Fatalf("%q has %d fields, want %d", record, len(parts), fields)
		}
		all = append(all, parts)
	}
	return all
}

func rev(t *testing.T, digits string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func baseOf(t *testing.T, list string) (rows []msync.Base) {
	t.Helper()
	for _, r := range records(t, list, 4) {
		rows = append(rows, msync.Base{
			EntryID: memory.EntryID(r[0]), Path: key(r[1]),
			Sum: sum(r[2]), Text: msync.TextSum(content(r[2])), Rev: rev(t, r[3]),
		})
	}
	return rows
}

func localOf(t *testing.T, list string) map[memory.Path]msync.Local {
	t.Helper()
	files := map[memory.Path]msync.Local{}
	for _, r := range records(t, list, 2) {
		l := msync.Local{Path: key(r[0])}
		if kind, blocked := strings.CutPrefix(r[1], "!"); blocked {
			l.Blocked = kind
		} else {
			l.Sum, l.Text = sum(r[1]), msync.TextSum(content(r[1]))
		}
		files[l.Path] = l
	}
	return files
}

func remoteOf(t *testing.T, list string) (heads []msync.Remote) {
	t.Helper()
	for _, r := range records(t, list, 4) {
		h := msync.Remote{EntryID: memory.EntryID(r[0]), Path: key(r[1]), Rev: rev(t, r[3])}
		if h.Deleted = r[2] == "-"; !h.Deleted {
			h.Sum = sum(r[2])
		}
		heads = append(heads, h)
	}
	return heads
}

// render writes a plan as the tables expect it: one op a line, as in
// "15 move-local e1 a.md>b.md".
func render(ops []msync.Op) []string {
	lines := []string{}
	for _, op := range ops {
		line := fmt.Sprint(op.Row, " ", op.Kind)
		if op.Entry != "" {
			line += " " + string(op.Entry)
		}
		if line += " "; !op.From.IsZero() {
			line += op.From.String() + ">"
		}
		if line += op.Path.String(); op.Reason != "" {
			line += " " + string(op.Reason)
		}
		if op.Notice != "" {
			line += " *"
		}
		lines = append(lines, line)
	}
	return lines
}
