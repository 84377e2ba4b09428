package client

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// keepAhead brings the texts that many ops take out of the tree into the trash
// before the first of them is carried out. One after the other each would wait
// for the disk three times; several at a time wait together. A text that cannot
// be kept now, or is another by then, keepOld deals with.
func (c *cycle) keepAhead(ctx context.Context, ops []msync.Op) {
	const (
		few      = 16 // wait no longer than the rest takes
		together = 16
	)
	c.keptAhead = map[memory.Path]memory.Hash{}
	ops = slices.DeleteFunc(slices.Clone(ops), func(op msync.Op) bool { return !takesOut(op) })
	if len(ops) <= few {
		return
	}
	c.state.sums() // also for keepOld: each look for one text is a look at all entries
	var files []tree.File
	var sums []memory.Hash
	for _, op := range ops {
		if f, there := c.listing.File(op.Local.Path); there && c.mayTrash(op.Local.Sum) && !c.wasPurged(op.Local.Sum) {
			files, sums = append(files, f), append(sums, op.Local.Sum)
		}
	}
	for from := 0; from < len(files); from += together {
		some, judged := files[from:min(from+together, len(files))], sums[from:]
		found := c.readSome(ctx, some)
		kept := make([]bool, len(some))
		var group errgroup.Group
		for i, r := range found {
			if r.err != nil || r.file.Sum != judged[i] {
				continue
			}
			group.Go(func() error {
				kept[i] = c.trashBin.keepYoung(some[i].Path, r.content) == nil
				return nil
			})
		}
		_ = group.Wait()
		for i, f := range some {
			if kept[i] {
				c.keptAhead[f.Path] = judged[i]
			}
		}
	}
}
