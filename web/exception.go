package web

import (
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// exceptionsPage is how many exceptions the page lists.
const exceptionsPage = 200

// exceptions lists what a project allows.
func (c *Console) exceptions(v *visit) error {
	rules, err := c.service.AllowRules(v.ctx(), v.who, v.project.ID)
	if err != nil {
		return err
	}
	p := view.Exceptions{Project: projectOf(v.project.Project), MayRevoke: v.project.Role >= memory.RoleMaintainer, More: max(0, len(rules)-exceptionsPage)}
	for _, r := range rules[:len(rules)-p.More] {
		row := view.ExceptionRow{
			ID: string(r.ID), Rule: r.Rule, Paths: r.Glob, Reason: string(r.Reason), Author: r.Author.Name, By: r.By.Name, ExpiresAt: r.ExpiresAt,
		}
		if p.MayRevoke || r.Author.Member == v.who.Member {
			row.Finding = string(r.Finding)
		}
		p.Rows = append(p.Rows, row)
	}
	return v.show(view.ExceptionsPage(v.frame(view.SectionFindings), p))
}

// revoke ends an exception.
func (c *Console) revoke(v *visit) error {
	id := v.Param("id")
	if !opaque(id) {
		return memory.NotFound("rule")
	}
	if err := c.service.RevokeAllow(v.ctx(), v.who, v.project.ID, memory.AllowID(id)); err != nil {
		return err
	}
	return v.redirect(view.ExceptionsURL(string(v.project.ID)) + "?done=revoked")
}
