package tree

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// plain reports whether nothing but files and folders was found. Only what is
// plain can be listed again in parts: why something else is not shared may have
// to do with other names.
func (l *Listing) plain() bool {
	return len(l.Folders) > 0 && len(l.Blocked)+len(l.Leftovers)+len(l.LeftOut) == 0 && l.rules.text == ""
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
	if err != nil || len(l.Blocked)+len(l.Leftovers) > 0 {
		return t.List(ctx) // which finds the words for it, or what there is now
	}
	l.Ignored = before.Ignored
	found := len(l.Files)
	l.keep(before, again, gone)
	slices.SortFunc(l.Files, func(a, b File) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	if !sameNames(l.Files, before.Files) && found > 0 {
		l.findClashes()
	}
	if len(l.Blocked) > 0 {
		return t.List(ctx)
	}
	return l, nil
}

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

// keep takes over what was not looked at again, and is not gone.
func (l *Listing) keep(before *Listing, again map[string]bool, gone []string) {
	left := func(disk string) bool {
		return slices.ContainsFunc(gone, func(f string) bool { return disk == f || strings.HasPrefix(disk, f+"/") })
	}
	l.Files = slices.Grow(l.Files, len(before.Files))
	for _, f := range before.Files {
		if dir, _ := split(f.Disk); !again[dir] && !left(dir) {
			l.Files = append(l.Files, f)
		}
	}
	var folders []string
	for _, f := range before.Folders {
		if !left(f) {
			folders = append(folders, f)
		}
	}
	l.Folders = append(folders, l.Folders...)
	for _, f := range folders {
		l.looked[f] = before.looked[f]
	}
	for c, disk := range before.spelled {
		if !left(disk) {
			l.spelled[c] = disk
		}
	}
}

func sameNames(a, b []File) bool {
	return slices.EqualFunc(a, b, func(a, b File) bool { return a.Disk == b.Disk })
}
