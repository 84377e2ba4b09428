package hook

import (
	"context"
	"slices"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// entries lists the entries with what they say of themselves. The newest are
// read first, as long as there is time; those that were not read, and those
// whose file is not what the server has, are listed without their words.
func (s *session) entries(ctx context.Context, k client.Known) []memory.IndexLine {
	if s.goesOn() {
		return nil
	}
	newest := slices.Clone(k.Entries)
	slices.SortStableFunc(newest, func(a, b client.KnownEntry) int { return b.At.Compare(a.At) })
	t, err := s.openTree(s.link)
	if err != nil {
		s.say("the entries cannot be read: %v", err)
		return nil
	}
	defer t.Close()
	var all []memory.IndexLine
	for _, e := range newest {
		if e.Path.IsIndex() {
			continue // the index of the entries is what this makes
		}
		line := memory.IndexLine{Path: e.Path, Author: e.Author, At: e.At, Kind: memory.KindProject}
		if f, ok := words(ctx, t, e); ok {
			line.Kind, line.Description = f.Kind, f.Description
		}
		all = append(all, line)
	}
	return all
}

// words reads what an entry says of itself.
func words(ctx context.Context, t *tree.Tree, e client.KnownEntry) (memory.Frontmatter, bool) {
	if e.Disk == "" || ctx.Err() != nil {
		return memory.Frontmatter{}, false
	}
	content, _, err := t.Read(ctx, e.Disk, tree.Stamp{})
	if err != nil || memory.Sum(content) != e.Sum {
		return memory.Frontmatter{}, false
	}
	return memory.ReadFrontmatter(e.Path, string(content)), true
}
