package web

import (
	"encoding/base64"
	"strings"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// entriesPage is how many entries one page lists.
const entriesPage = 100

// entries lists what a project holds, beside its folders.
func (c *Console) entries(v *visit) error {
	_, all, err := c.service.Manifest(v.ctx(), v.who, v.project.ID)
	if err != nil {
		return err
	}
	after, err := base64.RawURLEncoding.DecodeString(v.query["after"])
	if err != nil {
		return memory.Invalid("after", "this is not a place in the list")
	}
	open, err := c.openConflicts(v, memory.ConflictCursor{})
	if err != nil {
		return err
	}
	p := view.Entries{
		Project: projectOf(v.project.Project), Total: len(all), Conflicts: len(open), Findings: v.findingsHere(),
		Filter:  view.EntryFilter{Kind: v.query["kind"], Prefix: v.query["prefix"]},
		Folders: view.Tree(paths(all), folderOf(v.query["prefix"])),
	}
	for _, e := range all {
		path := e.Path.String()
		if !strings.HasPrefix(path, p.Filter.Prefix) || (p.Filter.Kind != "" && string(e.Kind) != p.Filter.Kind) {
			continue
		}
		p.Matches++
		switch {
		case path <= string(after):
		case len(p.Rows) < entriesPage:
			p.Rows = append(p.Rows, entryRow(e))
		case p.After == "":
			p.After = base64.RawURLEncoding.EncodeToString([]byte(p.Rows[len(p.Rows)-1].Path))
		}
	}
	return v.show(view.EntriesPage(v.frame(view.SectionProjects), p))
}

// siblingsPage is how many entries of its folder stand beside an open one.
const siblingsPage = 60

// siblings are the entries of a folder that are nearest to a path, and how many
// there are in the folder and below; the first ones for a path that is not there.
func siblings(all []memory.Entry, folder, path string) (rows []view.EntryRow, below int) {
	var here []memory.Entry
	at := 0
	for _, e := range all {
		p := e.Path.String()
		if !strings.HasPrefix(p, folder) {
			continue
		}
		below++
		if folderOf(p) != folder {
			continue
		}
		if p == path {
			at = len(here)
		}
		here = append(here, e)
	}
	first := max(0, min(at-siblingsPage/2, len(here)-siblingsPage))
	for _, e := range here[first:min(len(here), first+siblingsPage)] {
		rows = append(rows, entryRow(e))
	}
	return rows, below
}

func paths(entries []memory.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Path.String()
	}
	return all
}
