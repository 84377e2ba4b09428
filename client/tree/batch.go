package tree

import (
	"errors"
	"io/fs"
	"os"
	"sync"
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
	t       *Tree
	ops     []*op
	folders folderCache
	flushed *os.File // team/, opened before the first new text
	writers writers
	emptied map[string]bool // folders that lost a name

	mu       sync.Mutex // of what follows, while there are writers
	unsynced []*newFile // new texts that are not durable yet, if they are few
	many     bool
	ahead    flushing
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
	at     string // of a put: the name that the new text has until Commit, "" if there is none
	top    string // of a put: the hidden folder that the new text is in, "" for none
	made   info   // of a put: the new text's file
	done   bool
	result Result
}

// Begin starts a batch.
func (t *Tree) Begin() *Batch {
	return &Batch{t: t, folders: folderCache{t: t}, emptied: map[string]bool{}}
}

// Put plans to write content as p, and keeps it until it is written. What is
// there must have the hash expect; the zero hash says that nothing is there.
// The file gets the given time.
func (b *Batch) Put(p memory.Path, disk string, content []byte, mtime time.Time, expect memory.Hash) {
	o := b.add(&op{kind: opPut, path: p, disk: disk, expect: expect})
	if o.result.Err != nil {
		return
	}
	if err := b.prepare(o, content, mtime); err != nil { // else it may have one already
		o.result.Err = err
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
	case Ignored(place) || b.t.rules.LeaveOut(place):
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
	if b.folders.full() {
		b.writers.wait()
		b.folders.forget()
	}
	dir, name := split(o.disk)
	d, err := b.folders.make(dir, o.expect.IsZero())
	if err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	at, err := b.placeFor(d, o, name)
	if err != nil {
		return err
	}
	if d.top == "" {
		return b.create(o, d, at, content, mtime)
	}
	if mtime.IsZero() {
		mtime = b.t.options.Clock()
	}
	b.writers.add(d.turn, func() { o.result.Err = b.create(o, d, at, content, mtime) })
	return nil
}

// create makes the file of a new text.
func (b *Batch) create(o *op, d *cachedFolder, at string, content []byte, mtime time.Time) error {
	f, err := d.create(at)
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	if err != nil {
		return blockedAt(o.disk, o.path, err)
	}
	o.at, o.top = at, d.top
	if err := o.write(d, f, content, mtime); err != nil {
		return errors.Join(err, f.close(), b.dropFrom(d, o))
	}
	if err := b.durableLater(f, o.made); err != nil {
		return errors.Join(err, b.dropFrom(d, o))
	}
	return nil
}

// placeFor returns the name for a new text until Commit: its own in a folder
// that nobody sees yet. Where nothing should be, what is there all the same is
// only looked at when the name is found taken.
func (b *Batch) placeFor(d *cachedFolder, o *op, name string) (string, error) {
	switch {
	case d.top == "" && o.expect.IsZero():
		return newTmpName(), nil
	case d.top == "":
		return newTmpName(), b.glance(d, o, name)
	case !o.expect.IsZero():
		return "", ErrChanged
	}
	err := d.free(name)
	if err == nil {
		d.added(name)
	}
	return name, blockedAt(o.disk, o.path, err)
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

// write writes the new text and dates it. In a hidden folder it marks it, too.
func (o *op) write(d *cachedFolder, f *newFile, content []byte, mtime time.Time) error {
	err := f.write(content)
	switch {
	case err != nil || mtime.IsZero():
	case o.top != "":
		err = d.date(o.at, mtime.Add(markedBy), mtime)
	default:
		err = d.date(o.at, time.Time{}, mtime)
	}
	i, statErr := f.stat()
	o.made = i
	return errors.Join(err, statErr)
}

// durableLater leaves f to the final flush, if that covers it.
func (b *Batch) durableLater(f *newFile, i info) error {
	if !canFlush || !i.sameDevice(b.t.team.self) {
		return errors.Join(b.t.await(f.sync), f.close())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.many {
		b.flushAhead()
		return f.close()
	}
	b.unsynced = append(b.unsynced, f)
	if len(b.unsynced) <= fewFiles {
		return nil
	}
	b.many, b.ahead.since = true, len(b.unsynced)
	return b.closeUnsynced()
}

func (b *Batch) closeUnsynced() error {
	var errs []error
	for _, f := range b.unsynced {
		errs = append(errs, f.close())
	}
	b.unsynced = nil
	return errors.Join(errs...)
}

// drop removes the new text of a put that will not be done. In a hidden folder
// the text has its own name already: if somebody wrote to it there, it is left
// to Sweep.
func (b *Batch) drop(o *op) error {
	if o.at == "" {
		return nil
	}
	dir, _ := split(o.disk)
	d, err := b.folders.get(dir)
	if err != nil {
		return err
	}
	return b.dropFrom(d, o)
}

func (b *Batch) dropFrom(d *cachedFolder, o *op) error {
	at := o.at
	o.at = ""
	if o.top != "" {
		i, err := d.lstat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && i.Stamp != o.made.Stamp {
			return nil
		}
		if err != nil {
			return err
		}
		b.mu.Lock()
		if b.many {
			b.ahead.since++ // the flush that is to come has to cover this as well
		}
		b.mu.Unlock()
	}
	if err := d.unlink(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
