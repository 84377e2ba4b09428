package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client/adopt"
)

// importRun is what an import with --json had to say.
type importRun struct {
	result

	files   map[string]itemLine // one for each name in the source
	parts   []itemLine
	results map[string]string // outcome by path
	plan    planLine
	act     actLine
}

func (m *member) runImport(t *testing.T, args ...string) importRun {
	t.Helper()
	r := importRun{
		result: m.run(t, append(args, "--folder", m.work(), "--json")...), files: map[string]itemLine{}, results: map[string]string{},
	}
	for line := range strings.Lines(r.stdout) {
		var kind struct {
			Type string `json:"type"`
		}
		decode(t, line, &kind)
		switch kind.Type {
		case "file":
			var l itemLine
			decode(t, line, &l)
			if _, twice := r.files[l.File]; twice {
				t.Errorf("%s is in the report twice", l.File)
			}
			r.files[l.File] = l
		case "part":
			var l itemLine
			decode(t, line, &l)
			r.parts = append(r.parts, l)
		case "result":
			var l resultLine
			decode(t, line, &l)
			r.results[l.Path] = l.Outcome
		case "plan":
			decode(t, line, &r.plan)
		case "imported", "undo", "undone":
			decode(t, line, &r.act)
		}
	}
	return r
}

func decode(t *testing.T, line string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), v); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
}

// Every real memory tree can be imported: each file is accounted for, what is
// taken arrives at the second member byte for byte, and an undo leaves no trace.
func TestImport_CorpusByteForByte(t *testing.T) {
	t.Parallel()
	for name, dir := range corpusTrees() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := shared(t, append([]string{"corpus"}, dir...)...)
			originals := filesBelow(t, source)
			tm := newTeam(t)
			a, b := tm.join(t, "mara"), tm.join(t, "jo")
			r := a.runImport(t, "import", source, "--yes")
			want, refused := accountedFor(t, r, originals)
			if r.code != exitFor(refused) {
				t.Errorf("exit %d with %d refused\n%s", r.code, len(refused), r.stderr)
			}
			for path := range want {
				if r.results[path] != string(adopt.Published) {
					t.Errorf("%s is %q in the end", path, r.results[path])
				}
			}
			b.sync(t, 0)
			for _, m := range []*member{a, b} {
				if diff := cmp.Diff(want, m.files(t)); diff != "" {
					t.Errorf("%s's tree (-want +got):\n%s", filepath.Base(m.home), diff)
				}
			}
			digests(t, a, b)
			if diff := cmp.Diff(originals, filesBelow(t, source)); diff != "" {
				t.Errorf("the source was changed:\n%s", diff)
			}

			if again := a.runImport(t, "import", source, "--yes"); again.plan.Takes != 0 || again.code != exitFor(refused) {
				t.Errorf("a second import: exit %d, takes %d", again.code, again.plan.Takes)
			}
			if u := a.runImport(t, "import", "--undo", "--yes"); u.code != exitOK || u.act.Files != len(want) {
				t.Errorf("undo: exit %d, %d of %d files\n%s", u.code, u.act.Files, len(want), u.stderr)
			}
			b.syncWilling(t)
			if left := len(a.files(t)) + len(b.files(t)); left > 0 {
				t.Errorf("%d files are left after the undo", left)
			}
			if back := a.runImport(t, "import", source, "--yes"); back.act.Files != len(want) {
				t.Errorf("imported once more: exit %d, %d of %d files\n%s", back.code, back.act.Files, len(want), back.stderr)
			}
			b.sync(t, 0)
			if diff := cmp.Diff(want, b.files(t)); diff != "" {
				t.Errorf("imported once more (-want +got):\n%s", diff)
			}
			t.Logf("%d files: %v", len(originals), r.plan.Counts)
		})
	}
}

// accountedFor checks that each file of the source has one line with a verdict
// and a reason, and returns what has to be in team/.
func accountedFor(t *testing.T, r importRun, originals map[string]string) (want, refused map[string]string) {
	t.Helper()
	if len(r.files) != len(originals) {
		t.Errorf("%d files in the report, %d on disk", len(r.files), len(originals))
	}
	want, refused = map[string]string{}, map[string]string{}
	for file, text := range originals {
		l, ok := r.files[file]
		switch {
		case !ok:
			t.Errorf("%s is not in the report", file)
		case l.Verdict == string(adopt.New):
			want[l.Path] = text
		case l.Verdict == string(adopt.Refused) && l.Code != "" && l.Reason != "":
			refused[file] = l.Code
		case l.Verdict == string(adopt.Skipped) && l.Reason != "":
		default:
			t.Errorf("%s: %+v", file, l)
		}
		if l.Verdict == string(adopt.New) && (l.Kind == "" || l.Name == "") {
			t.Errorf("%s has kind %q and name %q", file, l.Kind, l.Name)
		}
	}
	return want, refused
}

// An import joins what a team has, and its undo leaves that as it was, also
// where team-mates have gone on meanwhile.
func TestImport_BesideTheTeam(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	b.write(t, "MEMORY.md", "# Team\n\n- [deploy](deploy.md) — how\n")
	b.write(t, "deploy.md", "jo's\n")
	b.sync(t, 0)
	notes := filepath.Join(a.home, "notes")
	for name, text := range map[string]string{
		"MEMORY.md": "# Mine\n\n- [deploy](deploy.md)\n- [tests](tests.md) — with a database\n- [ci](ci.md)\n", "deploy.md": "mara's\n",
		"tests.md": "use postgres\n", "ci.md": "green\n",
	} {
		writeFile(t, filepath.Join(notes, name), text)
	}

	preview := a.runImport(t, "import", notes)
	if preview.code != exitPending || preview.files["deploy.md"].Verdict != string(adopt.Differs) || len(a.files(t)) != 0 {
		t.Errorf("a preview: exit %d, deploy.md is %q, and there are %d files", preview.code, preview.files["deploy.md"].Verdict, len(a.files(t)))
	}
	r := a.runImport(t, "import", notes, "--yes")
	if r.code != exitOK || r.files["MEMORY.md"].Verdict != string(adopt.Merged) || !slices.Equal(r.files["MEMORY.md"].NotTaken, []int{1, 3}) {
		t.Errorf("exit %d: %+v\n%s", r.code, r.files["MEMORY.md"], r.stderr)
	}
	b.sync(t, 0)
	equalTrees(t, a, b)
	const index = "# Team\n\n- [deploy](deploy.md) — how\n- [tests](tests.md) — with a database\n- [ci](ci.md)\n"
	if got := b.read(t, "MEMORY.md"); got != index {
		t.Errorf("the index is %q", got)
	}

	b.write(t, "ci.md", "green, and fast\n")
	b.write(t, "MEMORY.md", index+"- [new](new.md)\n")
	b.write(t, "new.md", "jo goes on\n")
	b.sync(t, 0)
	a.sync(t, 0)
	if u := a.runImport(t, "import", "--undo", r.act.ID, "--yes"); u.code != exitOK {
		t.Errorf("undo: exit %d\n%s", u.code, u.stderr)
	}
	b.sync(t, 0)
	equalTrees(t, a, b)
	want := map[string]string{
		"deploy.md": "jo's\n", "ci.md": "green, and fast\n", "new.md": "jo goes on\n",
		"MEMORY.md": "# Team\n\n- [deploy](deploy.md) — how\n- [ci](ci.md)\n- [new](new.md)\n",
	}
	if diff := cmp.Diff(want, b.files(t)); diff != "" {
		t.Errorf("after the undo (-want +got):\n%s", diff)
	}
	if got := a.history(t, "ci.md"); got != "put put" {
		t.Errorf("history of ci.md: %q", got)
	}
}

// Without the server a preview shows what is known, and nothing is imported.
func TestImport_Offline(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a := tm.join(t, "mara")
	notes := filepath.Join(a.home, "notes")
	writeFile(t, filepath.Join(notes, "a.md"), "A\n")
	first := a.runImport(t, "import", notes, "--yes")
	writeFile(t, filepath.Join(notes, "b.md"), "B\n")
	tm.stop(syscall.SIGKILL)
	if r := a.runImport(t, "import", notes, "--dry-run"); r.code != exitOffline || r.files["b.md"].Verdict != string(adopt.New) {
		t.Errorf("a preview: exit %d, %v", r.code, r.files)
	}
	if r := a.runImport(t, "import", notes, "--yes"); r.code != exitOffline || len(a.files(t)) != 1 {
		t.Errorf("an import: exit %d, %v", r.code, a.files(t))
	}
	if r := a.runImport(t, "import", "--undo", first.act.ID, "--yes"); r.code != exitOffline || len(a.files(t)) != 0 {
		t.Errorf("an undo: exit %d, %v", r.code, a.files(t))
	}
	tm.start(t, tm.address())
	a.sync(t, 0)
	if s := summaryOf(t, a.sync(t, 0, "--json").stdout); s.Entries != 0 {
		t.Errorf("%d entries are left", s.Entries)
	}
}

// Whenever an import is killed, it can be undone, or done again and undone: the
// tree is then what it was, and the team has nothing of it.
func TestImport_Killed(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	trap := &trap{target: tm.address()}
	real := tm.url
	tm.url = trap.start(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	tm.url = real
	a.write(t, "MEMORY.md", "# Team\n\n- [x](x.md)\n")
	a.write(t, "x.md", "X\n")
	a.sync(t, 0)
	before := a.files(t)
	notes := filepath.Join(a.home, "notes")
	const many = 250 // a push and a quarter
	index := ""
	for i := range many {
		name := fmt.Sprintf("note-%03d.md", i)
		writeFile(t, filepath.Join(notes, name), fmt.Sprintf("text %d\n", i))
		index += fmt.Sprintf("- [note %d](%s)\n", i, name)
	}
	writeFile(t, filepath.Join(notes, "MEMORY.md"), index)
	receipts := filepath.Join(a.home, ".local", "state", "teammem", "imports")

	for n, tt := range []struct {
		name string
		when func() bool // nil: in the middle of the second push
	}{
		{"as the receipt is there", func() bool { return count(receipts) > 0 }},
		{"as the first file is there", func() bool { return count(a.tree()) > 2 }},
		{"halfway", func() bool { return count(a.tree()) > many/2 }},
		{"while it is sent", nil},
	} {
		for _, again := range []bool{false, true} {
			// Without a second import it is undone with what the kill left, of which two moments are enough.
			if short := os.Getenv(soak) == ""; short && !again && n%2 == 0 {
				continue
			}
			a.importUntilKilled(t, notes, trap, tt.when)
			if again {
				if r := a.runImport(t, "import", notes, "--yes"); r.code != exitOK {
					t.Fatalf("killed %s, again: exit %d\n%s", tt.name, r.code, r.stderr)
				}
				b.sync(t, 0)
				if got := len(b.files(t)); got != many+2 {
					t.Errorf("killed %s, done again: the team has %d files", tt.name, got)
				}
			}
			for a.runImport(t, "import", "--undo", "--yes").code == exitOK { // until there is no import any more
			}
			a.sync(t, 0)
			b.syncWilling(t)
			for _, m := range []*member{a, b} {
				if diff := cmp.Diff(before, m.files(t)); diff != "" {
					t.Errorf("killed %s, done again %t, undone: %s's tree (-want +got):\n%s", tt.name, again, filepath.Base(m.home), diff)
				}
			}
			if err := os.RemoveAll(receipts); err != nil {
				t.Error(err)
			}
		}
	}
}

// importUntilKilled runs an import and kills it at some moment.
func (m *member) importUntilKilled(t *testing.T, notes string, trap *trap, when func() bool) {
	t.Helper()
	c := program(t.Context(), m.home, "import", notes, "--yes", "--folder", m.work())
	if when == nil {
		trap.killAtSecond(t, c)
	} else if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // it is killed
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return
		case <-nextLook():
			if when != nil && when() {
				m.team.kill(t, "client", c)
				<-ended
				return
			}
		}
	}
}

// count returns how many Markdown files and receipts are below a folder.
func count(dir string) int {
	n := 0
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			n++
		}
		return nil // what comes and goes meanwhile does not count
	})
	return n
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Under review an import waits, teammates see nothing of it, and its undo leaves
// nothing that a reviewer could still publish.
func TestImport_UnderReview(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	b.write(t, "MEMORY.md", "- [x](x.md)\n")
	b.write(t, "x.md", "X\n")
	b.sync(t, 0)
	before := b.files(t)
	tm.must(t, append(tm.admin, "project", "set", "acme/app", "--review", "strict")...)
	notes := filepath.Join(a.home, "notes")
	for name, text := range map[string]string{"a.md": "A\n", "b.md": "B\n", "MEMORY.md": "- [a](a.md)\n"} {
		writeFile(t, filepath.Join(notes, name), text)
	}
	r := a.runImport(t, "import", notes, "--yes")
	want := map[string]string{"a.md": "waiting", "b.md": "waiting", "MEMORY.md": "waiting"}
	if diff := cmp.Diff(want, r.results); diff != "" || r.code != exitOK {
		t.Errorf("exit %d (-want +got):\n%s%s", r.code, diff, r.stderr)
	}
	b.sync(t, 0)
	if diff := cmp.Diff(before, b.files(t)); diff != "" {
		t.Errorf("the other member (-want +got):\n%s", diff)
	}
	if again := a.runImport(t, "import", notes, "--yes"); again.plan.Takes != 0 || again.plan.Counts["same"] != 2 {
		t.Errorf("a second import: %v", again.plan)
	}
	if u := a.runImport(t, "import", "--undo", "--yes"); u.code != exitOK {
		t.Errorf("undo: exit %d\n%s", u.code, u.stderr)
	}
	if got := a.pending(t); got != 0 {
		t.Errorf("%d proposals are pending after the undo", got)
	}
	a.sync(t, 0)
	if diff := cmp.Diff(before, a.files(t)); diff != "" {
		t.Errorf("after the undo (-want +got):\n%s", diff)
	}
}

// pending counts what waits for a reviewer.
func (m *member) pending(t *testing.T) int {
	t.Helper()
	var page wire.Page[struct {
		ID string `json:"id"`
	}]
	query := url.Values{"state": {"pending"}, "author": {"me"}}
	if status := m.get(t, "/api/v1/projects/"+string(m.link(t).Project)+"/proposals", query, &page); status != http.StatusOK {
		t.Fatalf("proposals: status %d", status)
	}
	return len(page.Items)
}
