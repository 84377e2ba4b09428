package web

import (
	"net/http"
	"strconv"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// conflictsPage is how many conflicts one page lists.
const conflictsPage = view.ManyConflicts

// conflicts lists the texts of a project that could not be merged.
func (c *Console) conflicts(v *visit) error {
	after, err := parseConflictPlace(v.query["after"])
	if err != nil {
		return err
	}
	found, err := c.openConflicts(v, after)
	if err != nil {
		return err
	}
	p := view.Conflicts{Project: projectOf(v.project.Project), Everyone: v.project.Role >= memory.RoleReviewer}
	for _, k := range found {
		p.Rows = append(p.Rows, v.conflictRow(k))
	}
	if len(found) == conflictsPage {
		last := found[len(found)-1]
		p.After = strconv.FormatInt(last.At.UnixMicro(), 10) + "." + string(last.ID)
	}
	return v.show(view.ConflictsPage(v.frame(view.SectionProjects), p))
}

func (c *Console) openConflicts(v *visit, after memory.ConflictCursor) ([]memory.Conflict, error) {
	return c.service.Conflicts(v.ctx(), v.who, v.project.ID, memory.ConflictQuery{Open: true, After: after, Limit: conflictsPage})
}

func parseConflictPlace(s string) (memory.ConflictCursor, error) {
	if s == "" {
		return memory.ConflictCursor{}, nil
	}
	at, err := parsePlace(s)
	return memory.ConflictCursor{At: at.At, ID: memory.ConflictID(at.ID)}, err
}

func (v *visit) conflictRow(k memory.Conflict) view.ConflictRow {
	return view.ConflictRow{
		ID: string(k.ID), Path: k.Path.String(), Author: k.Author.Name, Mine: k.Author.Member == v.who.Member, At: k.At,
	}
}

// conflictID reads {id}. What cannot be an id is not found, like one that is
// none.
func (v *visit) conflictID() (memory.ConflictID, error) {
	id := v.Param("id")
	if !opaque(id) {
		return "", memory.NotFound("conflict")
	}
	return memory.ConflictID(id), nil
}

// conflict shows one text against what the server has.
func (c *Console) conflict(v *visit) error { return c.showConflict(v, http.StatusOK, nil) }

func (c *Console) showConflict(v *visit, status int, said *view.Notice) error {
	id, err := v.conflictID()
	if err != nil {
		return err
	}
	k, err := c.service.Conflict(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	p := v.opposed(k)
	if p.Device, err = v.device(k.Device); err != nil {
		return err
	}
	f := v.frame(view.SectionProjects)
	f.Flash = said
	return v.page(status, view.ConflictPage(f, p))
}

// opposed is a conflict on its page.
func (v *visit) opposed(k memory.ConflictView) view.Conflict {
	p := view.Conflict{
		ConflictRow: v.conflictRow(k.Conflict), Project: projectOf(v.project.Project), Size: k.Size, Ours: string(k.Content), Gone: k.Theirs == nil,
		MayResolve: v.project.Role >= memory.RoleContributor, Waits: v.project.Review == memory.PresetStrict,
	}
	if k.Base != nil {
		p.BaseRev = k.Base.Rev
	}
	if k.Head != nil {
		p.EntryID, p.HeadPath, p.HeadRev = string(k.Head.ID), k.Head.Path.String(), k.Head.Rev
	}
	if k.Theirs != nil {
		p.Theirs = string(k.Theirs.Content)
	}
	if k.Purged {
		p.Purge = purge(k.Erased)
	}
	if r := k.Closed; r != nil && (!k.Purged || !r.At.Equal(k.Erased.At)) {
		p.Resolution = &view.Resolution{
			How: string(r.How), By: r.By.Name, At: r.At, EntryID: string(r.EntryID), Rev: r.Rev, Proposal: string(r.Proposal),
		}
	}
	return p
}

// rawConflict hands out the text that lost.
func (c *Console) rawConflict(v *visit) error {
	id, err := v.conflictID()
	if err != nil {
		return err
	}
	k, err := c.service.Conflict(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	if k.Purged {
		return memory.NotFound("text that was purged")
	}
	return v.download(k.Path, k.Content)
}

// resolveConflict does what the viewer chose.
func (c *Console) resolveConflict(v *visit) error {
	id, err := v.conflictID()
	if err != nil {
		return err
	}
	r := memory.Resolve{How: memory.How(v.form["how"])}
	switch r.How {
	case memory.HowTheirs, memory.HowBoth:
	case memory.HowOurs:
		if base := v.form["base_rev"]; base != "0" {
			if r.BaseRev, err = number("base_rev", base); err != nil {
				return err
			}
		}
	case memory.HowMerged, memory.HowLocal:
		return memory.Invalid("how", "this is not offered here")
	default:
		return memory.Invalid("how", "this is no way to resolve a conflict")
	}
	done, err := c.service.ResolveConflict(v.ctx(), v.who, v.project.ID, id, r)
	if err != nil {
		return c.unresolved(v, err)
	}
	if done.Closed.Proposal != "" {
		return v.redirect(view.ProposalURL(string(v.project.ID), string(done.Closed.Proposal)) + "?done=proposed")
	}
	return v.redirect(view.ConflictsURL(string(v.project.ID), "") + "?done=resolved")
}

// unresolved shows the conflict again, as it stands now, with why the decision
// did not count.
func (c *Console) unresolved(v *visit, err error) error {
	e := describe(err)
	if s := status(e); s != http.StatusConflict && s != http.StatusUnprocessableEntity && s != http.StatusBadRequest {
		return err
	}
	v.problem = e.Code
	return c.showConflict(v, status(e), &view.Notice{Tone: view.ToneWarn, Title: sentence(e.Message), Text: sentence(e.Hint)})
}
