package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/teammem/teammem/memory"
)

// folder is one opened folder below team/, or team/ itself. All names that its
// methods take are single segments, so no link can be on the way.
type folder struct {
	root *os.Root
	dir  *os.File // the same folder, for what os.Root does not offer
	disk string   // below team/, "" for team/ itself
	self info
}

// newFolder takes an opened root; on failure the root stays the caller's.
func newFolder(root *os.Root, disk string) (*folder, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	self, err := fstat(dir)
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return &folder{root: root, dir: dir, disk: disk, self: self}, nil
}

// close lets go of the folder. It was only read, so there is nothing to report.
func (d *folder) close() {
	d.closeDir()
	_ = d.root.Close()
}

// closeDir closes what newFolder opened.
func (d *folder) closeDir() { _ = d.dir.Close() }

// fd returns the folder's descriptor, which is valid until close.
func (d *folder) fd() int { return int(d.dir.Fd()) }

// join returns the spelling on disk of a name in the folder.
func (d *folder) join(name string) string {
	if d.disk == "" {
		return name
	}
	if name == "" {
		return d.disk
	}
	return d.disk + "/" + name
}

// open opens a folder in the folder: a real one, and the same before and
// after. All errors but fs.ErrNotExist are a [*Blocked].
func (d *folder) open(name string) (*folder, error) {
	before, err := d.lstat(name)
	if err != nil {
		return nil, d.folderError(name, err)
	}
	if !before.dir() {
		kind := KindIrregular
		if before.mode&fs.ModeSymlink != 0 {
			kind = KindSymlink
		}
		return nil, &Blocked{Disk: d.join(name), Kind: kind, Folder: true}
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.folderError(name, err)
	}
	sub, err := newFolder(root, d.join(name))
	if err != nil {
		_ = root.Close()
		return nil, d.folderError(name, err)
	}
	if !sub.self.same(before) {
		sub.close()
		return nil, &Blocked{Disk: d.join(name), Kind: KindUnstable, Folder: true, Err: ErrChanged}
	}
	return sub, nil
}

func (d *folder) folderError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &Blocked{Disk: d.join(name), Kind: KindUnreadable, Folder: true, Err: err}
}

// names reads the names in the folder, as often as it is asked.
func (d *folder) names() ([]string, error) {
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// descend opens the folder at a spelling on disk, segment by segment. The
// folder it returns may be team/ itself, so it is let go with release.
func (t *Tree) descend(disk string) (*folder, error) {
	d := t.team
	if disk == "" {
		return d, nil
	}
	for name := range strings.SplitSeq(disk, "/") {
		sub, err := d.open(name)
		t.release(d)
		if err != nil {
			return nil, err
		}
		d = sub
	}
	return d, nil
}

// reopen opens team/ once more, for a reading of names of its own.
func (t *Tree) reopen() (*folder, error) {
	root, err := t.team.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	d, err := newFolder(root, "")
	if err != nil {
		_ = root.Close()
	}
	return d, err
}

// release closes a folder that descend returned.
func (t *Tree) release(d *folder) {
	if d != t.team {
		d.close()
	}
}

// split cuts a spelling on disk into folder and name.
func split(disk string) (dir, name string) {
	dir, name = path.Split(disk)
	return strings.TrimSuffix(dir, "/"), name
}

// blockedAt returns err, as a [*Blocked] with this name if it is about the
// name and nothing else, so that the rest of a batch can go on.
func blockedAt(disk string, p memory.Path, err error) error {
	if b, ok := errors.AsType[*Blocked](err); ok {
		if b.Path.IsZero() && b.Disk == disk {
			b.Path = p
		}
		return err
	}
	if denied(err) {
		return &Blocked{Disk: disk, Path: p, Kind: KindUnreadable, Err: err}
	}
	return err
}
