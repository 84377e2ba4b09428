package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// large is a project with pages that are worth keeping.
type large struct {
	*bundle

	owner *client
	at    memory.Cursor
}

func setupLarge(t *testing.T) *large {
	t.Helper()
	b := setup(t)
	l := &large{bundle: b, owner: b.as(t, memory.RoleMaintainer)}
	l.grow(t, 0, 200)
	l.grow(t, 200, 50)
	return l
}

func (l *large) grow(t *testing.T, from, n int) {
	t.Helper()
	var ops []string
	for i := range n {
		ops = append(ops, putOp(fmt.Sprintf("notes/%d.md", from+i), fmt.Sprintf("note %d\n", from+i)))
	}
	receipt := read[wire.Receipt](t, l.owner.post(l.in("/push"), l.pushBody(t, ops...)))
	l.at = memory.Cursor{Epoch: receipt.Epoch, Seq: receipt.Head}
}

// page asks for a page as our client does.
func (l *large) page(c *client, since int64, query string) reply {
	path := "/changes?content=inline" + query
	if since > 0 {
		path += "&since=" + escape(memory.Cursor{Epoch: l.at.Epoch, Seq: since}.String())
	}
	return c.get(l.in(path), "Accept-Encoding", "zstd")
}

// text unpacks an answer.
func (l *large) text(t *testing.T, r reply) string {
	t.Helper()
	if r.status != http.StatusOK || r.header.Get("Content-Encoding") != "zstd" || r.header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("status %d, %v", r.status, r.header)
	}
	d, err := zstd.NewReader(nil)
	must(t, err)
	defer d.Close()
	text, err := d.DecodeAll(r.body, nil)
	must(t, err)
	return string(text)
}

// rewrite changes what the database has, so that a page shows whether it came
// from there.
func (l *large) rewrite(t *testing.T) {
	t.Helper()
	l.sql(t, "update revisions set agent = 'rewritten'")
}

func rewritten(page string) bool { return strings.Contains(page, "rewritten") }

// A page that is kept says what the database says, in every encoding, and where
// the feed stands by now.
func TestKeptPages_SameAnswer(t *testing.T) {
	t.Parallel()
	l := setupLarge(t)
	viewer := l.as(t, memory.RoleViewer)
	for _, tt := range []struct {
		since int64
		query string
	}{{0, "&limit=100"}, {100, ""}, {0, ""}, {100, "&limit=100"}} {
		plain := string(l.owner.get(l.in("/changes?content=inline"+tt.query+"&since="+escape(memory.Cursor{Epoch: l.at.Epoch, Seq: tt.since}.String())), "Accept-Encoding", "identity").body)
		first, second := l.text(t, l.page(l.owner, tt.since, tt.query)), l.text(t, l.page(viewer, tt.since, tt.query))
		if diff := cmp.Diff([]string{plain, plain}, []string{first, second}); diff != "" {
			t.Errorf("since %d%s (-want +got):\n%s", tt.since, tt.query, diff)
		}
	}
	l.rewrite(t)
	l.grow(t, 250, 10)
	page := l.text(t, l.page(viewer, 100, "&limit=100"))
	if rewritten(page) || !strings.Contains(page, `"head":260,`) {
		t.Errorf("a page that is kept: %.300s", page)
	}
	if page := l.text(t, l.page(viewer, 100, "")); !rewritten(page) {
		t.Errorf("a page that goes on to the head: %.300s", page)
	}
	if page := l.text(t, l.page(viewer, 250, "")); strings.Count(page, `"seq":`) != 10 {
		t.Errorf("a page that is too small: %s", page)
	}
}

// Nobody gets a page that is kept who would not get it from the database.
func TestKeptPages_Strangers(t *testing.T) {
	t.Parallel()
	l := setupLarge(t)
	gone := l.as(t, memory.RoleViewer)
	l.text(t, l.page(gone, 0, ""))
	for name, tt := range map[string]struct {
		who    *client
		status int
		code   memory.Code
	}{
		"no role in the project": {l.as(t, memory.RoleNone), http.StatusNotFound, memory.CodeNotFound},
		"token of another project": {
			&client{t: t, url: l.url, token: l.token(t, l.members[memory.RoleViewer].ID, l.other.ID, memory.ScopeRead)}, http.StatusNotFound, memory.CodeNotFound,
		},
		"token that may not read": {
			&client{t: t, url: l.url, token: l.token(t, l.members[memory.RoleViewer].ID, "", memory.ScopeWrite)}, http.StatusForbidden, memory.CodeForbidden,
		},
		"nobody": {&client{t: t, url: l.url}, http.StatusUnauthorized, memory.CodeUnauthenticated},
	} {
		if r := l.page(tt.who, 0, ""); r.status != tt.status || memory.Code(r.problem.Code) != tt.code {
			t.Errorf("%s: got %d %s, want %d %s", name, r.status, r.problem.Code, tt.status, tt.code)
		}
	}
	l.sql(t, "update project_roles set role = 'none' where member_id = $1", l.members[memory.RoleViewer].ID)
	l.page(gone, 0, "").want(t, http.StatusNotFound, memory.CodeNotFound)
	l.page(l.owner, 0, "").want(t, http.StatusOK, "")
}

// What rewrites history ends the pages that were kept of it, in every process
// that serves the database.
func TestKeptPages_RewrittenHistory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change string
		first  memory.Code // of the first page
	}{
		"purge":             {"update projects set floor_seq = 50 where project_id = $1", memory.CodeCursorTooOld},
		"withdrawal":        {"update projects set rewrites = 1 where project_id = $1", ""},
		"restored database": {"update projects set epoch = 'another' where project_id = $1", ""},
		"restored database that nobody noticed": {
			"update changes set digest_after = sha256(digest_after) where project_id = $1", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := setupLarge(t)
			second := New(memory.NewService(l.store, markScanner{}, NewHub(), time.Now, memory.Limits{}),
				auth.NewAuthenticator(l.store, l.access, time.Now), time.Now, Options{Instance: instance})
			clients := []*client{l.owner, {t: t, url: listen(t, second), token: l.owner.token}}
			for _, c := range clients {
				l.text(t, l.page(c, 0, "&limit=100"))
				l.text(t, l.page(c, 100, "&limit=100"))
			}
			l.rewrite(t)
			for _, c := range clients {
				if rewritten(l.text(t, l.page(c, 100, "&limit=100"))) {
					t.Error("the page was not kept")
				}
			}
			l.sql(t, tt.change, l.project.ID)
			head, err := l.store.Head(t.Context(), l.project.ID)
			must(t, err)
			l.at.Epoch = head.Epoch
			for i, c := range clients {
				if tt.first != "" {
					l.page(c, 0, "&limit=100").want(t, http.StatusGone, tt.first)
				} else if page := l.text(t, l.page(c, 0, "&limit=100")); !rewritten(page) {
					t.Errorf("process %d, first page: %.300s", i, page)
				}
				if page := l.text(t, l.page(c, 100, "&limit=100")); !rewritten(page) {
					t.Errorf("process %d, next page: %.300s", i, page)
				}
			}
		})
	}
}

// After a burst of pushes the pages that a new member asks for are ready.
func TestKeepPages_AfterABurst(t *testing.T) {
	t.Parallel()
	l := setupLarge(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); l.api.KeepPages(ctx) }()
	deadline := time.After(time.Minute)
	for ready := false; !ready; {
		select {
		case <-deadline:
			t.Fatal("no pages were made ready")
		case <-time.After(10 * time.Millisecond):
			l.api.kept.mu.Lock()
			ready = len(l.api.kept.byKey) == 2
			l.api.kept.mu.Unlock()
		}
	}
	stop()
	<-done
	l.rewrite(t)
	for _, page := range []string{l.text(t, l.page(l.owner, 0, "&limit=100")), l.text(t, l.page(l.owner, 100, ""))} {
		if rewritten(page) {
			t.Errorf("was not ready: %.300s", page)
		}
	}
}

func TestKeptPages_Bounded(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	k := newKeptPages(200, m)
	key := func(project string, to, floor int64) memory.PageKey {
		return memory.PageKey{Project: memory.ProjectID(project), From: to - keptChanges, To: to, Floor: floor}
	}
	text := []byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") // packs to little less
	for i := range int64(10) {
		k.add(key("prj_a", 1000+i, 0), false, text)
		k.get(key("prj_a", 1000, 0)) // in use
	}
	if k.bytes > 200 || len(k.byKey) != k.order.Len() || k.bytes != int(m.keptRoom.Load()) {
		t.Errorf("%d bytes in %d pages of %d", k.bytes, len(k.byKey), k.order.Len())
	}
	if k.get(key("prj_a", 1000, 0)) == nil || k.get(key("prj_a", 1001, 0)) != nil || k.get(key("prj_a", 1009, 0)) == nil {
		t.Error("another page made room than the one that was used longest ago")
	}
	k.add(key("prj_b", 1000, 0), false, text)
	if k.get(key("prj_a", 2000, 7)) != nil || len(k.byKey) != 1 || k.get(key("prj_b", 1000, 0)) == nil {
		t.Error("the floor moved, and the pages below it are still there, or others are not")
	}
}

// Whoever asks for pages from any cursor on takes none from new members.
func TestKeptPages_OddCursors(t *testing.T) {
	t.Parallel()
	l := setupLarge(t)
	l.text(t, l.page(l.owner, 0, "&limit=100"))
	l.text(t, l.page(l.owner, 100, ""))
	l.api.kept.most = 2 * l.api.kept.bytes // room for one or two more
	viewer := l.as(t, memory.RoleViewer)
	for since := range int64(20) {
		l.text(t, l.page(viewer, since, "&limit=150"))
		l.text(t, l.page(viewer, since+1, ""))
	}
	if k := l.api.kept; k.bytes > k.most || len(k.byKey) < 3 {
		t.Errorf("%d bytes of %d in %d pages", k.bytes, k.most, len(k.byKey))
	}
	l.rewrite(t)
	for _, page := range []string{l.text(t, l.page(l.owner, 0, "&limit=100")), l.text(t, l.page(l.owner, 100, ""))} {
		if rewritten(page) {
			t.Errorf("a new member's page made room: %.300s", page)
		}
	}
}
