package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/teammem/teammem/memory"
)

// wasPurged reports whether no copy of a text is to be kept, as this run heard, or
// one before it that could not carry it out.
func (c *cycle) wasPurged(sum memory.Hash) bool {
	if c.purged[sum] {
		return true
	}
	if all := c.state.summed; all != nil {
		return all.purged[sum]
	}
	for _, e := range c.state.entries {
		if e.remote != nil && e.remote.Purged && e.base.Sum == sum {
			return true
		}
	}
	return false
}

// wipe removes what was purged from everywhere but the tree, before the cursor
// moves on. In the tree it is a file like any other: where it is the text of an
// entry, the plan removes it, and where it is not, it is the member's.
func (c *cycle) wipe(purged []memory.Hash) {
	if len(purged) == 0 {
		return
	}
	for _, sum := range purged {
		c.purged[sum] = true
	}
	c.wipeVaults(c.purged, nil)
}

// wipeEver is wipe for all that was ever purged, which is told when it is not
// known what was heard of before. Of what comes out of the tree in this run no
// copy is kept if it came from the server; a copy that the member had is theirs,
// and so is what they have in an open conflict, unless the server has that, too.
// The list may be long, and old, so the member is told how much went.
func (c *cycle) wipeEver(purged []memory.Hash) {
	if len(purged) == 0 {
		return
	}
	sums := make(map[memory.Hash]bool, len(purged))
	for _, sum := range purged {
		sums[sum] = true
	}
	for _, e := range c.state.entries {
		if e.base.EntryID != "" && sums[e.base.Sum] {
			c.purged[e.base.Sum] = true
		}
	}
	gone := c.wipeVaults(sums, func(k Kept, sum memory.Hash) bool {
		return !metaOf(k).Mirrored && !c.state.knows(sum)
	})
	if gone > 0 {
		c.notice("%d kept copies of texts were removed, which were purged for everybody", gone)
	}
}

// wipeVaults returns how many copies it removed.
func (c *cycle) wipeVaults(sums map[memory.Hash]bool, spare func(conflict Kept, sum memory.Hash) bool) (gone int) {
	for _, place := range []struct {
		vault

		spare func(Kept, memory.Hash) bool
	}{{c.trashBin, nil}, {c.conflicts, spare}} {
		n, err := place.wipe(sums, place.spare)
		if gone += n; err != nil {
			c.notice("a text that was purged could not be removed: %v", err)
		}
	}
	return gone
}

// wipe removes the texts that have one of the hashes, also as what a conflict
// started from, but for those of conflicts that are spared. It returns how many.
func (v vault) wipe(sums map[memory.Hash]bool, spare func(conflict Kept, sum memory.Hash) bool) (gone int, err error) {
	err = v.walk(func(file string) error {
		if !strings.HasSuffix(file, ".md") {
			return nil
		}
		text, err := os.ReadFile(file)
		sum, isBase := memory.Sum(text), strings.HasSuffix(file, baseSuffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("read a kept text: %w", err)
		case !sums[sum], !isBase && spare != nil && spare(Kept{File: file}, sum):
			return nil
		}
		gone++
		if isBase || !exists(metaFile(file)) {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("wipe a kept text: %w", err)
			}
			return nil
		}
		return closeConflict(Kept{File: file})
	})
	return gone, err
}

// LeavesOut reports whether a path is left out of the mirror, or has no file:
// then nothing here goes with the entry.
func (s *Syncer) LeavesOut(ctx context.Context, p memory.Path) (out bool, err error) {
	err = s.lend(ctx, func(c *cycle) error {
		l, err := c.tree.List(ctx)
		if err != nil {
			return err
		}
		there, err := c.inPlace(ctx, &l, p)
		out = l.LeavesOut(p) || there == nil
		return err
	})
	return out, err
}

// Wipe removes the copies that are kept of texts that were purged.
func (s *Syncer) Wipe(ctx context.Context, purged []memory.Hash) error {
	return s.lend(ctx, func(c *cycle) error {
		c.wipe(purged)
		for _, n := range c.report.Notices {
			return errors.New(n)
		}
		return nil
	})
}
