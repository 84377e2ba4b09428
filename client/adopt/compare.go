package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// snapshot is what is in team/ while an import is planned.
type snapshot struct {
	listing  tree.Listing
	disk     map[memory.Path]string
	texts    map[memory.Path][]byte // that may matter
	sums     map[memory.Hash]memory.Path
	arriving map[memory.Path]bool // entries that the next sync would bring
}

// look lists the tree, and reads what can have the name or the text of an item.
func look(ctx context.Context, t *tree.Tree, items []Item) (snapshot, error) {
	s := snapshot{disk: map[memory.Path]string{}, texts: map[memory.Path][]byte{}, sums: map[memory.Hash]memory.Path{}}
	var err error
	if s.listing, err = t.List(ctx); err != nil {
		return s, err
	}
	keys, sizes := map[memory.Path]bool{}, map[int64]bool{}
	for i := range items {
		if p, err := memory.ParsePath(items[i].key); err == nil {
			keys[p] = true
		}
		sizes[int64(items[i].Size)] = true
	}
	for _, f := range s.listing.Files {
		s.disk[f.Path] = f.Disk
		if !keys[f.Path] && !sizes[f.Stamp.Size] {
			continue
		}
		text, _, err := t.Read(ctx, f.Disk, tree.Stamp{})
		if _, blocked := errors.AsType[*tree.Blocked](err); blocked || errors.Is(err, fs.ErrNotExist) {
			continue // what cannot be read is not the same
		}
		if err != nil {
			return s, err
		}
		s.texts[f.Path] = text
		if sum := memory.Sum(text); s.sums[sum].IsZero() {
			s.sums[sum] = f.Path
		}
	}
	return s, nil
}

// has reports whether there is a file with the path, and whether it has the
// text with this hash.
func (s *snapshot) has(p memory.Path, sum memory.Hash) (there, same bool) {
	_, there = s.disk[p]
	text, read := s.texts[p]
	return there || s.arriving[p], read && memory.Sum(text) == sum
}

func (s *snapshot) paths() []memory.Path {
	paths := make([]memory.Path, len(s.listing.Files))
	for i, f := range s.listing.Files {
		paths[i] = f.Path
	}
	return paths
}

// comparison goes through the items of a plan, and holds what is taken by those
// before.
type comparison struct {
	*planning

	names   *sanitize.Names   // of team/ and of what is taken
	team    *sanitize.Names   // of team/ alone
	folders map[string]string // of team/, by skeleton
	taken   map[memory.Path]string
	byText  map[memory.Hash]string
	refused []*Item
}

// compare decides on everything that names and bytes decide. Files whose names
// are refused come last, so that what is suggested to them is free.
func (p *planning) compare() {
	c := comparison{
		planning: p, names: &sanitize.Names{}, team: &sanitize.Names{}, folders: map[string]string{},
		taken: map[memory.Path]string{}, byText: map[memory.Hash]string{},
	}
	for _, path := range slices.Concat(p.there.paths(), slices.Collect(maps.Keys(p.there.arriving))) {
		c.names.Add(path.String())
		c.team.Add(path.String())
		for dir := path.Dir(); dir != ""; dir = above(dir) {
			c.folders[sanitize.Skeleton(dir)] = dir
		}
	}
	for i := range p.Items {
		if item := &p.Items[i]; item.Verdict == "" {
			c.judge(item)
		}
	}
	for _, item := range c.refused {
		c.suggest(item)
	}
}

// judge decides on an item with a name that may be used.
func (c *comparison) judge(item *Item) {
	path, err := memory.ParsePath(item.key)
	if problem, ok := errors.AsType[*memory.Error](err); ok {
		item.Problem = problem
		c.refused = append(c.refused, item)
		return
	}
	if problem := memory.CheckTwin(c.team, path); problem != nil {
		item.Problem = problem
		c.refused = append(c.refused, item)
		return
	}
	item.Path = path
	there, same := c.there.has(path, item.Sum)
	switch {
	case same:
		item.Verdict = Same
	case c.taken[path] != "" || memory.CheckTwin(c.names, path) != nil:
		c.twin(item)
	case c.there.arriving[path]:
		item.Verdict, item.Reason = Differs, "the project has an entry of this name that is not here yet"
	case there && path.IsIndex():
		item.Verdict = Merged
	case there:
		item.Verdict, item.Reason = Differs, "another text has this name, and stays"
	default:
		c.take(item)
	}
}

// twin skips a file whose name an earlier one of the import has, in this or in
// another spelling.
func (c *comparison) twin(item *Item) {
	other := c.taken[item.Path]
	for path, file := range c.taken {
		if other == "" && path.Skeleton() == item.Path.Skeleton() {
			other = file
		}
	}
	if other == "" {
		item.skip("the same name as another file of this import, in another spelling, to some systems")
		return
	}
	item.skip(fmt.Sprintf("the same name as %+q, to some systems", other))
}

// take decides on an item whose name is free.
func (c *comparison) take(item *Item) {
	mayRepeat := item.Path.IsIndex() || plain(string(item.content)) == ""
	switch {
	case tree.Ignored(item.Path.String()):
		item.skip("a name that is never shared")
	case c.there.listing.LeavesOut(item.Path):
		item.skip("team/.teammemignore leaves it out")
	case !c.there.listing.Covers(item.Path):
		item.refuse(&memory.Error{
			Code: memory.Code(tree.KindClash), Message: "something in team/ that is no entry has this name, or the name of its folder",
			Hint: "teammem status says what it is",
		})
	case !mayRepeat && !c.there.sums[item.Sum].IsZero():
		item.skip(fmt.Sprintf("the same text as %+q in team/", c.there.sums[item.Sum]))
	case !mayRepeat && c.byText[item.Sum] != "":
		item.skip(fmt.Sprintf("the same text as %+q", c.byText[item.Sum]))
	default:
		item.Verdict = New
		c.names.Add(item.Path.String())
		c.taken[item.Path] = item.File
		if c.byText[item.Sum] == "" {
			c.byText[item.Sum] = item.File
		}
	}
}

// suggest finds a name for an item whose own is refused, and takes it under
// that if the member wants so.
func (c *comparison) suggest(item *Item) {
	item.Suggested = suggest(c.respelled(item.key), func(p memory.Path) bool {
		there, same := c.there.has(p, item.Sum)
		free := c.taken[p] == "" && memory.CheckTwin(c.names, p) == nil && c.there.listing.Covers(p)
		return same || free && !there && !tree.Ignored(p.String())
	})
	if !c.options.Rename || item.Suggested.IsZero() {
		item.Verdict = Refused
		return
	}
	item.Path, item.Renamed, item.Problem = item.Suggested, true, nil
	item.Meta = about(item.Path, item.content)
	if _, same := c.there.has(item.Path, item.Sum); same {
		item.Verdict = Same
		return
	}
	c.take(item)
}

// respelled writes the folders of a key as team/ does.
func (c *comparison) respelled(key string) string {
	for dir := above(key); dir != ""; dir = above(dir) {
		if spelling, ok := c.folders[sanitize.Skeleton(dir)]; ok {
			return spelling + strings.TrimPrefix(key, dir)
		}
	}
	return key
}

// above is the folder that a key is in, "" for the top.
func above(key string) string {
	i := strings.LastIndexByte(key, '/')
	return key[:max(i, 0)]
}
