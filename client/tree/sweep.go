package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/teammem/teammem/memory"
)

// Sweep clears what an interrupted batch left behind: l names the leftovers,
// and known holds the paths that the index has. New texts are removed, since
// they are downloaded again; those that had their own names already go to the
// keeper. A text that was moved aside goes back to its name if that is known
// and free, else to the keeper. If l had leftovers, list the tree again
// afterwards. The error joins those of the files that stay; one that somebody
// has open for writing stays without an error, for the next time.
func (t *Tree) Sweep(ctx context.Context, l Listing, known []memory.Path) error {
	if len(l.Leftovers) == 0 {
		return nil
	}
	b := t.Begin()
	defer b.close()
	if err := b.start(); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	var errs []error
	for _, disk := range l.Leftovers {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.folders.trim()
		dir, name := split(disk)
		d, err := b.folders.get(dir)
		if err == nil {
			err = b.sweep(ctx, d, name, known)
		}
		if !passing(err) {
			errs = append(errs, fmt.Errorf("sweep %s: %w", disk, err))
		}
	}
	b.removeEmptied()
	return errors.Join(append(errs, b.folders.sync(b.flushed))...)
}

// passing reports whether there is nothing to tell: no error, or one of a file
// that is gone by now, or that somebody has open.
func passing(err error) bool {
	return err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMoving)
}

func (b *Batch) sweep(ctx context.Context, d *cachedFolder, name string, known []memory.Path) error {
	i, err := d.lstat(name)
	if err != nil {
		return err
	}
	if i.dir() && isNew(name) {
		d.touched()
		return b.sweepHidden(ctx, d.folder, name)
	}
	if !i.regular() {
		return nil // not ours, whatever its name
	}
	d.touched()
	b.emptied[d.disk] = true
	if isTmp(name) {
		return d.unlink(name)
	}
	names, err := d.names()
	if err != nil {
		return err
	}
	was := Old{Disk: d.disk}
	for _, n := range names {
		if isTmp(n) || isOld(n) || !wasNamed(name, n) {
			continue
		}
		if other, err := d.lstat(n); err == nil && other.same(i) {
			return d.unlink(name) // a second name of what is still at its place
		}
		was.Disk = d.join(n)
		was.Path, _ = memory.ParseServedPath(was.Disk) // zero if it is none
	}
	if was.Path.IsZero() {
		for _, p := range known {
			if p.Dir() == canonical(d.disk) && wasNamed(name, p.Base()) {
				return b.t.claim(d.folder, name, d.folder, p.Base())
			}
		}
	}
	return b.t.letGo(ctx, d.folder, name, was)
}
