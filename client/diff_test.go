package client_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// differences are what Diff shows, one line each.
func (m *member) differences(t testing.TB, only string) []string {
	t.Helper()
	var got []string
	p := memory.Path{}
	if only != "" {
		p = memory.StoredPath(only)
	}
	_, err := m.syncer("").Diff(t.Context(), p, func(d client.Difference) error {
		got = append(got, fmt.Sprintf("%s %s%s ours %q theirs %q", d.Kind, d.From, d.Path, d.Ours, d.Theirs))
		return nil
	})
	must(t, err)
	return got
}

// Diff shows both texts of all that a sync would do, and does nothing.
func TestDiff_BothSides(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{
		"mine.md": "1\n", "theirs.md": "1\n", "both.md": "1\n2\n3\n", "gone.md": "g\n", "taken.md": "t\n", "old.md": "o\n", "same.md": "s\n",
	})
	b.write(t, "theirs.md", "2\n")
	b.write(t, "both.md", "1\n2\nthree\n")
	b.write(t, "new.md", "n\n")
	b.remove(t, "taken.md")
	b.sync(t)
	a.write(t, "mine.md", "2\n")
	a.write(t, "both.md", "one\n2\n3\n")
	a.write(t, "mine-too.md", "m\n")
	a.remove(t, "gone.md")
	a.rename(t, "old.md", "moved.md")
	want := []string{
		`move-remote old.mdmoved.md ours "o\n" theirs "o\n"`,
		`download new.md ours "" theirs "n\n"`,
		`download theirs.md ours "1\n" theirs "2\n"`,
		`create mine-too.md ours "m\n" theirs ""`,
		`upload mine.md ours "2\n" theirs "1\n"`,
		`merge both.md ours "one\n2\n3\n" theirs "1\n2\nthree\n"`,
		`delete-remote gone.md ours "" theirs "g\n"`,
		`delete-local taken.md ours "t\n" theirs ""`,
	}
	before := tm.served(t)
	if diff := cmp.Diff(want, a.differences(t, "")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want[6:7], a.differences(t, "gone.md")); diff != "" {
		t.Errorf("one file: -want +got:\n%s", diff)
	}
	if got := a.differences(t, "same.md"); got != nil {
		t.Errorf("of an equal file: %q", got)
	}
	if diff := cmp.Diff(before, tm.served(t)); diff != "" {
		t.Errorf("the server: -before +after:\n%s", diff)
	}
}

// A file that is asked for is compared although nothing would become of it.
func TestDiff_Held(t *testing.T) {
	t.Parallel()
	_, a, _ := flat(t, 5)
	for n := range 5 {
		a.write(t, entryName(n), "garbled\n")
	}
	if got := a.differences(t, ""); got != nil {
		t.Errorf("got %q, want nothing that a sync would do", got)
	}
	want := []string{`report entry-002.md ours "garbled\n" theirs "entry 2\n"`}
	if diff := cmp.Diff(want, a.differences(t, entryName(2))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A file that is left out is there all the same.
func TestDiff_LeftOut(t *testing.T) {
	t.Parallel()
	_, a, b := flat(t, 3)
	a.write(t, ignoreFile, entryName(0)+"\nprivate/\n")
	a.sync(t)
	b.rename(t, entryName(1), "private/b.md")
	b.sync(t)
	a.sync(t)
	for _, name := range []string{entryName(0), entryName(1)} {
		if got := a.differences(t, name); got != nil {
			t.Errorf("%s, of an equal text: %q", name, got)
		}
	}
	a.write(t, entryName(0), "edited\n")
	a.write(t, entryName(1), "edited\n")
	a.remove(t, entryName(2))
	a.write(t, ignoreFile, "entry-*\nprivate/\n")
	for name, want := range map[string]string{
		entryName(0): `report entry-000.md ours "edited\n" theirs "entry 0\n"`,
		entryName(1): `report entry-001.md ours "edited\n" theirs "entry 1\n"`,
		entryName(2): `report entry-002.md ours "" theirs "entry 2\n"`,
	} {
		if diff := cmp.Diff([]string{want}, a.differences(t, name)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// A server that makes things up is asked no further, and its older text is not
// shown as the newest.
func TestServer_HostileHistory(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 1)
	a.write(t, entryName(0), "newer\n")
	a.sync(t)
	known, err := a.dirs.Known(a.link)
	must(t, err)
	var asked atomic.Int32
	made := func(edit func(answer map[string]any)) {
		asked.Store(0)
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			asked.Add(1)
			r.Header.Del("Accept-Encoding")
			query := r.URL.Query()
			query.Del("cursor")
			r.URL.RawQuery = query.Encode()
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			var answer map[string]any
			if json.Unmarshal(rec.Body.Bytes(), &answer) == nil {
				edit(answer)
			}
			rec.Header().Del("Content-Length")
			maps.Copy(w.Header(), rec.Header())
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
	page := func(items func(any) any) func(map[string]any) {
		return func(answer map[string]any) {
			answer["next"], answer["items"] = fmt.Sprint("page", asked.Load()), items(answer["items"])
		}
	}
	for name, tc := range map[string]struct {
		edit func(map[string]any)
		want string
	}{
		"repeats":     {page(func(items any) any { return items }), "older ones come after"},
		"empty pages": {page(func(any) any { return []any{} }), "without revisions"},
		"no newest text": {func(answer map[string]any) {
			if items := answer["items"].([]any); len(items) > 0 && items[len(items)-1].(map[string]any)["content"] != nil {
				last := items[len(items)-1].(map[string]any)
				delete(last, "content")
				delete(last, "sha256")
				last["problem"] = map[string]any{"code": "not_found", "status": 404, "title": "gone", "detail": "gone"}
			}
		}, "newest text"},
	} {
		made(tc.edit)
		_, _, err := a.http.Blame(t.Context(), tm.project.ID, known.Entries[0].EntryID)
		if err == nil || !strings.Contains(err.Error(), tc.want) || asked.Load() > 3 {
			t.Errorf("%s: asked %d times, %v", name, asked.Load(), err)
		}
	}
}

// Blame goes through all versions, whatever the entry was called.
func TestServer_Blame(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\ntwo\n"})
	b.write(t, "a.md", "one\ntwo\nthree\n")
	b.sync(t)
	a.sync(t)
	a.rename(t, "a.md", "b.md")
	a.sync(t)
	a.write(t, "b.md", "ONE\r\ntwo\r\nthree\r\n")
	a.sync(t)
	known, err := a.dirs.Known(a.link)
	must(t, err)
	entry := known.Entries[0].EntryID
	lines, revisions, err := a.http.Blame(t.Context(), tm.project.ID, entry)
	must(t, err)
	var got []string
	for _, line := range lines {
		r := revisions[line.Rev]
		got = append(got, fmt.Sprintf("%s %s %s", r.Author.Name, r.Path, line.Text))
	}
	if diff := cmp.Diff([]string{"ann b.md ONE", "ann a.md two", "ben a.md three"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	history, err := a.http.History(t.Context(), tm.project.ID, entry, 2)
	must(t, err)
	if len(history) != 2 || history[0].Rev <= history[1].Rev || history[1].Action != memory.ActionMove {
		t.Errorf("history %+v", history)
	}
	first, err := a.http.Revision(t.Context(), tm.project.ID, entry, lines[1].Rev)
	must(t, err)
	if string(first.Content) != "one\ntwo\n" {
		t.Errorf("the first text is %q", first.Content)
	}
}
