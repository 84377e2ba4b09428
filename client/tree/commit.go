package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
)

// Commit carries out the operations in their order. The results are in that
// order, too. The error says that none was carried out, or that what was done
// may not survive a power cut, so that nothing of it may be relied on.
func (b *Batch) Commit(ctx context.Context) ([]Result, error) {
	defer b.close()
	stopped, err := b.ready(ctx)
	if err != nil {
		b.dropAll()
		return nil, fmt.Errorf("commit: %w", err)
	}
	b.folders.forget() // each folder is looked up once more before its names change
	b.reveal(stopped)
	for _, o := range b.ops {
		if o.done {
			continue
		}
		if o.result.Err == nil {
			o.result.Err = ctx.Err()
		}
		if o.result.Err == nil {
			o.result.Err = b.run(ctx, o)
		}
		if o.result.Err != nil && o.at != "" {
			o.result.Err = errors.Join(o.result.Err, b.drop(o))
		}
	}
	b.removeEmptied()
	b.respelled()
	if err := b.folders.sync(b.flushed); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	results := make([]Result, len(b.ops))
	for i, o := range b.ops {
		results[i] = o.result
	}
	return results, nil
}

// Discard ends the batch without carrying out anything.
func (b *Batch) Discard() {
	defer b.close()
	b.dropAll()
}

// ready makes the new texts durable. One wait for a slow disk cannot be cut
// short, so ctx is looked at between them: stopped is what it said if that was
// before the texts were durable. Once they are, they may all be revealed.
func (b *Batch) ready(ctx context.Context) (stopped, err error) {
	b.writers.wait()
	if err := b.start(); err != nil {
		return nil, err
	}
	if err := b.t.Verify(); err != nil {
		return nil, err
	}
	for _, f := range b.unsynced {
		if ctx.Err() != nil {
			return ctx.Err(), nil
		}
		if err := b.t.await(f.sync); err != nil {
			return nil, err
		}
	}
	if !b.many {
		return nil, nil
	}
	if b.ahead.since > 0 && ctx.Err() != nil {
		return ctx.Err(), nil
	}
	b.Settle()
	if err := b.ahead.wait(); err != nil {
		return nil, err
	}
	for disk := range b.folders.dirty { // and the names in hidden folders with them
		if _, top := b.folders.place(disk); top != "" {
			delete(b.folders.dirty, disk)
		}
	}
	return nil, nil
}

func (b *Batch) dropAll() {
	b.writers.wait()
	for _, o := range b.ops {
		b.folders.trim()
		_ = b.drop(o) // what stays is swept at the next start
	}
	b.removeHidden()
	b.removeEmptied()
}

func (b *Batch) close() {
	b.writers.stop()
	_ = b.ahead.wait()    // whoever needs to know has asked before
	_ = b.closeUnsynced() // they are durable, or dropped
	b.folders.forget()
	if b.flushed != nil {
		_ = b.flushed.Close()
	}
}

func (b *Batch) run(ctx context.Context, o *op) error {
	b.folders.trim()
	dir, name := split(o.disk)
	d, err := b.folders.get(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	if err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	if o.kind == opPut && o.expect.IsZero() {
		return blockedAt(o.disk, o.path, b.putNew(ctx, d, o, name))
	}
	current, i, err := b.current(ctx, d, o, name)
	if err == nil {
		switch o.kind {
		case opPut:
			err = b.put(ctx, d, o, name, current)
		case opDelete:
			err = b.remove(ctx, d, o, name)
		case opMove:
			err = b.move(d, o, name, i)
		}
	}
	return blockedAt(o.disk, o.path, err)
}

// current returns what is at the name of the operation, if that is what the
// operation expects there.
func (b *Batch) current(ctx context.Context, d *cachedFolder, o *op, name string) ([]byte, info, error) {
	content, i, err := b.t.settled(ctx, d.folder, name, Stamp{}, glance)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if o.expect.IsZero() {
			return nil, info{}, nil
		}
		return nil, info{}, ErrChanged
	case err != nil:
		return nil, info{}, err
	case memory.Sum(content) != o.expect:
		return nil, info{}, ErrChanged
	}
	return content, i, nil
}

func (b *Batch) put(ctx context.Context, d *cachedFolder, o *op, name string, current []byte) error {
	if err := d.free(name); err != nil {
		return err
	}
	old, err := b.t.replace(d.folder, o.at, name, current)
	if err != nil {
		return err
	}
	o.result.Left = b.t.letGo(ctx, d.folder, old, Old{Path: o.path, Disk: o.disk, Expected: o.expect})
	o.arrived(d, name)
	return nil
}

// putNew is put where nothing should be. What is there all the same is only
// looked at when the name is found taken: a first sync has thousands of these.
func (b *Batch) putNew(ctx context.Context, d *cachedFolder, o *op, name string) error {
	if err := d.free(name); err != nil {
		return err
	}
	err := b.t.claim(d.folder, o.at, d.folder, name)
	if errors.Is(err, fs.ErrExist) {
		if _, _, err = b.current(ctx, d, o, name); err == nil {
			return ErrChanged // gone again
		}
	}
	if err != nil {
		return err
	}
	o.arrived(d, name)
	return nil
}

// arrived notes that the new text of a put has its name.
func (o *op) arrived(d *cachedFolder, name string) {
	o.at = ""
	d.added(name)
	o.landed(d, name, o.made.Stamp)
}

// landed notes the stamp of the file, if it is still ours.
func (o *op) landed(d *cachedFolder, name string, made Stamp) {
	if i, err := d.lstat(name); err == nil && i.sameText(made) {
		o.result.Stamp = i.Stamp
	}
}

// remove moves the file aside, so that whatever it holds by then can be put
// back, and lets it go only if it is what the plan knew.
func (b *Batch) remove(ctx context.Context, d *cachedFolder, o *op, name string) error {
	old := newOldName(name)
	if err := b.t.rename(d.folder, name, d.folder, old); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ErrChanged
		}
		return err
	}
	d.touched()
	was := Old{Path: o.path, Disk: o.disk, Expected: o.expect}
	err := b.t.letGoExpected(ctx, d.folder, old, was)
	if err == nil {
		d.removed(name)
		dir, _ := split(o.disk)
		b.emptied[dir] = true
		return nil
	}
	back := b.t.claim(d.folder, old, d.folder, name)
	if errors.Is(back, fs.ErrExist) { // a new file is there, so the one that is aside has to be kept
		o.result.Left = b.t.letGo(ctx, d.folder, old, was)
		return ErrChanged
	}
	return errors.Join(err, back)
}

func (b *Batch) move(d *cachedFolder, o *op, name string, i info) error {
	dir, target := split(o.target)
	to, err := b.folders.make(dir, false)
	if err != nil {
		return blockedAt(o.target, o.path, err)
	}
	other, err := to.spelling(target)
	if err != nil {
		return err
	}
	if d.fold && other == name && to.self.same(d.self) {
		err = b.respell(d, name, target)
	} else if err = to.free(target); err == nil {
		err = b.t.claim(d.folder, name, to.folder, target)
	}
	if errors.Is(err, fs.ErrExist) {
		return &Blocked{Disk: o.target, Path: o.path, Kind: KindClash}
	}
	if err != nil {
		return err
	}
	d.removed(name)
	to.added(target)
	source, _ := split(o.disk)
	b.emptied[source] = true
	o.landed(to, target, i.Stamp)
	return nil
}

// respell renames a file to a name that is the same to the file system.
func (b *Batch) respell(d *cachedFolder, name, target string) error {
	old := newOldName(name)
	if err := b.t.rename(d.folder, name, d.folder, old); err != nil {
		return err
	}
	err := b.t.claim(d.folder, old, d.folder, target)
	if err != nil {
		return errors.Join(err, b.t.claim(d.folder, old, d.folder, name))
	}
	return nil
}

// respelled notes how the file system spells the new names, once per folder.
func (b *Batch) respelled() {
	for _, d := range b.folders.open {
		d.spelt = nil
	}
	for _, o := range b.ops {
		if o.result.Err != nil || o.kind == opDelete {
			continue
		}
		b.folders.trim()
		dir, name := split(o.result.Disk)
		d, err := b.folders.get(dir)
		if err != nil || !d.fold {
			continue
		}
		if s, err := d.spelling(name); err == nil && canonical(s) == canonical(name) {
			o.result.Disk = d.join(s)
		}
	}
}

// removeEmptied removes the folders that lost their last name to this batch,
// with those above that are empty then, and the folders that were made for a
// file that did not come.
func (b *Batch) removeEmptied() {
	for _, dir := range deepestFirst(b.emptied) {
		b.folders.trim()
		for dir != "" && b.removeFolder(dir) {
			dir, _ = split(dir)
		}
	}
	for _, dir := range deepestFirst(b.folders.made) {
		b.folders.trim()
		b.removeFolder(dir)
	}
}

func deepestFirst(folders map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(folders), func(a, c string) int {
		return cmp.Or(strings.Count(c, "/")-strings.Count(a, "/"), strings.Compare(a, c))
	})
}

// removeFolder removes a folder if it is empty.
func (b *Batch) removeFolder(dir string) bool {
	above, _ := split(dir)
	place, _ := b.folders.place(dir)
	_, name := split(place)
	d, err := b.folders.get(above)
	if err != nil || d.rmdir(name) != nil {
		return false // not empty, or gone already
	}
	b.folders.remove(dir)
	d.removed(name)
	return true
}
