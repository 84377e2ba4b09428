package client_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/internal/testdisk"
)

// S17: a program that dies, or is refused, at any one of its calls on files
// while it uploads, downloads, merges and deletes in both directions leaves
// whole texts, and the next run ends in sync with nothing lost and nothing left.
func TestScenario_S17_CrashAtEveryCall(t *testing.T) {
	t.Parallel()
	step := 11 // a short run takes some of the calls, a long one all
	if os.Getenv(soak) != "" {
		step = 1
	}
	for name, c := range map[string]struct {
		counts  func(testdisk.Call) bool
		verdict testdisk.Verdict
	}{
		"killed":  {testdisk.Call.Changes, testdisk.Die()},
		"refused": {func(c testdisk.Call) bool { return c.Changes() || c.Flushes() }, testdisk.Fail(unix.EIO)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most = 140 // more than a cycle has calls
			before := roundFiles(most / step)
			tm, a, b := together(t, before)
			ever := map[string][]string{}
			for n, at := 1, 1; ; n, at = n+1, at+step {
				r := newRound(t, tm, a, b, n)
				killed := r.disturb(t, b, at, c.counts, c.verdict)
				if want := name == "killed" && r.at != ""; killed != want {
					t.Fatalf("call %d: killed %t, want %t", at, killed, want)
				}
				r.wholeTexts(t, b)
				b.sync(t)
				r.nothingLost(t, tm, b, int64(len(before)))
				for path, texts := range r.texts {
					ever[path] = append(ever[path], texts...)
				}
				noConflict(t, b, ever)
				if t.Failed() {
					t.Fatalf("at call %d: %s", at, r.at)
				}
				if r.at == "" {
					t.Logf("a cycle has %d calls or fewer", at-1)
					break
				}
			}
		})
	}
}

// disturb runs one sync, with a verdict on one call that counts.
func (r *round) disturb(t *testing.T, m *member, at int, counts func(testdisk.Call) bool, v testdisk.Verdict) (killed bool) {
	t.Helper()
	calls := 0
	_, killed = m.guest(t, func(c testdisk.Call) testdisk.Verdict {
		if !strings.HasPrefix(c.Path, m.home) || !counts(c) {
			return testdisk.Go
		}
		if calls++; calls == at {
			r.at = c.String()
			return v
		}
		return testdisk.Go
	})
	return killed
}

// later moves the server's clock.
func (tm *team) later(by time.Duration) {
	tm.ahead.Store(int64(by))
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
}

// round is one cycle's work: something of each kind.
type round struct {
	n     int
	at    string              // the call at which it was disturbed
	texts map[string][]string // that a path may have while the work is half done, the right one last; "" for none
}

func roundName(kind string, n int) string { return fmt.Sprintf("%s/%03d.md", kind, n) }

// roundFiles are there before the first of so many rounds.
func roundFiles(rounds int) map[string]string {
	files := map[string]string{"merged.md": "top\nmiddle\nbottom\n", "theirs.md": "version 0\n"}
	for n := range rounds + 1 {
		files[roundName("deleted-here", n)] = "deleted here\n"
		files[roundName("deleted-there", n)] = fmt.Sprintf("deleted there %d\n", n)
	}
	return files
}

// newRound brings two members to where a sync of the second has something of
// each kind to do.
func newRound(t *testing.T, tm *team, a, b *member, n int) *round {
	t.Helper()
	tm.later(time.Duration(n) * 2 * time.Hour) // the deletes of a round are not those of the one before
	a.sync(t)
	tm.equal(t, a, b)
	was := a.files(t)["merged.md"]
	lines := strings.Split(was, "\n")
	text := func(first, last string) string { return first + "\nmiddle\n" + last + "\n" }
	top, bottom := fmt.Sprintf("top %d", n), fmt.Sprintf("bottom %d", n)
	theirs := fmt.Sprintf("version %d\n", n)
	a.write(t, "merged.md", text(top, lines[2]))
	a.write(t, "theirs.md", theirs)
	a.write(t, roundName("new/there", n), "made there\n")
	a.remove(t, roundName("deleted-there", n))
	a.sync(t)
	b.write(t, "merged.md", text(lines[0], bottom))
	b.write(t, roundName("new/here", n), "made here\n")
	b.remove(t, roundName("deleted-here", n))
	return &round{n: n, texts: map[string][]string{
		"merged.md": {text(lines[0], bottom), text(top, bottom)}, "theirs.md": {fmt.Sprintf("version %d\n", n-1), theirs},
		roundName("new/there", n): {"", "made there\n"}, roundName("new/here", n): {"made here\n"},
		roundName("deleted-here", n): {""}, roundName("deleted-there", n): {fmt.Sprintf("deleted there %d\n", n), ""},
	}}
}

// wholeTexts fails unless each path has a text from before or after, and if
// more was left behind than one new and one old file of each text that came.
func (r *round) wholeTexts(t *testing.T, m *member) {
	t.Helper()
	files, left := m.files(t), 0
	for path := range files {
		if strings.Contains(filepath.Base(path), ".teammem-") || strings.HasPrefix(path, ".teammem-") {
			left++
		}
	}
	for path, texts := range r.texts {
		if !slices.Contains(texts, files[path]) {
			t.Errorf("%s reads %q, want one of %q", path, files[path], texts)
		}
	}
	if coming := 4; left > coming { // merged, theirs, there, and one on its way out
		t.Errorf("%d files were left behind, want at most %d", left, coming)
	}
}

// nothingLost fails unless all that was written is where it belongs, and what
// was on its way is gone.
func (r *round) nothingLost(t *testing.T, tm *team, m *member, before int64) {
	t.Helper()
	files, served := m.files(t), tm.served(t)
	for path, texts := range r.texts {
		if want := texts[len(texts)-1]; files[path] != want || served[path] != want {
			t.Errorf("%s reads %q, at the server %q; want %q", path, files[path], served[path], want)
		}
	}
	if m.kept(t, fmt.Sprintf("deleted there %d\n", r.n)) != "trash" {
		t.Error("what was deleted there is not in the trash")
	}
	for _, dir := range []string{m.tree(), m.dirs.State, m.dirs.Data, m.dirs.Config} {
		must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(e.Name(), ".teammem-") {
				t.Errorf("%s was left behind", path)
			}
			return err
		}))
	}
	head, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	if want := before + 7*int64(r.n); head.Seq != want { // four by one member, three by the other
		t.Errorf("the history has %d changes, want %d", head.Seq, want)
	}
}

// noConflict fails if somebody's text lost to another's. One that was moved
// aside when the program died is kept, since the next one cannot know whose it
// is: but it is in the history as well, or in what was merged.
func noConflict(t *testing.T, m *member, ever map[string][]string) {
	t.Helper()
	conflicts, err := m.dirs.Conflicts(m.link)
	must(t, err)
	for _, k := range conflicts {
		text, err := os.ReadFile(k.File)
		must(t, err)
		if !slices.Contains(ever[k.Path.String()], string(text)) {
			t.Errorf("a conflict at %s: %q", k.Path, text)
		}
	}
}

// S05, with death instead of a lost line: a new computer that is killed between
// two of its downloads, twice, goes on receiving and sends no delete.
func TestScenario_S05_KilledBetweenDownloads(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 12)
	c := tm.join(t, "cem")
	for _, at := range []int{2, 7} {
		came := 0
		_, killed := c.guest(t, func(call testdisk.Call) testdisk.Verdict {
			if !arrives(call, c.tree()) {
				return testdisk.Go
			}
			if came++; came < at {
				return testdisk.Go
			}
			return testdisk.Die()
		})
		if !killed || tm.deletesOf(t) != 0 {
			t.Errorf("killed %t, %d deletes", killed, tm.deletesOf(t))
		}
	}
	for _, op := range c.guestInSync(t, func(testdisk.Call) testdisk.Verdict { return testdisk.Go }).Done {
		if !strings.HasPrefix(op, "download ") && !strings.HasPrefix(op, "adopt ") {
			t.Errorf("did %s, want nothing but downloads", op)
		}
	}
	tm.equal(t, a, c)
	if tm.deletesOf(t) != 0 {
		t.Error("there was a delete")
	}
}

// arrives reports whether a call gives a text its name in a folder.
func arrives(c testdisk.Call, dir string) bool {
	return strings.HasPrefix(c.Name, "rename") && filepath.Dir(c.To) == dir && strings.HasSuffix(c.To, ".md")
}

// S16, before the power goes: a text has its name only once it is on the disk,
// and the index tells of it only once the name is.
func TestScenario_S16_DurableInOrder(t *testing.T) {
	t.Parallel()
	_, a, b := together(t, map[string]string{"a.md": "one\n"})
	a.write(t, "a.md", "two\n")
	a.write(t, "b.md", "new\n")
	a.sync(t)
	dirty := map[string]bool{} // files and folders with something that is not on the disk
	named, indexed := 0, false
	b.guestInSync(t, func(c testdisk.Call) testdisk.Verdict {
		if named == 2 && (strings.HasPrefix(c.Path, b.state()+"/") || strings.HasPrefix(c.To, b.state()+"/")) && c.Changes() {
			indexed = true
			if dirty[b.tree()] {
				t.Errorf("%s before the names were on the disk", c)
			}
		}
		switch {
		case c.Name == "write" || c.Name == "pwrite64":
			dirty[c.Path] = true
		case c.Name == "syncfs":
			clear(dirty)
		case c.Flushes():
			delete(dirty, c.Path)
		case arrives(c, b.tree()):
			if named++; dirty[c.Path] {
				t.Errorf("%s before the text was on the disk", c)
			}
			dirty[b.tree()] = true
		}
		return testdisk.Go
	})
	if named != 2 || !indexed {
		t.Errorf("%d texts got their names, the index was written: %t", named, indexed)
	}
}
