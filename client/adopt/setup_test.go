package adopt_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// desk is a member's memory folder with an importer, and a folder to import
// from. There is no server: each sync answers with what report holds.
type desk struct {
	*adopt.Importer

	memoryDir string
	source    string
	kept      map[string]string // texts that were moved out of the tree, by path
	report    client.Report
	syncs     int
	failEdit  error // after the change was made
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	return deskIn(t, t.TempDir())
}

func deskIn(t testing.TB, home string) *desk {
	t.Helper()
	d := &desk{
		memoryDir: filepath.Join(home, "memory"), source: filepath.Join(home, "notes"), kept: map[string]string{},
		report: client.Report{Proven: true},
	}
	mkdir(t, d.team(""))
	mkdir(t, d.source)
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	d.Importer = adopt.Into(d, adopt.Options{
		MemoryDir: d.memoryDir, Receipts: filepath.Join(home, "imports"),
		Scanner: func() (memory.Scanner, error) { return markScanner{}, nil },
		Clock: func() time.Time {
			now = now.Add(time.Second)
			return now
		},
	})
	return d
}

func (d *desk) team(name string) string {
	return filepath.Join(d.memoryDir, "team", filepath.FromSlash(name))
}

// Edit lends the real tree.
func (d *desk) Edit(_ context.Context, change func(*tree.Tree) error) error {
	t, err := tree.Open(d.memoryDir, tree.Options{Clock: time.Now, Keep: func(_ context.Context, old tree.Old) error {
		d.kept[old.Disk] = string(old.Content)
		return nil
	}})
	if err != nil {
		return err
	}
	return errors.Join(change(t), t.Close(), d.failEdit)
}

// Sync says what the test wants.
func (d *desk) Sync(context.Context, client.SyncOptions) (*client.Report, error) {
	d.syncs++
	r := d.report
	return &r, nil
}

// notes writes the source.
func (d *desk) notes(t testing.TB, files map[string]string) adopt.Source {
	t.Helper()
	write(t, d.source, files)
	return adopt.Source{Layout: adopt.LayoutFolder, Dir: d.source}
}

// plan plans an import of notes.
func (d *desk) plan(t testing.TB, files map[string]string, o adopt.PlanOptions) *adopt.Plan {
	t.Helper()
	p, err := d.Plan(t.Context(), d.notes(t, files), o)
	must(t, err)
	return p
}

// take imports a plan.
func (d *desk) take(t testing.TB, p *adopt.Plan) *adopt.Imported {
	t.Helper()
	done, err := d.Import(t.Context(), p)
	must(t, err)
	return done
}

// undo takes an import back.
func (d *desk) undo(t testing.TB, id string) *adopt.Undo {
	t.Helper()
	u, err := d.PlanUndo(t.Context(), id)
	must(t, err)
	must(t, d.Undo(t.Context(), u))
	return u
}

// verdicts are those of whole files, by name.
func verdicts(p *adopt.Plan) map[string]adopt.Verdict {
	all := map[string]adopt.Verdict{}
	for _, i := range p.Items {
		if i.Part == 0 {
			all[i.File] = i.Verdict
		}
	}
	return all
}

func itemOf(t testing.TB, p *adopt.Plan, file string, part int) adopt.Item {
	t.Helper()
	for _, i := range p.Items {
		if i.File == file && i.Part == part {
			return i
		}
	}
	t.Fatalf("%s, part %d, is not in the plan", file, part)
	return adopt.Item{}
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		mkdir(t, filepath.Dir(file))
		must(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// below returns all files below a folder, leftovers included.
func below(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(file)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return files
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// markScanner finds one marker, where the real scanner finds secrets.
type markScanner struct{}

const mark = "MARKED-AS-SECRET"

func (markScanner) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	if before, _, found := strings.Cut(text, mark); found {
		return []sanitize.Finding{{Rule: "mark", Severity: sanitize.SeverityHard, Line: 1 + strings.Count(before, "\n"), Column: 1}}, nil
	}
	return nil, ctx.Err()
}

func (markScanner) RuleSet() string { return "mark-1" }
