package adopt_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Whatever is in the tree and in the sources: when imports are taken back, the
// last first, the tree is what it was, byte for byte.
func TestUndo_IsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := deskIn(t, t.TempDir())
		write(t, d.team(""), drawFiles(r, "team"))
		var states []map[string]string
		for n := range rapid.IntRange(1, 3).Draw(r, "imports") {
			states = append(states, below(t, d.team("")))
			must(t, os.RemoveAll(d.source))
			mkdir(t, d.source)
			o := adopt.PlanOptions{Rename: rapid.Bool().Draw(r, "rename"), To: rapid.SampledFrom([]string{"", "topic", "old/notes"}).Draw(r, "to")}
			p := d.plan(t, drawFiles(r, fmt.Sprintf("source %d", n)), o)
			source := below(t, d.source)
			if done := d.take(t, p); done.ID == "" {
				states = states[:len(states)-1]
			}
			if diff := cmp.Diff(source, below(t, d.source)); diff != "" {
				r.Fatalf("the source was touched:\n%s", diff)
			}
		}
		for _, want := range slices.Backward(states) {
			d.undo(t, "")
			if diff := cmp.Diff(want, below(t, d.team(""))); diff != "" {
				r.Fatalf("after the undo (-want +got):\n%s", diff)
			}
		}
	})
}

// Whatever somebody does between an import and its undo: the undo takes nothing
// that is not as it was imported, and no text is lost.
func TestUndo_LeavesWhatChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := deskIn(t, t.TempDir())
		write(t, d.team(""), drawFiles(r, "team"))
		before := below(t, d.team(""))
		d.take(t, d.plan(t, drawFiles(r, "source"), adopt.PlanOptions{}))
		imported := below(t, d.team(""))
		changed := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(imported)) {
			switch rapid.SampledFrom([]string{"", "", "edit", "append", "remove"}).Draw(r, "change") {
			case "edit":
				changed[name] = "somebody's words\n"
			case "append":
				changed[name] = imported[name] + "\n- [somebody's](line.md)\n"
			case "remove":
				must(t, os.Remove(d.team(name)))
			}
		}
		write(t, d.team(""), changed)
		now := below(t, d.team(""))
		if all, err := d.Receipts(); err != nil || len(all) == 0 {
			return // there was nothing to import
		}
		d.undo(t, "")
		after := below(t, d.team(""))
		for name, text := range now {
			_, ours := imported[name]
			was, there := before[name]
			switch {
			case changed[name] != "" && filepath.Base(name) != memory.IndexName && after[name] != text:
				r.Fatalf("%s was changed and is now %q", name, after[name])
			case ours && there && was == text && after[name] != text:
				r.Fatalf("%s was there before, and is now %q", name, after[name])
			case changed[name] == "" && !there && after[name] != "":
				r.Fatalf("%s is still there", name)
			case after[name] != text && d.kept[name] != text:
				r.Fatalf("%s held %q, which is nowhere now", name, text)
			}
			if strings.Contains(text, "somebody's") && !strings.Contains(after[name], "somebody's") {
				r.Fatalf("%s lost somebody's words", name)
			}
		}
	})
}

// drawFiles draws notes and indexes that meet each other now and then.
func drawFiles(r *rapid.T, label string) map[string]string {
	names := []string{"a.md", "b.md", "topic/c.md", "topic/a.md", "d e.md", "x:y.md", "deep/er/f.md", "AGENTS.md", "B.md"}
	texts := []string{
		"one\n", "two\r\n", "\ufefftree", "", "---\ntype: feedback\n---\nwhy\n", "---\ntype: user\n---\n", mark, "# T\n## A\nx\n## B\ny\n",
	}
	files := map[string]string{}
	for range rapid.IntRange(0, 6).Draw(r, label) {
		files[rapid.SampledFrom(names).Draw(r, "name")] = rapid.SampledFrom(texts).Draw(r, "text")
	}
	if label == "team" {
		delete(files, "x:y.md")
	}
	for _, dir := range []string{"", "topic/"} {
		if rapid.Bool().Draw(r, "index") {
			files[dir+memory.IndexName] = drawIndex(r)
		}
	}
	return files
}

func drawIndex(r *rapid.T) string {
	lines := []string{
		"# Index", "", "- [a](a.md) — first", "- [b](b.md)", "* [c](topic/c.md)", "- [c](c.md)\n  more", "- [x:y.md](x:y.md)", "prose",
		"- [d](d%20e.md)", "<!--", "-->", "- [a](a.md) — other words", "- plain",
	}
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "eol")
	var b strings.Builder
	for range rapid.IntRange(0, 8).Draw(r, "lines") {
		b.WriteString(strings.ReplaceAll(rapid.SampledFrom(lines).Draw(r, "line"), "\n", eol) + eol)
	}
	if rapid.Bool().Draw(r, "final newline") {
		return b.String()
	}
	return strings.TrimSuffix(b.String(), eol)
}

// An import that was cut off can be undone, or done once more; then the two are
// one act.
func TestImport_CutOff(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.md": "A\n", "b.md": "B\n", "MEMORY.md": "- [a](a.md)\n- [b](b.md)\n"}
	begin := func(t *testing.T, there map[string]string) *desk {
		t.Helper()
		d := newDesk(t)
		write(t, d.team(""), there)
		p := d.plan(t, files, adopt.PlanOptions{})
		d.failEdit = errors.New("killed")
		if _, err := d.Import(t.Context(), p); !errors.Is(err, d.failEdit) {
			t.Fatalf("got %v", err)
		}
		d.failEdit = nil
		return d
	}
	for name, there := range map[string]map[string]string{"empty tree": {}, "with an index": {"MEMORY.md": "- [x](x.md)\n"}} {
		t.Run(name+", undone", func(t *testing.T) {
			t.Parallel()
			d := begin(t, there)
			d.undo(t, "")
			if diff := cmp.Diff(there, below(t, d.team(""))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		t.Run(name+", done again, undone", func(t *testing.T) {
			t.Parallel()
			d := begin(t, there)
			must(t, os.Remove(d.team("b.md"))) // it had not come so far
			d.take(t, d.plan(t, nil, adopt.PlanOptions{}))
			all, err := d.Receipts()
			must(t, err)
			if len(all) != 1 || all[0].State != adopt.Sent || len(all[0].Files)+len(all[0].Indexes) != 3 {
				t.Errorf("receipts: %+v", all)
			}
			d.undo(t, "")
			if diff := cmp.Diff(there, below(t, d.team(""))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What comes into a place between plan and import is not overwritten, and not
// removed by an undo.
func TestImport_PlaceTakenMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.team(""), map[string]string{"MEMORY.md": "- [x](x.md)\n"})
	p := d.plan(t, map[string]string{"a.md": "mine\n", "b.md": "B\n", "MEMORY.md": "- [a](a.md)\n"}, adopt.PlanOptions{})
	meanwhile := map[string]string{"a.md": "theirs\n", "MEMORY.md": "- [x](x.md)\n- [y](y.md)\n"}
	write(t, d.team(""), meanwhile)
	done := d.take(t, p)
	for _, r := range done.Results {
		if want := map[bool]adopt.Outcome{true: adopt.Published, false: adopt.NotWritten}[r.File == "b.md"]; r.Outcome != want {
			t.Errorf("%s: %s, want %s", r.File, r.Outcome, want)
		}
	}
	d.undo(t, "")
	if diff := cmp.Diff(meanwhile, below(t, d.team(""))); diff != "" {
		t.Errorf("after the undo (-want +got):\n%s", diff)
	}
}

// If nothing could be written there is nothing to sync, and nothing to undo.
func TestImport_NothingWritten(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.plan(t, map[string]string{"a.md": "mine\n"}, adopt.PlanOptions{})
	write(t, d.team(""), map[string]string{"a.md": "theirs\n"})
	syncs := d.syncs
	if done := d.take(t, p); done.ID != "" || done.Report != nil || d.syncs != syncs {
		t.Errorf("id %q, %d syncs", done.ID, d.syncs-syncs)
	}
	if _, err := d.PlanUndo(t.Context(), ""); memory.CodeOf(err) != memory.CodeInvalid {
		t.Errorf("got %v", err)
	}
}

// The report of the sync says what became of each file.
func TestImport_Outcomes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.plan(t, map[string]string{"a.md": "A\n", "b.md": "B\n", "c.md": "C\n", "d.md": "D\n", "e.md": "E\n"}, adopt.PlanOptions{})
	d.report = client.Report{
		Done: []client.Done{
			{Kind: msync.Create, Path: key(t, "a.md"), Verdict: memory.RulingPublished},
			{Kind: msync.Create, Path: key(t, "b.md"), Verdict: memory.RulingWaiting},
			{Kind: msync.Create, Path: key(t, "c.md"), Verdict: memory.RulingRefused},
			{Kind: msync.Rename, Path: key(t, "d-2.md"), From: key(t, "d.md")},
			{Kind: msync.Create, Path: key(t, "d-2.md"), Verdict: memory.RulingPublished},
		},
		Refused: []client.Refused{{File: "c.md", Problem: &memory.Error{Code: memory.CodeQuota}}},
	}
	got := map[string]string{}
	for _, r := range d.take(t, p).Results {
		got[r.File] = fmt.Sprintf("%s %s", r.Outcome, r.Path)
	}
	want := map[string]string{
		"a.md": "published a.md", "b.md": "waiting b.md", "c.md": "refused c.md", "d.md": "published d-2.md", "e.md": "unsent e.md",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	must(t, os.Rename(d.team("d.md"), d.team("d-2.md"))) // as the sync did
	d.undo(t, "")
	if left := below(t, d.team("")); len(left) != 0 {
		t.Errorf("after the undo: %v", left)
	}
}

// What a teammate has shared by then is not the import's, whichever way the sync
// learned of it.
func TestImport_Theirs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	files := map[string]string{"a.md": "A\n", "b.md": "B\n", "c.md": "C\n"}
	p := d.plan(t, files, adopt.PlanOptions{})
	d.report.Done = []client.Done{
		{Kind: msync.Create, Path: key(t, "a.md"), Verdict: memory.RulingSame},
		{Kind: msync.Adopt, Path: key(t, "b.md")},
		{Kind: msync.Create, Path: key(t, "c.md"), Verdict: memory.RulingPublished},
		{Kind: msync.Adopt, Path: key(t, "c.md")}, // a number that changed
	}
	got := map[string]adopt.Outcome{}
	for _, r := range d.take(t, p).Results {
		got[r.File] = r.Outcome
	}
	want := map[string]adopt.Outcome{"a.md": adopt.Theirs, "b.md": adopt.Theirs, "c.md": adopt.Published}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.undo(t, "")
	if diff := cmp.Diff(map[string]string{"a.md": "A\n", "b.md": "B\n"}, below(t, d.team(""))); diff != "" {
		t.Errorf("after the undo (-want +got):\n%s", diff)
	}
}

// An import of which a teammate has shared all leaves no receipt.
func TestImport_AllTheirs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.plan(t, map[string]string{"a.md": "A\n"}, adopt.PlanOptions{})
	d.report.Done = []client.Done{{Kind: msync.Create, Path: key(t, "a.md"), Verdict: memory.RulingSame}}
	done := d.take(t, p)
	if all, err := d.Receipts(); err != nil || len(all) != 0 || done.ID != "" {
		t.Errorf("id %q, receipts %v, %v", done.ID, all, err)
	}
}

// Where nothing is left, an undo only makes room for the import before.
func TestUndo_Spent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.take(t, d.plan(t, map[string]string{"a.md": "A\n"}, adopt.PlanOptions{}))
	d.take(t, d.plan(t, map[string]string{"b.md": "B\n"}, adopt.PlanOptions{}))
	must(t, os.Remove(d.team("b.md")))
	u, err := d.PlanUndo(t.Context(), "")
	must(t, err)
	syncs := d.syncs
	must(t, d.Undo(t.Context(), u))
	if !u.Spent() || d.syncs != syncs {
		t.Errorf("spent %t, %d syncs", u.Spent(), d.syncs-syncs)
	}
	if u := d.undo(t, ""); u.Receipt.ID != first.ID || u.Spent() {
		t.Errorf("the next undo takes %s, want %s", u.Receipt.ID, first.ID)
	}
}

func TestUndo_ChoosesTheImport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.take(t, d.plan(t, map[string]string{"a.md": "A\n"}, adopt.PlanOptions{}))
	second := d.take(t, d.plan(t, map[string]string{"b.md": "B\n"}, adopt.PlanOptions{}))
	d.undo(t, first.ID)
	if got := below(t, d.team("")); len(got) != 1 || got["b.md"] == "" {
		t.Errorf("after the first was undone: %v", got)
	}
	if u := d.undo(t, ""); u.Receipt.ID != second.ID {
		t.Errorf("the last is %s, want %s", u.Receipt.ID, second.ID)
	}
	u, err := d.PlanUndo(t.Context(), first.ID) // once more does no harm
	must(t, err)
	if u.Acts() != 0 {
		t.Errorf("an undone import would act on %d files", u.Acts())
	}
	for _, id := range []string{"", "imp_nothing", "../../etc/passwd"} {
		_, err := d.PlanUndo(t.Context(), id)
		e, ok := errors.AsType[*memory.Error](err)
		if !ok || e.Code != memory.CodeInvalid || id != "" && !strings.Contains(e.Hint, second.ID) {
			t.Errorf("%q: got %v", id, err)
		}
	}
}
