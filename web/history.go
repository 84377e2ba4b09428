package web

import (
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// historyPage is how many revisions one page lists.
const historyPage = 50

// history lists the revisions of an entry.
func (c *Console) history(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	var below int64
	if s, given := v.query["before"]; given {
		if below, err = number("before", s); err != nil {
			return err
		}
	}
	entry, _, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	found, err := c.service.History(v.ctx(), v.who, v.project.ID, id, below, historyPage)
	if err != nil {
		return err
	}
	p := view.History{
		Project: projectOf(v.project.Project), ID: string(id), Path: entry.Path.String(), Name: entry.Name, Deleted: entry.Deleted,
		Revisions: revisions(found), MayWrite: v.project.Role >= memory.RoleContributor,
	}
	if len(found) == historyPage {
		p.Before = found[len(found)-1].Rev
	}
	return v.show(view.HistoryPage(v.frame(view.SectionProjects), p))
}

func revisions(found []memory.Revision) (all []view.Revision) {
	for _, r := range found {
		all = append(all, revisionOf(r))
	}
	return all
}
