package client_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// firstSync readies a first sync of ben's that takes several pages. Before the
// second is sent, the hook runs.
func firstSync(t *testing.T, hook func(tm *team, a, b *member)) (tm *team, a, b *member) {
	t.Helper()
	tm = newTeam(t, memory.Limits{FeedPage: 10})
	a, b = tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 40 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.write(t, "long.md", strings.Repeat("long\n", 20_000)) // too long to come with the feed
	a.sync(t)
	var ran atomic.Bool
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Query().Get("since"), ":10") && ran.CompareAndSwap(false, true) {
			hook(tm, a, b)
		}
		next.ServeHTTP(w, r)
	})
	t.Cleanup(func() {
		if !ran.Load() {
			t.Error("the second page was never asked for")
		}
	})
	return tm, a, b
}

// ownNames lists what teammem left in a tree.
func ownNames(t *testing.T, m *member) (own []string) {
	t.Helper()
	must(t, filepath.WalkDir(m.tree(), func(name string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(name), ".teammem-") {
			own = append(own, name)
		}
		return err
	}))
	return own
}

func TestStage_CutOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tm, _, b := firstSync(t, func(*team, *member, *member) { cancel() })
	if _, err := b.syncer("").Sync(ctx, client.SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	if len(b.files(t)) > 0 || len(ownNames(t, b)) > 0 {
		t.Errorf("a sync that was cut off left %v", b.files(t))
	}
	b.sync(t)
	tm.equal(t, b)
}

// What the member writes while the first sync goes on is theirs, wherever it is.
func TestStage_WrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"an entry of the server's": numbered(3), "one that is still to come": numbered(35), "beside them": "topic-3/mine.md", "elsewhere": "mine.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, _, b := firstSync(t, func(_ *team, _, b *member) { b.write(t, path, "mine\n") })
			b.sync(t)
			b.sync(t) // what came after the scan is seen by the next run
			if b.files(t)[path] != "mine\n" && b.kept(t, "mine\n") != "conflicts" {
				t.Error("the member's text is lost")
			}
			if own := ownNames(t, b); len(own) > 0 {
				t.Errorf("the sync left %q", own)
			}
			tm.equal(t, b)
		})
	}
}

// A text that was staged and changed at the server before the last page came is
// not what the member gets. Nor is one whose entry was deleted or renamed.
func TestStage_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	tm, _, b := firstSync(t, func(_ *team, a, _ *member) {
		a.write(t, numbered(1), "changed\n")
		a.remove(t, numbered(2))
		a.rename(t, numbered(3), "renamed.md")
		a.write(t, numbered(3), "another one\n")
		if _, err := a.try(t.Context()); err != nil {
			t.Error(err)
		}
	})
	b.sync(t)
	if own := ownNames(t, b); len(own) > 0 {
		t.Errorf("the sync left %q", own)
	}
	if got := b.files(t)[numbered(1)]; got != "changed\n" {
		t.Errorf("got text %q of what was changed", got)
	}
	tm.equal(t, b)
}
