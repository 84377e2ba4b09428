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
	h := v.Response().Header()
	h.Set("Content-Security-Policy", sandbox)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(r.Path.String())}))
	return v.bytes(http.StatusOK, "text/plain; charset=utf-8", r.Content)
}
