package client

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// reportTime bounds what a run spends on telling how the tree is: it is done
// already, and whoever watches wants to go on.
const reportTime = 5 * time.Second

// tellState tells the server how the tree is, if that is not what was told last.
// A tree of which there is nothing to say, and never was, asks nothing. What
// cannot be told now is told by the next run: it is news for others, and nothing
// for this one.
//
// A run in another mode than the tree's sees only half of it, and says nothing.
func (c *cycle) tellState(ctx context.Context) {
	if c.device == "" || c.options.Mode != "" || c.unreported {
		return
	}
	r := c.deviceReport()
	file := filepath.Join(c.dirs.State, c.link.Instance, string(c.link.Project)+"-"+r.Tree+".reported")
	now, before := c.sumOf(r), told(file)
	if now == before || before == "" && isWell(r) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.reportTime)
	defer cancel()
	if c.unname(ctx, r.Refused) != nil || c.unname(ctx, r.Blocked) != nil {
		return
	}
	// The server may have what it got, and the answer be lost: then it is not known what was told last.
	if replaceFile(file, []byte(unsure), private, time.Time{}) != nil {
		return
	}
	c.report.Requests++
	err := c.server.report(ctx, c.link.Project, r)
	if memory.CodeOf(err) == memory.CodeNotFound && !errors.Is(err, errForeign) {
		c.unreported = true // the server is older than that
	}
	no := memory.CodeOf(err) == memory.CodeInvalid && !errors.Is(err, errForeign) // and never will be
	if err == nil || no {
		_ = replaceFile(file, []byte(now), private, time.Time{}) // or it is told again
	}
}

// unsure stands for the sum of a report that may have arrived.
const unsure = "unsure"

// told returns the sum of the report that the server has; "" if it never got
// one.
func told(file string) string {
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unsure
	}
	return string(b)
}

// sumOf tells reports apart, and those that another login made, or that a
// database had which was restored since.
func (c *cycle) sumOf(r memory.DeviceReport) string {
	body, err := wire.Encode(wire.NewReport(r))
	if err != nil {
		return "" // which no report was
	}
	return memory.Sum(append(body, c.index.Cursor.Epoch...)).String()
}

// isWell reports whether there is nothing to say.
func isWell(r memory.DeviceReport) bool {
	return r.Flow == memory.FlowBothWays && len(r.Holds)+r.RefusedTotal+r.BlockedTotal+r.Conflicts+r.Waiting == 0
}

// deviceReport is how the tree is, at the end of a run.
func (c *cycle) deviceReport() memory.DeviceReport {
	r := memory.DeviceReport{
		Device: c.device, Tree: c.treeName(), Flow: memory.Flow(cmp.Or(c.link.Mode, BothWays)), Conflicts: len(c.report.Conflicts),
	}
	for _, h := range c.report.Held {
		held := memory.ReportedHold{ID: h.ID, Deletes: len(h.Paths), Direction: memory.Outgoing}
		switch {
		case h.Kind == msync.DeleteLocal:
			held.Direction = memory.Incoming
		case h.Kind == msync.Upload:
			held.Deletes, held.Changes = 0, len(h.Paths)
		}
		r.Holds = append(r.Holds, held)
	}
	for _, f := range c.index.Refusals {
		if file := f.reported(); slices.Contains(BlockedCodes(), f.Code) {
			r.Blocked = append(r.Blocked, file)
		} else {
			r.Refused = append(r.Refused, file)
		}
	}
	for i := range c.proposals {
		if c.proposals[i].pending() {
			r.Waiting++
		}
	}
	r.RefusedTotal, r.BlockedTotal = len(r.Refused), len(r.Blocked)
	r.Refused, r.Blocked = firstOf(r.Refused), firstOf(r.Blocked)
	return r
}

// treeName tells the folder apart from others on this computer. One that is linked
// anew is the same: what was said of it before holds no more. Nobody learns its
// name by it.
func (c *cycle) treeName() string {
	return memory.Sum([]byte(string(c.device) + "\x00" + c.link.MemoryDir)).String()[:8]
}

// reported is what others are told of a refusal. A name that is itself refused
// stays here.
func (r refusal) reported() memory.ReportedFile {
	f := memory.ReportedFile{Path: r.Path, Code: r.Code, Layer: r.Layer}
	if r.Code == memory.CodePathRejected {
		f.Path = memory.Path{}
	}
	return f
}

// firstOf puts the files into an order, and returns as many as a report has.
func firstOf(files []memory.ReportedFile) []memory.ReportedFile {
	slices.SortFunc(files, func(a, b memory.ReportedFile) int {
		return cmp.Or(strings.Compare(a.Path.String(), b.Path.String()), cmp.Compare(a.Code, b.Code), strings.Compare(a.Layer, b.Layer))
	})
	return files[:min(len(files), memory.MaxReported)]
}

// unname takes out the names that have a secret in them.
func (c *cycle) unname(ctx context.Context, files []memory.ReportedFile) error {
	for i, f := range files {
		if f.Path.IsZero() {
			continue
		}
		scanner, err := c.scanner()
		if err != nil {
			return err
		}
		found, err := scanner.Scan(ctx, f.Path.String())
		if err != nil {
			return err
		}
		if len(found) > 0 {
			files[i].Path = memory.Path{}
		}
	}
	return nil
}

// report tells how a tree on this device is.
func (s *Server) report(ctx context.Context, project memory.ProjectID, r memory.DeviceReport) error {
	return s.post(ctx, projectPath(project, "report"), wire.NewReport(r), &wire.Done{})
}
