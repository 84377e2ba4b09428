package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"golang.org/x/sync/errgroup"
)

// racyWindow is how long before a scan a change may hide behind equal time
// stamps: 2 s is what FAT rounds to. The rule is git's.
const racyWindow = 2 * time.Second

// scan looks at every name in the tree and reads what may have changed since
// the recorded scan.
func (c *cycle) scan(ctx context.Context, verify bool) error {
	listing, err := c.list(ctx, verify)
	if err != nil {
		return err
	}
	c.listing, c.scanned = listing, false
	if c.options.Listed != nil {
		c.options.Listed(listing.Folders, c.clock().Sub(listing.Started))
	}
	maps.DeleteFunc(c.refusals, func(_ string, r refusal) bool { return r.Action == "" }) // found on disk: looked up again
	c.blocked = map[memory.Path]string{}
	c.blockedDirs = map[string]string{}
	c.report.Ignored, c.report.Here = listing.Ignored, listing.LeftOut
	changed, gone := c.compare(verify)
	if err := c.readAll(ctx, changed); err != nil {
		return err
	}
	for _, p := range gone {
		c.state.lost(p)
	}
	for i := range listing.Blocked {
		c.block(&listing.Blocked[i])
	}
	c.scanned = true
	if len(changed) > 0 || c.index.ScanStart == 0 {
		c.index.ScanStart, c.state.dirty = listing.Started.UnixNano(), true
	}
	c.state.calm(c.racy)
	return nil
}

// compare returns the files that may have changed since the recorded scan, and
// those that are gone. What was not looked at again is as it was, but for files
// whose stamps prove nothing.
func (c *cycle) compare(verify bool) (changed []tree.File, gone []memory.Path) {
	l := &c.listing
	look := func(f tree.File) {
		old, known := c.state.files[f.Path]
		c.unmoved = c.unmoved || known && old.Inode == f.Stamp.Inode && old.CTime == f.Stamp.CTime
		if !known || old.Disk != f.Disk || old.stamp() != f.Stamp || c.racy(f.Stamp) || verify {
			changed = append(changed, f)
		}
	}
	if l.Partly {
		files, gone := c.state.lookAgain(l)
		for _, f := range files {
			look(f)
		}
		return changed, gone
	}
	seen := make(map[memory.Path]bool, len(l.Files))
	for _, f := range l.Files {
		seen[f.Path] = true
		look(f)
	}
	for p := range c.state.files {
		if !seen[p] {
			gone = append(gone, p)
		}
	}
	return changed, gone
}

// racy reports whether the file changed so close to the recorded scan that a
// later change may have left no trace.
func (c *cycle) racy(s tree.Stamp) bool {
	limit := c.index.ScanStart - racyWindow.Nanoseconds()
	return s.MTime > limit || s.CTime > limit
}

// readAll reads and hashes files, some at a time: most of what one takes is
// spent in the system.
func (c *cycle) readAll(ctx context.Context, files []tree.File) error {
	read := 0
	for some := range slices.Chunk(files, 64) {
		for i, found := range c.readSome(ctx, some) {
			if err := c.takeReading(some[i], found); err != nil {
				return err
			}
			read++
			c.progress("reading", read, len(files))
		}
	}
	return nil
}

// readSome reads files, which are in the order of their folders. Each has its own
// error.
func (c *cycle) readSome(ctx context.Context, files []tree.File) []reading {
	found := make([]reading, len(files))
	var group errgroup.Group
	for from := range readers {
		from, to := from*len(files)/readers, (from+1)*len(files)/readers
		group.Go(func() error {
			r := c.tree.Reader()
			defer r.Close()
			for i, f := range files[from:to] {
				found[from+i] = read(ctx, r, f, c.state.files[f.Path].stamp())
			}
			return nil
		})
	}
	_ = group.Wait()
	return found
}

// readers is how many files are read at a time.
const readers = 4

// reading is what was found of a file.
type reading struct {
	file    file
	content []byte
	err     error
}

func read(ctx context.Context, r *tree.Reader, f tree.File, was tree.Stamp) reading {
	content, stamp, err := r.Read(ctx, f.Disk, was)
	if err != nil {
		return reading{err: err}
	}
	return reading{fileOf(f.Disk, stamp, content), content, nil}
}

// takeReading records what was found. A file that cannot be read is blocked: it
// is unknown, not absent.
func (c *cycle) takeReading(f tree.File, r reading) error {
	c.unclear = c.unclear || r.err != nil
	if errors.Is(r.err, fs.ErrNotExist) {
		c.state.lost(f.Path)
		return nil
	}
	if b, ok := errors.AsType[*tree.Blocked](r.err); ok {
		c.block(b)
		return nil
	}
	if r.err != nil {
		return fmt.Errorf("read %+q: %w", f.Disk, r.err)
	}
	c.state.saw(f.Path, r.file)
	c.local.put(f.Path, r.content)
	return nil
}

// block records a name that is left alone, with the reason.
func (c *cycle) block(b *tree.Blocked) {
	if b.Folder {
		c.blockedDirs[folderKey(b.Disk)] = string(b.Kind)
	}
	if !b.Path.IsZero() {
		c.blocked[b.Path] = string(b.Kind)
		c.state.lost(b.Path)
	}
	c.refuse(refusalOf(b.Disk, b.Path, blockedProblem(b)))
}
