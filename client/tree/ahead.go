package tree

import (
	"errors"
	"slices"

	"github.com/teammem/teammem/memory"
)

// flushEvery is after how many new texts a flush of the file system begins, so
// that the disk works while more texts are written.
const flushEvery = 500

// flushing is what flushes the file system beside the writing.
type flushing struct {
	result chan error // of the last flush that began; nil: it is over
	err    error      // of those that are over
	since  int        // texts that were written or removed after it began
}

// flushAhead begins a flush if so many texts were written since the last, and
// the disk has done with that.
func (b *Batch) flushAhead() {
	f := &b.ahead
	if f.since++; f.since >= flushEvery && f.idle() {
		b.flush()
	}
}

// Settle writes the new texts that are not written yet, and begins to make them
// durable, while the caller does something else before Commit.
func (b *Batch) Settle() {
	b.writers.wait()
	b.flush()
}

func (b *Batch) flush() {
	f := &b.ahead
	if f.since == 0 {
		return
	}
	before, result := f.result, make(chan error, 1)
	f.since, f.result = 0, result
	go func() {
		var err error
		if before != nil {
			err = <-before
		}
		result <- errors.Join(err, b.t.await(func() error { return flush(b.flushed) }))
	}()
}

// idle reports whether no flush is under way: there was none, or its result,
// the only one that the channel has room for, is there.
func (f *flushing) idle() bool { return len(f.result) == cap(f.result) }

// wait returns when no flush is under way.
func (f *flushing) wait() error {
	if f.result != nil {
		f.err, f.result = errors.Join(f.err, <-f.result), nil
	}
	return f.err
}

// Retain drops the new texts that nobody wants any more. They have no results.
func (b *Batch) Retain(wanted func(memory.Path) bool) {
	b.writers.wait()
	b.ops = slices.DeleteFunc(b.ops, func(o *op) bool {
		if wanted(o.path) {
			return false
		}
		b.folders.trim()
		_ = b.drop(o) // what stays is swept at the next start
		return true
	})
}
