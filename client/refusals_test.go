package client_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// What the server refuses because of other entries is asked again in each run,
// but once in a run, and it is news the first time only.
func TestRefused_ByOtherEntries(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{ProjectEntries: 2})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "Deploy.md", "from ann\n")
	a.sync(t)
	b.write(t, "deploy.md", "from ben\n") // a twin of ann's, which ben has not seen
	r := b.sync(t)
	if refused(r)["deploy.md"] != memory.CodePathRejected && refused(r)["Deploy.md"] != memory.CodePathRejected {
		t.Errorf("refused %v, want the twin", refused(r))
	}
	if !r.NewRefusals() {
		t.Error("the twin is no news in the first run")
	}
	if r = b.sync(t); r.NewRefusals() || len(r.Refused) == 0 {
		t.Errorf("second run: news %t, %v; want it listed as known", r.NewRefusals(), refused(r))
	}
	if got := b.files(t)["deploy.md"]; got != "from ben\n" {
		t.Errorf("ben's file holds %q", got)
	}

	a.write(t, "second.md", "2\n")
	a.write(t, "third.md", "3\n")
	r = a.sync(t)
	if refused(r)["third.md"] != memory.CodeQuota || !r.NewRefusals() {
		t.Errorf("refused %v, want third.md over the quota", refused(r))
	}
	if r = a.sync(t); r.NewRefusals() || refused(r)["third.md"] != memory.CodeQuota {
		t.Errorf("second run: news %t, %v", r.NewRefusals(), refused(r))
	}
	a.remove(t, "second.md")
	a.sync(t)
	r = a.sync(t)
	if len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing once there is room", refused(r))
	}
	if _, there := tm.served(t)["third.md"]; !there {
		t.Error("third.md was not sent when there was room")
	}
}

// What is asked about in each run is refused in between: whoever looks at the tree
// without the server finds nothing to do, and status lists it.
func TestRefused_NotPending(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{ProjectEntries: 2})
	a := tm.join(t, "ann")
	calls := &tally{down: true}
	calls.of(tm)
	for _, name := range []string{"1.md", "2.md", "over the quota.md"} {
		a.write(t, name, name+"\n")
	}
	a.write(t, "untold.md", softMark+"one\n")
	want := refused(a.sync(t))
	if len(want) != 2 {
		t.Fatalf("refused %v", want)
	}
	st := a.status(t)
	if diff := cmp.Diff(want, refused(&st.Report)); diff != "" || st.Pending != 0 || len(st.Done) != 0 {
		t.Errorf("status: %d pending, refused (-sync +status):\n%s", st.Pending, diff)
	}
	r, err := a.syncer("").Sync(t.Context(), client.SyncOptions{DryRun: true, Offline: true})
	if err != nil || r.Pending != 0 || len(r.Refused) != 2 {
		t.Errorf("a look: %v, %d pending, refused %v", err, r.Pending, refused(r))
	}
	a.write(t, "untold.md", softMark+"two\n")
	if r, err = a.syncer("").Sync(t.Context(), client.SyncOptions{DryRun: true, Offline: true}); err != nil || r.Pending != 1 {
		t.Errorf("another text: %v, %d pending", err, r.Pending)
	}
}

// A rename that the server refuses is asked once in a run.
func TestRefused_Rename(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "old.md", "text\n")
	a.sync(t)
	b.sync(t)
	tm.onPush(func(n int) {
		if n == 1 {
			tm.between(nil)
			b.write(t, "New.md", "ben's\n")
			b.sync(t)
		}
	})
	a.rename(t, "old.md", "new.md")
	r := a.sync(t)
	if len(r.Refused) == 0 {
		t.Errorf("nothing is listed; notices %q", r.Notices)
	}
	if a.files(t)["new.md"] != "text\n" {
		t.Errorf("ann has %q", a.files(t))
	}
	a.sync(t)
}

// A refusal is known until its file changes, whatever became of the runs
// in between.
func TestRefused_Memory(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "good.md", "good\n")
	a.write(t, "secret.md", mark+"\n")
	must(t, os.Symlink("good.md", filepath.Join(a.tree(), "link.md")))
	if r := a.sync(t); !r.NewRefusals() || len(r.Refused) != 2 {
		t.Fatalf("refused %v, want secret.md and link.md as news", refused(r))
	}

	// A run that fails before it looks, and one that fails after.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.try(ctx); err == nil {
		t.Fatal("a cancelled run ended well")
	}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, r)
	})
	a.write(t, "more.md", "more\n")
	r, err := a.try(t.Context())
	if err == nil || len(r.Refused) != 2 || r.NewRefusals() {
		t.Errorf("failed run: %v, refused %v, news %t; want both as known", err, refused(r), r.NewRefusals())
	}
	tm.between(nil)
	if r := a.sync(t); r.NewRefusals() || len(r.Refused) != 2 {
		t.Errorf("refused %v, news %t; want both as known", refused(r), r.NewRefusals())
	}

	// Another secret is news, a fixed file is sent, a removed one is forgotten.
	a.write(t, "secret.md", mark+" again\n")
	if r := a.sync(t); !r.NewRefusals() {
		t.Error("another text with a secret is no news")
	}
	a.write(t, "secret.md", "fixed\n")
	a.remove(t, "link.md")
	if r := a.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing", refused(r))
	}
	if tm.served(t)["secret.md"] != "fixed\n" {
		t.Error("the fixed file was not sent")
	}
	a.write(t, "secret.md", mark+"\n")
	a.sync(t)
	a.remove(t, "secret.md")
	if r := a.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing after the file was removed", refused(r))
	}
}

// The same file refused for another reason is news again.
func TestRefused_OtherReason(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", mark+"\n")
	a.sync(t)
	a.remove(t, "a.md")
	must(t, os.Symlink("b.md", filepath.Join(a.tree(), "a.md")))
	if r := a.sync(t); !r.NewRefusals() {
		t.Error("a link in place of a secret is no news")
	}
}

// New rules judge again, once.
func TestRefused_NewRules(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", mark+"-2\n")
	a.sync(t)
	before, err := os.Stat(a.index())
	must(t, err)
	r, err := a.syncer("-2").Sync(t.Context(), syncOnce)
	if err != nil || len(r.Refused) != 1 || r.NewRefusals() {
		t.Fatalf("%v, refused %v, news %t", err, refused(r), r.NewRefusals())
	}
	after, err := os.Stat(a.index())
	must(t, err)
	if os.SameFile(before, after) {
		t.Error("the index does not remember which rules refused the file")
	}
}
