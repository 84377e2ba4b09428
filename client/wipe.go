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
	c.wipeVaults(c.purged)
}

// wipeEver is wipe for all that was ever purged, which is told when it is not
// known what was heard of before. Of what comes out of the tree in this run no
// copy is kept if it came from the server; a copy that the member had is theirs.
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
	c.wipeVaults(sums)
}

func (c *cycle) wipeVaults(sums map[memory.Hash]bool) {
	for _, v := range []vault{c.trashBin, c.conflicts} {
		if err := v.wipe(sums); err != nil {
			c.notice("a text that was purged could not be removed: %v", err)
		}
	}
}

// wipe removes the texts that have one of the hashes, also as what a conflict
// started from.
func (v vault) wipe(sums map[memory.Hash]bool) error {
	return v.walk(func(file string) error {
		if !strings.HasSuffix(file, ".md") {
			return nil
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !sums[memory.Sum(text)] {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a kept text: %w", err)
		}
		if strings.HasSuffix(file, baseSuffix) || !exists(metaFile(file)) {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("wipe a kept text: %w", err)
			}
			return nil
		}
		return closeConflict(Kept{File: file})
	})
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
