package client

import (
	"slices"
	"strings"
	"time"

	msync "github.com/teammem/teammem/sync"
)

// maxOwnDeletes is how many are kept, the newest.
const maxOwnDeletes = 1000

// ownDeletes are the entries that were deleted here. Whoever deleted one is told
// when it comes back: somebody had edited it meanwhile, or shared it again. The
// index does not keep what is gone on both sides, so a file beside it does.
type ownDeletes struct {
	notes notes
	read  bool     // the notes were
	noted []string // by earlier runs, oldest first; see known
	now   []string // in this run
}

// known returns those of earlier runs. They are read once.
func (d *ownDeletes) known() []string {
	if !d.read {
		d.noted, d.read = d.notes.lines(), true
	}
	return d.noted
}

// remember notes those of this run.
func (d *ownDeletes) remember() {
	if len(d.now) == 0 {
		return
	}
	all := slices.Concat(d.known(), d.now)
	d.keep(all[max(0, len(all)-maxOwnDeletes):])
	d.now = nil
}

// forget reports whether the entry was deleted here by an earlier run, and that is
// over.
func (d *ownDeletes) forget(entry string) bool {
	at := slices.Index(d.known(), entry)
	if at < 0 {
		return false
	}
	d.keep(slices.Delete(d.noted, at, at+1))
	return true
}

// keep notes all of them, or leaves the file as it was.
func (d *ownDeletes) keep(all []string) {
	d.noted = all
	if len(all) == 0 {
		d.notes.drop()
		return
	}
	d.notes.there = true
	_ = replaceFile(d.notes.file, []byte(strings.Join(all, "\n")+"\n"), private, time.Time{}) // a help, as all notes
}

// cameBack tells of an entry that has come, if it was deleted here.
func (c *cycle) cameBack(op msync.Op) {
	if op.Kind != msync.Download || op.Base.EntryID != "" || c.absentAt.IsZero() {
		return // nothing is deleted here that was never here
	}
	if c.ownDeletes.forget(string(op.Entry)) {
		c.notice("%s: shared again after you deleted it", op.Path)
	}
}
