package web

import (
	"strings"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// The functions of this file turn what the service answers into what the pages
// are given.

func projectOf(p memory.Project) view.Project { return view.Project{ID: string(p.ID), Slug: p.Slug} }

func projectRow(o memory.Overview) view.ProjectRow {
	return view.ProjectRow{
		Project: projectOf(o.Project), Role: o.Role.String(), Review: string(o.Review), Remotes: o.Remotes,
		Entries: o.Entries, Waiting: o.Pending, At: o.ChangedAt,
	}
}

func agentOf(a memory.Agent) view.Agent {
	return view.Agent{Name: a.Name, Version: a.Version, Model: a.Model, Session: a.Session}
}

// actionOf tells a first text from a later one.
func actionOf(a memory.Action, creates bool) view.Action {
	if creates && a == memory.ActionPut {
		return view.ActionCreate
	}
	return view.Action(a)
}

// named finds a project among those of the viewer.
func (v *visit) named(id memory.ProjectID) view.Project {
	for _, o := range v.projects {
		if o.ID == id {
			return projectOf(o.Project)
		}
	}
	return view.Project{ID: string(id)}
}

func (v *visit) change(c memory.ProjectChange) view.Change {
	return view.Change{
		Project: v.named(c.Project), EntryID: string(c.EntryID), Path: c.Path.String(), Previous: c.Previous.String(),
		Action: actionOf(c.Action, c.Creates), Rev: c.Rev, Author: c.Author.Name, Agent: agentOf(c.Agent), At: c.At,
	}
}

func entryRow(e memory.Entry) view.EntryRow {
	return view.EntryRow{
		ID: string(e.ID), Path: e.Path.String(), Name: e.Name, Description: e.Description, Kind: string(e.Kind),
		Author: e.Author.Name, At: e.UpdatedAt, Size: e.Size, Rev: e.Rev,
	}
}

func revisionOf(r memory.Revision) view.Revision {
	return view.Revision{
		Rev: r.Rev, Action: actionOf(r.Action, r.BaseRev == 0), Path: r.Path.String(), Author: r.Author.Name, Agent: agentOf(r.Agent),
		Note: r.Note, Size: r.Size, At: r.At,
	}
}

// purge is how a text went for good.
func purge(e memory.Erasure) *view.Purge {
	return &view.Purge{By: e.By.Name, At: e.At, Reason: e.Reason}
}

// device is what the device is called from which somebody wrote.
func (v *visit) device(id memory.DeviceID) (string, error) {
	names, err := v.console.service.DeviceNames(v.ctx(), v.who, id)
	return names[id], err
}

// lints are the remarks about a text, as of when it was written.
func lints(r memory.Revision) []view.Lint {
	return remarks(memory.Lints(r.Path, string(r.Content), r.At))
}

// numbered are the remarks about the name of an entry that is there, or is to be.
func (v *visit) numbered(path string) []view.Lint {
	return remarks(memory.LintNumbered(path, func(other string) bool {
		_, _, err := v.console.service.Entry(v.ctx(), v.who, v.project.ID, other)
		return err == nil
	}))
}

func remarks(lints []memory.Lint) (found []view.Lint) {
	for _, l := range lints {
		found = append(found, view.Lint{Rule: l.Rule, Line: l.Line, Message: l.Message})
	}
	return found
}

// risks are why a person should look at a text.
func risks(all []memory.Risk) (shown []view.Risk) {
	for _, r := range all {
		shown = append(shown, view.Risk{Cause: string(r.Cause), High: r.Cause.Level() == memory.LevelHigh, Line: r.Line})
	}
	return shown
}

// folderOf is the folder of a path, with a final slash; "" at the top.
func folderOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
