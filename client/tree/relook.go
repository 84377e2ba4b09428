package tree

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// coarse is what a file system may round the times of folders to.
const coarse = 2 * time.Second

// Relook is [Tree.List] for a tree that most likely is as an earlier listing has
// it, but for names in the given folders. It looks at every file and folder, as
// List does; but below team/ names are only read and understood again if any may
// have come or gone.
func (t *Tree) Relook(ctx context.Context, before *Listing, touched []string) (Listing, error) {
	started := t.options.Clock()
	if !t.unchanged(ctx, before) {
		return t.List(ctx)
	}
	if !slices.Contains(touched, "") { // its time says nothing: we touch it
		touched = append(slices.Clone(touched), "")
	}
	l, err := t.Relist(ctx, before, touched)
	l.Started, l.sure = started, started
	return l, err
}

// unchanged reports whether all that is in folders is what it was. A folder in
// which names came or went has another time since; Windows has file systems on
// which it has not.
func (t *Tree) unchanged(ctx context.Context, l *Listing) bool {
	if !l.plain() || runtime.GOOS == "windows" {
		return false
	}
	for _, disk := range l.Folders {
		if disk != "" && !t.folderUnchanged(disk, l) {
			return false
		}
	}
	for files := l.Files; len(files) > 0; {
		dir, _ := split(files[0].Disk)
		n := slices.IndexFunc(files, func(f File) bool { d, _ := split(f.Disk); return d != dir })
		if n < 0 {
			n = len(files)
		}
		if ctx.Err() != nil || dir != "" && !t.filesUnchanged(dir, files[:n]) {
			return false
		}
		files = files[n:]
	}
	return true
}

// folderUnchanged compares a folder with what it was before its names were read.
// A change so close to that may have left no trace.
func (t *Tree) folderUnchanged(disk string, l *Listing) bool {
	d, err := t.descend(disk)
	if err != nil {
		return false
	}
	defer t.release(d)
	was, sure := l.looked[disk], l.sure.Add(-coarse).UnixNano()
	return d.self.same(was) && d.self.Stamp == was.Stamp && was.MTime < sure && was.CTime < sure
}

// filesUnchanged compares files of one folder.
func (t *Tree) filesUnchanged(disk string, files []File) bool {
	d, err := t.descend(disk)
	if err != nil {
		return false
	}
	defer t.release(d)
	for _, f := range files {
		_, name := split(f.Disk)
		if is, err := d.lstat(name); err != nil || is.Stamp != f.Stamp {
			return false
		}
	}
	return true
}
