package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/web/view"
)

// S46, where people and programs look: once a run says that it succeeded, the
// API has the text byte for byte and the console shows it. Of the manifest
// [TestScenario_S46_SuccessIsTrue] speaks.
func TestScenario_S46_SuccessIsShown(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"notes/a.md": "one\n"})
	page, project := tm.console(t, "ben"), string(tm.project.ID)
	entry := view.EntryURL(project, string(tm.entries(t)["notes/a.md"]))
	for _, text := range []string{"two of them\r\n", "three of them"} {
		a.write(t, "notes/a.md", text)
		a.sync(t)
		if got := b.exact(t, "notes/a.md"); got != text {
			t.Errorf("the API answers %q, want %q", got, text)
		}
		if body := page(entry); !strings.Contains(body, strings.TrimSpace(text)) {
			t.Errorf("the console does not show %q: %.2000s", text, body)
		}
	}
	a.remove(t, "notes/a.md")
	a.sync(t)
	if body := page(view.EntriesURL(project)); strings.Contains(body, "notes/a.md") {
		t.Errorf("the console lists what is deleted: %.2000s", body)
	}
}

// exact asks the API for the bytes of an entry.
func (m *member) exact(t testing.TB, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.team.url+"/api/v1/projects/"+string(m.link.Project)+"/entry?path="+path, nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+m.id.Token)
	r.Header.Set("Accept", "text/markdown")
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(text)
}

// S24, where reviewers look: the console flags the later of two as well.
func TestScenario_S24_FlaggedInConsole(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, nil)
	a.write(t, "x.md", "ann's\n")
	b.write(t, "x.md", "ben's\n")
	a.sync(t)
	b.sync(t)
	page := tm.console(t, "ann")
	const flag = "this may be a duplicate of x.md"
	for path, flagged := range map[string]bool{"x.md": false, "x-2.md": true} {
		body := page(view.EntryURL(string(tm.project.ID), string(tm.entries(t)[path])))
		if strings.Contains(body, flag) != flagged {
			t.Errorf("%s is flagged: %t: %.2000s", path, !flagged, body)
		}
	}
}
