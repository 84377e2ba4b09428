package web

import (
	"net/http"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// restorePage shows what restoring a revision would change.
func (c *Console) restorePage(v *visit) error {
	rev, err := number("rev", v.query["rev"])
	if err != nil {
		return err
	}
	return c.askRestore(v, rev, http.StatusOK, nil)
}

func (c *Console) askRestore(v *visit, rev int64, status int, said *view.Notice) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	entry, newest, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	old, err := c.service.Revision(v.ctx(), v.who, v.project.ID, id, rev)
	if err != nil {
		return err
	}
	if old.Action == memory.ActionDelete {
		return memory.Invalid("rev", "this revision is a delete; restore the one before it")
	}
	p := view.Restore{
		Project: projectOf(v.project.Project), ID: string(id), Path: entry.Path.String(), Name: entry.Name,
		Revision: revisionOf(old), Head: revisionOf(newest), Old: string(newest.Content), New: string(old.Content),
		Waits: v.project.Review == memory.PresetStrict,
	}
	if entry.Deleted {
		p.Path = old.Path.String()
	}
	f := v.frame(view.SectionProjects)
	f.Flash = said
	return v.page(status, view.RestorePage(f, p))
}

// restore makes an older revision the newest one, if the newest is still what
// the person saw.
func (c *Console) restore(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	rev, err := number("rev", v.form["rev"])
	if err != nil {
		return err
	}
	head, err := number("head", v.form["head"])
	if err != nil {
		return err
	}
	receipt, err := c.service.RestoreOver(v.ctx(), v.who, v.project.ID, id, rev, head)
	if err != nil {
		return err
	}
	verdict, project := receipt.Verdicts[0], string(v.project.ID)
	switch verdict.Ruling {
	case memory.RulingPublished:
		return v.redirect(view.EntryURL(project, string(id)) + "?done=restored")
	case memory.RulingSame:
		return v.redirect(view.EntryURL(project, string(id)) + "?done=same")
	case memory.RulingWaiting:
		return v.redirect(view.ProposalURL(project, string(verdict.Proposal)) + "?done=proposed")
	case memory.RulingRefused:
		return verdict.Problem
	case memory.RulingConflict, memory.RulingSuperseded, memory.RulingDeleted:
	}
	return c.askRestore(v, rev, http.StatusConflict, &view.Notice{
		Tone: view.ToneWarn, Title: "The entry changed while you were looking",
		Text: "Nothing was restored. Below is the difference to what is there now.",
	})
}
