package hook

import (
	"context"
	"slices"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// toldEntry is what is remembered of an entry: which revision an agent was told
// of, and what that says of itself, so that it is read once.
type toldEntry struct {
	Rev         int64       `json:"rev"`
	Kind        memory.Kind `json:"kind,omitzero"` // "" until it is read
	Description string      `json:"description,omitzero"`
}

// toldEntries returns what can be told of each entry, by path. What is new is
// read from the tree, the newest first, as long as there is time; the next
// session goes on.
func (s *session) toldEntries(ctx context.Context, k client.Known, before toldOf) map[string]toldEntry {
	told := make(map[string]toldEntry, len(k.Entries))
	var unread []client.KnownEntry
	for _, e := range k.Entries {
		path := e.Path.String()
		now := toldEntry{Rev: e.Rev}
		if old := before.Entries[path]; before.Epoch == k.Cursor.Epoch && old.Rev == e.Rev {
			now = old
		}
		told[path] = now
		if now.Kind == "" && e.Disk != "" && !e.Path.IsIndex() {
			unread = append(unread, e)
		}
	}
	if len(unread) == 0 || s.goesOn() {
		return told
	}
	t, err := s.openTree(s.link)
	if err != nil {
		s.say("the entries cannot be read: %v", err)
		return told
	}
	defer t.Close()
	slices.SortStableFunc(unread, func(a, b client.KnownEntry) int { return b.At.Compare(a.At) })
	for _, e := range unread {
		if ctx.Err() != nil {
			break
		}
		if f, ok := frontmatter(ctx, t, e); ok {
			told[e.Path.String()] = toldEntry{e.Rev, f.Kind, f.Description}
		}
	}
	return told
}

// frontmatter reads what an entry says of itself. A file that is not what the
// server has says nothing of the entry.
func frontmatter(ctx context.Context, t *tree.Tree, e client.KnownEntry) (memory.Frontmatter, bool) {
	content, _, err := t.Read(ctx, e.Disk, tree.Stamp{})
	if err != nil || memory.Sum(content) != e.Sum {
		return memory.Frontmatter{}, false
	}
	return memory.ReadFrontmatter(e.Path, string(content)), true
}

// indexLines lists the entries as the index shows them, but for the index that
// members keep themselves.
func indexLines(k client.Known, told map[string]toldEntry) []memory.IndexLine {
	lines := make([]memory.IndexLine, 0, len(k.Entries))
	for _, e := range k.Entries {
		if e.Path.IsIndex() {
			continue
		}
		t := told[e.Path.String()]
		lines = append(lines, memory.IndexLine{Path: e.Path, Author: e.Author, At: e.At, Kind: t.Kind, Description: t.Description})
	}
	return lines
}
