package web

import (
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// What fits on the first page.
const (
	homeWaiting  = 5
	homeChanges  = 20
	homeProjects = 20
	homeMine     = 14 * 24 * time.Hour // how long a rejection stays there
)

// projectsPage is how many projects one page lists.
const projectsPage = 100

// home shows what waits, and what happened.
func (c *Console) home(v *visit) error {
	p := view.Home{MayReview: v.mayReview(), AllProjects: len(v.projects)}
	p.Findings, p.Requests = v.findingsWaiting()
	for _, o := range v.projects[:min(len(v.projects), homeProjects)] {
		p.Projects = append(p.Projects, projectRow(o))
	}
	waiting, err := c.service.Queue(v.ctx(), v.who, memory.QueueQuery{Part: memory.PartPending, Limit: homeWaiting})
	if err != nil {
		return err
	}
	p.Waiting = v.queueRows(waiting)
	if p.Mine, err = c.lately(v); err != nil {
		return err
	}
	done, err := c.service.Queue(v.ctx(), v.who, memory.QueueQuery{Part: memory.PartDone, Limit: 1})
	if err != nil {
		return err
	}
	if len(done) > 0 {
		p.Last = decision(done[0])
	}
	recent, err := c.service.Recent(v.ctx(), v.who, homeChanges)
	if err != nil {
		return err
	}
	for _, change := range recent {
		p.Changes = append(p.Changes, v.change(change))
	}
	return v.show(view.HomePage(v.frame(view.SectionHome), p))
}

// lately returns the viewer's own proposals that wait or were turned down not
// long ago.
func (c *Console) lately(v *visit) ([]view.QueueRow, error) {
	const enough = 50
	mine, err := c.service.Queue(v.ctx(), v.who, memory.QueueQuery{Part: memory.PartMine, Limit: enough})
	if err != nil {
		return nil, err
	}
	since := c.options.Dates().Add(-homeMine)
	mine = slices.DeleteFunc(mine, func(p memory.Proposal) bool {
		rejected := p.State == memory.ProposalRejected && p.Decision.At.After(since)
		return p.State != memory.ProposalPending && !rejected
	})
	return v.queueRows(mine[:min(len(mine), homeWaiting)]), nil
}

// listProjects lists what the viewer can see.
func (c *Console) listProjects(v *visit) error {
	return v.show(view.ProjectsPage(v.frame(view.SectionProjects), v.projectsAfter(v.query["after"])))
}

// projectsAfter is the page of the list that begins behind a project, or at the
// start if there is none with that slug.
func (v *visit) projectsAfter(slug string) (p view.Projects) {
	first := slices.IndexFunc(v.projects, func(o memory.Overview) bool { return o.Slug == slug }) + 1
	last := min(len(v.projects), first+projectsPage)
	for _, o := range v.projects[first:last] {
		p.Rows = append(p.Rows, projectRow(o))
	}
	if last < len(v.projects) {
		p.After = v.projects[last-1].Slug
	}
	return p
}

// resolve leads from slug and path, as people and the command line know them,
// to the entry.
func (c *Console) resolve(v *visit) error {
	for _, o := range v.projects {
		if o.Slug != v.query["project"] {
			continue
		}
		if v.query["path"] == "" {
			return v.redirect(view.EntriesURL(string(o.ID)))
		}
		entry, _, err := c.service.Entry(v.ctx(), v.who, o.ID, v.query["path"])
		if err != nil {
			return err
		}
		return v.redirect(view.EntryURL(string(o.ID), string(entry.ID)))
	}
	return memory.NotFound("project")
}
