package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Two names change places here while the server gives one of the files a third:
// the rename that comes too late is undone by way of a free name. That is the
// name of a file only; the entry's on the server is the same all the time.
func TestSync_UndoneRenameInARing(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "text of a\n")
	a.write(t, "b.md", "text of b\n")
	a.sync(t)
	b.sync(t)
	b.rename(t, "b.md", "c.md")
	b.sync(t)
	a.rename(t, "a.md", "c.md")
	a.rename(t, "b.md", "a.md")
	a.sync(t)
	want := map[string]string{"a.md": "text of a\n", "c.md": "text of b\n"}
	if diff := cmp.Diff(want, a.files(t)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	tm.equal(t, a, b)
}

// Two members give a file the same new name at once, and one of them or both edit
// it: it is one entry all the same. A new text of that name is another one.
func TestSync_SameNewNameOnBothSides(t *testing.T) {
	t.Parallel()
	const text = "---\nname: deploys\nmodified: 2026-01-01\n---\n\n# Deploys\n\nThey run on Mondays.\n\nAsk before noon.\n"
	theirs, mine := text+"\n- ann's line\n", strings.Replace(text, "2026-01-01", "2026-02-02", 1)+"\n- ben's line\n"
	const other = "---\nname: new\n---\n\n# Something else\n\nNobody knew of it before.\n"
	for _, tt := range []struct {
		name     string
		ann, ben string
		want     map[string]string
	}{
		{"edited here", text, mine, map[string]string{"y/z.md": mine}},
		{"edited there", theirs, text, map[string]string{"y/z.md": theirs}},
		{"edited on both sides", theirs, mine, map[string]string{"y/z.md": theirs + "\n- ben's line\n"}},
		{"edited to the same", mine, mine, map[string]string{"y/z.md": mine}},
		{"another text", text, other, map[string]string{"y/z.md": text, "y/z-2.md": other}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			ann.write(t, "x.md", text)
			ann.sync(t)
			ben.sync(t)
			for m, text := range map[*member]string{ann: tt.ann, ben: tt.ben} {
				m.remove(t, "x.md")
				m.write(t, "y/z.md", text)
			}
			ann.rename(t, "y/z.md", "x.md") // for the others it is a rename
			ann.sync(t)
			ann.rename(t, "x.md", "y/z.md")
			ann.sync(t)
			r := ben.sync(t)
			ann.sync(t)
			if diff := cmp.Diff(tt.want, ann.files(t)); diff != "" || len(r.Conflicts) > 0 {
				t.Errorf("conflicts %v, the tree (-want +got):\n%s", r.Conflicts, diff)
			}
			tm.equal(t, ann, ben)
		})
	}
}

// A file goes to another folder and is edited, or rewritten, before anybody looks.
func TestSync_RenamedAndEdited(t *testing.T) {
	t.Parallel()
	const text = "# Deploys\n\nThey run on Mondays.\n\nAsk before noon.\n"
	const mine, rewritten = text + "\n- ben's line\n", "# Something else\n\nNobody knew of it before.\n"
	for _, tt := range []struct {
		name string
		to   string
		text string
		ann  func(t *testing.T, ann *member) // meanwhile
		want map[string]string
		is   string // where the entry lives on
	}{
		{"alone", "y/x.md", mine, func(*testing.T, *member) {}, map[string]string{"y/x.md": mine}, "y/x.md"},
		{"edited there", "y/x.md", mine, func(t *testing.T, ann *member) {
			t.Helper()
			ann.write(t, "x.md", "- ann's line\n\n"+text)
		}, map[string]string{"y/x.md": "- ann's line\n\n" + mine}, "y/x.md"},
		{"renamed there", "y/x.md", mine, func(t *testing.T, ann *member) {
			t.Helper()
			ann.rename(t, "x.md", "z.md")
		}, map[string]string{"z.md": mine}, "z.md"},
		{"deleted there", "y/x.md", mine, func(t *testing.T, ann *member) {
			t.Helper()
			ann.remove(t, "x.md")
		}, map[string]string{"y/x.md": mine}, ""},
		{"rewritten", "y/x.md", rewritten, func(*testing.T, *member) {}, map[string]string{"y/x.md": rewritten}, ""},
		{"another name", "y/other.md", mine, func(*testing.T, *member) {}, map[string]string{"y/other.md": mine}, ""},
		{"another has it", "y/x.md", mine, func(t *testing.T, ann *member) {
			t.Helper()
			ann.write(t, "y/x.md", "another\n")
		}, map[string]string{"y/x.md": "another\n", "y/x-2.md": mine}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			ann.write(t, "x.md", text)
			ann.sync(t)
			ben.sync(t)
			id := tm.entries(t)["x.md"]
			tt.ann(t, ann)
			ann.sync(t)
			ben.remove(t, "x.md")
			ben.write(t, tt.to, tt.text)
			ben.sync(t)
			ann.sync(t)
			if diff := cmp.Diff(tt.want, ann.files(t)); diff != "" {
				t.Errorf("the tree (-want +got):\n%s", diff)
			}
			if got := tm.entries(t)[tt.is]; tt.is != "" && got != id {
				t.Errorf("at %s is %s, want %s", tt.is, got, id)
			}
			tm.equal(t, ann, ben)
		})
	}
}

// A text was published, but the answer got lost, and then its file changes
// places with another: it is still known for what it is.
func TestSync_SwapAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]map[string]string{
		"of a new file": {"a.md": "text of a\n"},
		"of an edit":    {"a.md": "text of a\n", "b.md": "text of b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			for name, text := range before {
				a.write(t, name, text)
			}
			a.sync(t)
			a.write(t, "b.md", "new\n")
			tm.between(func(_ http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			})
			if _, err := a.try(t.Context()); err == nil {
				t.Fatal("a lost answer is taken for one")
			}
			tm.between(nil)
			a.rename(t, "a.md", "swap.md")
			a.rename(t, "b.md", "a.md")
			a.rename(t, "swap.md", "b.md")
			want := a.files(t)
			if r := a.sync(t); len(r.Refused)+len(r.Conflicts) > 0 {
				t.Errorf("refused %v, conflicts %v", r.Refused, r.Conflicts)
			}
			if diff := cmp.Diff(want, tm.served(t)); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			b.sync(t)
			tm.equal(t, a, b)
		})
	}
}

// Three members give their files each other's names, at the same time and over
// a network that loses answers, and edit or delete one now and then. Every sync
// in peace ends in sync.
func TestWalk_Renames(t *testing.T) {
	t.Parallel()
	for seed := range walksOf(t) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newRough(t, seed)
			for round := range 12 {
				for _, m := range w.members {
					w.shuffle(m)
				}
				w.between(w.loseAnswer)
				for _, m := range w.members {
					w.sync(m)
				}
				w.between(nil)
				w.settle(round)
			}
		})
	}
}

// shuffle gives some files other names, among them those of each other.
func (w *rough) shuffle(m *member) {
	pool := []string{"a.md", "b.md", "c.md", "d.md", "sub/a.md", "sub/b.md"}
	files := m.files(w.t)
	var moving, free []string
	for _, name := range pool {
		_, has := files[name]
		switch {
		case !has:
			free = append(free, name)
		case w.n(2) == 0:
			moving, free = append(moving, name), append(free, name)
		case w.n(4) == 0:
			m.remove(w.t, name)
		case w.n(4) == 0:
			m.write(w.t, name, w.text(name))
		}
	}
	for i, name := range moving {
		m.rename(w.t, name, fmt.Sprintf("moving-%d.md", i))
	}
	for i := range moving {
		n := w.n(len(free))
		m.rename(w.t, fmt.Sprintf("moving-%d.md", i), free[n])
		free = slices.Delete(free, n, n+1)
	}
	if len(free) > 2 {
		m.write(w.t, free[0], w.text(free[0]))
	}
}

// loseAnswer delivers half of the requests, and the answers of fewer.
func (w *rough) loseAnswer(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	switch w.n(6) {
	case 0:
		next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case 1:
		panic(http.ErrAbortHandler)
	}
	next.ServeHTTP(rw, r)
}

// A folder of more notes of one name than are compared with each other is renamed,
// and each note edited: the names of the folders inside tell which is which.
func TestSync_ManyOfOneNameRenamed(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann := tm.join(t, "ann")
	note := func(i int) string { return fmt.Sprintf("/d%02d/notes.md", i) }
	const notes = 40
	for i := range notes {
		ann.write(t, "old"+note(i), fmt.Sprintf("Number %d runs on Mondays.\n", i))
	}
	ann.sync(t)
	was := tm.entries(t)
	for i := range notes {
		ann.remove(t, "old"+note(i))
		ann.write(t, "new"+note(i), fmt.Sprintf("Number %d runs on Mondays.\nAsk first.\n", i))
	}
	ann.sync(t)
	is := tm.entries(t)
	for i := range notes {
		if is["new"+note(i)] != was["old"+note(i)] {
			t.Errorf("new%s is another entry", note(i))
		}
	}
}
