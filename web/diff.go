package web

import (
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// diff shows two revisions of an entry against each other: by default the
// newest and the one before.
func (c *Console) diff(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	entry, newest, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	const choice = 200
	list, err := c.service.History(v.ctx(), v.who, v.project.ID, id, 0, choice)
	if err != nil {
		return err
	}
	b, err := c.chosen(v, id, "b", newest.Rev)
	if err != nil {
		return err
	}
	a, err := c.chosen(v, id, "a", before(list, b.Rev))
	if err != nil {
		return err
	}
	return v.show(view.DiffPage(v.frame(view.SectionProjects), view.Comparison{
		Project: projectOf(v.project.Project), ID: string(id), Path: entry.Path.String(), Name: entry.Name,
		A: revisionOf(a), B: revisionOf(b), Old: string(a.Content), New: string(b.Content), Revisions: revisions(list),
	}))
}

// chosen reads the revision that the query names, or else the given one.
func (c *Console) chosen(v *visit, id memory.EntryID, field string, rev int64) (memory.Revision, error) {
	if s, given := v.query[field]; given {
		var err error
		if rev, err = number(field, s); err != nil {
			return memory.Revision{}, err
		}
	}
	return c.service.Revision(v.ctx(), v.who, v.project.ID, id, rev)
}

// before is the revision before one in a history, or that one if it is the
// first.
func before(history []memory.Revision, rev int64) int64 {
	for _, r := range history {
		if r.Rev < rev {
			return r.Rev
		}
	}
	return rev
}
