package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// fewFiles is up to how many files are made durable one by one. For more, one
// call for the whole file system is cheaper, though it writes out what other
// programs left there, too.
const fewFiles = 16

// Batch collects the changes of one cycle. New texts are written beside their
// places at once; nothing is visible before Commit. Use it from one goroutine,
// and end it with Commit or Discard.
type Batch struct {
	t        *Tree
	ops      []*op
	folders  folderCache
	flushed  *os.File   // team/, opened before the first new text
	unsynced []*os.File // new texts that are not durable yet, if they are few
	many     bool
	emptied  map[string]bool // folders that lost a name
}

// Result is what became of one operation. Err is nil if it was done; otherwise
// nothing changed: [ErrChanged] asks for a new plan, a [*Blocked] is for a
// person, and anything else may pass, such as a full disk.
type Result struct {
	Path  memory.Path
	Disk  string // where the file is now, as spelled on disk
	Stamp Stamp  // zero if there is no file, or if it changed again at once
	Err   error
	// Left says why the replaced text is still beside its place, to be kept by
	// [Tree.Sweep]. Most often somebody has the file open for writing.
	Left error
}

type opKind int

const (
	opPut opKind = iota
	opDelete
	opMove
)

type op struct {
	kind   opKind
	path   memory.Path
	disk   string // where the text is, or will be
	target string // of a move
	expect memory.Hash
	tmp    string // of a put: the name of the new text, "" if there is none
	made   info   // of a put: the new text's file
	result Result
}

// Begin starts a batch.
func (t *Tree) Begin() *Batch {
	return &Batch{t: t, folders: folderCache{t: t}, emptied: map[string]bool{}}
}

// Put plans to write content as p. What is there must have the hash expect;
// the zero hash says that nothing is there. The file gets the given time.
func (b *Batch) Put(p memory.Path, disk string, content []byte, mtime time.Time, expect memory.Hash) {
	o := b.add(&op{kind: opPut, path: p, disk: disk, expect: expect})
	if o.result.Err == nil {
		o.result.Err = b.prepare(o, content, mtime)
	}
}

// Delete plans to remove the file, which must have the hash expect.
func (b *Batch) Delete(p memory.Path, disk string, expect memory.Hash) {
	b.add(&op{kind: opDelete, path: p, disk: disk, expect: expect})
}

// Move plans to rename the file at the spelling from, which must have the hash
// expect, to the path p, where nothing must be. The spellings may differ in
// case alone.
func (b *Batch) Move(from string, p memory.Path, to string, expect memory.Hash) {
	b.add(&op{kind: opMove, path: p, disk: from, target: to, expect: expect})
}

// add appends an operation, and refuses spellings that are not the path's:
// from here on they name nothing outside of team/.
func (b *Batch) add(o *op) *op {
	b.ops = append(b.ops, o)
	place := o.disk
	if o.kind == opMove {
		place = o.target
	}
	o.result = Result{Path: o.path, Disk: place}
	switch {
	case !spells(place, o.path):
		o.result.Err = &Blocked{Disk: place, Path: o.path, Kind: KindPathRejected}
	case Ignored(place):
		o.result.Err = &Blocked{Disk: place, Path: o.path, Kind: KindIgnored}
	case !fs.ValidPath(o.disk):
		o.result.Err = &Blocked{Disk: o.disk, Kind: KindPathRejected}
	case o.kind != opPut && o.expect.IsZero():
		o.result.Err = ErrChanged // a plan to remove what is not there
	}
	return o
}

// prepare writes the new text of a put beside its place.
func (b *Batch) prepare(o *op, content []byte, mtime time.Time) error {
	if err := b.start(); err != nil {
		return err
	}
	b.folders.trim()
	dir, name := split(o.disk)
	d, err := b.folders.make(dir)
	if err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	if err := b.glance(d, o, name); err != nil {
		return err
	}
	tmp := newTmpName()
	f, err := d.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	o.tmp = tmp
	if err := o.write(d, f, content, mtime); err != nil {
		return errors.Join(err, f.Close(), b.drop(o))
	}
	if err := b.durableLater(f, o.made); err != nil {
		return errors.Join(err, b.drop(o))
	}
	return nil
}

// start opens the descriptor for the final flush. It comes before the first
// new text, because it only reports errors since it was opened.
func (b *Batch) start() error {
	if b.flushed != nil {
		return nil
	}
	if err := b.t.Verify(); err != nil {
		return err
	}
	f, err := b.t.team.root.Open(".")
	if err != nil {
		return err
	}
	b.flushed = f
	return nil
}

// glance refuses early what Commit would refuse as well.
func (b *Batch) glance(d *cachedFolder, o *op, name string) error {
	if err := d.free(name); err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	i, err := d.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it may be moved there by an operation before this one
	}
	if bl := d.judge(name, i, err); bl != nil {
		bl.Path = o.path
		return bl
	}
	return nil
}

func (o *op) write(d *cachedFolder, f *os.File, content []byte, mtime time.Time) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	if !mtime.IsZero() {
		if err := d.root.Chtimes(o.tmp, time.Time{}, mtime); err != nil {
			return err
		}
	}
	i, err := fstat(f)
	o.made = i
	return err
}

// durableLater leaves f to the final flush, if that covers it.
func (b *Batch) durableLater(f *os.File, i info) error {
	if canFlush && b.many && i.sameDevice(b.t.team.self) {
		return f.Close()
	}
	if !canFlush || !i.sameDevice(b.t.team.self) {
		return errors.Join(f.Sync(), f.Close())
	}
	b.unsynced = append(b.unsynced, f)
	if len(b.unsynced) <= fewFiles {
		return nil
	}
	b.many = true
	return b.closeUnsynced()
}

func (b *Batch) closeUnsynced() error {
	var errs []error
	for _, f := range b.unsynced {
		errs = append(errs, f.Close())
	}
	b.unsynced = nil
	return errors.Join(errs...)
}

// drop removes the new text of a put that will not be done.
func (b *Batch) drop(o *op) error {
	if o.tmp == "" {
		return nil
	}
	dir, _ := split(o.disk)
	d, err := b.folders.get(dir)
	if err != nil {
		return err
	}
	tmp := o.tmp
	o.tmp = ""
	if err := d.unlink(tmp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Commit carries out the operations in their order. The results are in that
// order, too. The error says that none was carried out, or that what was done
// may not survive a power cut, so that nothing of it may be relied on.
func (b *Batch) Commit(ctx context.Context) ([]Result, error) {
	defer b.close()
	if err := b.ready(); err != nil {
		b.dropAll()
		return nil, fmt.Errorf("commit: %w", err)
	}
	b.folders.forget() // each folder is looked up once more before its names change
	for _, o := range b.ops {
		if o.result.Err == nil {
			o.result.Err = ctx.Err()
		}
		if o.result.Err == nil {
			o.result.Err = b.run(ctx, o)
		}
		if o.result.Err != nil && o.tmp != "" {
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

// ready makes the new texts durable.
func (b *Batch) ready() error {
	if err := b.start(); err != nil {
		return err
	}
	if err := b.t.Verify(); err != nil {
		return err
	}
	for _, f := range b.unsynced {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if b.many {
		return flush(b.flushed)
	}
	return nil
}

func (b *Batch) dropAll() {
	for _, o := range b.ops {
		_ = b.drop(o) // what stays is swept at the next start
	}
	b.removeEmptied()
}

func (b *Batch) close() {
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
	if o.expect.IsZero() {
		err := b.t.claim(d.folder, o.tmp, d.folder, name)
		if errors.Is(err, fs.ErrExist) {
			return ErrChanged
		}
		if err != nil {
			return err
		}
	} else {
		old, err := b.t.replace(d.folder, o.tmp, name, current)
		if err != nil {
			return err
		}
		o.result.Left = b.t.letGo(ctx, d.folder, old, Old{Path: o.path, Disk: o.disk, Expected: o.expect})
	}
	o.tmp = ""
	d.added(name)
	o.landed(d, name, o.made.Stamp)
	return nil
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
	to, err := b.folders.make(dir)
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
	above, name := split(dir)
	d, err := b.folders.get(above)
	if err != nil || d.rmdir(name) != nil {
		return false // not empty, or gone already
	}
	b.folders.remove(dir)
	d.removed(name)
	return true
}
