package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/static"
	"github.com/teammem/teammem/web/view"
)

func (r route) name() string { return r.method + " " + r.path }

// offline is a console that has no database: enough for all that is decided
// before one is asked.
func offline(t testing.TB) *Console {
	t.Helper()
	files, err := static.Open()
	must(t, err)
	c := &clock{}
	service := memory.NewService(nil, markScanner{}, deaf{}, c.now, memory.Limits{})
	return New(service, auth.NewSessions(nil, c.now), files, c.now, Options{})
}

// Each route that echo knows is in the table, and says who may use it.
func TestRoutes_AreDeclared(t *testing.T) {
	t.Parallel()
	c := offline(t)
	for _, r := range c.echo.Routes() {
		if !c.declared[r.Method+r.Path] {
			t.Errorf("%s %s is not in the table", r.Method, r.Path)
		}
	}
	open := map[string]bool{"GET /login": true, "POST /login": true, "POST /theme": true, "GET /static/{name}": true}
	for _, r := range routes() {
		if (r.least == anyone) != open[r.name()] || (r.least != anyone && r.least != signedIn) {
			t.Errorf("%s is open to %q", r.name(), r.least)
		}
		if inProject := strings.HasPrefix(r.path, "/p/"); inProject != (r.role != memory.RoleNone) || inProject != strings.Contains(r.path, "{p}") {
			t.Errorf("%s has the role %s", r.name(), r.role)
		}
		if (r.form != "" && r.method != http.MethodPost) || (r.query != "" && r.method != http.MethodGet) {
			t.Errorf("%s takes %q and %q", r.name(), r.query, r.form)
		}
		if r.method == http.MethodPost && r.role == memory.RoleViewer {
			t.Errorf("%s lets viewers change something", r.name())
		}
	}
}

func TestRoutes_RefuseWhatIsUndeclared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	smuggled := func(c echo.Context) error { return c.String(http.StatusOK, "in") }
	b.console.echo.GET("/smuggled", smuggled)
	b.console.declared["GET/forgotten"] = true
	b.console.echo.GET("/forgotten", b.console.guard(route{method: http.MethodGet, path: "/forgotten", handle: (*Console).home}))
	br := b.as(t, memory.RoleMaintainer)
	br.get("/smuggled").want(t, http.StatusNotFound)
	br.get("/forgotten").want(t, http.StatusForbidden)
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodHead, "BREW"} {
		br.do(method, "/", "", "Sec-Fetch-Site", "same-origin").want(t, http.StatusMethodNotAllowed)
	}
}

// Every address that pages link to is in the table, with the parameters that
// it carries.
func TestRoutes_CoverTheAddresses(t *testing.T) {
	t.Parallel()
	c := offline(t)
	type address struct{ method, url string }
	get, post := http.MethodGet, http.MethodPost
	filter := view.EntryFilter{Kind: "user", Prefix: "a b/ü"}
	for _, a := range []address{
		{get, view.HomeURL},
		{get, view.SignInURL},
		{post, view.SignInURL},
		{post, view.SignOutURL},
		{post, view.ThemeURL},
		{get, view.ProjectsURL},
		{get, view.ReviewURL},
		{get, view.FindingsURL},
		{get, view.FindingTabURL(view.FindingsDone, "prj_a", "x")},
		{get, view.FindingURL("prj_a", "fnd_a")},
		{post, view.AskURL("prj_a", "fnd_a")},
		{post, view.CancelURL("prj_a", "fnd_a")},
		{post, view.AllowURL("prj_a", "fnd_a")},
		{post, view.DenyURL("prj_a", "fnd_a")},
		{post, view.CareURL("prj_a", "fnd_a")},
		{get, view.ExceptionsURL("prj_a")},
		{post, view.RevokeURL("prj_a", "alw_a")},
		{get, view.SyncURL},
		{get, view.SyncAfterURL("1.0.prj_a.dev_a.")},
		{get, view.EntriesURL("prj_a")},
		{get, view.FilteredURL("prj_a", filter, "x")},
		{get, view.EntryURL("prj_a", "ent_a")},
		{get, view.EntryModeURL("prj_a", "ent_a", view.ModeRendered)},
		{get, view.RevisionURL("prj_a", "ent_a", 3)},
		{get, view.RawURL("prj_a", "ent_a")},
		{get, view.HistoryURL("prj_a", "ent_a")},
		{get, view.DiffURL("prj_a", "ent_a", 1, 2)},
		{get, view.RestoreURL("prj_a", "ent_a") + "?rev=1"},
		{post, view.RestoreURL("prj_a", "ent_a")},
		{get, view.QueueURL(view.TabDone, "prj_a", "x")},
		{get, view.ProposalURL("prj_a", "prp_a")},
		{get, view.ProposalModeURL("prj_a", "prp_a", view.ModeRaw)},
		{get, view.ProposalRawURL("prj_a", "prp_a")},
		{post, view.ApproveURL("prj_a", "prp_a")},
		{post, view.RejectURL("prj_a", "prp_a")},
		{post, view.WithdrawURL("prj_a", "prp_a")},
		{get, view.ConflictsURL("prj_a", "x")},
		{get, view.ConflictURL("prj_a", "cnf_a")},
		{get, view.ConflictRawURL("prj_a", "cnf_a")},
		{post, view.ResolveURL("prj_a", "cnf_a")},
		{get, view.PathURL("acme/app", "a b.md")},
	} {
		u, err := url.Parse(a.url)
		must(t, err)
		ctx := c.echo.NewContext(nil, nil)
		c.echo.Router().Find(a.method, u.Path, ctx)
		var found *route
		for _, r := range routes() {
			if r.method == a.method && serving.Pattern(r.path) == ctx.Path() {
				found = &r
			}
		}
		if found == nil {
			t.Errorf("%s %s is not in the table", a.method, a.url)
			continue
		}
		if _, err := parseFields(u.RawQuery, found.query); err != nil {
			t.Errorf("%s: %v", a.url, err)
		}
	}
}

// things are what a well-formed request of each route is about.
type things struct {
	project  memory.ProjectID
	entry    memory.EntryID
	rev      int64
	proposal memory.ProposalID
	sum      memory.Hash
	conflict memory.ConflictID
	finding  memory.FindingID // that its author asks an exception for
	rule     memory.AllowID   // of another one
}

// request makes a well-formed request for a route.
func request(r route, x things) (method, path, body string) {
	object := string(x.proposal)
	if strings.Contains(r.path, "/conflicts/") {
		object = string(x.conflict)
	}
	if strings.Contains(r.path, "/findings/") {
		object = string(x.finding)
	}
	if strings.Contains(r.path, "/exceptions/") {
		object = string(x.rule)
	}
	path = strings.NewReplacer(
		"{p}", string(x.project), "{e}", string(x.entry), "{r}", fmt.Sprint(x.rev), "{id}", object, "{name}", "console.css",
	).Replace(r.path)
	form := url.Values{}
	switch {
	case strings.HasSuffix(r.path, "/restore") && r.method == http.MethodGet:
		path += "?rev=" + fmt.Sprint(x.rev)
	case strings.HasSuffix(r.path, "/restore"):
		form.Set("rev", fmt.Sprint(x.rev))
		form.Set("head", "999")
	case strings.HasSuffix(r.path, "/ask"):
		form.Set("reason", "test-value")
	case strings.HasSuffix(r.path, "/allow"):
		form.Set("days", "1")
		form.Set("paths", "seen/by/nobody.md") // never what was seen: nothing is allowed
	case strings.HasSuffix(r.path, "/approve"), strings.HasSuffix(r.path, "/reject"):
		form.Set("sha256", memory.Hash{1}.String()) // never what was seen: nothing is decided
		form.Set("base_rev", "0")
	case strings.HasSuffix(r.path, "/resolve"):
		form.Set("how", "ours")
		form.Set("base_rev", "999") // never what was seen: nothing is resolved
	case r.path == view.GoURL:
		path += "?project=acme/app"
	}
	if strings.HasSuffix(r.path, "/reject") {
		form.Set("reason", "wrong")
	}
	return r.method, path, form.Encode()
}

// filled returns a project's things, pushed by its maintainer: two revisions
// of an entry, and a proposal in the strict one.
func (b *bundle) filled(t testing.TB, p memory.Project, by memory.Member) things {
	t.Helper()
	x := things{project: p.ID}
	first := b.put(t, by, p, "notes/plan.md", "The plan of "+p.Slug+".\n")
	if p.Review != memory.PresetStrict {
		b.edit(t, by, p, "notes/plan.md", "The second plan of "+p.Slug+".\n", first)
		x.entry, x.rev = first.EntryID, first.Rev
		b.sql(t, "update projects set review = 'strict' where project_id = $1", p.ID)
		waiting := b.put(t, by, p, "notes/secret-proposal.md", "What waits in "+p.Slug+".\n")
		b.sql(t, "update projects set review = 'open' where project_id = $1", p.ID)
		x.proposal, x.sum = waiting.Proposal, waiting.Sum
		x.conflict = b.lose(t, by, p, "notes/plan.md", "The lost plan of "+p.Slug+".\n", first)
	}
	x.finding = b.found(t, by, p, "The found/plan.md")
	b.asked(t, by, p, x.finding, "")
	x.rule = b.excepted(t, by, b.members[memory.RoleMaintainer], p, b.found(t, by, p, "excepted.md"))
	return x
}

// The table is true: each role gets what the table says and nothing more.
func TestRoutes_Roles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.filled(t, b.open, b.admin)
	for role := range b.members {
		br := b.as(t, role)
		for _, r := range routes() {
			if r.path == view.SignOutURL {
				continue
			}
			method, path, body := request(r, x)
			got := br.do(method, path, body)
			switch {
			case r.role == memory.RoleNone: // for whoever is signed in
				if got.status >= http.StatusBadRequest && r.path != view.GoURL && r.name() != "POST /login" && r.path != "/static/{name}" {
					t.Errorf("%s as %s: status %d", r.name(), role, got.status)
				}
			case role == memory.RoleNone:
				if got.status != http.StatusNotFound || strings.Contains(got.body, b.open.Slug) {
					t.Errorf("%s as %s: status %d in a project that they must not know", r.name(), role, got.status)
				}
			case role < r.role:
				if got.status != http.StatusForbidden || !strings.Contains(got.body, r.role.String()) {
					t.Errorf("%s as %s: status %d below the role", r.name(), role, got.status)
				}
			case strings.Contains(r.path, "/findings/") && role < memory.RoleMaintainer:
				got.want(t, http.StatusNotFound).hides(t, "found/plan.md") // somebody else's
			case strings.HasSuffix(r.path, "/ask"), strings.HasSuffix(r.path, "/cancel"):
				got.want(t, http.StatusForbidden).shows(t, "Only its author")
			case strings.HasSuffix(r.path, "/withdraw") && role >= memory.RoleReviewer:
				got.want(t, http.StatusForbidden).shows(t, "Only its author") // who sees it, and whose it is not
			case got.status == http.StatusForbidden, got.status == http.StatusInternalServerError:
				t.Errorf("%s as %s: status %d %.300s", r.name(), role, got.status, got.body)
			case got.status == http.StatusNotFound && !(strings.Contains(r.path, "{id}") && role < memory.RoleReviewer):
				t.Errorf("%s as %s: not found", r.name(), role) // somebody else's proposal is for reviewers
			}
		}
	}
}

// Who is not signed in gets the sign-in page, whatever else they bring: a token
// of the API is none here.
func TestRoutes_NeedASession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.filled(t, b.open, b.admin)
	api := auth.MintAPIToken()
	must(t, b.store.AddAPIToken(t.Context(), memory.APIToken{
		ID: memory.NewTokenID(), Hash: auth.HashToken(api), Last4: auth.Last4(api), Member: b.admin.ID,
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, CreatedAt: b.clock.now(), ExpiresAt: b.clock.now().AddDate(0, 0, 1),
	}, memory.Principal{}.Row(b.clock.now(), "token.add", "")))
	good := b.as(t, memory.RoleMaintainer).cookies[sessionCookie]
	for name, headers := range map[string][]string{
		"nothing":                  nil,
		"an API token":             {"Authorization", "Bearer " + api},
		"a session as bearer":      {"Authorization", "Bearer " + good},
		"an API token as cookie":   {"Cookie", sessionCookie + "=" + api},
		"a cookie of another name": {"Cookie", "tm_session=" + good},
		"a cookie in another case": {"Cookie", "__host-tm_session=" + good},
		"two cookies":              {"Cookie", sessionCookie + "=" + good + "; " + sessionCookie + "=" + auth.MintSession()},
		"the hash":                 {"Cookie", sessionCookie + "=" + auth.HashToken(good).String()},
		"a made-up session":        {"Cookie", sessionCookie + "=" + auth.MintSession()},
	} {
		for _, r := range routes() {
			if r.least == anyone {
				continue
			}
			method, path, body := request(r, x)
			got := b.browser(t).do(method, path, body, headers...)
			if got.status != http.StatusUnauthorized || strings.Contains(got.body, b.open.Slug) {
				t.Errorf("%s with %s: status %d", r.name(), name, got.status)
			}
		}
	}
}

// What is in another project is not found, whether its ids are tried under its
// own address or under that of a project one may see.
func TestRoutes_OtherProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, foreign := b.filled(t, b.open, b.admin), b.filled(t, b.other, b.admin)
	br := b.as(t, memory.RoleMaintainer)
	mixed := []things{
		foreign,
		{mine.project, foreign.entry, foreign.rev, foreign.proposal, foreign.sum, foreign.conflict, foreign.finding, foreign.rule},
		{foreign.project, mine.entry, mine.rev, mine.proposal, mine.sum, mine.conflict, mine.finding, mine.rule},
		{memory.NewProjectID(), mine.entry, mine.rev, mine.proposal, mine.sum, mine.conflict, mine.finding, mine.rule},
		{mine.project, memory.NewEntryID(), 1, memory.NewProposalID(), memory.Hash{}, memory.NewConflictID(), memory.NewFindingID(), memory.NewAllowID()},
		{mine.project, "ent_%00", 1, "prp_%2f..%2fx", memory.Hash{}, "cnf_%2f..%2fx", "fnd_%2f..%2fx", "alw_%2f..%2fx"},
		{mine.project, "..%2f..%2fx", 1, "%27%20or%201=1", memory.Hash{}, "%27%20or%201=1", "%27%20or%201=1", "%27%20or%201=1"},
		{"prj_%00", mine.entry, 1, mine.proposal, memory.Hash{}, mine.conflict, mine.finding, mine.rule},
	}
	for i, x := range mixed {
		for _, r := range routes() {
			if r.role == memory.RoleNone || (!strings.ContainsAny(r.path[len("/p/{p}"):], "{") && x.project == mine.project) {
				continue
			}
			method, path, body := request(r, x)
			got := br.do(method, path, body).want(t, http.StatusNotFound).hides(t, "acme/other", "What waits", "The lost plan", "The found")
			if !strings.Contains(got.body, "not found") {
				t.Errorf("%s, mixed %d: %s", r.name(), i, got.body)
			}
		}
	}
	if n := b.count(t, "select count(*) from proposals where state <> 'pending'"); n != 0 {
		t.Errorf("%d proposals were decided", n)
	}
	if n := b.count(t, "select count(*) from conflicts where closed_at is not null"); n != 0 {
		t.Errorf("%d conflicts were resolved", n)
	}
	if n := b.count(t, "select count(*) from secret_findings where state not in ('requested', 'allowed')"); n != 0 {
		t.Errorf("%d findings were decided", n)
	}
	if n := b.count(t, "select count(*) from allow_rules where revoked_at is not null"); n != 0 {
		t.Errorf("%d exceptions were revoked", n)
	}
	br.get("/findings?project="+string(b.other.ID)).want(t, http.StatusNotFound)
	br.get("/findings").hides(t, "acme/other")
	br.get("/go?project=acme/other&path=notes/plan.md").want(t, http.StatusNotFound)
	br.get("/go?project=acme/none&path=notes/plan.md").want(t, http.StatusNotFound)
	br.get("/review?project="+string(b.other.ID)).want(t, http.StatusNotFound)
	br.get("/").hides(t, "acme/other")
	br.get("/projects").hides(t, "acme/other")
}

// What another site makes a browser send changes nothing, nor does what comes
// from no browser at all.
func TestRoutes_CrossSite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.filled(t, b.open, b.admin)
	br := b.as(t, memory.RoleMaintainer)
	token := b.link(t, b.admin)
	origin := strings.TrimPrefix(b.url, "http://")
	for name, headers := range map[string][]string{
		"cross-site":           {"Sec-Fetch-Site", "cross-site"},
		"same-site":            {"Sec-Fetch-Site", "same-site"}, // another port of this machine
		"another origin":       {"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		"no origin":            {"Sec-Fetch-Site", "", "Origin", "null"},
		"another port":         {"Sec-Fetch-Site", "", "Origin", "http://127.0.0.1:1"},
		"cross-site, our name": {"Sec-Fetch-Site", "cross-site", "Origin", "http://" + origin},
		"neither is said":      {"Sec-Fetch-Site", ""},
		"made up":              {"Sec-Fetch-Site", "yes"},
	} {
		for _, r := range routes() {
			if r.method != http.MethodPost {
				continue
			}
			method, path, body := request(r, x)
			if r.path == view.SignInURL {
				body = "token=" + token
			}
			got := br.do(method, path, body, headers...)
			if got.status != http.StatusForbidden || len(got.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s, %s: status %d", r.name(), name, got.status)
			}
			if !strings.Contains(got.header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s, %s: no policy", r.name(), name)
			}
		}
	}
	br.get("/").want(t, http.StatusOK) // it was not signed out
	b.browser(t).signIn(token)         // nor was the link used up
	for _, headers := range [][]string{{"Sec-Fetch-Site", "", "Origin", b.url}, {"Sec-Fetch-Site", "none"}} {
		br.do(http.MethodPost, "/theme", "theme=dark", headers...).leads(t, "/")
	}
}

// The headers that protect pages are on every answer: pages, errors of each
// kind, redirects and files.
func TestRoutes_Headers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.console.options.TLS = true
	x := b.filled(t, b.open, b.admin)
	reviewer, nobody := b.as(t, memory.RoleReviewer), b.browser(t)
	var answers []reply
	names := map[int]string{}
	keep := func(name string, r reply) {
		names[len(answers)] = fmt.Sprintf("%s: %d", name, r.status)
		answers = append(answers, r)
	}
	for _, r := range routes() {
		method, path, body := request(r, x)
		for who, br := range map[string]*browser{"reviewer": b.as(t, memory.RoleReviewer), "nobody": nobody, "viewer": b.as(t, memory.RoleViewer)} {
			keep(r.name()+" as "+who, br.do(method, path, body))
			keep(r.name()+" by another method as "+who, br.do(http.MethodDelete, path, "", "Sec-Fetch-Site", "same-origin"))
			keep(r.name()+" from another site as "+who, br.do(http.MethodPost, path, body, "Sec-Fetch-Site", "cross-site"))
			keep(r.name()+" with an odd query as "+who, br.do(method, path+"?%zz", body))
		}
	}
	keep("unknown page", reviewer.get("/nowhere"))
	keep("unknown file", reviewer.get("/static/nothing.js"))
	keep("odd path", reviewer.get("//evil.example/%2e%2e"))
	keep("too large a form", reviewer.do(http.MethodPost, "/theme", "theme="+strings.Repeat("x", maxForm)))
	keep("another type", reviewer.do(http.MethodPost, "/theme", "{}", "Content-Type", "application/json"))
	b.console.echo.Router().Add(http.MethodGet, "/panics", b.console.guard(route{path: "/panics", least: anyone, handle: func(*Console, *visit) error { panic("a secret of the server") }}))
	b.console.declared["GET/panics"] = true
	keep("panic", reviewer.get("/panics").want(t, http.StatusInternalServerError).hides(t, "a secret"))

	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Strict-Transport-Security": "max-age=31536000; includeSubDomains", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; " +
			"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
	}
	seen := map[int]bool{}
	for i, r := range answers {
		seen[r.status] = true
		for name, value := range want {
			got := r.header.Values(name)
			raw := strings.Contains(names[i], "/raw as reviewer: 200") || strings.Contains(names[i], "/raw as viewer: 200")
			file := strings.Contains(names[i], "/static/") && r.status < http.StatusInternalServerError
			switch {
			case name == "Content-Security-Policy" && raw:
				value = "default-src 'none'; frame-ancestors 'none'; sandbox"
			case name == "Cache-Control" && file && r.status == http.StatusOK:
				value = "public, max-age=31536000, immutable"
			case name == "Cache-Control" && file && len(got) == 0: // net/http's own "not found"
				continue
			}
			if len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s is %q", names[i], name, got)
			}
		}
		if r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Server") != "" {
			t.Errorf("%s: %v", names[i], r.header)
		}
	}
	for _, status := range []int{200, 303, 400, 401, 403, 404, 405, 409, 413, 415, 500} {
		if !seen[status] {
			t.Errorf("no answer had the status %d", status)
		}
	}
}

// Input that is not what a route takes is refused before anything is done, and
// not repeated.
func TestRoutes_Input(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.filled(t, b.open, b.admin)
	br := b.as(t, memory.RoleReviewer)
	entry, proposal := view.EntryURL(string(x.project), string(x.entry)), view.ProposalURL(string(x.project), string(x.proposal))
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/projects?x=<odd>", "", 400},
		{"GET", "/review?tab=mine&tab=done", "", 400},
		{"GET", "/review?after=%zz", "", 400},
		{"GET", "/review?after=1;2", "", 400},
		{"GET", "/review?after=<odd>", "", 400},
		{"GET", "/review?after=99999999999999999999.prp_a", "", 400},
		{"GET", "/review?after=9223372036854775807.prp_a", "", 400},
		{"GET", "/review?after=-5.prp_a", "", 400},
		{"GET", "/review?after=5.prp%00", "", 400},
		{"GET", "/findings?after=<odd>", "", 400},
		{"GET", "/findings?after=5.fnd%00", "", 400},
		{"GET", "/findings?project=<odd>", "", 404},
		{"GET", "/p/" + string(x.project) + "/entries?after=<odd>", "", 400},
		{"GET", "/p/" + string(x.project) + "/entries?prefix=%ff", "", 400},
		{"GET", entry + "/diff?a=0&b=1", "", 400},
		{"GET", entry + "/diff?a=<odd>", "", 400},
		{"GET", entry + "/diff?a=99&b=98", "", 404},
		{"GET", entry + "/history?before=0", "", 400},
		{"GET", entry + "/restore", "", 400},
		{"GET", entry + "/restore?rev=+1", "", 400},
		{"GET", entry + "/rev/01", "", 404},
		{"GET", entry + "/rev/9999999999999999999999", "", 404},
		{"GET", entry + "/raw?rev=<odd>", "", 400},
		{"GET", "/go?project=acme/app&path=../../<odd>", "", 422},
		{"GET", "/go?project=acme/app&path=%00", "", 422},
		{"POST", entry + "/restore", "rev=1", 400},
		{"POST", entry + "/restore", "rev=1&head=2&also=<odd>", 400},
		{"POST", entry + "/restore", "rev=1&head=2&rev=2", 400},
		{"POST", entry + "/restore", "rev=%ff&head=2", 400},
		{"POST", proposal + "/approve", "", 400},
		{"POST", proposal + "/approve", "sha256=<odd>&base_rev=0", 400},
		{"POST", proposal + "/approve", "sha256=" + x.sum.String() + "&base_rev=-1", 400},
		{"POST", proposal + "/approve", "sha256=" + x.sum.String() + "&base_rev=0&reason=wrong", 400},
		{"POST", "/theme?theme=dark", "", 400},
		{"POST", "/theme", "theme=dark&x=1", 400},
		{"POST", "/logout", "x=1", 400},
	} {
		r := br.do(tt.method, tt.path, tt.body).want(t, tt.status).hides(t, "<odd>", "&lt;odd")
		if t.Failed() {
			t.Fatalf("%s %s %s: %d", tt.method, tt.path, tt.body, r.status)
		}
	}
	for media, status := range map[string]int{
		"": 415, "text/plain": 415, "multipart/form-data; boundary=x": 415, "application/json": 415, "nonsense/": 415,
		"application/x-www-form-urlencoded; charset=utf-8": 303,
	} {
		br.do(http.MethodPost, "/theme", "theme=dark", "Content-Type", media).want(t, status)
	}
	br.do(http.MethodPost, "/theme", "theme="+strings.Repeat("x", maxForm)).want(t, http.StatusRequestEntityTooLarge)
	if n := b.count(t, "select count(*) from proposals where state <> 'pending'"); n != 0 {
		t.Errorf("%d proposals were decided", n)
	}
}

// What goes wrong inside is logged and not shown; the page names the request.
func TestFailures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.as(t, memory.RoleViewer)
	b.sql(t, "alter table revisions rename to gone")
	r := br.get("/").want(t, http.StatusInternalServerError).hides(t, "SQLSTATE", "revisions")
	log := b.log.String()
	_, rest, found := strings.Cut(log, `"msg":"request failed","request_id":"`)
	if !found || !strings.Contains(rest, "SQLSTATE") {
		t.Fatalf("the failure is not in the log: %s", log)
	}
	r.shows(t, rest[:12])
	b.store.Close()
	br.get("/").want(t, http.StatusInternalServerError)
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/a?b=c&d=%2F", "/p/prj_a/e/ent_b?view=rendered"} {
		if got := localPath(path); got != path {
			t.Errorf("%q leads to %q", path, got)
		}
	}
}

// FuzzLocalPath: whatever comes in, a browser that is sent there stays here.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "//x", `/\x`, "/a\x00", "https://x", "/%5cx", "/../x", "///", "/\u2028", "?", "#", "/x#@y"} {
		f.Add(seed)
	}
	base, err := url.Parse("https://here.example/deep/page")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := localPath(s)
		// As browsers read it: they take a backslash for a slash, and drop tabs and line breaks.
		seen := strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "").Replace(got)
		u, err := base.Parse(seen)
		if err != nil || u.Host != base.Host || u.Scheme != base.Scheme || u.User != nil || !strings.HasPrefix(got, "/") {
			t.Errorf("%q leads to %q", s, got)
		}
	})
}

// The console answers without a connection beneath, as for a test of a proxy.
func TestConsole_Recorder(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	offline(t).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/login", nil))
	if w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}
