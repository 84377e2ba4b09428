package api

import (
	"net/http"
	"time"

	"github.com/teammem/teammem/memory"
)

// base is the path of the protocol's first version.
const base = "/api/v1"

// route declares one call.
type route struct {
	method string
	path   string // {p} is a project's id, {id} that of something in it
	scope  memory.Scope
	role   memory.Role // the least one in project {p}; the service checks it
	query  string      // parameters it takes, others are refused
	handle func(*API, *call) error
}

// Besides the scopes of tokens, a route can be open to everybody, or to
// everybody who is signed in. Both must be said: a route without a scope is
// refused.
const (
	anyone   memory.Scope = "anyone"
	signedIn memory.Scope = "signed in"
)

// routes is every call there is.
func routes() []route {
	const (
		none        = memory.RoleNone
		viewer      = memory.RoleViewer
		contributor = memory.RoleContributor
		reviewer    = memory.RoleReviewer
		maintainer  = memory.RoleMaintainer
		read        = memory.ScopeRead
		write       = memory.ScopeWrite
		review      = memory.ScopeReview
	)
	return []route{
		// Sync
		{http.MethodGet, base + "/projects/{p}/changes", read, viewer, "since limit content wait", (*API).changes},
		{http.MethodGet, base + "/projects/{p}/manifest", read, viewer, "", (*API).manifest},
		{http.MethodPost, base + "/projects/{p}/contents", read, viewer, "", (*API).contents},
		{http.MethodPost, base + "/projects/{p}/push", write, contributor, "", (*API).push},
		{http.MethodPost, base + "/projects/{p}/report", read, viewer, "", (*API).report},

		// Entries and history
		{http.MethodGet, base + "/projects/{p}/entries", read, viewer, "prefix kind author limit cursor", (*API).entries},
		{http.MethodGet, base + "/projects/{p}/entry", read, viewer, "path", (*API).entry},
		{http.MethodPut, base + "/projects/{p}/entry", write, contributor, "path", (*API).putEntry},
		{http.MethodDelete, base + "/projects/{p}/entry", write, contributor, "path", (*API).deleteEntry},
		{http.MethodGet, base + "/projects/{p}/revisions", read, viewer, "entry_id limit cursor", (*API).revisions},
		{http.MethodGet, base + "/projects/{p}/revision", read, viewer, "entry_id rev", (*API).revision},
		{http.MethodPost, base + "/projects/{p}/restore", write, contributor, "", (*API).restore},
		{http.MethodPost, base + "/projects/{p}/check", read, viewer, "", (*API).check},
		{http.MethodPost, base + "/check", read, none, "", (*API).check},

		// Review
		{http.MethodGet, base + "/projects/{p}/proposals", read, viewer, "state author limit cursor", (*API).proposals},
		{http.MethodGet, base + "/projects/{p}/proposals/{id}", read, viewer, "", (*API).proposal},
		{http.MethodDelete, base + "/projects/{p}/proposals/{id}", write, contributor, "", (*API).withdraw},
		{http.MethodPost, base + "/projects/{p}/proposals/{id}/decision", review, reviewer, "", (*API).decide},

		// Conflicts
		{http.MethodGet, base + "/projects/{p}/conflicts", read, viewer, "state author limit cursor", (*API).conflicts},
		{http.MethodPost, base + "/projects/{p}/conflicts", write, contributor, "", (*API).keepConflict},
		{http.MethodGet, base + "/projects/{p}/conflicts/{id}", read, viewer, "", (*API).conflict},
		{http.MethodPost, base + "/projects/{p}/conflicts/{id}/resolve", write, contributor, "", (*API).resolve},

		// Secrets that were found, and exceptions
		{http.MethodGet, base + "/projects/{p}/findings", read, viewer, "state author leaked asked limit cursor", (*API).findings},
		{http.MethodPost, base + "/projects/{p}/findings", write, contributor, "", (*API).reportFinding},
		{http.MethodGet, base + "/projects/{p}/findings/{id}", read, viewer, "", (*API).finding},
		{http.MethodDelete, base + "/projects/{p}/findings/{id}", write, contributor, "", (*API).resolveFinding},
		{http.MethodPost, base + "/projects/{p}/findings/{id}/allow", write, contributor, "", (*API).allow},
		{http.MethodPost, base + "/projects/{p}/findings/{id}/decision", review, maintainer, "", (*API).decideAllow},
		{http.MethodGet, base + "/projects/{p}/allow-rules", read, viewer, "", (*API).allowRules},
		{http.MethodDelete, base + "/projects/{p}/allow-rules/{id}", write, maintainer, "", (*API).revokeAllow},

		// Moderation
		{http.MethodGet, base + "/projects/{p}/quarantine", read, maintainer, "limit cursor", (*API).quarantines},
		{http.MethodPost, base + "/projects/{p}/quarantine", write, maintainer, "", (*API).addQuarantine},
		{http.MethodGet, base + "/projects/{p}/quarantine/{id}", read, maintainer, "", (*API).quarantine},
		{http.MethodPost, base + "/projects/{p}/quarantine/{id}/release", write, maintainer, "", (*API).releaseQuarantine},
		{http.MethodPost, base + "/projects/{p}/purge", write, contributor, "", (*API).purge},

		// Live updates
		{http.MethodGet, base + "/events", read, none, "", (*API).events},

		// Projects and the caller
		{http.MethodGet, base + "/projects", read, none, "slug remote", (*API).projects},
		{http.MethodGet, base + "/projects/{p}", read, viewer, "", (*API).project},
		{http.MethodGet, base + "/me", signedIn, none, "", (*API).me},
		{http.MethodGet, base + "/me/devices", signedIn, none, "limit cursor", (*API).devices},
		{http.MethodPost, base + "/me/devices", read, none, "", (*API).addDevice},
		{http.MethodDelete, base + "/me/devices/{id}", write, none, "", (*API).removeDevice},

		// Logins; the credential is in the body
		{http.MethodPost, base + "/auth/token", anyone, none, "", (*API).tokens},
		{http.MethodPost, base + "/auth/revoke", anyone, none, "", (*API).revoke},
		{http.MethodGet, base + "/auth/jwks", anyone, none, "", (*API).keys},

		// Operation
		{http.MethodGet, "/healthz", anyone, none, "", (*API).health},
		{http.MethodGet, "/readyz", anyone, none, "", (*API).ready},
		{http.MethodGet, "/version", anyone, none, "", (*API).version},
	}
}

// deadline is how long a call may take, a long poll's wait aside. A push scans
// up to 4 MB for secrets, which takes its time on a busy machine, and so can the
// scan of a text that is approved.
func (r route) deadline() time.Duration {
	if r.scope == memory.ScopeWrite || r.scope == memory.ScopeReview {
		return writeDeadline
	}
	return callDeadline
}

const (
	callDeadline  = 10 * time.Second
	writeDeadline = time.Minute
)
