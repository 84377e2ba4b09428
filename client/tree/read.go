package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/teammem/teammem/memory"
)

const (
	patience  = 10 * time.Second      // how long a text for upload may keep moving
	glance    = 50 * time.Millisecond // the same for a text that is about to be replaced
	recent    = 2 * time.Second       // a younger text may still be half written
	twice     = 50 * time.Millisecond // between two readings of such a text
	twiceLong = time.Second           // the same if it looks cut off

	maxOldBytes = 64 << 20 // of a text that somebody wrote into a file we moved aside
)

// errMoving means that somebody is writing to the file right now.
var errMoving = errors.New("the file is being written to")

// errNoLease means that the system cannot tell whether somebody is writing.
var errNoLease = errors.New("no leases here")

// Stat looks at one name without opening the file. That nothing is there is
// fs.ErrNotExist; what must be left alone is a [*Blocked].
func (t *Tree) Stat(disk string) (File, error) {
	d, name, err := t.folderOf(disk)
	if err != nil {
		return File{}, fmt.Errorf("stat entry: %w", err)
	}
	defer t.release(d)
	if ignored(name) {
		return File{}, fmt.Errorf("stat entry: %w", &Blocked{Disk: disk, Kind: KindIgnored})
	}
	i, err := d.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, fmt.Errorf("stat entry: %w", err)
	}
	p, refused := memory.ParsePath(disk)
	if refused != nil {
		p, _ = memory.ParseServedPath(disk) // zero if that fails, too
	}
	if p.IsZero() {
		return File{}, fmt.Errorf("stat entry: %w", &Blocked{Disk: disk, Kind: KindPathRejected, Err: refused})
	}
	if b := d.judge(name, i, err); b != nil {
		b.Path = p
		return File{}, fmt.Errorf("stat entry: %w", b)
	}
	return File{Path: p, Disk: disk, Stamp: i.Stamp, Refused: refused}, nil
}

// Read returns a text that nobody was writing to while it was read, and the
// stamp it had. was is the stamp at the last reading, if there was one: where
// the system does not tell who writes, a text that shrank is looked at twice.
// A missing file is fs.ErrNotExist; what must be left alone is a [*Blocked].
func (t *Tree) Read(ctx context.Context, disk string, was Stamp) ([]byte, Stamp, error) {
	r := t.Reader()
	defer r.Close()
	return r.Read(ctx, disk, was)
}

// Reader reads entries one after the other. It keeps the folder of the last one
// open: to open that takes as long as to read a text. Use it from one goroutine,
// for a moment, as it does not see that a folder was given another name.
type Reader struct {
	t *Tree
	d *folder // nil: none is open
}

// Reader starts a series of readings, which ends with Close.
func (t *Tree) Reader() *Reader { return &Reader{t: t} }

// Close lets go of the folder.
func (r *Reader) Close() {
	if r.d != nil {
		r.t.release(r.d)
		r.d = nil
	}
}

// Read is [Tree.Read].
func (r *Reader) Read(ctx context.Context, disk string, was Stamp) ([]byte, Stamp, error) {
	name, err := r.enter(disk)
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("read entry: %w", err)
	}
	content, i, err := r.t.settled(ctx, r.d, name, was, patience)
	if err != nil {
		p, _ := memory.ParseServedPath(disk) // zero if it is none
		return nil, Stamp{}, fmt.Errorf("read entry: %w", blockedAt(disk, p, err))
	}
	return content, i.Stamp, nil
}

// enter opens the folder that a spelling on disk is in, unless it is open.
func (r *Reader) enter(disk string) (name string, err error) {
	if dir, name := split(disk); r.d != nil && r.d.disk == dir && name != "" && fs.ValidPath(disk) {
		return name, nil
	}
	r.Close()
	r.d, name, err = r.t.folderOf(disk)
	return name, err
}

// folderOf opens the folder that a spelling on disk is in.
func (t *Tree) folderOf(disk string) (d *folder, name string, err error) {
	if !fs.ValidPath(disk) || disk == "." {
		return nil, "", &Blocked{Disk: disk, Kind: KindPathRejected}
	}
	dir, name := split(disk)
	d, err = t.descend(dir)
	return d, name, err
}

// settled reads an entry, again and again while it moves.
func (t *Tree) settled(ctx context.Context, d *folder, name string, was Stamp, budget time.Duration) ([]byte, info, error) {
	pause := time.Millisecond
	for {
		content, i, err := t.readEntry(ctx, d, name, was)
		if !errors.Is(err, errMoving) {
			return content, i, err
		}
		if budget <= 0 {
			return nil, info{}, &Blocked{Disk: d.join(name), Kind: KindUnstable, Err: err}
		}
		if err := wait(ctx, pause); err != nil {
			return nil, info{}, err
		}
		budget -= pause
		pause = min(2*pause, 100*time.Millisecond)
	}
}

// readEntry reads an entry once.
func (t *Tree) readEntry(ctx context.Context, d *folder, name string, was Stamp) ([]byte, info, error) {
	named, err := d.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, info{}, err
	}
	if b := d.judge(name, named, err); b != nil {
		return nil, info{}, b
	}
	f, err := d.openFile(name)
	if err != nil {
		return nil, info{}, d.fileError(name, err)
	}
	defer f.Close()
	content, i, err := t.stable(ctx, f, named, was)
	if err != nil {
		return nil, info{}, d.fileError(name, err)
	}
	if b := d.judge(name, i, nil); b != nil { // the open file tells more than its name
		return nil, info{}, b
	}
	return content, i, nil
}

// openFile opens a name for reading that was a regular file a moment ago. If
// it is a FIFO by now, O_NONBLOCK keeps it from hanging.
func (d *folder) openFile(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
}

func (d *folder) fileError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMoving) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Blocked{Disk: d.join(name), Kind: KindUnreadable, Err: err}
}

// stable reads an open file that nobody writes to meanwhile. A read lease
// proves that; without one, a young text is read twice.
func (t *Tree) stable(ctx context.Context, f *os.File, named info, was Stamp) ([]byte, info, error) {
	// Allocated first: an opener for writing waits until the lease ends.
	buf := make([]byte, named.Size)
	content, i, err := t.leased(f, func() ([]byte, info, error) { return readOnce(f, named, buf) })
	if !errors.Is(err, errNoLease) {
		return content, i, err
	}
	content, i, err = readOnce(f, named, buf)
	if err != nil || !t.young(i) {
		return content, i, err
	}
	pause := twice
	if i.Size < was.Size || !bytes.HasSuffix(content, []byte("\n")) {
		pause = twiceLong
	}
	if err := wait(ctx, pause); err != nil {
		return nil, info{}, err
	}
	again, j, err := readOnce(f, i, make([]byte, i.Size))
	if err != nil {
		return nil, info{}, err
	}
	if i.Stamp != j.Stamp || !bytes.Equal(content, again) {
		return nil, info{}, errMoving
	}
	return content, i, nil
}

func (t *Tree) leased(f *os.File, read func() ([]byte, info, error)) ([]byte, info, error) {
	if t.noLease {
		return nil, info{}, errNoLease
	}
	return leased(f, read)
}

// readOnce is stat, read, stat: all must tell of the same text.
func readOnce(f *os.File, named info, buf []byte) ([]byte, info, error) {
	before, err := fstat(f)
	if err != nil {
		return nil, info{}, err
	}
	if !before.same(named) || !before.regular() || before.Size != named.Size {
		return nil, info{}, errMoving
	}
	n, err := f.ReadAt(buf, 0) // no more: a file that grew shows its size
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, info{}, err
	}
	after, err := fstat(f)
	if err != nil {
		return nil, info{}, err
	}
	if before.Stamp != after.Stamp || int64(n) != after.Size {
		return nil, info{}, errMoving
	}
	return buf[:n], after, nil
}

// young reports whether somebody wrote to the file only just now. The change
// time does not count: a rename moves it, and that is how whole texts arrive.
func (t *Tree) young(i info) bool {
	return i.MTime > t.options.Clock().Add(-recent).UnixNano()
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
