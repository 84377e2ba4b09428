package tree

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
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
// them. None is hidden afterwards: one that cannot be shown is removed, and its
// operations are not carried out.
func (b *Batch) reveal(ctx context.Context) {
	if len(b.folders.hidden) == 0 {
		return
	}
	within := map[string][]*op{}
	for _, o := range b.ops {
		if o.top != "" && o.tmp != "" {
			within[o.top] = append(within[o.top], o)
		}
	}
	for _, top := range slices.Sorted(maps.Keys(b.folders.hidden)) {
		err := ctx.Err()
		if err == nil && len(within[top]) > 0 {
			err = b.folders.reveal(top)
		}
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			err = ErrChanged
		}
		for _, o := range within[top] {
			if err == nil {
				o.tmp, o.done, o.result.Stamp = "", true, o.made.Stamp
				continue
			}
			o.result.Err = errors.Join(blockedAt(o.disk, o.path, err), b.drop(o))
		}
	}
	b.removeHidden()
}

// removeHidden removes the hidden folders, which are empty now.
func (b *Batch) removeHidden() {
	for _, dir := range deepestFirst(b.folders.made) {
		if _, top := b.folders.place(dir); top != "" {
			b.folders.trim()
			b.removeFolder(dir)
		}
	}
	b.folders.hidden = nil // what is not empty is left to Sweep
}

// sweepHidden removes a folder that a crash left hidden. Its texts are
// downloaded again, but for those that somebody wrote to: a text of ours is
// older than its file, and what has just been written is not.
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
		errs = errors.Join(errs, b.sweepIn(ctx, sub, n))
	}
	if errs != nil {
		return errs
	}
	return d.rmdir(name)
}

func (b *Batch) sweepIn(ctx context.Context, d *folder, name string) error {
	i, err := d.lstat(name)
	switch {
	case err != nil:
		return err
	case i.dir():
		return b.sweepHidden(ctx, d, name)
	case !i.regular():
		return nil // not ours, whatever it is; the folder stays for it
	case i.MTime < i.CTime && i.nlink == 1:
		return d.unlink(name)
	}
	return b.t.letGo(ctx, d, name, Old{Disk: d.disk})
}
