package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Whoever goes on writing while a text of theirs travels, or after its answer got
// lost, is in conflict with nobody who wrote elsewhere in it, and has no line
// twice. Ann writes her first text, her program does what end says, and she writes
// the next one while ben writes his.
func TestSync_WritesOnBesideTeamMate(t *testing.T) {
	t.Parallel()
	const before, other = "a\nb\nc\n", "A\nb\nc\n"
	for _, tt := range []struct {
		name        string
		merged      bool // ben wrote the other text before ann's first was sent
		first, next string
		theirs      string
		want        string
	}{
		{"a line of what was sent", false, "a\nb\nC\n", "a\nb\nCC\n", "A\nb\nC\n", "A\nb\nCC\n"},
		{"after what was sent", false, "a\nb\nc\nd\n", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nben\n", "a\nb\nc\nd\nben\ne\n"},
		{"a line of what was merged", true, "a\nb\nC\n", "a\nb\nCC\n", "AA\nb\nC\n", "AA\nb\nCC\n"},
		{"after what was merged", true, "a\nb\nc\nd\n", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nben\n", "A\nb\nc\nd\nben\ne\n"},
	} {
		for name, end := range map[string]func(m *member, t *testing.T){"killed": (*member).cutOff, "failed": (*member).fail} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				t.Parallel()
				tm := newTeam(t, memory.Limits{})
				ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
				ann.write(t, "x.md", before)
				ann.sync(t)
				ben.sync(t)
				lost := int32(1)
				if tt.merged {
					ben.write(t, "x.md", other)
					ben.sync(t)
					lost = 3 // sent ahead, and asked about
				}
				ann.write(t, "x.md", tt.first)
				tm.losePush(lost)
				end(ann, t)
				tm.between(nil)
				ben.sync(t)
				ben.write(t, "x.md", tt.theirs)
				ben.sync(t)
				ann.write(t, "x.md", tt.next)
				r := ann.sync(t)
				ben.sync(t)
				tm.equal(t, ann, ben)
				if got := tm.served(t)["x.md"]; got != tt.want || len(r.Conflicts) != 0 {
					t.Errorf("the server has %q, want %q; conflicts %v", got, tt.want, r.Conflicts)
				}
			})
		}
	}
}

// losePush lets the n-th push from now on reach the server, and nothing come back.
func (tm *team) losePush(n int32) {
	var pushes atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") && pushes.Add(1) == n {
			next.ServeHTTP(nowhere{}, r)
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

// The member writes on while a merge of their text is published: the file is not
// what was merged any more, and what they wrote goes back to it all the same.
func TestSync_WritesOnWhileMergeTravels(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	ann.write(t, "x.md", "a\nb\nc\n")
	ann.sync(t)
	ben.sync(t)
	ben.write(t, "x.md", "A\nb\nc\n")
	ben.sync(t)
	ann.write(t, "x.md", "a\nb\nC\n")
	var merged atomic.Bool
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		if strings.HasSuffix(r.URL.Path, "/push") && tm.served(t)["x.md"] == "A\nb\nC\n" && merged.CompareAndSwap(false, true) {
			ann.write(t, "x.md", "a\nb\nCC\n")
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	r := ann.sync(t)
	tm.between(nil)
	ben.sync(t)
	tm.equal(t, ann, ben)
	if got := tm.served(t)["x.md"]; !merged.Load() || got != "A\nb\nCC\n" || len(r.Conflicts) != 0 {
		t.Errorf("the server has %q; conflicts %v", got, r.Conflicts)
	}
}

// A file was renamed, and whether the server heard of that got lost: edits under
// the new name are edits of that entry.
func TestSync_EditsWhatWasRenamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lose  func(tm *team)
		end   func(m *member, t *testing.T)
		mates string // what ben makes of it, if that came
		want  string
	}{
		{"heard, killed", (*team).loseAnswers, (*member).cutOff, "A\nb\nc\n", "A\nb\nC\n"},
		{"heard, failed", (*team).loseAnswers, (*member).fail, "A\nb\nc\n", "A\nb\nC\n"},
		{"never heard", (*team).losePushes, (*member).fail, "", "a\nb\nC\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			ann.write(t, "x.md", "a\nb\nc\n")
			ann.sync(t)
			ann.rename(t, "x.md", "y.md")
			tt.lose(tm)
			tt.end(ann, t)
			tm.between(nil)
			ben.sync(t)
			if tt.mates != "" {
				ben.write(t, "y.md", tt.mates)
				ben.sync(t)
			}
			ann.write(t, "y.md", "a\nb\nC\n")
			r := ann.sync(t)
			ben.sync(t)
			tm.equal(t, ann, ben)
			if diff := cmp.Diff(map[string]string{"y.md": tt.want}, tm.served(t)); diff != "" || len(r.Conflicts) != 0 {
				t.Errorf("conflicts %v; the server (-want +got):\n%s", r.Conflicts, diff)
			}
		})
	}
}

// losePushes lets no push reach the server.
func (tm *team) losePushes() {
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}
