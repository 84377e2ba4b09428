package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// racyWindow is how long before a scan a change may hide behind equal time
// stamps: 2 s is what FAT rounds to. The rule is git's.
const racyWindow = 2 * time.Second

// scan looks at every name in the tree and reads what may have changed since
// the recorded scan.
func (c *cycle) scan(ctx context.Context, verify bool) error {
	listing, err := c.tree.List(ctx)
	if err != nil {
		return err
	}
	c.listing, c.scanned = listing, false
	maps.DeleteFunc(c.refusals, func(_ string, r refusal) bool { return r.Action == "" }) // found on disk: looked up again
	c.blocked = map[memory.Path]string{}
	c.blockedDirs = map[string]string{}
	c.report.Ignored = listing.Ignored
	seen := make(map[memory.Path]bool, len(listing.Files))
	read := 0
	for _, f := range listing.Files {
		seen[f.Path] = true
		old, known := c.state.files[f.Path]
		c.unmoved = c.unmoved || known && old.Inode == f.Stamp.Inode && old.CTime == f.Stamp.CTime
		if known && old.Disk == f.Disk && old.stamp() == f.Stamp && !c.racy(f.Stamp) && !verify {
			continue
		}
		if err := c.readFile(ctx, f, old); err != nil {
			return err
		}
		read++
		c.progress("reading", read, len(listing.Files))
	}
	for p := range c.state.files {
		if !seen[p] {
			c.state.lost(p)
		}
	}
	for i := range listing.Blocked {
		c.block(&listing.Blocked[i])
	}
	c.scanned = true
	if read > 0 || c.index.ScanStart == 0 {
		c.index.ScanStart, c.state.dirty = listing.Started.UnixNano(), true
	}
	return nil
}

// racy reports whether the file changed so close to the recorded scan that a
// later change may have left no trace.
func (c *cycle) racy(s tree.Stamp) bool {
	limit := c.index.ScanStart - racyWindow.Nanoseconds()
	return s.MTime > limit || s.CTime > limit
}

// readFile reads and hashes one file. A file that cannot be read is blocked:
// it is unknown, not absent.
func (c *cycle) readFile(ctx context.Context, f tree.File, old file) error {
	content, stamp, err := c.tree.Read(ctx, f.Disk, old.stamp())
	if errors.Is(err, fs.ErrNotExist) {
		c.state.lost(f.Path)
		return nil
	}
	if b, ok := errors.AsType[*tree.Blocked](err); ok {
		c.block(b)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %+q: %w", f.Disk, err)
	}
	c.state.saw(f.Path, fileOf(f.Disk, stamp, content))
	c.local.put(f.Path, content)
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
