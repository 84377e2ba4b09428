package view_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/teammem/teammem/web/view"
)

var update = flag.Bool("update", false, "write the golden files again")

// What holds for every page: it can be found one's way in by ear and keyboard,
// and nothing in it would need a looser content security policy.
func TestPages_Invariants(t *testing.T) {
	t.Parallel()
	for name, page := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const heaviest = 60_000
			if n := len(draw(t, page)); n > heaviest {
				t.Errorf("the page has %d bytes, at most %d are meant", n, heaviest)
			}
			root := drawn(t, page)
			for _, once := range []string{"h1", "main", "title"} {
				if n := len(slices.Collect(elements(root, once))); n != 1 {
					t.Errorf("the page has %d <%s>, want one", n, once)
				}
			}
			if attribute(with(root, "lang", "en"), "data-theme") == "" && !has(with(root, "lang", "en"), "data-theme") {
				t.Error("the page names no theme")
			}
			if with(root, "class", "skip-link") == nil {
				t.Error("the page has no link past the navigation")
			}
			checkInert(t, root)
			checkNames(t, root)
		})
	}
}

// Every icon that a page shows is in the sprite.
func TestPages_Icons(t *testing.T) {
	t.Parallel()
	sprite, err := os.ReadFile("../static/files/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range samples() {
		for use := range elements(drawn(t, page), "use") {
			_, icon, _ := strings.Cut(attribute(use, "href"), "#")
			if !strings.Contains(string(sprite), `<symbol id="`+icon+`"`) {
				t.Errorf("%s: the sprite has no icon %q", name, icon)
			}
		}
	}
}

// checkInert refuses everything that a strict policy would block.
func checkInert(t *testing.T, root *html.Node) {
	t.Helper()
	for n := range elements(root, "") {
		switch n.Data {
		case "script", "style", "iframe", "object", "embed", "base", "img":
			t.Errorf("the page holds <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.Contains(a.Key, "hx-") {
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
			if a.Key == "href" || a.Key == "action" || a.Key == "formaction" || a.Key == "src" {
				checkTarget(t, n, a)
			}
		}
	}
}

func checkTarget(t *testing.T, n *html.Node, a html.Attribute) {
	t.Helper()
	local := strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//") || strings.HasPrefix(a.Val, "#")
	away := strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "mailto:")
	if !local && (!away || attribute(n, "rel") != "nofollow noopener noreferrer") {
		t.Errorf("<%s> leads to %q", n.Data, a.Val)
	}
}

// checkNames wants a name for each control, link and table, and one element an id.
func checkNames(t *testing.T, root *html.Node) {
	t.Helper()
	ids := map[string]bool{}
	labelled := map[string]bool{}
	for n := range elements(root, "label") {
		labelled[attribute(n, "for")] = true
	}
	for n := range elements(root, "") {
		if id := attribute(n, "id"); id != "" && ids[id] {
			t.Errorf("two elements have the id %q", id)
		} else {
			ids[id] = true
		}
		switch n.Data {
		case "a", "button", "summary", "caption", "h1", "h2", "th":
			if text(n) == "" {
				t.Errorf("<%s class=%q> has no text", n.Data, attribute(n, "class"))
			}
		case "input", "select", "textarea":
			if attribute(n, "type") != "hidden" && !labelled[attribute(n, "id")] && n.Parent.Data != "label" {
				t.Errorf("<%s name=%q> has no label", n.Data, attribute(n, "name"))
			}
		case "table":
			if n.FirstChild == nil || n.FirstChild.Data != "caption" && with(root, "class", "md") == nil {
				t.Errorf("<table class=%q> has no caption", attribute(n, "class"))
			}
		}
	}
	for a := range elements(root, "a") {
		if id, here := strings.CutPrefix(attribute(a, "href"), "#"); here && !ids[id] {
			t.Errorf("a link to #%s leads to nothing", id)
		}
	}
	for n := range elements(root, "") {
		for _, key := range []string{"aria-labelledby", "aria-describedby", "for"} {
			if id := attribute(n, key); id != "" && !ids[id] {
				t.Errorf("%s=%q names no element", key, id)
			}
		}
	}
}

func TestPages_Golden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sign-in-confirm", "home", "entries", "entry", "entry-rendered", "history", "proposal", "findings", "finding", "finding-stored", "exceptions", "error-404"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			outline(&b, drawn(t, samples()[name]), -1)
			got := b.String()
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got), run with -update to accept:\n%s", name, diff)
			}
		})
	}
}

func TestSignInPage_States(t *testing.T) {
	t.Parallel()
	confirm := drawn(t, view.SignInPage(view.Frame{}, view.SignIn{State: view.SignInConfirm, Token: "tok", Back: "/review"}))
	if got := attribute(with(confirm, "name", "token"), "value"); got != "tok" {
		t.Errorf("the form sends the token %q", got)
	}
	if got := attribute(with(confirm, "name", "back"), "value"); got != "/review" {
		t.Errorf("the form sends back=%q", got)
	}
	if form := with(confirm, "action", "/login"); form == nil || attribute(form, "method") != "post" {
		t.Error("signing in is no POST")
	}
	for _, state := range []view.SignInState{view.SignInAsk, view.SignInInvalid, view.SignedOut} {
		page := drawn(t, view.SignInPage(view.Frame{}, view.SignIn{State: state}))
		if !strings.Contains(text(page), "teammem admin console-link NAME") {
			t.Errorf("state %q does not say how to get a link", state)
		}
		if with(page, "action", "/login") != nil {
			t.Errorf("state %q has a form to sign in", state)
		}
	}
}

func TestReviewPage_Decisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                    string
		change                  func(*view.Proposal)
		approve, reject, revoke bool
		why                     string
	}{
		{"a reviewer", func(*view.Proposal) {}, true, true, false, ""},
		{
			"the author", func(p *view.Proposal) { p.Block, p.MayReject, p.MayWithdraw = view.BlockSelf, false, true },
			false, false, true, "Somebody else has to approve it",
		},
		{"moved on", func(p *view.Proposal) { p.Block = view.BlockMoved }, false, true, false, "cannot be approved as it is"},
		{"a reader", func(p *view.Proposal) { p.Block, p.MayReject = view.BlockRole, false }, false, false, false, ""},
		{
			"decided", func(p *view.Proposal) {
				p.State, p.Decision = view.StateRejected, &view.Decision{State: view.StateRejected, By: "Tom", Reason: "wrong"}
			},
			false, false, false, "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			review := withOpen(tt.change)
			root := drawn(t, view.ReviewPage(frame(view.SectionReview), review))
			p := review.Open
			for _, form := range []struct {
				address string
				want    bool
			}{
				{view.ApproveURL(p.Project.ID, p.ID), tt.approve},
				{view.RejectURL(p.Project.ID, p.ID), tt.reject},
				{view.WithdrawURL(p.Project.ID, p.ID), tt.revoke},
			} {
				found := with(root, "action", form.address)
				if (found != nil) != form.want {
					t.Errorf("form to %s: %t, want %t", form.address, found != nil, form.want)
				}
				if found != nil && !strings.HasSuffix(form.address, "/withdraw") {
					checkSeen(t, found, p)
				}
			}
			disabled := with(root, "aria-disabled", "true")
			if (disabled != nil) != (tt.why != "") {
				t.Fatalf("a control that cannot be used: %t, want %t", disabled != nil, tt.why != "")
			}
			if disabled == nil {
				return
			}
			if has(disabled, "disabled") || attribute(disabled, "type") != "button" {
				t.Error("the control cannot be reached by keyboard, or would send a form")
			}
			if got := text(with(root, "id", attribute(disabled, "aria-describedby"))); !strings.Contains(got, tt.why) {
				t.Errorf("the control says %q, want %q", got, tt.why)
			}
		})
	}
}

// checkSeen wants a form to send what was on the screen.
func checkSeen(t *testing.T, form *html.Node, p *view.Proposal) {
	t.Helper()
	if got := attribute(with(form, "name", "sha256"), "value"); got != p.Sum {
		t.Errorf("the form sends sha256=%q", got)
	}
	if got := attribute(with(form, "name", "base_rev"), "value"); got != "17" {
		t.Errorf("the form sends base_rev=%q", got)
	}
}

// Each control is there for those who have it, and sends what was on the screen.
func TestFindingPage_Controls(t *testing.T) {
	t.Parallel()
	const id = "fnd_1"
	ask, cancel, allow, deny, care := view.AskURL(project.ID, id), view.CancelURL(project.ID, id), view.AllowURL(project.ID, id), view.DenyURL(project.ID, id), view.CareURL(project.ID, id)
	revoke := view.RevokeURL(project.ID, "alw_1")
	for page, want := range map[string]struct {
		forms   []string
		blocked string
	}{
		"finding": {[]string{allow, deny, care}, ""}, "finding-own": {[]string{cancel, care}, "Another maintainer has to decide"},
		"finding-allowed": {[]string{revoke}, ""}, "finding-asking": {[]string{ask, care}, ""}, "finding-denied": {[]string{ask, care}, ""},
		"finding-alone": {[]string{care}, "the only maintainer here"},
	} {
		root := drawn(t, samples()[page])
		for _, address := range []string{ask, cancel, allow, deny, care, revoke} {
			form := with(root, "action", address)
			if (form != nil) != slices.Contains(want.forms, address) {
				t.Errorf("%s: form to %s: %t", page, address, form != nil)
			}
			if form != nil && attribute(form, "method") != "post" {
				t.Errorf("%s: the form to %s is no POST", page, address)
			}
		}
		disabled := with(root, "aria-disabled", "true")
		if (disabled != nil) != (want.blocked != "") {
			t.Fatalf("%s: a control that cannot be used: %t", page, disabled != nil)
		}
		if disabled == nil {
			continue
		}
		if got := text(with(root, "id", attribute(disabled, "aria-describedby"))); !strings.Contains(got, want.blocked) || attribute(disabled, "type") != "button" {
			t.Errorf("%s: the control says %q", page, got)
		}
	}
	form := with(drawn(t, samples()["finding"]), "action", allow)
	if got := attribute(with(form, "name", "paths"), "value"); got != "payments/*.md" {
		t.Errorf("the form sends paths=%q", got)
	}
}

func TestFindingPages_Say(t *testing.T) {
	t.Parallel()
	for page, wants := range map[string][]string{
		"finding":         {"never stored", "line 9, column 14", "******** for everybody", "Northpay prints it", "Test value: it opens nothing", "in 6 days", "Jonas Weber asks for an exception", "jonas-mbp"},
		"finding-stored":  {"It was stored, and shared", "r41", "2 computers may have got it", "mara-laptop of Mara Lindqvist", "nobody can allow it", "others may have read it", "A new one comes from GitHub", "There is no excerpt"},
		"finding-denied":  {"Jonas Weber asked for an exception", "Denied by Mara Lindqvist", "Name the variable instead."},
		"finding-allowed": {"Allowed until", "by Mara Lindqvist", "Until the demo is over."},
		"findings-none":   {"No secret is in", "rules-2026-11", "acme/payments · 120 of 300 changes", "acme/web · the last of it", "Only your own are listed", "All clear"},
		"findings":        {"A name or note", "was stored", "always a secret", "exception asked for", "denied", "yours", "2 open"},
		"entries":         {"3 findings"},
		"exceptions":      {"payments/*.md", "Test value", "in 28 days", "in 2 h", "3 more are in force"},
		"home":            {"2 findings of yours are open", "1 request for an exception waits"},
	} {
		got := text(drawn(t, samples()[page]))
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not say %q: %s", page, want, got)
			}
		}
	}
}

func TestReviewPage_SaysWhoDecided(t *testing.T) {
	t.Parallel()
	root := drawn(t, samples()["proposal-decided"])
	for _, want := range []string{"Rejected by Tom Okafor 2 min ago", "Outdated", "It is 300 EUR since October."} {
		if !strings.Contains(text(root), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestErrorPage_Says(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		400: "not right", 401: "console-link", 403: "role", 404: "deleted", 409: "faster", 413: "too large", 422: "as it is", 429: "Too many", 500: "wrong", 503: "minute",
	} {
		got := text(drawn(t, view.ErrorPage(view.Frame{}, view.Failure{Status: status, RequestID: "req_1"})))
		if !strings.Contains(got, want) || !strings.Contains(got, "req_1") {
			t.Errorf("status %d says %q, want %q and the request", status, got, want)
		}
	}
	wait := text(drawn(t, samples()["error-429"]))
	if !strings.Contains(wait, "Try again in 20 seconds") {
		t.Errorf("a 429 says %q", wait)
	}
}

func TestSyncPage_Says(t *testing.T) {
	t.Parallel()
	page := drawn(t, samples()["sync"])
	said := text(page)
	for _, want := range []string{
		"holding 30 deletes, incoming", "holding 9 changes, outgoing", "teammem sync --allow-deletes=30 --allow-changes=9", "1 conflict", "2 changes wait for review",
		"Mara Lindqvist (you)", "70 files refused", "looks like it holds a secret", "a name that is not told the name is not allowed (reserved)", "unheard_of",
		"67 more files", "link.mda symbolic link", "only receives", "12 changes", "up to date", "not known", "nothing to report", "teammem/1.2.0 (linux)", "More computers",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	none := text(drawn(t, samples()["sync-none"]))
	for _, want := range []string{"No computer has synced yet", "teammem login", "Only your own are listed"} {
		if !strings.Contains(none, want) {
			t.Errorf("the page without computers does not say %q", want)
		}
	}
}

func TestPages_SayWhatWasPurged(t *testing.T) {
	t.Parallel()
	conflict := drawn(t, samples()["conflict-purged"])
	for _, want := range []string{"The text was purged", "By Tom Okafor 3 min ago", "a customer is named"} {
		if !strings.Contains(text(conflict), want) {
			t.Errorf("the conflict's page does not say %q", want)
		}
	}
	for name, page := range map[string]*html.Node{"conflict": conflict, "proposal": drawn(t, samples()["proposal-purged"])} {
		said := text(page)
		if !strings.Contains(said, "The text was purged") || strings.Contains(said, "Download") || strings.Contains(said, "Keep both") || strings.Contains(said, "Rendered") {
			t.Errorf("the page of the %s shows an empty text: %s", name, said)
		}
	}
}
