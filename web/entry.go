package web

import (
	"strconv"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// entryID reads {e}. What cannot be an id is not found, like one that is none.
func (v *visit) entryID() (memory.EntryID, error) {
	id := v.Param("e")
	if !opaque(id) {
		return "", memory.NotFound("entry")
	}
	return memory.EntryID(id), nil
}

// number reads the number of a revision.
func number(field, s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, memory.Invalid(field, "this is the number of a revision")
	}
	return n, nil
}

// entry shows an entry as it stands, or a deleted one as it last was.
func (c *Console) entry(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	entry, newest, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	text := newest
	if newest.Action == memory.ActionDelete {
		// What was there last: a delete has nothing to show.
		if text, err = c.service.Revision(v.ctx(), v.who, v.project.ID, id, newest.BaseRev); err != nil {
			return err
		}
	}
	p := v.shown(entry, text)
	p.Name, p.Description, p.Kind = entry.Name, entry.Description, string(entry.Kind)
	if !entry.Deleted {
		p.Lints = append(p.Lints, v.numbered(p.Path)...)
	}
	if err := c.around(v, &p, text.Device); err != nil {
		return err
	}
	return v.show(view.EntryPage(v.frame(view.SectionProjects), p))
}

// revision shows an entry as it once was.
func (c *Console) revision(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	rev, err := number("rev", v.Param("r"))
	if err != nil {
		return memory.NotFound("revision")
	}
	entry, _, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	old, err := c.service.Revision(v.ctx(), v.who, v.project.ID, id, rev)
	if err != nil {
		return err
	}
	p := v.shown(entry, old)
	if err := c.around(v, &p, old.Device); err != nil {
		return err
	}
	return v.show(view.EntryPage(v.frame(view.SectionProjects), p))
}

// shown is a revision of an entry on its page.
func (v *visit) shown(e memory.Entry, r memory.Revision) view.Entry {
	f := memory.ReadFrontmatter(r.Path, string(r.Content))
	return view.Entry{
		Project: projectOf(v.project.Project), ID: string(e.ID), Path: r.Path.String(),
		Name: f.Name, Description: f.Description, Kind: string(f.Kind),
		Mode: view.ParseMode(v.query["view"], view.ModeRaw), Content: string(r.Content), Size: r.Size,
		Rev: r.Rev, Head: e.Rev, Deleted: e.Deleted, Author: r.Author.Name, Agent: agentOf(r.Agent), Note: r.Note,
		At: r.At, Lints: lints(r), Risks: risks(r.Risks), MayWrite: v.project.Role >= memory.RoleContributor,
	}
}

// around adds what stands beside a text: where it was written, folders,
// neighbours, and what waits for the same entry.
func (c *Console) around(v *visit, p *view.Entry, device memory.DeviceID) (err error) {
	if p.Device, err = v.device(device); err != nil {
		return err
	}
	_, all, err := c.service.Manifest(v.ctx(), v.who, v.project.ID)
	if err != nil {
		return err
	}
	folder := folderOf(p.Path)
	p.Folders = view.Tree(paths(all), folder)
	p.Siblings, p.Below = siblings(all, folder, p.Path)
	waiting, err := c.service.Proposals(v.ctx(), v.who, v.project.ID, memory.ProposalQuery{State: memory.ProposalPending})
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if string(w.EntryID) == p.ID {
			p.Waiting = append(p.Waiting, v.queueRow(w))
		}
	}
	return nil
}
