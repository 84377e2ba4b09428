package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/teammem/teammem/client"
)

// What decided a memory folder, besides variables and settings files.
const (
	fromMember  = "--memory-dir"
	fromDefault = "default"
)

// LinkOf returns the link of the repository that a folder belongs to: a
// worktree is under the link of its repository, wherever it lies. A link of the
// home folder or of "/" covers nothing below it.
func LinkOf(d client.Dirs, folder string, getenv func(string) string) (client.Link, error) {
	root, err := findRoot(folder)
	if err != nil {
		return client.Link{}, err
	}
	l, err := d.LinkOf(root.at)
	if err == nil && inside(l.Folder, root.real) {
		return l, nil
	}
	if err != nil && !errors.Is(err, client.ErrNotLinked) {
		return client.Link{}, err
	}
	if l, err = d.LinkOf(root.real); err != nil {
		return client.Link{}, err
	}
	if l.Folder != root.real && NeedsProject(l.Folder, getenv) {
		return client.Link{}, fmt.Errorf("%s is %w: run teammem link %s --project SLUG", root.real, client.ErrNotLinked, root.real)
	}
	return l, nil
}

// Recheck resolves the memory folder of a link anew, as every run has to: a
// folder that has become another one is never switched to in silence. The
// error is a [client.ErrMarker].
func Recheck(l client.Link, getenv func(string) string) error {
	real, err := filepath.EvalSymlinks(l.MemoryDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // opening the tree says so
	}
	if err != nil {
		return fmt.Errorf("look up the memory folder: %w", err)
	}
	if real != l.MemoryReal {
		return fmt.Errorf("%w: %s now leads to %s, and led to %s when it was linked; link again if that is meant",
			client.ErrMarker, l.MemoryDir, real, l.MemoryReal)
	}
	if l.Source == fromMember {
		return nil
	}
	now, err := Locate(l.Folder, "", getenv)
	if err != nil {
		return fmt.Errorf("%w: %w", client.ErrMarker, err)
	}
	if now.MemoryDir == l.MemoryDir || (now.Source == fromDefault && (l.Source == fromDefault || empty(now.MemoryDir))) {
		return nil // the agent's default beside a folder of the member's choice says nothing while it is empty
	}
	return fmt.Errorf("%w: the agent's memory for %s is now %s (%s), and was %s (%s) when it was linked; link again if that is meant",
		client.ErrMarker, l.Folder, now.MemoryDir, now.Source, l.MemoryDir, l.Source)
}

func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// empty reports whether a folder holds no file: the agent makes its folders
// anew in each session.
func empty(dir string) bool {
	some := errors.New("some file")
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return some
		}
		return err
	})
	return err == nil || errors.Is(err, fs.ErrNotExist)
}
