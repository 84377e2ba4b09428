package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// cutOff runs a sync of which the index was not written: somebody killed it.
func (m *member) cutOff(t *testing.T) {
	t.Helper()
	before, err := os.ReadFile(m.index())
	must(t, err)
	_, _ = m.try(t.Context()) // it may have got no answer either
	must(t, os.WriteFile(m.index(), before, 0o600))
}

// A run that was cut off left a text in the tree that the index does not know.
// It is no edit of the member's: what became of it meanwhile, becomes of the file.
func TestSync_CutOffAfterADownload(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path string
		then       func(t *testing.T, ann, ben *member, path string)
		want       string // "" for a file that is gone
		conflicts  int
	}{
		{"and edited since", "x.md", func(t *testing.T, ann, _ *member, path string) { ann.write(t, path, "- three\n") }, "- three\n", 0},
		{"and deleted since", "x.md", func(t *testing.T, ann, _ *member, path string) { ann.remove(t, path) }, "", 0},
		{"an index, and cut since", "MEMORY.md", func(t *testing.T, ann, _ *member, path string) {
			ann.write(t, path, "- one\n- three\n")
		}, "- one\n- three\n", 0},
		{"an older text put back, and edited since", "x.md", func(t *testing.T, ann, ben *member, path string) {
			ben.write(t, path, "- zero\n")
			ann.write(t, path, "- three\n")
		}, "- three\n", 1},
		{"an older text put back, and deleted since", "x.md", func(t *testing.T, ann, ben *member, path string) {
			ben.write(t, path, "- zero\n")
			ann.remove(t, path)
		}, "- zero\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			for _, text := range []string{"- zero\n", "- one\n"} {
				ann.write(t, tt.path, text)
				ann.sync(t)
			}
			ben.sync(t)
			ann.write(t, tt.path, "- one\n- two\n")
			ann.sync(t)
			ben.cutOff(t)
			if got := ben.files(t)[tt.path]; got != "- one\n- two\n" {
				t.Fatalf("ben has %q", got)
			}
			tt.then(t, ann, ben, tt.path)
			ann.sync(t)
			r := ben.sync(t)
			ann.sync(t)
			tm.equal(t, ann, ben)
			if got := tm.served(t)[tt.path]; got != tt.want || len(r.Conflicts) != tt.conflicts {
				t.Errorf("the server has %q, want %q; conflicts %v", got, tt.want, r.Conflicts)
			}
		})
	}
}

// A text was published, and the answer got lost: whatever the member does next
// is no conflict with themselves, whether the program that sent it lives or not.
func TestSync_AnswerLostThenChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		end    func(m *member, t *testing.T)
		team   bool // a team-mate edits it, too
		before string
		after  string
		want   string
	}{
		{"edited, edited", (*member).fail, false, "one\n", "three\n", "three\n"},
		{"edited, edited, killed", (*member).cutOff, false, "one\n", "three\n", "three\n"},
		{"edited, put back, killed", (*member).cutOff, false, "one\n", "one\n", "one\n"},
		{"edited, deleted, killed", (*member).cutOff, false, "one\n", "", ""},
		{"created, edited", (*member).fail, false, "", "three\n", "three\n"},
		{"created, edited, killed", (*member).cutOff, false, "", "three\n", "three\n"},
		{"created, deleted, killed", (*member).cutOff, false, "", "", ""},
		{"edited, left alone, edited by a team-mate", (*member).cutOff, true, "one\n", "two\n", "theirs\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			ann.write(t, "other.md", "other\n")
			ann.put(t, "x.md", tt.before)
			ann.sync(t)
			ann.write(t, "x.md", "two\n")
			tm.loseAnswers()
			tt.end(ann, t)
			tm.between(nil)
			if got := tm.served(t)["x.md"]; got != "two\n" {
				t.Fatalf("the server has %q", got)
			}
			if tt.team {
				ben.sync(t)
				ben.write(t, "x.md", "theirs\n")
				ben.sync(t)
			}
			ann.put(t, "x.md", tt.after)
			r := ann.sync(t)
			ben.sync(t)
			tm.equal(t, ann, ben)
			if got := tm.served(t)["x.md"]; got != tt.want || len(r.Conflicts) != 0 {
				t.Errorf("the server has %q, want %q; conflicts %v", got, tt.want, r.Conflicts)
			}
			if _, err := os.Stat(filepath.Join(ann.state(), "sent")); err == nil {
				t.Error("what was sent is still noted after a run that ended well")
			}
		})
	}
}

// A merged text was published, and the answer got lost. A team-mate gave the entry
// another name, and a run that brought the file there got no further.
func TestSync_AnswerLostThenRenamed(t *testing.T) {
	t.Parallel()
	for _, end := range []func(*member, *testing.T){(*member).fail, (*member).cutOff} {
		tm := newTeam(t, memory.Limits{})
		ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
		ann.write(t, "x.md", "- one\n\n- two\n")
		ann.sync(t)
		ben.sync(t)
		ben.write(t, "x.md", "- ben's line\n\n- one\n\n- two\n")
		ben.sync(t)
		ann.write(t, "x.md", "- one\n\n- two\n- ann's line\n")
		tm.loseAnswers()
		end(ann, t)
		tm.between(nil)
		ben.sync(t)
		ben.rename(t, "x.md", "y.md")
		ben.sync(t)
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.HasSuffix(r.URL.Path, "/push") {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
		if _, err := ann.syncer("").Sync(t.Context(), client.SyncOptions{News: true}); err == nil {
			t.Fatal("the second run got through")
		}
		tm.between(nil)
		if text := ann.files(t)["y.md"]; text != "- one\n\n- two\n- ann's line\n" {
			t.Fatalf("ann's file has %q", text)
		}
		ann.write(t, "y.md", "- one\n\n- two\n- ann's other line\n")
		if r := ann.sync(t); len(r.Conflicts) > 0 {
			t.Errorf("conflicts %v", r.Conflicts)
		}
		ben.sync(t)
		tm.equal(t, ann, ben)
		has(t, ben, map[string]string{"y.md": "- ben's line\n\n- one\n\n- two\n- ann's other line\n"})
	}
}

// loseAnswers lets pushes reach the server and nothing come back.
func (tm *team) loseAnswers() {
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/push") {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(nowhere{}, r)
		panic(http.ErrAbortHandler)
	})
}

type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)             {}

// fail runs a sync that must not end well.
func (m *member) fail(t *testing.T) {
	t.Helper()
	if _, err := m.try(t.Context()); err == nil {
		t.Fatal("the run ended well")
	}
}

// put writes a file, or removes it for the text "".
func (m *member) put(t *testing.T, path, text string) {
	t.Helper()
	switch _, err := os.Stat(filepath.Join(m.tree(), path)); {
	case text != "":
		m.write(t, path, text)
	case err == nil:
		m.remove(t, path)
	}
}

// What a killed run had begun to write outside of the tree goes with the next
// run, and what a run in another tree of the project writes at this moment stays.
func TestSync_CutOffInAVault(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann := tm.join(t, "ann")
	ann.sync(t)
	var want []string
	for _, place := range []string{"trash", "conflicts"} {
		for _, folder := range []string{".new-" + ann.link.RootID[:8], ".new-01234567"} {
			dir := filepath.Join(ann.dirs.Data, place, string(ann.link.Project), folder)
			mkdir(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, ".teammem-AAAABBBBCCCCDDDD.tmp"), []byte("half"), 0o600))
		}
		want = append(want, filepath.Join(place, string(ann.link.Project), ".new-01234567", ".teammem-AAAABBBBCCCCDDDD.tmp"))
	}
	ann.sync(t)
	got := filesBelow(t, ann.dirs.Data)
	for _, file := range want {
		delete(got, filepath.ToSlash(file))
	}
	if diff := cmp.Diff(map[string]string{}, got); diff != "" || len(filesBelow(t, ann.dirs.Data)) != len(want) {
		t.Errorf("after the next run there is %q, want only %q", filesBelow(t, ann.dirs.Data), want)
	}
}
