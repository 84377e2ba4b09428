package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// versions are the texts that an entry had, oldest first.
func (m *member) versions(t testing.TB, path string) []string {
	t.Helper()
	known, err := m.dirs.Known(m.link)
	must(t, err)
	var texts []string
	for _, e := range known.Entries {
		if e.Path.String() != path {
			continue
		}
		history, err := m.http.History(t.Context(), m.link.Project, e.EntryID, 0)
		must(t, err)
		for _, r := range slices.Backward(history) {
			one, err := m.http.Revision(t.Context(), m.link.Project, e.EntryID, r.Rev)
			must(t, err)
			texts = append(texts, string(one.Content))
		}
	}
	return texts
}

// S20: of a file that is being written nothing is sent before it is whole, and
// nothing empty ever.
func TestScenario_S20_HalfWritten(t *testing.T) {
	t.Parallel()
	_, a, _ := together(t, map[string]string{"a.md": "old\n", "b.md": "old\n"})
	// Opened once.
	f, err := os.OpenFile(filepath.Join(a.tree(), "a.md"), os.O_WRONLY|os.O_TRUNC, 0)
	must(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := a.try(t.Context())
		done <- err
	}()
	for range 3 {
		_, err := f.WriteString("chunk\n")
		must(t, err)
	}
	must(t, f.Close())
	must(t, <-done)
	a.sync(t)
	if got := a.versions(t, "a.md"); !slices.Equal(got, []string{"old\n", "chunk\nchunk\nchunk\n"}) {
		t.Errorf("the versions are %q", got)
	}
	// Opened anew for each part.
	whole := ""
	for _, part := range []string{"", "one\n", "two\n", "three\n"} {
		whole += part
		a.write(t, "b.md", whole)
		a.sync(t)
	}
	got := a.versions(t, "b.md")
	if slices.Contains(got, "") || got[len(got)-1] != whole {
		t.Errorf("the versions are %q", got)
	}
}

// S21: a text of the same size in the same file, with the old time put back, is
// seen all the same, and sent once.
func TestScenario_S21_SameInode(t *testing.T) {
	t.Parallel()
	tm, a, _ := together(t, map[string]string{"a.md": "one\n"})
	file := filepath.Join(a.tree(), "a.md")
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, long, long))
	a.sync(t)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
	must(t, err)
	_, err = f.WriteString("two\n")
	must(t, err)
	must(t, f.Close())
	must(t, os.Chtimes(file, long, long))
	if r := a.sync(t); len(r.Done) != 1 || r.Done[0].Kind != msync.Upload {
		t.Errorf("did %v, want one upload", r.Done)
	}
	if r := a.sync(t); len(r.Done) > 0 {
		t.Errorf("a second run did %v", r.Done)
	}
	tm.equal(t, a)
}

// S46: a run that says it succeeded has what it says on the server; one that
// could not does not say so.
func TestScenario_S46_SuccessIsTrue(t *testing.T) {
	t.Parallel()
	tm, a, _ := together(t, map[string]string{"a.md": "one\n"})
	refuse := atomic.Bool{}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if refuse.Load() && strings.HasSuffix(r.URL.Path, "/push") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, r)
	})
	for n, text := range []string{"two\n", "three\n"} {
		a.write(t, "a.md", text)
		refuse.Store(true)
		if r, err := a.try(t.Context()); err == nil || r.Proven {
			t.Fatalf("round %d: proven %t, %v although nothing was taken", n, r.Proven, err)
		}
		refuse.Store(false)
		r := a.sync(t)
		m, err := a.http.Manifest(t.Context(), tm.project.ID)
		must(t, err)
		if len(m.Entries) != 1 || m.Entries[0].Sum != memory.Sum([]byte(text)) || m.Head.Digest != r.Digest || m.Head.Cursor() != r.Cursor {
			t.Errorf("round %d: the manifest has %v at %s, the report %s", n, m.Entries, m.Head.Digest, r.Digest)
		}
		if got := tm.served(t)["a.md"]; got != text {
			t.Errorf("round %d: the server has %q", n, got)
		}
	}
}

// S48: five members write one index. No line is lost or doubled, and all see one
// order.
func TestScenario_S48_Index(t *testing.T) {
	t.Parallel()
	const old = "# Team\n\n- [a](a.md): one\n- [b](b.md): two\n- [c](c.md): three\n"
	tm, a, b := together(t, map[string]string{"MEMORY.md": old, "a.md": "a\n", "b.md": "b\n", "c.md": "c\n"})
	all := []*member{a, b}
	for _, name := range []string{"cem", "dan", "eva"} {
		m := tm.join(t, name)
		m.sync(t)
		all = append(all, m)
	}
	names := []string{"v", "w", "x", "y", "z"}
	for i, m := range all {
		text := old + "- [" + names[i] + "](" + names[i] + ".md): new\n"
		switch i {
		case 1:
			text = strings.Replace(text, "- [b](b.md): two\n", "", 1)
		case 2:
			text = strings.Replace(text, "three", "THREE", 1)
		}
		m.write(t, "MEMORY.md", text)
		m.write(t, names[i]+".md", names[i]+"\n")
	}
	for range 11 {
		for _, m := range all {
			m.sync(t)
		}
	}
	tm.equal(t, all...)
	got := tm.served(t)["MEMORY.md"]
	for line, want := range map[string]int{"a.md": 1, "b.md": 0, "c.md): THREE": 1, "three": 0, "# Team": 1, "v.md": 1, "w.md": 1, "x.md": 1, "y.md": 1, "z.md": 1} {
		if n := strings.Count(got, line); n != want {
			t.Errorf("%q is there %d times, want %d:\n%s", line, n, want, got)
		}
	}
	for _, m := range all {
		if r := m.sync(t); len(r.Done)+len(r.Conflicts) > 0 {
			t.Errorf("one more round did %v, conflicts %v", r.Done, r.Conflicts)
		}
	}

	a.write(t, "MEMORY.md", got+strings.Repeat("- a line\n", 180-strings.Count(got, "\n")))
	st, err := a.syncer("").Status(t.Context(), false)
	must(t, err)
	if st.Index == nil || !st.Index.Near() {
		t.Errorf("at 180 lines: %+v, want a warning", st.Index)
	}
}

// F23: an old copy of the tree takes nothing from the team, with the index and
// without.
func TestField_F23_StaleTree(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, m *member){
		"with the index":    func(*testing.T, *member) {},
		"without the index": func(t *testing.T, m *member) { must(t, os.Remove(m.index())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := together(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n"})
			backup := filepath.Join(a.home, "backup")
			must(t, os.CopyFS(backup, os.DirFS(a.tree())))
			for _, path := range []string{"d.md", "e.md", "f.md"} {
				b.write(t, path, path+"\n")
			}
			b.write(t, "a.md", "a, edited\n")
			b.sync(t)
			a.sync(t)
			must(t, os.RemoveAll(a.tree()))
			must(t, os.CopyFS(a.tree(), os.DirFS(backup)))
			lose(t, a)
			must(t, os.Chmod(a.tree(), 0o700))
			a.sync(t)
			tm.equal(t, a, b)
			if got := tm.served(t); len(got) != 6 || got["a.md"] != "a, edited\n" || tm.deletesOf(t) != 0 {
				t.Errorf("the server has %q after %d deletes", got, tm.deletesOf(t))
			}
		})
	}
}

// F24: a computer that was away for months does not bring back what was deleted.
func TestField_F24_LongOffline(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"x.md": "x\n", "y.md": "y\n"})
	a.remove(t, "x.md")
	a.sync(t)
	b.now = func() time.Time { return time.Now().Add(90 * 24 * time.Hour) }
	b.sync(t)
	has(t, b, map[string]string{"y.md": "y\n"})
	if b.kept(t, "x\n") != "trash" {
		t.Error("the text is not in the trash")
	}
	tm.equal(t, a, b)
}

// F29: files that were copied by hand before the first sync are the entries.
func TestField_F29_CopiedByHand(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 6)
	c := tm.join(t, "cem")
	for path, text := range a.files(t) {
		c.write(t, path, text)
	}
	var sent atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			sent.Add(1)
		}
		next.ServeHTTP(w, r)
	})
	r := c.sync(t)
	if r.Counts()[msync.Adopt] != 6 || len(r.Done) != 6 || len(r.Conflicts) > 0 || sent.Load() > 0 || len(filesBelow(t, c.dirs.Data)) > 0 {
		t.Errorf("did %v, conflicts %v, %d pushes", r.Done, r.Conflicts, sent.Load())
	}
}

// F30: a text that was written over without having been read is in the history;
// one that was not here yet is merged.
func TestField_F30_BlindOverwrite(t *testing.T) {
	t.Parallel()
	_, a, b := together(t, map[string]string{"a.md": "1\n2\n3\n"})
	b.write(t, "a.md", "1\n2\nthree\n")
	b.sync(t)
	a.write(t, "a.md", "one\n2\n3\n") // before it came
	a.sync(t)
	has(t, a, map[string]string{"a.md": "one\n2\nthree\n"})
	b.sync(t)
	b.write(t, "a.md", "one\n2\nthree\n4\n")
	b.sync(t)
	a.sync(t)
	a.write(t, "a.md", "one\nzwei\nthree\n") // after it came
	a.sync(t)
	if got := a.versions(t, "a.md"); !slices.Contains(got, "one\n2\nthree\n4\n") {
		t.Errorf("the versions are %q", got)
	}
}

// F31: what was deleted stays so, although its file is still here when the client
// starts again, even without an index.
func TestField_F31_DeletedElsewhere(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, m *member){
		"restarted": func(*testing.T, *member) {}, "without an index": func(t *testing.T, m *member) { must(t, os.Remove(m.index())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := together(t, map[string]string{"x.md": "x\n", "y.md": "y\n"})
			b.remove(t, "x.md")
			b.sync(t)
			lose(t, a)
			for range 2 {
				a.sync(t)
				b.sync(t)
			}
			has(t, a, map[string]string{"y.md": "y\n"})
			tm.equal(t, a, b)
			if a.kept(t, "x\n") != "trash" {
				t.Error("the text is not in the trash")
			}
		})
	}
}
