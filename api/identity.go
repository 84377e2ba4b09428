package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// projects lists what the caller may see, all or by slug or git remote.
func (a *API) projects(c *call) error {
	slug, remote := c.query["slug"], c.query["remote"]
	if slug != "" {
		if _, err := memory.ParseSlug(slug); err != nil {
			return err
		}
	}
	if err := wire.Label("remote", remote, 1000); err != nil {
		return err
	}
	found, err := a.service.Projects(c.ctx(), c.who, slug, remote)
	if err != nil {
		return err
	}
	return c.json(wire.NewPage(found, wire.NewProject, ""))
}

// project answers with one project.
func (a *API) project(c *call) error {
	found, err := a.service.Project(c.ctx(), c.who, c.project)
	if err != nil {
		return err
	}
	answer := wire.NewProject(found)
	if found.Role >= memory.RoleContributor && c.who.Can(memory.ScopeWrite) {
		key, err := a.service.FindingKey(c.ctx(), c.who, c.project)
		if err != nil {
			return err
		}
		answer = answer.WithFindingKey(key)
	}
	return c.json(answer)
}

// me answers with the caller.
func (a *API) me(c *call) error {
	member, err := a.service.Me(c.ctx(), c.who)
	if err != nil {
		return err
	}
	return c.json(wire.NewMe(member, c.who))
}

// addDevice registers a computer of the caller.
func (a *API) addDevice(c *call) error {
	var req wire.DeviceAdd
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	name, os, err := req.Domain()
	if err != nil {
		return err
	}
	device, err := a.service.AddDevice(c.ctx(), c.who, name, os)
	if err != nil {
		return err
	}
	return c.json(wire.NewDevice(device, c.who.Device))
}
