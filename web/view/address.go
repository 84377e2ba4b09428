package view

import (
	"net/url"
	"strconv"
)

// The addresses of the console. Handlers redirect to what these return, and
// the route table is held to them by a test of package web.

// Addresses without arguments.
const (
	HomeURL     = "/"
	SignInURL   = "/login"
	SignOutURL  = "/logout"
	ThemeURL    = "/theme"
	ProjectsURL = "/projects"
	ReviewURL   = "/review"
	FindingsURL = "/findings"
	SyncURL     = "/sync"
	GoURL       = "/go" // ?project=<slug>&path=<path> leads to the entry
)

// SyncAfterURL is the list of members' computers behind a cursor.
func SyncAfterURL(after string) string { return withQuery(SyncURL, "after", after) }

// EntriesURL is the list of a project's entries.
func EntriesURL(project string) string { return "/p/" + url.PathEscape(project) + "/entries" }

// FilteredURL is the list of a project's entries of one kind, below a folder,
// behind a cursor; each may be "".
func FilteredURL(project string, f EntryFilter, after string) string {
	return withQuery(EntriesURL(project), "kind", f.Kind, "prefix", f.Prefix, "after", after)
}

// EntryURL is the page of one entry.
func EntryURL(project, entry string) string {
	return "/p/" + url.PathEscape(project) + "/e/" + url.PathEscape(entry)
}

// EntryModeURL is the page of one entry as source or rendered.
func EntryModeURL(project, entry string, m Mode) string {
	return withQuery(EntryURL(project, entry), "view", string(m))
}

// RevisionURL is the page of one revision of an entry.
func RevisionURL(project, entry string, rev int64) string {
	return EntryURL(project, entry) + "/rev/" + strconv.FormatInt(rev, 10)
}

// RawURL is the download of an entry's newest text.
func RawURL(project, entry string) string { return EntryURL(project, entry) + "/raw" }

// HistoryURL lists the revisions of an entry.
func HistoryURL(project, entry string) string { return EntryURL(project, entry) + "/history" }

// DiffURL compares revision a with b.
func DiffURL(project, entry string, a, b int64) string {
	return withQuery(diffURL(project, entry), "a", revision(a), "b", revision(b))
}

// diffURL is where the form that chooses two revisions leads to.
func diffURL(project, entry string) string { return EntryURL(project, entry) + "/diff" }

// RestoreURL asks (GET, with ?rev=) whether to restore a revision, and does it (POST).
func RestoreURL(project, entry string) string { return EntryURL(project, entry) + "/restore" }

// QueueURL is the review queue, of one tab; project may be "".
func QueueURL(tab Tab, project, after string) string {
	if tab == TabPending {
		tab = ""
	}
	return withQuery(ReviewURL, "tab", string(tab), "project", project, "after", after)
}

// ProposalURL is the page of one proposal.
func ProposalURL(project, id string) string {
	return "/p/" + url.PathEscape(project) + "/review/" + url.PathEscape(id)
}

// ProposalModeURL is the page of one proposal as diff, source or rendered.
func ProposalModeURL(project, id string, m Mode) string {
	return withQuery(ProposalURL(project, id), "view", string(m))
}

// ProposalRawURL is the download of the text that a proposal shows.
func ProposalRawURL(project, id string) string { return ProposalURL(project, id) + "/raw" }

// ApproveURL takes the form that approves: "sha256" and "base_rev" of what was seen.
func ApproveURL(project, id string) string { return ProposalURL(project, id) + "/approve" }

// RejectURL takes the form that rejects: also "reason" and "note".
func RejectURL(project, id string) string { return ProposalURL(project, id) + "/reject" }

// WithdrawURL takes the author's form that withdraws.
func WithdrawURL(project, id string) string { return ProposalURL(project, id) + "/withdraw" }

// ConflictsURL lists the open conflicts of a project, behind a cursor, which may be "".
func ConflictsURL(project, after string) string {
	return withQuery("/p/"+url.PathEscape(project)+"/conflicts", "after", after)
}

// ConflictURL is the page of one conflict.
func ConflictURL(project, id string) string {
	return ConflictsURL(project, "") + "/" + url.PathEscape(id)
}

// ConflictRawURL is the download of the text that lost.
func ConflictRawURL(project, id string) string { return ConflictURL(project, id) + "/raw" }

// ResolveURL takes the form that resolves a conflict: "how", and "base_rev" of what was seen.
func ResolveURL(project, id string) string { return ConflictURL(project, id) + "/resolve" }

// FindingTabURL is one tab of the findings, of a project, behind a cursor; each
// but the tab may be "".
func FindingTabURL(tab FindingTab, project, after string) string {
	if tab == FindingsOpen {
		tab = ""
	}
	return withQuery(FindingsURL, "tab", string(tab), "project", project, "after", after)
}

// FindingURL is the page of one finding.
func FindingURL(project, id string) string {
	return "/p/" + url.PathEscape(project) + "/findings/" + url.PathEscape(id)
}

// AskURL takes the author's form that asks for an exception: "reason", "note" and "paths".
func AskURL(project, id string) string { return FindingURL(project, id) + "/ask" }

// CancelURL takes the author's form that takes the request back.
func CancelURL(project, id string) string { return FindingURL(project, id) + "/cancel" }

// AllowURL takes the form that makes an exception: "paths" as they were seen, "days" and "note".
func AllowURL(project, id string) string { return FindingURL(project, id) + "/allow" }

// DenyURL takes the form that makes none: "note".
func DenyURL(project, id string) string { return FindingURL(project, id) + "/deny" }

// CareURL takes the form that says that a finding is taken care of.
func CareURL(project, id string) string { return FindingURL(project, id) + "/care" }

// ExceptionsURL lists the exceptions that are in force in a project.
func ExceptionsURL(project string) string { return "/p/" + url.PathEscape(project) + "/exceptions" }

// RevokeURL takes the form that ends an exception.
func RevokeURL(project, rule string) string {
	return ExceptionsURL(project) + "/" + url.PathEscape(rule) + "/revoke"
}

// PathURL leads to the entry of a project at a path.
func PathURL(slug, path string) string { return withQuery(GoURL, "project", slug, "path", path) }

func revision(rev int64) string { return strconv.FormatInt(rev, 10) }

// withQuery adds the pairs whose value is not empty, in the order given.
func withQuery(address string, pairs ...string) string {
	sep := "?"
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		address += sep + pairs[i] + "=" + url.QueryEscape(pairs[i+1])
		sep = "&"
	}
	return address
}

// restoreRevisionURL asks whether to restore a revision.
func restoreRevisionURL(project, entry string, rev int64) string {
	return withQuery(RestoreURL(project, entry), "rev", revision(rev))
}
