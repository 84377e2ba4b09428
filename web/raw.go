package web

import (
	"mime"
	"net/http"
	"path"

	"github.com/teammem/teammem/memory"
)

// raw hands the exact bytes out, as a file to keep and never as a page.
func (c *Console) raw(v *visit) error {
	id, err := v.entryID()
	if err != nil {
		return err
	}
	_, r, err := c.service.EntryByID(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	if s, given := v.query["rev"]; given {
		rev, err := number("rev", s)
		if err != nil {
			return err
		}
		if r, err = c.service.Revision(v.ctx(), v.who, v.project.ID, id, rev); err != nil {
			return err
		}
	}
	if r.Action == memory.ActionDelete {
		return memory.NotFound("text of a delete")
	}
	return v.download(r.Path, r.Content)
}

// rawProposal hands out the text that a proposal shows: the proposed one, or of
// a move or delete the one that the entry has.
func (c *Console) rawProposal(v *visit) error {
	id, err := v.proposalID()
	if err != nil {
		return err
	}
	p, err := c.service.Proposal(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	if p.Purged {
		return memory.NotFound("text that was purged")
	}
	content := p.Content
	if p.Action != memory.ActionPut && p.Base != nil {
		content = p.Base.Content
	}
	return v.download(p.Path, content)
}

func (v *visit) download(name memory.Path, content []byte) error {
	h := v.Response().Header()
	h.Set("Content-Security-Policy", sandbox)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name.String())}))
	return v.bytes(http.StatusOK, "text/plain; charset=utf-8", content)
}
