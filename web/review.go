package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// queuePage is how many proposals one page lists.
const queuePage = 50

// mayReview reports whether the viewer decides anywhere.
func (v *visit) mayReview() bool {
	for _, o := range v.projects {
		if o.Role >= memory.RoleReviewer {
			return true
		}
	}
	return false
}

// review lists proposals of all projects.
func (c *Console) review(v *visit) error {
	q, err := c.queue(v, view.ParseTab(v.query["tab"]), v.query["project"], v.query["after"])
	if err != nil {
		return err
	}
	return v.show(view.ReviewPage(v.frame(view.SectionReview), view.Review{Queue: q}))
}

// queue is one page of the list of proposals.
func (c *Console) queue(v *visit, tab view.Tab, project, after string) (view.Queue, error) {
	q := view.Queue{Tab: tab, MayReview: v.mayReview()}
	if !q.MayReview {
		q.Tab = view.TabMine // there is nothing else for them
	}
	for _, o := range v.projects {
		q.Pending += o.Pending
		q.Mine += o.Mine
	}
	if project != "" {
		q.Project = v.named(memory.ProjectID(project))
		if q.Project.Slug == "" {
			return q, memory.NotFound("project")
		}
	}
	cursor, err := parsePlace(after)
	if err != nil {
		return q, err
	}
	part := memory.Part(q.Tab) // tabs are called like the parts
	found, err := c.service.Queue(v.ctx(), v.who, memory.QueueQuery{
		Part: part, Project: memory.ProjectID(project), After: cursor, Limit: queuePage,
	})
	if err != nil {
		return q, err
	}
	q.Rows = v.queueRows(found)
	if len(found) == queuePage {
		q.After = place(found[len(found)-1].Place(part))
	}
	return q, nil
}

// place writes a place in the queue, for the address of the next page.
func place(c memory.ProposalCursor) string {
	return strconv.FormatInt(c.At.UnixMicro(), 10) + "." + string(c.ID)
}

func parsePlace(s string) (memory.ProposalCursor, error) {
	if s == "" {
		return memory.ProposalCursor{}, nil
	}
	at, id, _ := strings.Cut(s, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	c := memory.ProposalCursor{At: time.UnixMicro(micros).UTC(), ID: memory.ProposalID(id)}
	const farthest = 1 << 53 // the year 2255; Postgres goes farther, but its times have an end
	if err != nil || micros < 0 || micros > farthest || !opaque(id) {
		return c, memory.Invalid("after", "this is not a place in the list")
	}
	return c, nil
}

func (v *visit) queueRows(found []memory.Proposal) (rows []view.QueueRow) {
	for _, p := range found {
		rows = append(rows, v.queueRow(p))
	}
	return rows
}

func (v *visit) queueRow(p memory.Proposal) view.QueueRow {
	row := view.QueueRow{
		Project: v.named(p.Project), ID: string(p.ID), Path: p.Path.String(), Previous: p.Previous.String(), Name: p.Name,
		Kind: string(p.Kind), Action: actionOf(p.Action, p.Creates), State: view.State(p.State), Author: p.Author.Name,
		Mine: p.Author.Member == v.who.Member, Agent: agentOf(p.Agent), At: p.At,
	}
	if p.Decision != nil {
		row.Reason = string(p.Decision.Reason)
	}
	return row
}

// decision is how a proposal ended; nil while it waits.
func decision(p memory.Proposal) *view.Decision {
	if p.Decision == nil {
		return nil
	}
	d := p.Decision
	return &view.Decision{
		State: view.State(p.State), By: d.By.Name, At: d.At, Reason: string(d.Reason), Note: d.Note, Rev: d.Rev,
		Path: p.Path.String(), Name: p.Name,
	}
}
