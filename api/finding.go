package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// findings lists secrets that were found, newest first.
func (a *API) findings(c *call) error {
	q, err := findingQuery(c)
	if err != nil {
		return err
	}
	found, err := a.service.Findings(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	cursor := func(row memory.Finding) string { return timeCursor(row.At, row.ID) }
	return c.json(wire.NewPage(found, wire.NewSecretFinding, next(found, q.Limit, cursor)))
}

func findingQuery(c *call) (q memory.FindingQuery, err error) {
	if state, given := c.query["state"]; given {
		if q.State, err = memory.ParseFindingState(state); err != nil {
			return q, err
		}
	}
	for name, only := range map[string]*bool{"leaked": &q.Leaked, "asked": &q.Asked} {
		value, given := c.query[name]
		if given && value != "true" {
			return q, memory.Invalid(name, "this is true, or left out")
		}
		*only = given
	}
	if q.Author, err = c.author(); err != nil {
		return q, err
	}
	if q.Limit, err = pageSize(c.query); err != nil {
		return q, err
	}
	q.After.At, q.After.ID, err = after(c.query, wire.ParseFindingID)
	return q, err
}

// reportFinding keeps what a client refused by itself.
func (a *API) reportFinding(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	var req wire.FindingReport
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	report, err := req.Domain()
	if err != nil {
		return err
	}
	if report.Device == "" {
		report.Device = c.who.Device
	}
	f, err := a.service.ReportFinding(c.ctx(), c.who, c.project, report)
	if err != nil {
		return err
	}
	return c.json(wire.NewSecretFinding(f))
}

// finding answers with one finding, and what to do about it.
func (a *API) finding(c *call) error {
	id, err := wire.ParseFindingID(c.Param("id"))
	if err != nil {
		return err
	}
	v, err := a.service.FindingView(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.json(wire.NewFindingView(v))
}

// allow asks for an exception, or takes that back.
func (a *API) allow(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseFindingID(c.Param("id"))
	if err != nil {
		return err
	}
	var req wire.AllowAction
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := req.Check(); err != nil {
		return err
	}
	var f memory.Finding
	if req.Action == "request" {
		f, err = a.service.RequestAllow(c.ctx(), c.who, c.project, id, req.Wish())
	} else {
		f, err = a.service.CancelAllow(c.ctx(), c.who, c.project, id)
	}
	if err != nil {
		return err
	}
	return c.json(wire.NewSecretFinding(f))
}

// decideAllow approves what an author asks for, or denies it.
func (a *API) decideAllow(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseFindingID(c.Param("id"))
	if err != nil {
		return err
	}
	var req wire.AllowDecision
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	answer, err := req.Domain()
	if err != nil {
		return err
	}
	f, err := a.service.DecideAllow(c.ctx(), c.who, c.project, id, answer)
	if err != nil {
		return err
	}
	return c.json(wire.NewSecretFinding(f))
}

// resolveFinding says that somebody took care of a finding.
func (a *API) resolveFinding(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseFindingID(c.Param("id"))
	if err != nil {
		return err
	}
	f, err := a.service.ResolveFinding(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.json(wire.NewSecretFinding(f))
}

// allowRules lists the exceptions in force.
func (a *API) allowRules(c *call) error {
	rules, err := a.service.AllowRules(c.ctx(), c.who, c.project)
	if err != nil {
		return err
	}
	return c.json(wire.NewPage(rules, wire.NewAllowRule, ""))
}

// revokeAllow ends an exception.
func (a *API) revokeAllow(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseAllowID(c.Param("id"))
	if err != nil {
		return err
	}
	if err := a.service.RevokeAllow(c.ctx(), c.who, c.project, id); err != nil {
		return err
	}
	return c.json(wire.Done{})
}
