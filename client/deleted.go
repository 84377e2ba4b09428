package client

import (
	"slices"
	"strings"
	"time"

	msync "github.com/teammem/teammem/sync"
)

// Whoever deleted an entry is told when it comes back: somebody had edited it
// meanwhile, or shared it again. The index does not keep what is gone on both
// sides, so a file beside it has the entries that were deleted here.

// maxOwnDeletes is how many are kept, the newest.
const maxOwnDeletes = 1000

// rememberDeletes adds those of this run.
func (c *cycle) rememberDeletes() {
	if len(c.ownDeletes) == 0 {
		return
	}
	all := slices.Concat(c.deletedBefore(), c.ownDeletes)
	c.keepDeletes(all[max(0, len(all)-maxOwnDeletes):])
	c.ownDeletes = nil
}

// deletedBefore are those of earlier runs, oldest first. They are read once.
func (c *cycle) deletedBefore() []string {
	if !c.deletionsRead {
		c.deletedHere, c.deletionsRead = c.deletions.lines(), true
	}
	return c.deletedHere
}

// cameBack tells of an entry that has come, if it was deleted here.
func (c *cycle) cameBack(op msync.Op) {
	if op.Kind != msync.Download || op.Base.EntryID != "" || c.absentAt.IsZero() {
		return // nothing is deleted here that was never here
	}
	at := slices.Index(c.deletedBefore(), string(op.Entry))
	if at < 0 {
		return
	}
	c.keepDeletes(slices.Delete(c.deletedHere, at, at+1))
	c.notice("%s: shared again after you deleted it", op.Path)
}

// keepDeletes notes all of them, or leaves the file as it was.
func (c *cycle) keepDeletes(all []string) {
	c.deletedHere = all
	if len(all) == 0 {
		c.deletions.drop()
		return
	}
	c.deletions.there = true
	_ = replaceFile(c.deletions.file, []byte(strings.Join(all, "\n")+"\n"), private, time.Time{}) // a help, as all notes
}
