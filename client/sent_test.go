package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// refuseRequests lets nothing through.
func (tm *team) refuseRequests() {
	tm.between(func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
}

// A text that was about to be sent and never left is no claim on what a
// team-mate publishes: removing it here is not deleting that.
func TestSent_NeverLeft(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	ann.write(t, "other.md", "other\n")
	ann.sync(t)
	ann.write(t, "x.md", "the same\n")
	tm.refuseRequests()
	ann.fail(t)
	tm.between(nil)
	ann.remove(t, "x.md")
	ben.write(t, "x.md", "the same\n")
	ben.sync(t)
	ann.sync(t)
	if got := tm.served(t)["x.md"]; got != "the same\n" {
		t.Errorf("the server has %q, want ben's entry", got)
	}
	ben.sync(t)
	tm.equal(t, ann, ben)
}

// A tree was put back from a backup after the answer got lost, and the first run
// in it fails: what was sent from the tree before says nothing of this one.
func TestSent_TreeRestored(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	ann.write(t, "other.md", "other\n")
	ann.sync(t)
	backup := filepath.Join(ann.home, "backup")
	must(t, os.CopyFS(backup, os.DirFS(ann.tree())))
	ann.write(t, "x.md", "new\n")
	tm.loseAnswers()
	ann.cutOff(t)
	must(t, os.RemoveAll(ann.tree()))
	must(t, os.CopyFS(ann.tree(), os.DirFS(backup)))
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/changes") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	ann.fail(t)
	tm.between(nil)
	ann.sync(t)
	if got := tm.served(t)["x.md"]; got != "new\n" {
		t.Errorf("the server has %q, want what was published", got)
	}
	ben.sync(t)
	tm.equal(t, ann, ben)
}
