package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A page on another port of the same machine is on the same site, so a browser
// sends the session's cookie with its forms. They change nothing all the same.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments", "--review", "strict")
	mara, jo := s.join("Mara"), s.join("Jo")
	s.admin("role", "set", "--project", "acme/payments", "--member", "Jo", "--role", "reviewer")
	waiting := mara.push("acme/payments", put("plan.md", "# The plan\n\nShip it.\n"))[0]
	proposal := fmt.Sprintf("/p/%v/review/%v", mara.project("acme/payments")["id"], waiting["proposal"])
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><title>Free coffee</title><form method="post" action=%q>
			<input name="sha256" value=%q><input name="base_rev" value="0"><button>Claim</button></form>`,
			s.url+r.URL.Query().Get("to"), waiting["sha256"])
	}))
	t.Cleanup(func() {
		evil.CloseClientConnections()
		evil.Close()
	})

	tb := jo.browse(t)
	for _, to := range []string{proposal + "/approve", proposal + "/reject", "/logout", "/theme", "/login"} {
		tb.goes(200, navigate(evil.URL+"/?to="+to))
		tb.goes(403, click("button", "Claim")).shows("does not come from a page of this console")
	}
	tb.forgive() // the other page was a visit that this test meant
	tb.open(proposal).shows("Jo", "The plan", "Approve").hides("Published")
}

// A tab that was opened before the proposal changed approves nothing: it is
// shown what is there now. Scenario 9 of the console's design.
func TestReview_StaleTab(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments", "--review", "strict")
	mara, jo, ines := s.join("Mara"), s.join("Jo"), s.join("Inês")
	for _, name := range []string{"Jo", "Inês"} {
		s.admin("role", "set", "--project", "acme/payments", "--member", name, "--role", "reviewer")
	}
	mara.push("acme/payments", put("limits.md", "---\nname: Limits\n---\nA payout has at most 250 items.\n"))
	stale, quick := jo.browse(t), ines.browse(t)
	stale.follow("Review").follow("Limits").shows("at most 250 items")

	// The author's agent thinks again before the reviewer clicks.
	mara.push("acme/payments", put("limits.md", "---\nname: Limits\n---\nA payout has at most 500 items.\n"))
	stale.goes(409, click("button", "Approve")).shows("at most 250 items")
	stale.refused(404, jo.address("acme/payments", "limits.md"))

	// Two reviewers at once: the second one learns who was first.
	stale.follow("Review").follow("Limits").shows("at most 500 items")
	quick.follow("Review").follow("Limits").press("Approve").shows("Approved")
	stale.run(click("summary", "Reject"))
	stale.choose("reason", "wrong")
	stale.goes(409, click("form//button", "Reject")).shows("Inês")
	stale.open(jo.address("acme/payments", "limits.md")).shows("at most 500 items")
}
