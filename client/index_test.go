package client

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

func genHash() *rapid.Generator[memory.Hash] {
	return rapid.Custom(func(t *rapid.T) memory.Hash {
		return memory.Sum([]byte{rapid.Byte().Draw(t, "hash")})
	})
}

func genCursor() *rapid.Generator[memory.Cursor] {
	return rapid.Custom(func(t *rapid.T) memory.Cursor {
		return memory.Cursor{Epoch: rapid.String().Draw(t, "epoch"), Seq: rapid.Int64().Draw(t, "seq")}
	})
}

func genPath() *rapid.Generator[memory.Path] {
	return rapid.Map(rapid.StringMatching(`[a-zé]{1,8}(/[a-z]{1,4})?\.md`), memory.StoredPath)
}

func genRow() *rapid.Generator[row] {
	return rapid.Custom(func(t *rapid.T) row {
		r := row{Path: genPath().Draw(t, "path")}
		sums := genHash()
		if rapid.Bool().Draw(t, "base") {
			r.Base = base{EntryID: "ent_a", Rev: rapid.Int64().Draw(t, "rev"), Sum: sums.Draw(t, "sum"), Text: sums.Draw(t, "text")}
		}
		if rapid.Bool().Draw(t, "remote") {
			r.Remote = remote{
				EntryID: "ent_b", Path: r.Path, Rev: rapid.Int64().Draw(t, "remote rev"), Sum: sums.Draw(t, "remote sum"),
				Deleted: rapid.Bool().Draw(t, "deleted"),
			}
			if rapid.Bool().Draw(t, "elsewhere") {
				r.Remote.Path = genPath().Draw(t, "remote path")
			}
		}
		r.Author = rapid.SampledFrom([]string{"", "Mara", "Jo", "Ole"}).Draw(t, "author")
		r.At = rapid.SampledFrom([]int64{0, 1, math.MinInt64, math.MaxInt64}).Draw(t, "at")
		if rapid.Bool().Draw(t, "file") {
			r.File = file{
				Disk: r.Path.String(), Size: rapid.Int64().Draw(t, "size"), MTime: rapid.Int64().Draw(t, "mtime"),
				CTime: rapid.Int64().Draw(t, "ctime"), Inode: rapid.Uint64().Draw(t, "inode"),
				Sum: sums.Draw(t, "file sum"), Text: sums.Draw(t, "file text"), Blank: rapid.Bool().Draw(t, "blank"),
			}
			if rapid.Bool().Draw(t, "spelled") {
				r.File.Disk = "x" + rapid.String().Draw(t, "disk")
			}
			if rapid.Bool().Draw(t, "pulled") {
				r.At = r.File.MTime
			}
		}
		return r
	})
}

func genRefusal() *rapid.Generator[refusal] {
	return rapid.Custom(func(t *rapid.T) refusal {
		s := func(what string) string { return rapid.String().Draw(t, what) }
		r := refusal{
			Entry: memory.EntryID(s("entry")), Disk: s("disk"), Path: genPath().Draw(t, "path"), Action: memory.Action(s("action")),
			Unwritten: rapid.Bool().Draw(t, "unwritten"),
			Sum:       genHash().Draw(t, "sum"), RuleSet: s("rules"), Code: memory.Code(s("code")), Layer: s("layer"),
			Position: rapid.Int64().Draw(t, "position"), Message: s("message"), Hint: s("hint"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "findings") {
			r.Findings = append(r.Findings, sanitize.Finding{
				Rule: s("rule"), Severity: sanitize.SeverityHard, Line: rapid.Int().Draw(t, "line"), Column: rapid.Int().Draw(t, "column"),
			})
		}
		return r
	})
}

func genProposal() *rapid.Generator[proposal] {
	return rapid.Custom(func(t *rapid.T) proposal {
		s := func(what string) string { return rapid.String().Draw(t, what) }
		return proposal{
			ID: memory.ProposalID(s("id")), Action: memory.Action(s("action")), Path: genPath().Draw(t, "path"), From: genPath().Draw(t, "from"),
			Entry: memory.EntryID(s("entry")), Sum: genHash().Draw(t, "sum"), Text: genHash().Draw(t, "text"),
			BaseRev: rapid.Int64().Draw(t, "base"), State: memory.ProposalState(s("state")), At: rapid.Int64().Draw(t, "at"), By: s("by"),
			Reason: memory.Reason(s("reason")), Note: s("note"), Undone: rapid.Bool().Draw(t, "undone"),
		}
	})
}

func genIndex() *rapid.Generator[*index] {
	return rapid.Custom(func(t *rapid.T) *index {
		x := &index{
			Instance: rapid.String().Draw(t, "instance"), Project: "prj_a", RootID: rapid.String().Draw(t, "root"),
			MarkerInode: rapid.Uint64().Draw(t, "inode"), MarkerCTime: rapid.Int64().Draw(t, "ctime"), Cursor: genCursor().Draw(t, "cursor"),
			Digest: memory.Digest(genHash().Draw(t, "digest")), Own: memory.Digest(genHash().Draw(t, "own")),
			ScanStart: rapid.Int64().Draw(t, "scan"), Unattributed: rapid.Bool().Draw(t, "unattributed"),
			Rows: rapid.SliceOfN(genRow(), 0, 5).Draw(t, "rows"), Refusals: rapid.SliceOfN(genRefusal(), 0, 3).Draw(t, "refusals"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "checkpoints") {
			x.Checkpoints = append(x.Checkpoints, checkpoint{genCursor().Draw(t, "at"), memory.Digest(genHash().Draw(t, "then"))})
		}
		x.Proposals = rapid.SliceOfN(genProposal(), 0, 3).Draw(t, "proposals")
		for range rapid.IntRange(0, 2).Draw(t, "runs") {
			n := rapid.Int64()
			x.Deleted = append(x.Deleted, deleted{n.Draw(t, "then"), n.Draw(t, "base"), n.Draw(t, "sent"), n.Draw(t, "taken")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "held") {
			x.Held = append(x.Held, msync.HeldOp{Entry: "ent_a", Kind: msync.Kind(rapid.String().Draw(t, "kind")), Why: msync.MassDelete})
		}
		return x
	})
}

func indexDiff(a, b *index) string {
	return cmp.Diff(a, b, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b memory.Path) bool { return a == b }))
}

func TestIndex_DecodeIsTheInverseOfEncode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := genIndex().Draw(t, "index")
		got, err := decodeIndex(want.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := indexDiff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		if !bytes.Equal(got.encode(), want.encode()) {
			t.Fatal("the same index has two encodings")
		}
	})
}

// Any flipped bit and any cut is noticed.
func TestIndex_Damage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := genIndex().Draw(t, "index").encode()
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		if _, err := decodeIndex(b[:at]); err == nil {
			t.Fatalf("cut at %d of %d passes", at, len(b))
		}
		b[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := decodeIndex(b); err == nil {
			t.Fatalf("a flipped bit in byte %d of %d passes", at, len(b))
		}
	})
}

// FuzzDecodeIndex gets past the checksum: what it then reads may be anything,
// and must neither panic nor take more memory than the file explains.
func FuzzDecodeIndex(f *testing.F) {
	f.Add((&index{}).encode())
	f.Add((&index{Instance: "ins_a", RootID: "r", Rows: someRows(3), Refusals: []refusal{{Disk: "a.md", Code: "secret_found"}}}).encode())
	f.Add((&index{Proposals: []proposal{{ID: "prp_a", Path: memory.StoredPath("a.md"), State: memory.ProposalPending}}}).encode())
	for _, version := range []byte{versionAuthorless, versionUnguarded, versionUnscoped, versionNow} {
		f.Add(append(append([]byte(indexName), version), bytes.Repeat([]byte{0xff}, 200)...))
	}
	before, err := os.ReadFile(filepath.Join("testdata", "index-v2"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(before)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		body := b[:len(b)-4]
		x, err := decodeIndex(binary.BigEndian.AppendUint32(bytes.Clone(body), checksum(body)))
		if err != nil {
			return
		}
		again, err := decodeIndex(x.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := indexDiff(x, again); diff != "" {
			t.Fatalf("-first +second:\n%s", diff)
		}
		s := newState(x)
		_, _ = s.rows(), s.sum()
	})
}

func someRows(n int) []row {
	rows := make([]row, n)
	for i := range rows {
		p := memory.StoredPath(fmt.Sprintf("topic-%d/some-entry-%05d.md", i%10, i))
		sum := memory.Sum([]byte(p.String()))
		rows[i] = row{
			Path: p, Base: base{EntryID: memory.EntryID(fmt.Sprintf("ent_%020d", i)), Rev: int64(i + 1), Sum: sum, Text: sum},
			File:   file{Disk: p.String(), Size: 2000, MTime: math.MaxInt64 / 6, CTime: math.MaxInt64 / 6, Inode: uint64(1e6 + i), Sum: sum, Text: sum},
			Author: fmt.Sprintf("Member %d", i%12), At: math.MaxInt64/6 - int64(i%2), // every other one was pulled
		}
	}
	return rows
}

// An index of the version before is read whole; only who wrote what has to be
// asked for.
func TestIndex_VersionBefore(t *testing.T) {
	t.Parallel()
	p, h := memory.StoredPath, func(s string) memory.Hash { return memory.Sum([]byte(s)) }
	want := &index{
		Instance: "ins_a", Project: "prj_a", RootID: "0123456789abcdef", MarkerInode: 77, MarkerCTime: 1_700_000_000_000_000_001,
		Cursor: memory.Cursor{Epoch: "e1", Seq: 12}, Digest: memory.Digest(h("digest")), Own: memory.Digest(h("own")), ScanStart: 1_700_000_000_000_000_002,
		Checkpoints:  []checkpoint{{memory.Cursor{Epoch: "e1", Seq: 11}, memory.Digest(h("then"))}},
		Unattributed: true,
		Rows: []row{
			{
				Path: p("a.md"), Base: base{EntryID: "ent_a", Rev: 4, Sum: h("a"), Text: h("a text")},
				File: file{Disk: "a.md", Size: 1, MTime: 1_700_000_000_000_000_003, CTime: 1_700_000_000_000_000_004, Inode: 5, Sum: h("a"), Text: h("a text")},
			},
			{
				Path: p("gone.md"), Base: base{EntryID: "ent_b", Rev: 5, Sum: h("b"), Text: h("b")},
				Remote: remote{EntryID: "ent_b", Path: p("gone.md"), Rev: 9, Sum: h("b"), Deleted: true}, At: 6,
			},
			{Path: p("here.md"), Remote: remote{EntryID: "ent_c", Path: p("there.md"), Rev: 10, Sum: h("c")}, At: 1_700_000_000_000_000_007},
			{Path: p("mine.md"), File: file{Disk: "Mine.md", Size: 2, MTime: 8, CTime: 9, Inode: 10, Sum: h("m"), Text: h("m")}},
		},
		Refusals: []refusal{{
			Disk: "Mine.md", Path: p("mine.md"), Action: memory.ActionPut, Sum: h("m"), RuleSet: "rules-1", Code: memory.CodeSecretFound,
			Layer: "secrets", Position: 3, Message: "a secret", Hint: "take it out",
			Findings: []sanitize.Finding{{Rule: "token", Severity: sanitize.SeverityHard, Line: 2, Column: 7}},
		}},
	}
	b, err := os.ReadFile(filepath.Join("testdata", "index-v2"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeIndex(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := indexDiff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// An index from before the guards says nothing of them.
func TestIndex_VersionUnguarded(t *testing.T) {
	t.Parallel()
	want := &index{Instance: "ins_a", RootID: "r", Rows: someRows(3)}
	now := want.encode()
	b := now[:len(now)-4-2-3] // two empty lists, and no scope
	b[len(indexName)] = versionUnguarded
	got, err := decodeIndex(binary.BigEndian.AppendUint32(b, checksum(b)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := indexDiff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The rows survive the form that a cycle works on.
func TestState_Rows(t *testing.T) {
	t.Parallel()
	x := &index{Rows: someRows(20)}
	s := newState(x)
	x2 := &index{Rows: s.rows()}
	file := filepath.Join(t.TempDir(), "index")
	if err := x2.save(file); err != nil {
		t.Fatal(err)
	}
	got, err := loadIndex(file)
	if err != nil {
		t.Fatal(err)
	}
	want := &index{Rows: someRows(20)}
	if err := want.save(file); err != nil { // sorts
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Rows, got.Rows, cmp.Comparer(func(a, b memory.Path) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if s.live != 20 {
		t.Errorf("%d live entries, want 20", s.live)
	}
}

// The file's time says when the tree was last in sync, and whether it ever was.
func TestIndex_LastSync(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "index")
	for _, want := range []time.Time{{}, time.Unix(1_700_000_000, 0)} {
		x := &index{LastSync: want}
		if err := x.save(file); err != nil {
			t.Fatal(err)
		}
		if err := x.stamp(file); err != nil {
			t.Fatal(err)
		}
		got, err := loadIndex(file)
		if err != nil || !got.LastSync.Equal(want) {
			t.Errorf("last sync %s, %v; want %s", got.LastSync, err, want)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		x := &index{Instance: "ins_a", RootID: "r", Rows: someRows(n)}
		file := filepath.Join(b.TempDir(), "index")
		if err := x.save(file); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("load/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := loadIndex(file); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("state/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newState(x)
			}
		})
		b.Run(fmt.Sprintf("save/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := x.save(file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whoever reads an index beside the run that writes it must not take it for one
// of a run that ended in sync.
func TestIndex_TimeFromTheStart(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, want := range []time.Time{{}, began} {
		file := filepath.Join(t.TempDir(), "index")
		if err := (&index{LastSync: want}).save(file); err != nil {
			t.Fatal(err)
		}
		x, err := loadIndex(file)
		if err != nil || !x.LastSync.Equal(want) {
			t.Errorf("got %v, %v; want %v", x.LastSync, err, want)
		}
	}
}
