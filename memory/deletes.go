package memory

import (
	"fmt"
	"slices"
	"time"
)

// Release is a person's yes to deletes that a client held, and asked about.
type Release struct {
	Hold    string // by which the client calls them
	Deletes int    // how many they are; 0: nobody was asked
}

// Deletes counts the deletes of a project since [Batch.Guarded].
type Deletes struct {
	All int
	Own int // by the batch's author on the same device, or on none
}

// What nobody is asked about.
const (
	deletesLast = time.Hour // how long a delete counts
	fewDeletes  = 5         // in that time, or a quarter of the entries if that is more
)

// deletes reports whether the batch can delete something at once.
func (b Batch) deletes() bool {
	return slices.ContainsFunc(b.Items, func(it Item) bool { return it.passed() && !it.waits() && it.Write.Action == ActionDelete })
}

// mostDeletes is how many deletes nobody is asked about in a project that has so
// many entries now.
func mostDeletes(live int, lately Deletes) int { return max(fewDeletes, (live+lately.All)/4) }

// Guard is the last line against what clients guard against themselves: a
// script that went wrong, or a program that knows no guard, must not empty a
// project. It returns why a batch, judged as it was, is not written at all; nil
// if it may be.
//
// The size that counts is what the project had before anything was deleted, so
// that many small batches are no way around.
func (b Batch) Guard(h Heads, j Judgement) error {
	now := 0
	for _, s := range j.Stored {
		if s.Action == ActionDelete {
			now++
		}
	}
	most := mostDeletes(h.Live, h.Deleted)
	if now == 0 || b.Guarded.IsZero() || now+h.Deleted.Own <= most || now <= b.Release.Deletes {
		return nil
	}
	return &Error{
		Code: CodeDeleteGuard, Field: "ops",
		Message: fmt.Sprintf("these are %d deletes from this device within an hour; more than %d are only carried out when a person says so", now+h.Deleted.Own, most),
		Hint:    "if they are meant, say how many they are: teammem sync --allow-deletes=N, or release in a push",
	}
}
