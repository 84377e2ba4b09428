package web

import (
	"net/http"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// The pages of what lost its text to a purge say so: who did it, and why.
func TestPurged_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	project, by := string(b.open.ID), b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "plan.md", "The plan.\n")
	lost := b.lose(t, by, b.open, "plan.md", "The lost plan.\n", first)
	b.sql(t, "update projects set review = 'strict' where project_id = $1", b.open.ID)
	waiting := b.edit(t, by, b.open, "plan.md", "The proposed plan.\n", first)
	b.sql(t, "update projects set review = 'open' where project_id = $1", b.open.ID)

	purger := principal(b.members[memory.RoleMaintainer])
	purger.Scopes = append(purger.Scopes, memory.ScopeReview)
	_, err := b.service.Purge(t.Context(), purger, b.open.ID, memory.Purge{EntryID: first.EntryID, Reason: "it names <b>a customer</b>"})
	must(t, err)
	conflict, proposal := view.ConflictURL(project, string(lost)), view.ProposalURL(project, string(waiting.Proposal))
	for _, br := range []*browser{b.as(t, memory.RoleContributor), b.as(t, memory.RoleReviewer)} {
		for _, page := range []string{conflict, proposal} {
			br.get(page).want(t, http.StatusOK).shows(t, "The text was purged", "maintainer", "it names &lt;b&gt;a customer").
				hides(t, "Keep both", "Approve", "Download", "Resolved", "Withdrawn", "<b>a customer")
			br.get(page+"/raw").want(t, http.StatusNotFound)
		}
	}

	// By whom was not kept at first.
	b.sql(t, "update conflicts set purged_by = null, purged_at = null, purged_for = ''")
	b.as(t, memory.RoleContributor).get(conflict).want(t, http.StatusOK).shows(t, "The text was purged").hides(t, "a customer", "Keep both")
}
