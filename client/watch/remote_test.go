package watch_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/watch"
	"github.com/teammem/teammem/memory"
)

// Where no stream passes, questions wait at the server.
func TestWatch_LongPoll(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
	ada.start(t, ada.watcher(), watch.Watching)
	w := bob.start(t, bob.watcher(), watch.Watching)
	bob.wait(t, "long-poll", func() bool { return bob.state(w).News == watch.LongPoll })
	ada.write(t, "a.md", "made\n")
	bob.becomes(t, map[string]string{"a.md": "made\n"})
	ada.write(t, "a.md", "edited\n")
	bob.becomes(t, map[string]string{"a.md": "edited\n"})
}

// While a stream tells where the server is nobody asks it, whatever is looked at.
func TestWatch_ToldByStream(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	w, bobs := ada.watching(t), bob.watching(t)
	bob.write(t, "a.md", "made\n")
	ada.becomes(t, map[string]string{"a.md": "made\n"})
	ada.wait(t, "all that is to be heard", func() bool { return w.Quiet() && w.Current() && bobs.Quiet() && bobs.Current() })
	asked := make(chan string, 1)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/events") && !strings.HasPrefix(r.URL.Path, "/api/v1/auth/") { // of the stream, and of logins
			select {
			case asked <- r.URL.Path:
			default:
			}
		}
		next.ServeHTTP(w, r)
	})
	before := ada.state(w)
	ada.write(t, "a.md", "made\n") // the same
	ada.wait(t, "a look at it", func() bool { return ada.state(w).LastSync.After(before.LastSync) })
	if len(asked) > 0 {
		t.Errorf("asked for %s", <-asked)
	}
	if s := ada.state(w); s.News != watch.Stream || s.Failure != "" {
		t.Errorf("then: %+v", s)
	}
}

// A server that cannot be reached is asked again, and what was written
// meanwhile arrives.
func TestWatch_Offline(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	w := ada.watching(t)
	bob.watching(t)
	tm.between(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { panic(http.ErrAbortHandler) })
	ada.write(t, "a.md", "made offline\n")
	ada.wait(t, "offline", func() bool { return !ada.state(w).OfflineSince.IsZero() })
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) })
	bob.becomes(t, map[string]string{"a.md": "made offline\n"})
	ada.wait(t, "online", func() bool { s := ada.state(w); return s.OfflineSince.IsZero() && s.Failure == "" })
}

// When a login has ended nothing is asked, until there is another.
func TestWatch_SignedOut(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	w := ada.watching(t)
	tokens, err := tm.store.APITokens(t.Context(), ada.id)
	must(t, err)
	must(t, tm.store.RevokeAPIToken(t.Context(), tokens[0].ID, time.Now(), root().Row(time.Now(), "token.revoke", "")))
	ada.write(t, "a.md", "made\n")
	ada.wait(t, "signed out", func() bool { return ada.state(w).Mode == watch.SignedOut })
	ada.login(t)
	ada.wait(t, "the upload", func() bool { return len(tm.history(t, ada, "a.md")) == 1 })
	ada.wait(t, "watching", func() bool { return ada.state(w).Mode == watch.Watching })
}

// A login that something in between refused for a while is used again.
func TestWatch_WrongRefusal(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	w := ada.watching(t)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.Header.Set("Authorization", "Bearer of nobody")
		next.ServeHTTP(w, r)
	})
	ada.write(t, "a.md", "made\n")
	ada.wait(t, "signed out", func() bool { return ada.state(w).Mode == watch.SignedOut })
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) })
	ada.wait(t, "watching", func() bool { return ada.state(w).Mode == watch.Watching })
	ada.wait(t, "the upload", func() bool { return len(tm.history(t, ada, "a.md")) == 1 })
}

// In a pause nothing is done, and afterwards everything is.
func TestWatch_Pause(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	w := ada.watching(t)
	must(t, ada.dirs.Pause(ada.link, client.Pause{Since: time.Now()}))
	socket := ada.dirs.WatchSocket(ada.link)
	if filepath.Dir(socket) != filepath.Join(ada.home, "run") {
		t.Fatalf("socket: got %q", socket)
	}
	must(t, watch.Stir(t.Context(), socket))
	ada.wait(t, "paused", func() bool { return ada.state(w).Mode == watch.Paused })
	ada.write(t, "a.md", "made\n")
	w.Slept()
	s, err := watch.Ask(t.Context(), socket)
	must(t, err)
	if s.Projects[0].Mode != watch.Paused || len(tm.history(t, ada, "a.md")) > 0 {
		t.Errorf("in a pause: %+v, and %q was sent", s.Projects[0], tm.history(t, ada, "a.md"))
	}
	if was, err := ada.dirs.Resume(ada.link); err != nil || !was {
		t.Fatalf("resume: %t, %v", was, err)
	}
	must(t, watch.Stir(t.Context(), socket))
	ada.wait(t, "the upload", func() bool { return len(tm.history(t, ada, "a.md")) == 1 })
}

// A folder that is linked while a watcher runs is watched, until it is not.
func TestWatch_Links(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	must(t, ada.dirs.RemoveLink(ada.link))
	w := ada.watcher()
	ada.startEmpty(t, w)
	must(t, ada.dirs.SaveLink(ada.link))
	ada.wait(t, "watching", func() bool { return ada.state(w).Mode == watch.Watching })
	must(t, ada.dirs.RemoveLink(ada.link))
	ada.wait(t, "nothing to watch", func() bool { return len(w.State().Projects) == 0 })
}

// A tree that another process watches is watched once that has ended, and keeps
// no other tree from being watched.
func TestWatch_TreeTaken(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	lock, err := ada.dirs.LockWatchOf(ada.link)
	must(t, err)
	w := ada.watcher()
	ada.startEmpty(t, w)
	ada.wait(t, "the notice", func() bool {
		ada.mu.Lock()
		defer ada.mu.Unlock()
		return len(ada.told) > 0
	})
	must(t, lock.Release())
	ada.wait(t, "watching", func() bool {
		ada.mu.Lock()
		defer ada.mu.Unlock()
		return ada.state(w).Mode == watch.Watching && len(ada.told) > 1
	})
	ada.mu.Lock()
	defer ada.mu.Unlock()
	want := fmt.Sprintf("not watched: another teammem process is at work: process %d watches already", os.Getpid())
	if len(ada.told) != 2 || !strings.HasPrefix(ada.told[0], want) || ada.told[1] != "watching" {
		t.Errorf("it said %q, want %q once", ada.told, want)
	}
}

// What somebody allows is shared at once by whoever watches: nothing happens in
// the tree, and no regular look is near.
func TestWatch_AllowedMeanwhile(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	project, who := ada.link.Project, func(id memory.MemberID, admin bool) memory.Principal {
		return memory.Principal{Member: id, Admin: admin, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview}}
	}
	mia, err := tm.service.AddMember(t.Context(), root(), "mia", true)
	must(t, err)
	w := ada.watching(t)
	ada.write(t, "a.md", "soft-one\n")
	var found []memory.Finding
	ada.wait(t, "the finding", func() bool {
		found, err = tm.service.Findings(t.Context(), who(ada.id, false), project, memory.FindingQuery{})
		must(t, err)
		return len(found) == 1
	})
	ada.wait(t, "all that is to be heard", func() bool { return w.Quiet() && w.Current() })
	_, err = tm.service.RequestAllow(t.Context(), who(ada.id, false), project, found[0].ID, memory.AllowWish{Reason: memory.AllowTestValue})
	must(t, err)
	_, err = tm.service.DecideAllow(t.Context(), who(mia.ID, true), project, found[0].ID, memory.AllowAnswer{Approve: true})
	must(t, err)
	ada.wait(t, "the entry", func() bool {
		_, all, err := tm.store.Manifest(t.Context(), project)
		must(t, err)
		return len(all) == 1
	})
}
