package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// TreeNames judges where files are in the linked trees, as a sync would. It
// looks at each tree once.
type TreeNames struct {
	dirs     Dirs
	links    []Link
	options  tree.Options
	listings map[string]tree.Listing // by memory folder
}

// TreeNames of all that is linked. The clock and the home folder are those of
// o; nothing is written.
func (d Dirs) TreeNames(o tree.Options) (*TreeNames, error) {
	all, err := d.Links()
	if err != nil {
		return nil, err
	}
	o.Keep = func(context.Context, tree.Old) error { return errors.New("judging replaces no file") }
	return &TreeNames{dirs: d, links: all, options: o, listings: map[string]tree.Listing{}}, nil
}

// Judge returns the key of a file in a linked tree, as it is spelled there and
// parsed; neither, if it is in none. The error is a [*memory.Error] if something
// keeps the file from being shared: its key, what it is, a neighbour's name, or
// what the member leaves out.
func (n *TreeNames) Judge(ctx context.Context, file string) (key string, p memory.Path, err error) {
	l, key, found := n.find(file)
	if !found {
		return "", memory.Path{}, nil
	}
	if p, err = memory.ParsePath(key); err != nil {
		return key, memory.Path{}, err
	}
	listing, err := n.list(ctx, l)
	if err != nil {
		return key, p, err
	}
	if problem := judgeListed(&listing, p, key); problem != nil {
		return key, p, problem
	}
	return key, p, nil
}

// Exceptions returns what the project of a file's tree allows, as far as it is
// known here; nothing for a file that is in none.
func (n *TreeNames) Exceptions(file string) func(context.Context) (memory.Exceptions, error) {
	l, _, found := n.find(file)
	if !found {
		return func(context.Context) (memory.Exceptions, error) { return memory.Exceptions{}, nil }
	}
	return n.dirs.Exceptions(l, n.options.Clock)
}

// find looks for the tree that a file is in, first as it was named: a link in
// the tree must not lead out of it before it was judged.
func (n *TreeNames) find(file string) (l Link, key string, found bool) {
	file, err := filepath.Abs(file)
	if err != nil {
		return Link{}, "", false
	}
	places := []string{file}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		places = append(places, filepath.Join(dir, filepath.Base(file)))
	}
	for _, place := range places {
		for _, l := range n.links {
			for _, dir := range []string{l.MemoryDir, l.MemoryReal} {
				team := filepath.Join(dir, tree.FolderName)
				if dir != "" && place != team && within(place, team) {
					return l, filepath.ToSlash(strings.TrimPrefix(place[len(team):], string(filepath.Separator))), true
				}
			}
		}
	}
	return Link{}, "", false
}

func (n *TreeNames) list(ctx context.Context, l Link) (tree.Listing, error) {
	if listing, known := n.listings[l.MemoryDir]; known {
		return listing, nil
	}
	t, err := tree.Open(l.MemoryDir, n.options)
	if err != nil {
		return tree.Listing{}, err
	}
	defer t.Close()
	rules, err := t.Rules(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tree.Listing{}, err
	}
	t.Apply(rules)
	listing, err := t.List(ctx)
	if err != nil {
		return tree.Listing{}, fmt.Errorf("look at %s: %w", l.MemoryDir, err)
	}
	n.listings[l.MemoryDir] = listing
	return listing, nil
}

// judgeListed says what in the tree keeps a file from being shared.
func judgeListed(l *tree.Listing, p memory.Path, disk string) *memory.Error {
	for _, b := range l.Blocked {
		if b.Disk == disk || b.Folder && strings.HasPrefix(disk, b.Disk+"/") {
			return blockedProblem(&b)
		}
	}
	if tree.Ignored(disk) || l.LeavesOut(p) {
		return blockedProblem(&tree.Blocked{Disk: disk, Path: p, Kind: tree.KindIgnored})
	}
	var names sanitize.Names
	for _, f := range l.Files {
		if f.Path != p {
			names.Add(f.Path.String())
		}
	}
	return memory.CheckTwin(&names, p)
}
