package web

import (
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// syncPage is how many trees one page lists.
const syncPage = 20

// sync shows how the trees are on members' computers.
func (c *Console) sync(v *visit) error {
	after, err := parseTreePlace(v.query["after"])
	if err != nil {
		return err
	}
	found, err := c.service.Health(v.ctx(), v.who, memory.HealthQuery{After: after, Limit: syncPage})
	if err != nil {
		return err
	}
	p := view.Sync{Everyone: v.mayReview()}
	for _, h := range found {
		p.Trees = append(p.Trees, v.tree(h))
	}
	if len(found) == syncPage {
		p.After = treePlace(found[len(found)-1].Place())
	}
	return v.show(view.SyncPage(v.frame(view.SectionSync), p))
}

// tree is one row of the page.
func (v *visit) tree(h memory.DeviceHealth) view.TreeHealth {
	t := view.TreeHealth{
		Project: v.named(h.Project), Device: h.Device.Name, OS: h.Device.OS, Owner: h.Owner.Name, Mine: h.Owner.Member == v.who.Member,
		Client: h.Client, Seen: h.LastSeen, Behind: h.Behind, Reported: h.Reported,
	}
	r := h.Report
	if r == nil {
		return t
	}
	t.Mode, t.Refused, t.Blocked = string(r.Flow), treeFiles(r.Refused), treeFiles(r.Blocked)
	t.RefusedTotal, t.BlockedTotal, t.Conflicts, t.Waiting = r.RefusedTotal, r.BlockedTotal, r.Conflicts, r.Waiting
	for _, hold := range r.Holds {
		t.Holds = append(t.Holds, view.Hold{Deletes: hold.Deletes, Changes: hold.Changes, Direction: string(hold.Direction)})
	}
	return t
}

func treeFiles(files []memory.ReportedFile) (all []view.TreeFile) {
	for _, f := range files {
		all = append(all, view.TreeFile{Path: f.Path.String(), Code: string(f.Code), Layer: f.Layer})
	}
	return all
}

// treePlace writes the place of a tree in the list.
func treePlace(c memory.HealthCursor) string {
	first := "0"
	if c.Troubled {
		first = "1"
	}
	return strings.Join([]string{
		first, strconv.FormatInt(c.LastSeen.UnixMicro(), 10), string(c.Project), string(c.Device), c.Tree,
	}, ".")
}

func parseTreePlace(s string) (c memory.HealthCursor, err error) {
	if s == "" {
		return c, nil
	}
	parts := strings.Split(s, ".")
	if len(parts) != 5 || parts[0] != "0" && parts[0] != "1" || !opaque(parts[3]) || parts[4] != "" && !opaque(parts[4]) {
		return c, memory.Invalid("after", "this is not a place in the list")
	}
	at, err := parsePlace(parts[1] + "." + parts[2])
	return memory.HealthCursor{
		Troubled: parts[0] == "1", LastSeen: at.At, Project: memory.ProjectID(at.ID), Device: memory.DeviceID(parts[3]), Tree: parts[4],
	}, err
}
