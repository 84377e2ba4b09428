package serving

import (
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// A member who has a core search for minutes waits, and nobody else does.
func TestScanBudget(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	b := NewScanBudget(func() time.Time { return now })
	scans := 0
	for ; scans < 1000; scans++ {
		ctx, wait := b.Admit(t.Context(), "mem_mallory")
		if wait > 0 {
			break
		}
		PayScan(ctx, memory.MaxEntryBytes, time.Minute) // of which most was waiting
	}
	if want := 25; scans != want { // 24 x 5 s, and one that goes below
		t.Errorf("%d scans, want %d", scans, want)
	}
	if _, wait := b.Admit(t.Context(), "mem_ann"); wait > 0 {
		t.Errorf("another member waits %v", wait)
	}
	if _, wait := b.Admit(t.Context(), "mem_mallory"); wait <= 0 || wait > time.Minute {
		t.Errorf("waits %v", wait)
	}
	now = now.Add(time.Minute)
	if _, wait := b.Admit(t.Context(), "mem_mallory"); wait > 0 {
		t.Errorf("a minute later still waits %v", wait)
	}
}

// Small texts are hardly charged, however long they had to wait for others.
func TestPayScan_SmallTexts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	b := NewScanBudget(func() time.Time { return now })
	for i := range 2000 {
		ctx, wait := b.Admit(t.Context(), "mem_ann")
		if wait > 0 {
			t.Fatalf("text %d waits %v", i, wait)
		}
		PayScan(ctx, 1500, time.Minute)
	}
	PayScan(t.Context(), 1500, time.Minute) // of nobody's request
}
