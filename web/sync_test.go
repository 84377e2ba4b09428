package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// computer adds a computer of the member's.
func (b *bundle) computer(t testing.TB, m memory.Member, name string) memory.DeviceID {
	t.Helper()
	d, err := b.service.AddDevice(t.Context(), principal(m), name, "linux")
	must(t, err)
	return d.ID
}

func TestSync_Page(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara, tom := b.members[memory.RoleContributor], b.members[memory.RoleViewer]
	author, viewer, reviewer, outsider := b.as(t, memory.RoleContributor), b.as(t, memory.RoleViewer), b.as(t, memory.RoleReviewer), b.as(t, memory.RoleNone)
	for _, br := range []*browser{author, viewer, reviewer, outsider} {
		br.get("/").want(t, http.StatusOK).shows(t, `href="/sync"`)
		br.get(view.SyncURL).want(t, http.StatusOK).shows(t, "No computer has synced yet")
	}
	laptop := b.computer(t, mara, "<b>mara</b>")
	report := func(by memory.Member, r memory.DeviceReport) {
		t.Helper()
		must(t, b.service.Report(t.Context(), principal(by), b.open.ID, r))
	}
	held := memory.DeviceReport{
		Device: laptop, Flow: memory.FlowBothWays, Holds: []memory.ReportedHold{{ID: "h", Deletes: 30, Direction: memory.Incoming}},
		Refused: []memory.ReportedFile{{Path: memory.StoredPath("a<i>.md"), Code: "<script>", Layer: "<u>"}}, RefusedTotal: 1,
	}
	report(mara, held)
	report(tom, memory.DeviceReport{Device: b.computer(t, tom, "tom's"), Flow: memory.FlowPullOnly})

	author.get(view.SyncURL).want(t, http.StatusOK).
		shows(t, "holding 30 deletes, incoming", "contributor", "&lt;b&gt;mara", "On that computer", "a&lt;i&gt;.md", "Only your own").hides(t, "<b>", "<i>", "<script", "<u>", "tom")
	viewer.get(view.SyncURL).want(t, http.StatusOK).shows(t, "tom&#39;s", "only receives").hides(t, "mara", "holding")
	page := reviewer.get(view.SyncURL).want(t, http.StatusOK).shows(t, "holding 30 deletes, incoming", "Its owner lets them go", "tom&#39;s", "acme/app").hides(t, "Only your own")
	if strings.Index(page.body, "mara") > strings.Index(page.body, "tom&#39;s") {
		t.Error("who holds does not come first")
	}
	outsider.get(view.SyncURL).want(t, http.StatusOK).hides(t, "mara", "tom", "acme/app")

	held.Holds, held.Refused, held.RefusedTotal = nil, nil, 0
	report(mara, held)
	reviewer.get(view.SyncURL).want(t, http.StatusOK).shows(t, "mara", "nothing to report").hides(t, "holding")

	// Members whose role is gone are not told of their own computers there either.
	b.sql(t, "delete from project_roles where member_id = $1", mara.ID)
	author.get(view.SyncURL).want(t, http.StatusOK).hides(t, "acme/app")
}

// The list goes on where the page before ended.
func TestSync_More(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	for n := range syncPage + 2 {
		r := memory.DeviceReport{Device: b.computer(t, by, fmt.Sprintf("computer-%02d.", n)), Flow: memory.FlowBothWays, Conflicts: n % 2}
		must(t, b.service.Report(t.Context(), principal(by), b.open.ID, r))
		b.clock.advance(minute)
	}
	br := b.as(t, memory.RoleReviewer)
	page := br.get(view.SyncURL).want(t, http.StatusOK).shows(t, "computer-21.", "computer-04.", "More computers").hides(t, "computer-02.", "computer-00.")
	_, after, _ := strings.Cut(page.body, view.SyncURL+"?after=")
	after, _, _ = strings.Cut(after, `"`)
	br.get(view.SyncURL+"?after="+after).want(t, http.StatusOK).shows(t, "computer-02.", "computer-00.").hides(t, "computer-04.", "More computers")
	for _, bad := range []string{"x", "1.2.3", "2.1.prj_a.dev_a.", "1.x.prj_a.dev_a.", "1.1.prj_a.%27.", "1.1.prj_a.dev_a.%3Cb%3E", "1.-1.prj_a.dev_a.", "1.1.prj_a.dev_a.a.b"} {
		br.get(view.SyncURL+"?after="+bad).want(t, http.StatusBadRequest)
	}
}
