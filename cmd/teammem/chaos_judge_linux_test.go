package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// finds says where the marks of lines are.
type finds map[string][]string

// judge looks for every line that was ever written.
func (c *chaos) judge(t *testing.T) {
	t.Helper()
	tree, history, conflicts, trash := finds{}, c.history(t), finds{}, finds{}
	for path, text := range c.people[0].files(t) {
		tree.lines(text, path)
	}
	written, removed := map[string]writing{}, map[string]string{}
	for _, p := range c.people {
		p.kept(t, "conflicts", conflicts)
		p.kept(t, "trash", trash)
		maps.Copy(written, p.written)
		maps.Copy(removed, p.removed)
	}
	appended, lost := 0, 0
	for _, mark := range slices.Sorted(maps.Keys(written)) {
		w, where := written[mark], fmt.Sprintf(
			"tree %q, history %d, conflicts %q, trash %q, removed %q", tree[mark], len(history[mark]), conflicts[mark], trash[mark], removed[mark])
		switch {
		case len(tree[mark])+len(history[mark])+len(conflicts[mark]) == 0:
			t.Errorf("%s, written in %s, is lost: %s", mark, w.path, where)
		case len(tree[mark]) > 1:
			t.Errorf("%s, written in %s, is there more than once: %s", mark, w.path, where)
		case len(tree[mark])+len(conflicts[mark]) == 0 && removed[mark] == "":
			t.Errorf("%s, written in %s, was removed by nobody: %s", mark, w.path, where)
		}
		if w.append {
			appended++
			if len(tree[mark]) == 0 && removed[mark] == "" {
				lost++
				t.Logf("%s, appended to %s, became a conflict: %q", mark, w.path, conflicts[mark])
			}
		}
	}
	t.Logf("%d lines, %d of them appended to shared files; %d of those became conflicts; %d were removed", len(written), appended, lost, len(removed))
	const most = 50 // one in so many; of few, one long absence takes more
	if c.size.long && lost > appended/most {
		t.Errorf("%d of %d appends became conflicts", lost, appended)
	}
}

// lines notes the lines of a text that have a mark.
func (f finds) lines(text, where string) {
	for line := range strings.Lines(text) {
		if mark := marks.FindString(line); mark != "" {
			f[mark] = append(f[mark], where)
		}
	}
}

// kept finds what a person's conflicts or trash have.
func (p *person) kept(t *testing.T, what string, found finds) {
	t.Helper()
	dir := filepath.Join(p.home, ".local", "share", "teammem", what)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".md" || strings.HasSuffix(file, ".base.md") {
			return ignoreGone(err)
		}
		text, err := os.ReadFile(file)
		found.lines(string(text), p.name+" "+strings.TrimPrefix(file, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// history finds what the server has, or had.
func (c *chaos) history(t *testing.T) finds {
	t.Helper()
	first := c.people[0]
	server, err := client.NewServer(c.url, client.ServerOptions{Token: first.token})
	if err != nil {
		t.Fatal(err)
	}
	project, found, since := first.link(t).Project, finds{}, memory.Cursor{}
	for more := true; more; {
		page, _, err := server.Changes(t.Context(), project, since, "", false, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range page.Changes {
			all, err := server.History(t.Context(), project, change.EntryID, 0)
			if err != nil {
				t.Fatal(err)
			}
			found.revisions(t, server, project, all)
		}
		since, more = memory.Cursor{Epoch: page.Epoch, Seq: page.To}, page.More()
	}
	return found
}

// revisions finds what versions of an entry added.
func (f finds) revisions(t *testing.T, server *client.Server, project memory.ProjectID, all []memory.Revision) {
	t.Helper()
	for part := range slices.Chunk(all, 100) {
		var refs []memory.RevisionRef
		for _, r := range part {
			if r.Action != memory.ActionDelete {
				refs = append(refs, memory.RevisionRef{EntryID: r.EntryID, Rev: r.Rev})
			}
		}
		for len(refs) > 0 {
			got, err := server.Contents(t.Context(), project, refs)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range got.Items {
				f.lines(string(item.Content), fmt.Sprintf("%s:%d", item.Ref.EntryID, item.Ref.Rev))
			}
			refs = refs[len(got.Items):]
		}
	}
}
