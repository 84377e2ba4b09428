package client

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
)

// Link binds a working folder to a project of a server and to the memory
// folder whose team/ part is mirrored.
type Link struct {
	Folder     string           `json:"folder"`      // real path of the repository's root
	Repository string           `json:"repository"`  // normalised remote, or "dir:" and a real path
	Server     string           `json:"server"`      // URL
	Instance   string           `json:"instance"`    // id of the server behind the URL when linked
	Project    memory.ProjectID `json:"project"`     //
	Slug       string           `json:"slug"`        // for people
	MemoryDir  string           `json:"memory_dir"`  // as found
	MemoryReal string           `json:"memory_real"` // with links resolved
	Source     string           `json:"source"`      // what decided the memory folder
	RootID     string           `json:"root_id"`     // of the marker in team/
	Mode       Mode             `json:"mode,omitzero"`
}

type links struct {
	Links []Link `json:"links"`
}

// ErrNotLinked means that no link covers the folder.
var ErrNotLinked = errors.New("not linked")

func (d Dirs) linksFile() string { return filepath.Join(d.Config, "links.json") }

// Links returns all links, by folder.
func (d Dirs) Links() ([]Link, error) {
	var l links
	err := readJSON(d.linksFile(), &l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return l.Links, err
}

// LinkOf returns the link of the folder, or of the nearest folder above it.
func (d Dirs) LinkOf(folder string) (Link, error) {
	real, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Link{}, memory.Invalid("dir", "there is no folder "+folder)
	}
	if err != nil {
		return Link{}, fmt.Errorf("look up %s: %w", folder, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return Link{}, fmt.Errorf("look up %s: %w", folder, err)
	}
	all, err := d.Links()
	if err != nil {
		return Link{}, err
	}
	best := -1
	for i, l := range all {
		if within(real, l.Folder) && (best < 0 || len(l.Folder) > len(all[best].Folder)) {
			best = i
		}
	}
	if best < 0 {
		return Link{}, fmt.Errorf("%s is %w: run teammem link %s --project SLUG", real, ErrNotLinked, real)
	}
	return all[best], nil
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(os.PathSeparator))+string(os.PathSeparator))
}

// mayLink refuses to give a memory folder to a second repository.
func (d Dirs) mayLink(l Link) error {
	all, err := d.Links()
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.MemoryReal == l.MemoryReal && other.Repository != l.Repository {
			return memory.Invalid("memory-dir", fmt.Sprintf(
				"%s is already the memory of %s (%s): a memory folder belongs to one repository; unlink that one, or choose another with --memory-dir",
				l.MemoryReal, other.Repository, other.Folder))
		}
	}
	return nil
}

// SaveLink keeps a link in place of an earlier one for the same folder. Others of
// the same tree go the same way.
func (d Dirs) SaveLink(l Link) error {
	return d.exclusive(func() error { return d.saveLink(l) })
}

func (d Dirs) saveLink(l Link) error {
	all, err := d.Links()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o Link) bool { return o.Folder == l.Folder })
	for i, o := range all {
		if d.SameTree(o, l) {
			all[i].Mode = l.Mode
		}
	}
	all = append(all, l)
	slices.SortFunc(all, func(a, b Link) int { return strings.Compare(a.Folder, b.Folder) })
	return writeJSON(d.linksFile(), links{all})
}

// RemoveLink forgets a link, and with the last of a tree the key of its project.
// No file of the member is touched.
func (d Dirs) RemoveLink(l Link) error {
	return d.exclusive(func() error { return d.removeLink(l) })
}

func (d Dirs) removeLink(l Link) error {
	all, err := d.Links()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o Link) bool { return o.Folder == l.Folder })
	if err := writeJSON(d.linksFile(), links{all}); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o Link) bool { return d.stateDir(o) == d.stateDir(l) }) {
		return nil
	}
	return d.forgetExceptions(l)
}

// FindingPage is the address in the console where a finding is shown, and where
// somebody else decides about an exception for it.
func (l Link) FindingPage(id memory.FindingID) string {
	return strings.TrimSuffix(l.Server, "/") + "/p/" + url.PathEscape(string(l.Project)) + "/findings/" + url.PathEscape(string(id))
}

// TreeID tells linked trees apart, on this computer.
func (d Dirs) TreeID(l Link) string { return l.Instance + "/" + string(l.Project) + "/" + l.tag() }

// SameTree reports whether two links mirror one tree, as those of a repository
// and its worktrees do.
func (d Dirs) SameTree(a, b Link) bool { return d.TreeID(a) == d.TreeID(b) }

// tag tells the trees of one project apart.
func (l Link) tag() string { return l.RootID[:min(8, len(l.RootID))] }

// stateDir holds the index and the lock of a linked tree. Two trees of one
// project stay apart by the first digits of their root ids.
func (d Dirs) stateDir(l Link) string {
	return filepath.Join(d.State, l.Instance, string(l.Project)+"-"+l.tag())
}

func (d Dirs) trashDir(l Link) string { return filepath.Join(d.Data, "trash", string(l.Project)) }
func (d Dirs) conflictsDir(l Link) string {
	return filepath.Join(d.Data, "conflicts", string(l.Project))
}
