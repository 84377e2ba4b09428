package tree

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// A new folder is filled under a name of ours and then renamed as a whole. Its
// files have their own names in it from the start: that saves a rename and a
// look for each, most of what a first sync does after its texts are written.

// hide names a new folder until it is revealed.
func (c *folderCache) hide(parent *cachedFolder, disk string) (name string) {
	if c.hidden == nil {
		c.hidden = map[string]string{}
	}
	name = newFolderName()
	c.hidden[disk] = parent.join(name)
	return name
}

// place returns where a folder is for now, and the hidden folder that it is or
// is in.
func (c *folderCache) place(disk string) (place, top string) {
	if len(c.hidden) == 0 {
		return disk, ""
	}
	for top = disk; top != ""; top, _ = split(top) {
		if at, ok := c.hidden[top]; ok {
			return at + disk[len(top):], top
		}
	}
	return disk, ""
}

// reveal gives a hidden folder its name. If something has that by now, the
// folder stays where it is.
func (c *folderCache) reveal(top string) error {
	c.trim()
	above, name := split(top)
	parent, err := c.get(above)
	if err != nil {
		return err
	}
	if err := parent.free(name); err != nil {
		return err
	}
	_, hidden := split(c.hidden[top])
	if err := c.t.claim(parent.folder, hidden, parent.folder, name); err != nil {
		return err
	}
	delete(c.hidden, top)
	parent.added(name)
	return nil
}

// reveal shows the new folders, and with them the texts that were written into
// them, unless something stopped the batch before those were durable. None is
// hidden afterwards: one that cannot be shown is removed, and its operations
// are not carried out.
func (b *Batch) reveal(stopped error) {
	if len(b.folders.hidden) == 0 {
		return
	}
	within := map[string][]*op{}
	for _, o := range b.ops {
		if o.top != "" && o.at != "" {
			within[o.top] = append(within[o.top], o)
		}
	}
	var shown []*op
	for _, top := range slices.Sorted(maps.Keys(b.folders.hidden)) {
		err := stopped
		if err == nil && len(within[top]) > 0 {
			err = b.folders.reveal(top)
		}
		if err == nil {
			shown = append(shown, within[top]...)
			continue
		}
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			err = ErrChanged
		}
		for _, o := range within[top] {
			b.folders.trim()
			o.result.Err = errors.Join(blockedAt(o.disk, o.path, err), b.drop(o))
		}
	}
	b.revealed(shown)
	b.removeHidden()
}

// revealed finds out which texts have come with their folders, in some folders at
// a time: that is most of what is left to do then.
func (b *Batch) revealed(ops []*op) {
	within := map[string][]*op{}
	for _, o := range ops {
		o.at, o.done = "", true // whatever it is by now, it is not ours to remove
		dir, _ := split(o.disk)
		within[dir] = append(within[dir], o)
	}
	const workers = 4
	dirs := slices.Collect(maps.Keys(within))
	var group sync.WaitGroup
	for from := range min(workers, len(dirs)) {
		group.Go(func() {
			for i := from; i < len(dirs); i += workers {
				b.t.arrivedIn(dirs[i], within[dirs[i]])
			}
		})
	}
	group.Wait()
}

// arrivedIn looks for the texts that have come with a folder: somebody may have
// removed one while it was hidden. What was written to one meanwhile shows at
// the next look, since the stamp is that of our text.
func (t *Tree) arrivedIn(dir string, ops []*op) {
	var names map[string]bool
	d, err := t.descend(dir)
	if err == nil {
		defer t.release(d)
		names, err = d.canonicalNames()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, o := range ops {
		_, name := split(o.disk)
		switch {
		case err != nil:
			o.result.Err = blockedAt(o.disk, o.path, err)
		case !names[canonical(name)]:
			o.result.Err = ErrChanged
		default:
			o.result.Stamp = o.made.Stamp
		}
	}
}

// canonicalNames lists a folder anew.
func (d *folder) canonicalNames() (map[string]bool, error) {
	list, err := d.names()
	names := make(map[string]bool, len(list))
	for _, n := range list {
		names[canonical(n)] = true
	}
	return names, err
}

// removeHidden removes the hidden folders, which are empty now, and forgets
// them: somebody may have folders of their names.
func (b *Batch) removeHidden() {
	for _, dir := range deepestFirst(b.folders.made) {
		if _, top := b.folders.place(dir); top != "" {
			b.folders.trim()
			b.removeFolder(dir)
			delete(b.folders.made, dir)
		}
	}
	b.folders.hidden = nil // what is not empty is left to Sweep
	b.folders.forget()
}

// markedBy is how much later than a text was written it says that it was read,
// while nobody did anything with it in its hidden folder: writing moves the one
// time, and reading mostly the other. Whole and even, it outlives file systems
// with coarse times.
const markedBy = 78 * time.Second

// untouched reports whether the file looks like one that was written by us and
// by nobody since.
func (i info) untouched() bool { return i.nlink == 1 && i.ATime-i.MTime == int64(markedBy) }

// sweepHidden clears away a folder that a crash left hidden. All its texts go
// to the keeper. What is not ours stays, and the folder with it.
func (b *Batch) sweepHidden(ctx context.Context, d *folder, name string) error {
	sub, err := d.open(name)
	if err != nil {
		return err
	}
	defer sub.close()
	names, err := sub.names()
	if err != nil {
		return err
	}
	var errs error
	for _, n := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.sweepIn(ctx, sub, n); !passing(err) { // each by itself: one that passes hides no other
			errs = errors.Join(errs, err)
		}
	}
	if errs != nil {
		return errs
	}
	if err := d.rmdir(name); !errors.Is(err, fs.ErrExist) { // not empty: for the next time, or for a person
		return err
	}
	return nil
}

func (b *Batch) sweepIn(ctx context.Context, d *folder, name string) error {
	i, err := d.lstat(name)
	switch {
	case err != nil:
		return err
	case i.dir():
		return b.sweepHidden(ctx, d, name)
	case d.foreign(name, i) != nil:
		return nil //nolint:nilerr // List tells of it
	}
	// An empty file is one that we had not written to yet, or holds nothing.
	return b.t.letGo(ctx, d, name, Old{Disk: d.join(name), Ours: i.untouched() || i.Size == 0})
}

// foreign returns why Sweep does not touch what is in a hidden folder, or nil.
func (d *folder) foreign(name string, i info) *Blocked {
	switch {
	case i.mode&fs.ModeSymlink != 0:
		return &Blocked{Disk: d.join(name), Kind: KindSymlink}
	case !i.regular():
		return &Blocked{Disk: d.join(name), Kind: KindIrregular}
	case i.Size > maxOldBytes:
		return &Blocked{Disk: d.join(name), Kind: KindTooLarge}
	}
	return nil
}
