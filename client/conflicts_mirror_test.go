package client_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// chief is the member as somebody who sees and resolves everybody's conflicts.
func (m *member) chief() memory.Principal {
	return memory.Principal{Member: m.id.Member, Name: m.id.Name, Admin: true, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview}}
}

// conflictsAt returns what the server keeps, by path, and requires one conflict a path.
func (tm *team) conflictsAt(t *testing.T, who *member) map[string]memory.Conflict {
	t.Helper()
	all, err := tm.service.Conflicts(t.Context(), who.chief(), tm.project.ID, memory.ConflictQuery{})
	must(t, err)
	byPath := map[string]memory.Conflict{}
	for _, c := range all {
		if _, twice := byPath[c.Path.String()]; twice {
			t.Errorf("the server keeps two conflicts of %s", c.Path)
		}
		byPath[c.Path.String()] = c
	}
	return byPath
}

// What somebody resolves at the server is resolved on the author's computer,
// too, and no text is gone.
func TestMirror_ResolvedElsewhere(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "ours.md", "theirs.md", "both.md", "open.md")
	served := tm.conflictsAt(t, a)
	for p, k := range b.open(t) {
		if c := served[p]; !k.Mirrored || c.Author.Name != "ben" || c.Closed != nil || c.BaseRev == 0 || c.ServerRev == 0 || c.EntryID == "" || c.Device != b.id.Device {
			t.Errorf("%s is kept as %+v, mirrored %t", p, c, k.Mirrored)
		}
	}
	for p, how := range map[string]memory.How{"ours.md": memory.HowOurs, "theirs.md": memory.HowTheirs, "both.md": memory.HowBoth} {
		v, err := tm.service.Conflict(t.Context(), a.chief(), tm.project.ID, served[p].ID)
		must(t, err)
		r := memory.Resolve{How: how}
		if how == memory.HowOurs {
			r.BaseRev = v.Head.Rev
		}
		_, err = tm.service.ResolveConflict(t.Context(), a.chief(), tm.project.ID, v.ID, r)
		must(t, err)
	}
	if r := b.sync(t); len(r.Conflicts) != 1 || r.Conflicts[0].Path.String() != "open.md" || !strings.Contains(strings.Join(r.Notices, "\n"), "resolved by ann") {
		t.Errorf("open %v, notices %q", r.Conflicts, r.Notices)
	}
	a.sync(t)
	has(t, b, map[string]string{"ours.md": "ben's ours.md\n", "theirs.md": "ann's theirs.md\n", "both.md": "ann's both.md\n", "both-2.md": "ben's both.md\n", "open.md": "ann's open.md\n"})
	tm.equal(t, a, b)
	for p, want := range map[string]string{"ours.md": "trash", "theirs.md": "trash", "both.md": "trash", "open.md": "conflicts"} {
		if got := b.kept(t, "ben's "+p+"\n"); got != want {
			t.Errorf("ben's %s is in %q, want %q", p, got, want)
		}
	}
}

// What was decided about a text is no decision about the same text, written
// again and lost to something newer: that waits.
func TestMirror_LostAgain(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "a.md")
	first := tm.conflictsAt(t, a)["a.md"].ID
	_, err := tm.service.ResolveConflict(t.Context(), a.chief(), tm.project.ID, first, memory.Resolve{How: memory.HowTheirs})
	must(t, err)
	a.write(t, "a.md", "ann's newest\n")
	a.sync(t)
	b.write(t, "a.md", "ben's a.md\n")
	for range 2 {
		if r := b.sync(t); len(r.Conflicts) != 1 || !r.Conflicts[0].Mirrored || b.kept(t, "ben's a.md\n") != "conflicts" {
			t.Errorf("open %+v", r.Conflicts)
		}
	}
	open, err := tm.service.Conflicts(t.Context(), a.chief(), tm.project.ID, memory.ConflictQuery{Open: true})
	if err != nil || len(open) != 1 || open[0].ID == first {
		t.Fatalf("the server has open %+v, %v", open, err)
	}

	// Where every change waits, nobody is told that it is everybody's.
	must(t, tm.service.SetReview(t.Context(), root(), tm.project.ID, memory.PresetStrict))
	_, err = tm.service.ResolveConflict(t.Context(), a.chief(), tm.project.ID, open[0].ID, memory.Resolve{How: memory.HowBoth})
	must(t, err)
	if r := b.sync(t); len(r.Conflicts) != 0 || !strings.Contains(strings.Join(r.Notices, "\n"), "goes to a reviewer first") {
		t.Errorf("open %v, notices %q", r.Conflicts, r.Notices)
	}
}

// What the author left out since stays on this computer, under either name.
func TestMirror_LeftOut(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "base\n", "b.md": "base\n", "c.md": "base\n"})
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/conflicts") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	for _, p := range []string{"a.md", "b.md", "c.md"} {
		a.write(t, p, "ann's\n")
		b.write(t, p, "ben's "+p+"\n")
	}
	a.sync(t)
	b.sync(t)
	a.rename(t, "b.md", "private/b.md")
	a.sync(t)
	b.sync(t)
	tm.between(nil)
	b.write(t, ignoreFile, "a.md\nprivate/\n")
	b.sync(t)
	b.sync(t)
	if served := tm.conflictsAt(t, a); len(served) != 1 || served["c.md"].ID == "" {
		t.Errorf("the server has %+v", served)
	}
	for p, k := range b.open(t) {
		if (k.Alone != "") != (p != "c.md") || k.Mirrored != (p == "c.md") {
			t.Errorf("%s: %+v", p, k)
		}
	}
	must(t, os.Remove(filepath.Join(b.tree(), ignoreFile)))
	b.sync(t)
	b.sync(t)
	if served := tm.conflictsAt(t, a); len(served) != 3 {
		t.Errorf("the server has %+v of what is shared again", served)
	}
}

// What the server does not do about one conflict, it is asked about the next;
// the member is told, and asking goes on.
func TestMirror_OneRefused(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "a.md", "b.md", "c.md")
	served, open := tm.conflictsAt(t, a), b.open(t)
	_, err := tm.service.ResolveConflict(t.Context(), a.chief(), tm.project.ID, served["c.md"].ID, memory.Resolve{How: memory.HowTheirs})
	must(t, err)
	refuse := func(status int, code memory.Code, part string) {
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, part) {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Teammem-Instance", instance)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"type":"urn:teammem:x","title":"x","status":`+strconv.Itoa(status)+`,"detail":"not like this","instance":"x","code":"`+string(code)+`"}`)
		})
	}
	refuse(http.StatusForbidden, memory.CodeForbidden, string(served["a.md"].ID)+"/resolve")
	b.resolve(t, open["a.md"], client.Resolution{})
	b.resolve(t, open["b.md"], client.Resolution{})
	r := b.sync(t)
	if now := tm.conflictsAt(t, a); len(r.Conflicts) != 0 || now["b.md"].Closed == nil || !strings.Contains(strings.Join(r.Notices, "\n"), "not like this") {
		t.Errorf("open %v, notices %q", r.Conflicts, r.Notices)
	}
	for code, status := range map[memory.Code]int{memory.CodeQuota: http.StatusUnprocessableEntity, memory.CodeConflict: http.StatusConflict, "": http.StatusOK} {
		refuse(status, code, "/conflicts")
		a.write(t, "b.md", "ann's "+string(code)+"\n")
		b.write(t, "b.md", "ben's "+string(code)+"\n")
		a.sync(t)
		r := b.sync(t)
		k := b.open(t)["b.md"]
		if said := strings.Contains(strings.Join(r.Notices, "\n"), "not like this"); k.Mirrored || k.Alone != "" || said != (code != "") {
			t.Errorf("%s: %+v, notices %q", code, k, r.Notices)
		}
		b.resolve(t, k, client.Resolution{})
	}
}

// What is resolved in the tree is closed at the server with the next sync. The
// same text may lose again before that was told: it is another conflict.
func TestMirror_ResolvedHere(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "ours.md", "theirs.md")
	open, before := b.open(t), tm.conflictsAt(t, a)
	a.write(t, "ours.md", "ann's newer\n")
	a.sync(t)
	b.resolve(t, open["ours.md"], client.Resolution{Take: client.TakeOurs})
	b.resolve(t, open["theirs.md"], client.Resolution{Take: client.TakeTheirs})
	if r := b.sync(t); len(r.Conflicts) != 1 || !r.Conflicts[0].Mirrored || b.kept(t, "ben's ours.md\n") == "" {
		t.Errorf("open %v", r.Conflicts)
	}
	all, err := tm.service.Conflicts(t.Context(), a.chief(), tm.project.ID, memory.ConflictQuery{})
	must(t, err)
	for _, c := range all {
		local := c.Closed != nil && c.Closed.How == memory.HowLocal && c.Closed.By.Name == "ben"
		if was := before[c.Path.String()].ID == c.ID; was != local {
			t.Errorf("%s was there before: %t, and is closed by %+v", c.Path, was, c.Closed)
		}
	}
	if len(all) != 3 {
		t.Errorf("the server keeps %d conflicts, want 3", len(all))
	}
	b.resolve(t, b.open(t)["ours.md"], client.Resolution{Take: client.TakeTheirs})
	b.sync(t)
	if left := filesBelow(t, b.dirs.Data+"/conflicts"); len(left) > 0 {
		t.Errorf("%q is left of closed conflicts", left)
	}
	if r := b.sync(t); r.Requests != 1 {
		t.Errorf("a sync without conflicts made %d requests", r.Requests)
	}
}

// A server that does not listen keeps nobody from being in sync, and hears of it
// the next time: once, though an answer is lost.
func TestMirror_NotNow(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "base\n"})
	var lost atomic.Int32
	var index atomic.Value // as it was when the server was asked
	about := func(r *http.Request) bool {
		is := strings.Contains(r.URL.Path, "/conflicts")
		if is {
			text, _ := os.ReadFile(b.index())
			index.Store(string(text))
		}
		return is
	}
	fail := func(after bool) {
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !about(r) || !after {
				if about(r) {
					lost.Add(1)
					panic(http.ErrAbortHandler)
				}
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(discarded{http.Header{}}, r)
			lost.Add(1)
			panic(http.ErrAbortHandler)
		})
	}
	a.write(t, "a.md", "ann's\n")
	a.sync(t)
	b.write(t, "a.md", "ben's\n")
	for _, after := range []bool{false, true} {
		fail(after)
		b.sync(t)
		if now, err := os.ReadFile(b.index()); err != nil || index.Load() != string(now) {
			t.Errorf("answer lost %t: the index was not written first, %v", after, err)
		}
		if k := b.open(t)["a.md"]; k.Mirrored || k.Alone != "" {
			t.Errorf("answer lost %t: %+v", after, k)
		}
	}
	tm.between(nil)
	if r := b.sync(t); r.Requests != 2 || !b.open(t)["a.md"].Mirrored || len(tm.conflictsAt(t, a)) != 1 || lost.Load() < 2 {
		t.Errorf("%d requests, open %+v", r.Requests, b.open(t))
	}
	// While one is open, a sync asks what became of it.
	if r := b.sync(t); r.Requests != 2 {
		t.Errorf("%d requests with an open conflict, want 2", r.Requests)
	}
	// Resolved here while the answer to the report is lost.
	fail(true)
	b.resolve(t, b.open(t)["a.md"], client.Resolution{})
	b.sync(t)
	tm.between(nil)
	b.sync(t)
	if c := tm.conflictsAt(t, a)["a.md"]; c.Closed == nil {
		t.Error("the server was never told that it is resolved")
	}
}

// discarded is an answer that nobody gets.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) WriteHeader(int)             {}
func (d discarded) Write(b []byte) (int, error) { return len(b), nil }

// A text that must not leave this computer stays here, is not offered again, and
// the member is told.
func TestMirror_Refused(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "base\n"})
	var mu sync.Mutex
	var sent bytes.Buffer
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		sent.Write(body)
		mu.Unlock()
		next.ServeHTTP(w, r)
	})
	a.write(t, "a.md", "ann's\n")
	a.sync(t)
	b.write(t, "a.md", "ben's "+mark+"\n")
	first := b.sync(t)
	k := b.open(t)["a.md"]
	if k.Mirrored || !strings.Contains(k.Alone, "secret") || !strings.Contains(strings.Join(first.Notices, "\n"), "on this computer only") {
		t.Errorf("kept %+v, notices %q", k, first.Notices)
	}
	b.sync(t) // and reports that the tree has the server's text, which nothing refuses
	if again := b.sync(t); again.Requests != 1 || len(again.Conflicts) != 1 {
		t.Errorf("%d requests, conflicts %v", again.Requests, again.Conflicts)
	}
	mu.Lock()
	left := strings.Contains(sent.String(), mark)
	mu.Unlock()
	if left || len(tm.conflictsAt(t, a)) != 0 {
		t.Error("the text left the computer")
	}
	// Of the conflict nobody has to be told when it is resolved; only how the tree is.
	b.resolve(t, k, client.Resolution{})
	if r := b.sync(t); r.Requests != 2 || len(filesBelow(t, b.dirs.Data+"/conflicts")) != 0 {
		t.Errorf("%d requests, left of it %q", r.Requests, filesBelow(t, b.dirs.Data+"/conflicts"))
	}
}

// A server that lost its conflicts, with a backup, gets them back; one that
// means another text closes nothing here.
func TestMirror_OtherServer(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "a.md", "b.md")
	served := tm.conflictsAt(t, a)
	_, err := tm.service.ResolveConflict(t.Context(), a.chief(), tm.project.ID, served["b.md"].ID, memory.Resolve{How: memory.HowTheirs})
	must(t, err)
	answer := func(id memory.ConflictID) (reports func() int32) {
		var posts atomic.Int32
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			switch list := strings.HasSuffix(r.URL.Path, "/conflicts"); {
			case list && r.Method == http.MethodPost:
				posts.Add(1)
			case list:
				r.URL.RawQuery = "author=mem_nobody"
			default:
				r.URL.Path = strings.Replace(r.URL.Path, string(served["a.md"].ID), string(id), 1)
			}
			next.ServeHTTP(w, r)
		})
		return posts.Load
	}
	answer(served["b.md"].ID)
	if r := b.sync(t); len(r.Conflicts) != 1 || b.kept(t, "ben's a.md\n") != "conflicts" || b.kept(t, "ben's b.md\n") != "trash" {
		t.Errorf("open are %v", r.Conflicts)
	}
	reports := answer("cnf_unknown")
	b.sync(t)
	if !b.open(t)["a.md"].Mirrored || reports() != 1 {
		t.Errorf("%d reports, open %+v", reports(), b.open(t))
	}
}
