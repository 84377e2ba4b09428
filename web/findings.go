package web

import (
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// How much one page of findings lists.
const (
	findingsPage     = 50
	findingsProjects = 100 // to choose from
)

// findings lists findings of all projects.
func (c *Console) findings(v *visit) error {
	l, err := c.findingList(v, view.ParseFindingTab(v.query["tab"]), v.query["project"], v.query["after"])
	if err != nil {
		return err
	}
	state, err := c.service.Scanning(v.ctx(), v.who)
	if err != nil {
		return err
	}
	l.RuleSet = state.RuleSet
	for _, p := range state.Rescans {
		l.Rescans = append(l.Rescans, view.Rescan{Project: v.named(p.Project), Seq: p.Seq, Goal: p.Goal})
	}
	return v.show(view.FindingsPage(v.frame(view.SectionFindings), view.Findings{List: l}))
}

// findingList is one page of the list.
func (c *Console) findingList(v *visit, tab view.FindingTab, project, after string) (view.FindingList, error) {
	l := view.FindingList{Tab: tab}
	for _, o := range v.projects {
		l.Opened, l.Requested = l.Opened+o.Findings.Open, l.Requested+o.Findings.Requested
		l.Everyone = l.Everyone || o.Role >= memory.RoleMaintainer
		here := tab == view.FindingsDone || o.Findings.Open+o.Findings.Requested > 0 || string(o.ID) == project
		if here && len(l.Projects) < findingsProjects {
			l.Projects = append(l.Projects, projectOf(o.Project))
		}
	}
	if project != "" {
		l.Project = v.named(memory.ProjectID(project))
		if l.Project.Slug == "" {
			return l, memory.NotFound("project")
		}
	}
	from, err := parsePlace(after)
	if err != nil {
		return l, err
	}
	found, err := c.service.FindingQueue(v.ctx(), v.who, memory.FindingQueueQuery{
		Part: memory.FindingPart(tab), Project: memory.ProjectID(project), // tabs are called like the parts
		After: memory.FindingCursor{At: from.At, ID: memory.FindingID(from.ID)}, Limit: findingsPage,
	})
	for _, f := range found {
		l.Rows = append(l.Rows, v.findingRow(f))
	}
	if len(found) == findingsPage {
		last := found[len(found)-1]
		l.After = place(memory.ProposalCursor{At: last.At, ID: memory.ProposalID(last.ID)})
	}
	return l, err
}

func (v *visit) findingRow(f memory.Finding) view.FindingRow {
	return view.FindingRow{
		Project: v.named(f.Project), ID: string(f.ID), Path: f.Path.String(), Rule: f.Rule, Hard: f.Hard(), State: view.FindingState(f.State),
		Stored: f.Stored.Rev > 0, Held: f.Held, Withheld: f.Withheld, Author: f.Author.Name, Mine: f.Author.Member == v.who.Member, At: f.At,
	}
}

// findingsWaiting are how many findings of the viewer's are open, and how many
// requests they may decide.
func (v *visit) findingsWaiting() (open, requests int) {
	for _, o := range v.projects {
		open, requests = open+o.Findings.Mine, requests+o.Requests
	}
	return open, requests
}

// findingsHere are how many findings of the project {p} are not done with, of
// those that the viewer sees.
func (v *visit) findingsHere() int {
	for _, o := range v.projects {
		if o.ID == v.project.ID {
			return o.Findings.Open + o.Findings.Requested
		}
	}
	return 0
}
