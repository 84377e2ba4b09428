package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// reports keeps that a tree on a device is as the change makes it.
func (b *bundle) reports(t *testing.T, d memory.DeviceID, tree string, minutes int, change func(*memory.DeviceReport)) {
	t.Helper()
	r := memory.DeviceReport{Device: d, Tree: tree, Flow: memory.FlowBothWays}
	if change != nil {
		change(&r)
	}
	must(t, b.KeepReport(t.Context(), b.project.ID, r, "teammem/1 (linux)", start().Add(time.Duration(minutes)*time.Minute), 5))
}

// trees lists all trees that a member sees, page by page.
func (b *bundle) trees(t *testing.T, everybody bool, member memory.MemberID, limit int) (names []string) {
	t.Helper()
	var all []memory.ProjectID
	if everybody {
		all = []memory.ProjectID{b.project.ID}
	}
	for q := (memory.HealthQuery{Limit: limit}); ; {
		page, err := b.DeviceHealth(t.Context(), []memory.ProjectID{b.project.ID}, all, member, q)
		must(t, err)
		for _, h := range page {
			name := h.Device.Name
			if h.Report != nil {
				name += " " + h.Report.Tree
			}
			names = append(names, name)
		}
		if len(page) < limit {
			return names
		}
		q.After = page[len(page)-1].Place()
	}
}

// Whoever is in trouble comes first, then whoever was seen last; pages of any
// length are the same list.
func TestDeviceHealth_Order(t *testing.T) {
	t.Parallel()
	b := open(t, store.Options{MaxConns: 4, Log: testLog(t)})
	other := b.addMember(t, "Tom")
	desk := memory.Device{ID: memory.NewDeviceID(), Member: other.ID, Name: "desk", OS: "darwin", CreatedAt: start()}
	gone := memory.Device{ID: memory.NewDeviceID(), Member: other.ID, Name: "gone", OS: "linux", CreatedAt: start()}
	for _, d := range []memory.Device{desk, gone} {
		must(t, b.AddDevice(t.Context(), d, b.principal().Row(start(), "device.add", string(d.ID))))
	}
	b.reports(t, b.device.ID, "a", 1, nil)
	b.reports(t, b.device.ID, "b", 2, func(r *memory.DeviceReport) {
		r.Holds = []memory.ReportedHold{{ID: "h", Deletes: 30, Direction: memory.Incoming}}
	})
	b.reports(t, desk.ID, "", 3, func(r *memory.DeviceReport) { r.Waiting = 3 })
	b.reports(t, gone.ID, "c", 9, func(r *memory.DeviceReport) { r.Conflicts = 1 })
	must(t, b.EndDevice(t.Context(), gone.ID, memory.EndRemoved, start(), b.principal().Row(start(), "device.revoke", string(gone.ID))))

	for limit := 1; limit < 5; limit++ {
		if got, want := b.trees(t, true, b.member.ID, limit), []string{"laptop b", "desk ", "laptop a"}; !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, want %q", limit, got, want)
		}
	}
	if got, want := b.trees(t, false, other.ID, 5), []string{"desk "}; !slices.Equal(got, want) {
		t.Errorf("their own: %q, want %q", got, want)
	}
	b.reports(t, b.device.ID, "b", 4, nil)
	if got, want := b.trees(t, false, b.member.ID, 5), []string{"laptop b", "laptop a"}; !slices.Equal(got, want) {
		t.Errorf("without a hold: %q, want %q", got, want)
	}
}

// A computer does not fill the table.
func TestKeepReport_MostTrees(t *testing.T) {
	t.Parallel()
	b := open(t, store.Options{MaxConns: 2, Log: testLog(t)})
	for n := range 7 {
		b.reports(t, b.device.ID, fmt.Sprint("tree", n), n, nil)
	}
	want := []string{"laptop tree6", "laptop tree5", "laptop tree4", "laptop tree3", "laptop tree2"}
	if got := b.trees(t, true, b.member.ID, 10); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
