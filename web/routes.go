package web

import (
	"net/http"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// route declares one page or form.
type route struct {
	method string
	path   string      // {p} is a project, {e} an entry, {r} a revision, {id} whatever the path names
	least  access      // who may
	role   memory.Role // the least one in project {p}
	query  string      // parameters it takes, others are refused
	form   string      // fields of its form, others are refused
	handle func(*Console, *visit) error
}

// access says who may use a route. It must be said: a route without it is
// refused.
type access string

const (
	anyone   access = "anyone"
	signedIn access = "signed in"
)

// routes is every page there is.
func routes() []route {
	const (
		none        = memory.RoleNone
		viewer      = memory.RoleViewer
		contributor = memory.RoleContributor
		reviewer    = memory.RoleReviewer
		maintainer  = memory.RoleMaintainer
		get         = http.MethodGet
		post        = http.MethodPost
		entry       = "/p/{p}/e/{e}"
		proposal    = "/p/{p}/review/{id}"
		conflict    = "/p/{p}/conflicts/{id}"
		finding     = "/p/{p}/findings/{id}"
	)
	return []route{
		// Signing in and out
		{get, view.SignInURL, anyone, none, "token back out", "", (*Console).signInPage},
		{post, view.SignInURL, anyone, none, "", "token back", (*Console).signIn},
		{post, view.SignOutURL, signedIn, none, "", "", (*Console).signOut},
		{post, view.ThemeURL, anyone, none, "", "theme back", (*Console).theme},

		// Projects and their entries
		{get, view.HomeURL, signedIn, none, "", "", (*Console).home},
		{get, view.ProjectsURL, signedIn, none, "after", "", (*Console).listProjects},
		{get, view.GoURL, signedIn, none, "project path", "", (*Console).resolve},
		{get, "/p/{p}/entries", signedIn, viewer, "kind prefix after", "", (*Console).entries},
		{get, entry, signedIn, viewer, "view done", "", (*Console).entry},
		{get, entry + "/raw", signedIn, viewer, "rev", "", (*Console).raw},
		{get, entry + "/rev/{r}", signedIn, viewer, "view", "", (*Console).revision},
		{get, entry + "/history", signedIn, viewer, "before", "", (*Console).history},
		{get, entry + "/diff", signedIn, viewer, "a b", "", (*Console).diff},
		{get, entry + "/restore", signedIn, contributor, "rev", "", (*Console).restorePage},
		{post, entry + "/restore", signedIn, contributor, "", "rev head", (*Console).restore},

		// Review
		{get, view.ReviewURL, signedIn, none, "tab project after done", "", (*Console).review},
		{get, proposal, signedIn, viewer, "view done", "", (*Console).proposal},
		{get, proposal + "/raw", signedIn, viewer, "", "", (*Console).rawProposal},
		{post, proposal + "/approve", signedIn, reviewer, "", "sha256 base_rev", (*Console).approve},
		{post, proposal + "/reject", signedIn, reviewer, "", "sha256 base_rev reason note", (*Console).reject},
		{post, proposal + "/withdraw", signedIn, contributor, "", "", (*Console).withdraw},

		// Conflicts
		{get, "/p/{p}/conflicts", signedIn, viewer, "after done", "", (*Console).conflicts},
		{get, conflict, signedIn, viewer, "", "", (*Console).conflict},
		{get, conflict + "/raw", signedIn, viewer, "", "", (*Console).rawConflict},
		{post, conflict + "/resolve", signedIn, contributor, "", "how base_rev", (*Console).resolveConflict},

		// Secrets that were found, and exceptions
		{get, view.FindingsURL, signedIn, none, "tab project after", "", (*Console).findings},
		{get, finding, signedIn, viewer, "done", "", (*Console).finding},
		{post, finding + "/ask", signedIn, contributor, "", "reason note paths", (*Console).ask},
		{post, finding + "/cancel", signedIn, contributor, "", "", (*Console).unask},
		{post, finding + "/allow", signedIn, maintainer, "", "asked paths days note", (*Console).allowFinding},
		{post, finding + "/deny", signedIn, maintainer, "", "asked note", (*Console).denyFinding},
		{post, finding + "/care", signedIn, contributor, "", "", (*Console).care},
		{get, "/p/{p}/exceptions", signedIn, viewer, "done", "", (*Console).exceptions},
		{post, "/p/{p}/exceptions/{id}/revoke", signedIn, maintainer, "", "", (*Console).revoke},

		// Members' computers
		{get, view.SyncURL, signedIn, none, "after", "", (*Console).sync},

		// What pages are made of
		{get, "/static/{name}", anyone, none, "", "", (*Console).static},
	}
}

// deadline is how long a request may take. What writes is scanned for secrets,
// which takes its time on a busy machine.
func (r route) deadline() time.Duration {
	if r.method == http.MethodPost {
		return writeDeadline
	}
	return readDeadline
}

const (
	readDeadline  = 10 * time.Second
	writeDeadline = time.Minute
)
