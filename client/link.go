package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Place is a working folder with the memory folder that belongs to it, as the
// agent's rules (or the member) decided.
type Place struct {
	Folder     string // real path of the repository's root
	Repository string // identity of the repository, see Link
	Remote     string // normalised git remote, "" if there is none
	MemoryDir  string // absolute
	Source     string // what decided the memory folder
	Mode       Mode   // which way things go; "": as before
}

// Linked is the outcome of a link.
type Linked struct {
	Link
	Already bool // nothing changed: the folder was linked like this before
}

// LinkTo binds a place to a project: team/ gets its root marker, and the link
// is remembered. Which way things go is the same for all links of a tree. A tree that was linked before keeps its marker and its index,
// unless rebuild asks for a new beginning: then everything is compared anew,
// and nothing is deleted.
func (d Dirs) LinkTo(ctx context.Context, p Place, s *Server, project memory.ProjectView, instance string, rebuild bool, o tree.Options) (Linked, error) {
	real, err := filepath.EvalSymlinks(p.MemoryDir)
	if err != nil {
		return Linked{}, fmt.Errorf("look up the memory folder: %w", err)
	}
	l := Link{
		Folder: p.Folder, Repository: p.Repository, Server: s.Address(), Instance: instance, Project: project.ID, Slug: project.Slug,
		MemoryDir: p.MemoryDir, MemoryReal: real, Source: p.Source,
	}
	if err := d.mayLink(l); err != nil {
		return Linked{}, err // before anything is made in a folder that is not ours
	}
	o.Create = true
	o.Keep = func(context.Context, tree.Old) error { return errors.New("a link replaces no file") }
	t, err := tree.Open(p.MemoryDir, o)
	if err != nil {
		return Linked{}, err
	}
	defer t.Close()
	l.RootID, err = d.mark(ctx, t, l, rebuild)
	if err != nil {
		return Linked{}, err
	}
	others, err := d.others(l)
	if err != nil {
		return Linked{}, err
	}
	l.Mode = modeOf(p.Mode, others)
	before, linked := d.linkAt(p.Folder)
	other := func(o Link) bool { return o.Mode != l.Mode }
	if linked && before == l && !slices.ContainsFunc(others, other) {
		return Linked{l, true}, nil
	}
	return Linked{l, false}, d.SaveLink(l)
}

// others returns the links of the same tree or folder, that of the folder
// included.
func (d Dirs) others(l Link) ([]Link, error) {
	all, err := d.Links()
	foreign := func(o Link) bool { return o.Folder != l.Folder && !d.SameTree(o, l) }
	return slices.DeleteFunc(all, foreign), err
}

// modeOf is the mode that somebody asked for, or else that of a tree's links. One
// way is never lost by linking again.
func modeOf(asked Mode, links []Link) Mode {
	for _, l := range links {
		if asked == "" {
			asked = l.Mode
		}
	}
	if asked == BothWays {
		return ""
	}
	return asked
}

// mark returns the root id of the tree's marker, and makes one for a tree that
// has none.
func (d Dirs) mark(ctx context.Context, t *tree.Tree, l Link, rebuild bool) (string, error) {
	m, err := t.Marker(ctx)
	old, linked := d.linkAt(l.Folder)
	switch {
	case rebuild:
	case err == nil && m.Project == l.Project && m.Instance == l.Instance && (!linked || old.RootID == m.Root || old.Project != l.Project):
		return m.Root, nil
	case err == nil && m.Project != l.Project:
		return "", fmt.Errorf("%s already mirrors project %s: unlink that first, or use another memory folder; --rebuild links it anew",
			filepath.Join(l.MemoryDir, tree.FolderName), m.Project)
	case err == nil:
		return "", fmt.Errorf("%w: it was copied, or belongs to another server; teammem link --rebuild starts anew and deletes nothing", ErrMarker)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	case linked && old.MemoryReal == l.MemoryReal && old.Project == l.Project:
		return "", fmt.Errorf("%w: team/.teammem is missing, so this may be an empty mount point; teammem link --rebuild starts anew and deletes nothing", ErrMarker)
	}
	made, err := t.WriteMarker(l.Instance, l.Project)
	return made.Root, err
}

func (d Dirs) linkAt(folder string) (Link, bool) {
	l, err := d.LinkOf(folder)
	return l, err == nil && l.Folder == folder
}
