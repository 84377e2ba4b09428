package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/client"
	msync "github.com/teammem/teammem/sync"
	"github.com/teammem/teammem/web"
	"github.com/teammem/teammem/web/static"
)

// console signs a member in at the team's console, and returns what shows a
// page.
func (tm *team) console(t *testing.T, name string) (page func(path string) string) {
	t.Helper()
	files, err := static.Open()
	must(t, err)
	server := httptest.NewServer(web.New(tm.service, auth.NewSessions(tm.store, time.Now), files, time.Now, web.Options{}))
	t.Cleanup(server.Close)
	m, err := tm.store.MemberByName(t.Context(), name)
	must(t, err)
	token := auth.MintLinkToken()
	_, err = tm.service.AddConsoleLink(t.Context(), root(), m, auth.HashToken(token))
	must(t, err)
	ask := func(method, path, form string, cookies ...*http.Cookie) (set []*http.Cookie, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(form))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		for _, c := range cookies {
			req.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		must(t, err)
		defer res.Body.Close()
		if res.StatusCode >= http.StatusBadRequest {
			t.Fatalf("%s: status %d", path, res.StatusCode)
		}
		read, err := io.ReadAll(res.Body)
		must(t, err)
		return res.Cookies(), string(read)
	}
	in, _ := ask(http.MethodPost, "/login", url.Values{"token": {token}}.Encode())
	return func(path string) string {
		t.Helper()
		_, body := ask(http.MethodGet, path, "", in...)
		return body
	}
}

// S04, the console's half: it names the computer that holds what others deleted,
// to its owner and to whoever decides in the project, until somebody says yes.
func TestScenario_S04_ConsoleNamesWhoHolds(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 40)
	_, err := tm.service.AddMember(t.Context(), root(), "ruth", true)
	must(t, err)
	ann, ben, ruth := tm.console(t, "ann"), tm.console(t, "ben"), tm.console(t, "ruth")
	const held = "holding 30 deletes, incoming"
	shown := func(when string, wanted bool) {
		t.Helper()
		for who, page := range map[string]func(string) string{"its owner": ann, "a maintainer": ruth} {
			body := page("/sync")
			_, row, there := strings.Cut(body, "ann")
			if row, _, _ = strings.Cut(row, "</tr>"); there && strings.Contains(row, held) != wanted || wanted && !there {
				t.Errorf("%s, %s sees that it holds: %t\n%s", when, who, !wanted, body)
			}
		}
		if strings.Contains(ben("/sync"), held) {
			t.Errorf("%s, another member sees it", when)
		}
	}
	b.removeEntries(t, 0, 30)
	b.allow(t, 30)
	shown("before the sync", false)
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 30)
	shown("while it holds", true)
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 30)
	shown("after one more sync", true)
	if !strings.Contains(ann("/sync"), "teammem sync --allow-deletes=30") {
		t.Error("the owner is not told how to release them")
	}
	a.syncAllowing(t, client.SyncOptions{AllowDeletes: 30})
	shown("after the release", false)
	tm.equal(t, a, b)
	if got := tm.reported(t, a); len(got) != 1 || got[0].Report == nil || len(got[0].Report.Holds) != 0 {
		t.Errorf("reported %+v", got)
	}
}
