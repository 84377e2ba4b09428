package store_test

import (
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// A finding in an instance that was restored says who had got the text as far as
// the backup knows, and that there may be others; one in a text from since then
// says neither.
func TestRescan_ReceiversAfterRestore(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx := t.Context()
	v := a.write(t, a.other, "a.md", "hard-one")
	must(t, a.KeepCursors(ctx, []memory.DeviceCursor{
		{Project: a.project.ID, Member: a.member.ID, Device: a.device.ID, At: memory.Cursor{Epoch: a.project.Head.Epoch, Seq: v.Rev}},
	}, start()))
	a.rescan(t, softScanner{})
	before := a.leaks(t)
	if len(before) != 1 || len(before[0].Receivers) != 1 || !before[0].Restored.IsZero() {
		t.Fatalf("before: %+v", before)
	}

	url := empty(t, connect(t, a.url), "")
	_, err := store.Restore(ctx, url, backUp(t, a.url), store.RestoreOptions{Row: restoreRow()})
	must(t, err)
	o := *a.office
	o.bundle = another(t, url)
	o.member, o.device, o.project = a.member, a.device, a.project
	r := &archive{office: &o}
	r.use(softScanner{})
	after := r.leaks(t)
	if len(after) != 1 || len(after[0].Receivers) != 1 || after[0].Receivers[0].Device.ID != a.device.ID || after[0].Restored.IsZero() {
		t.Fatalf("after: %+v", after)
	}
	view, err := r.Service.FindingView(ctx, a.mia, a.project.ID, after[0].ID)
	if err != nil || !view.Restored.Equal(after[0].Restored) || len(view.Receivers) != 1 {
		t.Errorf("view: %+v, %v", view, err)
	}

	r.now = time.Now().Add(time.Hour)
	r.use(oldRules{})
	head, err := r.Head(ctx, a.project.ID)
	must(t, err)
	r.project.Head = head
	r.write(t, a.other, "b.md", "hard-two")
	r.rescan(t, watched{rules: "soft-2", before: func(string) error { return nil }})
	for _, l := range r.leaks(t) {
		if restored := !l.Restored.IsZero(); restored != (l.Path.String() == "a.md") {
			t.Errorf("%s: restored %v", l.Path, l.Restored)
		}
	}
}
