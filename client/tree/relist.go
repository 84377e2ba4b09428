package tree

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
)

// plain reports whether nothing but files and folders was found, and names that
// are no entry's. Only what is plain can be listed again in parts: why something
// else is not shared may have to do with other names.
func (l *Listing) plain() bool {
	return len(l.Folders) > 0 && len(l.unknown)+len(l.Leftovers)+len(l.LeftOut) == 0 && l.rules.text == "" &&
		!slices.ContainsFunc(l.Blocked, Blocked.hides)
}

// Relist is [Tree.List] for a tree in which nothing was touched since an
// earlier listing but names in the given folders, in their spelling on disk. It
// looks at those alone, and at folders that are new. What it says of the others
// is as old as the earlier listing, and so is the count of ignored names.
func (t *Tree) Relist(ctx context.Context, before *Listing, touched []string) (Listing, error) {
	again := make(map[string]bool, len(touched))
	for _, f := range touched {
		again[f] = true
	}
	missing := func(f string) bool { _, known := before.looked[f]; return !known }
	if !before.plain() || t.rules.text != "" || slices.ContainsFunc(touched, missing) {
		return t.List(ctx)
	}
	l := t.newListing()
	if err := t.Verify(); err != nil {
		return Listing{}, err
	}
	gone, err := t.relistFolders(ctx, &l, touched, before.looked)
	if err != nil || len(l.unknown)+len(l.Leftovers) > 0 || slices.ContainsFunc(l.Blocked, Blocked.hides) {
		return t.List(ctx) // which finds the words for it, or what there is now
	}
	if !l.join(before, again, gone) {
		return t.List(ctx)
	}
	return l, nil
}

// mostMoved is how many names may have come or gone for a listing to be worth
// mending.
const mostMoved = 64

// join takes over the earlier listing, which is used up by it, but for what was
// looked at again and what is gone. It reports false if that is not worth it,
// or if two files have one path key.
func (l *Listing) join(before *Listing, again map[string]bool, gone []string) bool {
	l.Partly, l.Anew, l.Ignored = true, l.Files, before.Ignored
	slices.SortFunc(l.Anew, comparePaths)
	l.Lost = before.lost(l.Anew, again, gone)
	var came []File
	for k, f := range l.Anew {
		i, known := before.find(f.Path)
		if k > 0 && l.Anew[k-1].Path == f.Path || known && before.Files[i].Disk != f.Disk {
			return false // in two spellings, maybe
		}
		if known {
			before.Files[i] = f
		} else {
			came = append(came, f)
		}
	}
	if len(came)+len(l.Lost) > mostMoved || !before.rename(came, l.Lost) {
		return false
	}
	l.Files, l.keys, l.sure = before.Files, before.keys, before.sure
	for _, b := range before.Blocked {
		if dir, _ := split(b.Disk); !again[dir] && !isGone(b.Disk, gone) {
			l.block(b)
		}
	}
	l.sortBlocked()
	l.keepFolders(before, gone)
	return true
}

// lost returns the files of the folders that were looked at again, or are gone,
// which were not found any more.
func (l *Listing) lost(found []File, again map[string]bool, gone []string) (lost []memory.Path) {
	dir, affected := "", again[""]
	for _, f := range l.Files {
		if d, _ := split(f.Disk); d != dir {
			dir, affected = d, again[d] || isGone(f.Disk, gone)
		}
		if !affected {
			continue
		}
		if _, there := slices.BinarySearchFunc(found, f, comparePaths); !there {
			lost = append(lost, f.Path)
		}
	}
	return lost
}

func isGone(disk string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return disk == f || strings.HasPrefix(disk, f+"/") })
}

// rename takes files out and in. It reports false if two have one path key then.
func (l *Listing) rename(came []File, lost []memory.Path) bool {
	if len(came) > 0 && l.keys == nil {
		l.keys = make(map[string]bool, len(l.Files))
		for _, f := range l.Files {
			l.keys[f.Path.Skeleton()] = true
		}
	}
	for _, p := range lost {
		i, _ := l.find(p)
		l.Files = slices.Delete(l.Files, i, i+1)
		delete(l.keys, p.Skeleton())
	}
	for _, f := range came {
		i, twice := l.find(f.Path)
		key := f.Path.Skeleton()
		if twice || l.keys[key] {
			return false
		}
		l.Files, l.keys[key] = slices.Insert(l.Files, i, f), true
	}
	return true
}

// find returns where the file of a path is, or would be.
func (l *Listing) find(p memory.Path) (i int, found bool) {
	return slices.BinarySearchFunc(l.Files, File{Path: p}, comparePaths)
}

// File returns the file of a path.
func (l *Listing) File(p memory.Path) (f File, found bool) {
	i, found := l.find(p)
	if found {
		f = l.Files[i]
	}
	return f, found
}

func comparePaths(a, b File) int { return cmp.Compare(a.Path.String(), b.Path.String()) }

// relistFolders looks at the names in folders, and at all that is in those that
// are new. It returns the folders that are gone.
func (t *Tree) relistFolders(ctx context.Context, l *Listing, touched []string, known map[string]info) (gone []string, err error) {
	for _, disk := range touched {
		names, err := t.relistFolder(ctx, l, disk, known)
		if err != nil {
			return nil, err
		}
		for f := range known {
			if dir, name := split(f); f != "" && dir == disk && !slices.Contains(names, name) {
				gone = append(gone, f)
			}
		}
	}
	return gone, nil
}

// relistFolder returns the names of the folders in a folder.
func (t *Tree) relistFolder(ctx context.Context, l *Listing, disk string, known map[string]info) (folders []string, err error) {
	d, err := t.descend(disk)
	if err != nil {
		return nil, err
	}
	defer t.release(d)
	if !d.self.same(known[disk]) { // nobody says where what was in it is now
		return nil, ErrReplaced
	}
	names, err := d.names()
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	depth := 1
	if disk != "" {
		depth += 1 + strings.Count(disk, "/")
	}
	for _, name := range names {
		if !l.name(d, name) {
			continue
		}
		folders = append(folders, name)
		if was, ok := known[d.join(name)]; ok {
			if is, err := d.lstat(name); err != nil || !is.same(was) {
				return nil, ErrReplaced
			}
			continue
		}
		if err := l.descend(ctx, d, name, depth); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// keepFolders takes over the folders that are not gone.
func (l *Listing) keepFolders(before *Listing, gone []string) {
	var folders []string
	for _, f := range before.Folders {
		if !isGone(f, gone) {
			folders = append(folders, f)
			l.looked[f] = before.looked[f]
		}
	}
	l.Folders = append(folders, l.Folders...)
	for c, disk := range before.spelled {
		if !isGone(disk, gone) {
			l.spelled[c] = disk
		}
	}
}
