package client

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/teammem/teammem/memory"
)

// Leak is a secret that was found in a text of the member's after it was shared,
// and that nobody has settled: the server took the text back.
type Leak struct {
	Finding memory.FindingID `json:"finding"`
	Path    string           `json:"path"` // "" if it may hold a secret itself
	Rule    string           `json:"rule"`
	Hard    bool             `json:"hard"`
	State   string           `json:"state"`
	Line    int              `json:"line"`
	Column  int              `json:"column"`
	EntryID memory.EntryID   `json:"entry_id"`
	Rev     int64            `json:"rev"`

	// Withheld is where words stood that had it, beside a text or in a name; "" for
	// one in a text.
	Withheld string `json:"withheld,omitzero"`
}

// leaksOf are the findings that somebody has to do something about. What is
// allowed by now is none.
func leaksOf(all []memory.Finding) (leaks []Leak) {
	for _, f := range all {
		if f.State == memory.FindingAllowed || f.Stored.Rev == 0 && f.Withheld == "" {
			continue
		}
		leaks = append(leaks, Leak{
			Finding: f.ID, Path: f.Path.String(), Rule: f.Rule, Hard: f.Hard(), State: string(f.State), Line: f.Line, Column: f.Column,
			EntryID: f.Stored.EntryID, Rev: f.Stored.Rev, Withheld: f.Withheld,
		})
	}
	return leaks
}

// keptLeaks is what the last run that asked was told, for those who ask nobody.
type keptLeaks struct {
	Root    string `json:"root"`    // of the tree
	Unheard bool   `json:"unheard"` // there may be more: the server did not answer
	Leaks   []Leak `json:"leaks"`
}

func (d Dirs) leaksFile(l Link) string { return filepath.Join(d.stateDir(l), "leaks.json") }

// keptLeaks reads what was kept. What is damaged, or open to other accounts, says
// only that somebody has to ask.
func (d Dirs) keptLeaks(l Link) (kept keptLeaks) {
	err := readPrivate(d.leaksFile(l), &kept)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return keptLeaks{}
	case err != nil || kept.Root != l.RootID:
		return keptLeaks{Unheard: true}
	}
	return kept
}

// keep writes them down for the tree, or removes the file if there is nothing to
// keep.
func (k keptLeaks) keep(d Dirs, l Link) error {
	file := d.leaksFile(l)
	if len(k.Leaks) == 0 && !k.Unheard {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	k.Root = l.RootID
	if now := d.keptLeaks(l); now.Unheard == k.Unheard && slices.Equal(now.Leaks, k.Leaks) {
		return nil
	}
	return writeJSON(file, k)
}

// learnLeaks asks which texts the server took back for a secret, if it has taken
// something back, or if some were not settled when it was asked last. Most runs
// ask nothing.
func (c *cycle) learnLeaks(ctx context.Context) error {
	kept := c.dirs.keptLeaks(c.link)
	if !c.imposed && !kept.Unheard && len(kept.Leaks) == 0 {
		return nil
	}
	c.report.Requests++
	found, err := c.server.Leaks(ctx, c.link.Project)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		kept.Unheard = true
	} else {
		kept = keptLeaks{Leaks: leaksOf(found)}
	}
	c.imposed = false
	c.keepLeaks(kept)
	return nil
}

// rememberLeaks has the next run ask if this one did not get to it.
func (c *cycle) rememberLeaks() {
	if !c.imposed {
		return
	}
	kept := c.dirs.keptLeaks(c.link)
	kept.Unheard = true
	c.keepLeaks(kept)
}

func (c *cycle) keepLeaks(kept keptLeaks) {
	if err := kept.keep(c.dirs, c.link); err != nil {
		c.notice("which of your texts the server took back could not be kept: %v", err)
	}
}
