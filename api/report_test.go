package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// health is what the service tells the member with the role of trees.
func (b *bundle) health(t *testing.T, role memory.Role) []memory.DeviceHealth {
	t.Helper()
	who := memory.Principal{Member: b.members[role].ID, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeReview}}
	all, err := b.api.service.Health(t.Context(), who, memory.HealthQuery{})
	must(t, err)
	return all
}

// device adds a computer of the caller's.
func (c *client) device(name string) string {
	c.t.Helper()
	added := c.post(base+"/me/devices", `{"name":"`+name+`","os":"linux"}`).want(c.t, http.StatusOK, "")
	_, id, _ := strings.Cut(string(added.body), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func TestReport_Kept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	viewer, mara := b.as(t, memory.RoleViewer), b.as(t, memory.RoleContributor)
	device := viewer.device("viewer's")
	long := strings.Repeat(`{"path":"more.md","code":"quota"},`, 100)
	viewer.post(b.in("/report"), `{"device":"`+device+`","tree":"a1","holds":[{"hold":"h1","deletes":30,"direction":"incoming"}],
		"refused":[{"path":"a.md","code":"secret_found"},{"path":"<b>.md","code":"path_rejected","layer":"reserved"},{"path":"o.md","code":"<b>","layer":"\u202e"},{"path":"`+mark+`.md","code":"too_large"},`+long+`{"code":"x"}],
		"refused_total":900,"blocked":[{"path":"../etc/passwd","kind":"symlink"},{"path":"odd.md","kind":"<script>"},{"kind":"`+strings.Repeat("k", 33)+`"}],"conflicts":1,"waiting":2,"mode":"pull-only"}`).want(t, http.StatusOK, "")
	for _, role := range []memory.Role{memory.RoleViewer, memory.RoleReviewer} {
		got := b.health(t, role)
		if len(got) != 1 || got[0].Report == nil || !got[0].Troubled || string(got[0].Device.ID) != device || got[0].Owner.Name != "viewer" || got[0].Behind != -1 {
			t.Fatalf("%s sees %+v", role, got)
		}
		r := *got[0].Report
		if len(r.Refused) != memory.MaxReported {
			t.Errorf("%d files are named", len(r.Refused))
		}
		r.Refused = r.Refused[:4]
		want := memory.DeviceReport{
			Device: memory.DeviceID(device), Tree: "a1", Flow: memory.FlowPullOnly, RefusedTotal: 900, BlockedTotal: 3, Conflicts: 1, Waiting: 2,
			Holds:   []memory.ReportedHold{{ID: "h1", Deletes: 30, Direction: memory.Incoming}},
			Refused: []memory.ReportedFile{{Path: memory.StoredPath("a.md"), Code: "secret_found"}, {Code: "path_rejected", Layer: "reserved"}, {Path: memory.StoredPath("o.md"), Code: "other"}, {Code: "too_large"}},
			Blocked: []memory.ReportedFile{{Code: "symlink"}, {Path: memory.StoredPath("odd.md"), Code: "other"}, {Code: "other"}},
		}
		if diff := cmp.Diff(want, r, cmp.AllowUnexported(memory.Path{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
	if got := b.health(t, memory.RoleContributor); len(got) != 0 {
		t.Errorf("a contributor sees another's computer: %+v", got)
	}

	// Another tree is another report, and the next on the same tree takes its place.
	for tree, code := range map[string]string{"a1": `"waiting":1`, "b2": `"conflicts":0`} {
		viewer.post(b.in("/report"), `{"device":"`+device+`","tree":"`+tree+`",`+code+`,"mode":"both-ways"}`).want(t, http.StatusOK, "")
	}
	if got := b.health(t, memory.RoleViewer); len(got) != 2 || got[0].Troubled || got[1].Troubled {
		t.Errorf("two trees: %+v", got)
	}

	// Nobody speaks for another's computer, or for none.
	mara.post(b.in("/report"), `{"device":"`+device+`","mode":"both-ways"}`).want(t, http.StatusForbidden, memory.CodeForbidden)
	mara.post(b.in("/report"), `{"device":"dev_none","mode":"both-ways"}`).want(t, http.StatusForbidden, memory.CodeForbidden)
	mara.post(b.in("/report"), `{"mode":"both-ways"}`).want(t, http.StatusBadRequest, memory.CodeInvalid)
	viewer.post(base+"/projects/"+string(b.other.ID)+"/report", `{"device":"`+device+`","mode":"both-ways"}`).want(t, http.StatusNotFound, memory.CodeNotFound)
	b.as(t, memory.RoleNone).post(b.in("/report"), `{"mode":"both-ways"}`).want(t, http.StatusNotFound, memory.CodeNotFound)
	own := b.signedIn(t, b.members[memory.RoleContributor], memory.ScopeRead)
	own.post(b.in("/report"), `{"mode":"both-ways"}`).want(t, http.StatusOK, "")
}

func TestReport_Bounds(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	file := `{"path":"a.md","code":"quota"},`
	hold := `{"hold":"h","deletes":1,"direction":"incoming"},`
	for name, body := range map[string]string{
		"no mode": `{}`, "another mode": `{"mode":"sideways"}`, "an upper case tree": `{"mode":"both-ways","tree":"A1"}`, "a long tree": `{"mode":"both-ways","tree":"12345678901234567"}`,
		"a device that is none": `{"mode":"both-ways","device":"<b>"}`, "fewer than none": `{"mode":"both-ways","waiting":-1}`, "too many": `{"mode":"both-ways","conflicts":1000001}`,
		"a total of too many": `{"mode":"both-ways","blocked_total":1000001}`, "a total below none": `{"mode":"both-ways","refused_total":-5}`,
		"many files":        `{"mode":"both-ways","refused":[` + strings.Repeat(file, 200) + strings.TrimSuffix(file, ",") + `]}`,
		"many holds":        `{"mode":"both-ways","holds":[` + strings.Repeat(hold, 10) + strings.TrimSuffix(hold, ",") + `]}`,
		"no code":           `{"mode":"both-ways","refused":[{"path":"a.md"}]}`,
		"a hold of nothing": `{"mode":"both-ways","holds":[{"hold":"h","direction":"incoming"}]}`,
		"a hold of both":    `{"mode":"both-ways","holds":[{"hold":"h","deletes":2,"changes":3,"direction":"incoming"}]}`,
		"a negative hold":   `{"mode":"both-ways","holds":[{"hold":"h","deletes":3,"changes":-2,"direction":"incoming"}]}`,
		"a hold from above": `{"mode":"both-ways","holds":[{"hold":"h","deletes":3,"direction":"down"}]}`,
		"a hold of no name": `{"mode":"both-ways","holds":[{"hold":"","deletes":3,"direction":"incoming"}]}`,
		"a refused text":    `{"mode":"both-ways","refused":[{"path":"a.md","code":"x","content":"secret"}]}`,
	} {
		if got := c.post(base+"/projects/prj_a/report", body); got.status != http.StatusBadRequest || got.problem.Code != string(memory.CodeInvalid) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	big := `{"mode":"both-ways","refused":[{"path":"` + strings.Repeat("x", 70_000) + `","code":"x"}]}`
	c.post(base+"/projects/prj_a/report", big).want(t, http.StatusRequestEntityTooLarge, memory.CodeTooLarge)
}

// A computer is not behind by what it sent itself, nor by what a manifest told it,
// and what an older request said is not kept over that.
func TestProgress_Own(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara := b.as(t, memory.RoleContributor)
	device := mara.device("mara's")
	push := func(n int, headers ...string) {
		t.Helper()
		body := fmt.Sprintf(`{"epoch":"%s","ops":[{"op":"put","path":"%d.md","base_rev":0,"content":"text %d\n"}]}`, b.project.Head.Epoch, n, n)
		mara.post(b.in("/push"), body, append(headers, "Teammem-Device", device)...).want(t, http.StatusOK, "")
	}
	now := time.Now()
	behind := func(when string, want int64) {
		t.Helper()
		must(t, b.api.Progress().Flush(t.Context(), b.store, now))
		if got := b.health(t, memory.RoleReviewer); len(got) != 1 || got[0].Behind != want {
			t.Errorf("%s: %+v, want it %d behind", when, got, want)
		}
	}
	push(1)
	tag := mara.get(b.in("/changes"), "Teammem-Device", device).header.Get("Etag")
	push(2, "If-Match", tag)
	behind("after a push on what it has", 0)
	push(3)
	behind("after a push on whatever there is", 1)
	mara.get(b.in("/manifest"), "Teammem-Device", device).want(t, http.StatusOK, "")
	behind("after a manifest", 0)
	mara.get(b.in("/changes?limit=1"), "Teammem-Device", device).want(t, http.StatusOK, "")
	behind("after an older page", 0)
}

// How far a computer has come is known from what it asks for, and written
// without its waiting for that.
func TestProgress_Kept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	viewer, mara := b.as(t, memory.RoleViewer), b.as(t, memory.RoleContributor)
	device, other := viewer.device("viewer's"), mara.device("mara's")
	push := func(n int) {
		t.Helper()
		body := fmt.Sprintf(`{"epoch":"%s","ops":[{"op":"put","path":"%d.md","base_rev":0,"content":"text %d\n"}]}`, b.project.Head.Epoch, n, n)
		mara.post(b.in("/push"), body).want(t, http.StatusOK, "")
	}
	flush := func(at time.Time) {
		t.Helper()
		must(t, b.api.Progress().Flush(t.Context(), b.store, at))
	}
	push(1)
	push(2)
	viewer.get(b.in("/changes?limit=1"), "Teammem-Device", device, "Teammem-Client", "teammem/1.2.3 (linux)").want(t, http.StatusOK, "")
	viewer.get(b.in("/changes"), "Teammem-Device", other).want(t, http.StatusOK, "")
	viewer.get(b.in("/changes"), "Teammem-Device", "dev_made_up").want(t, http.StatusOK, "")
	now := time.Now()
	flush(now)
	got := b.health(t, memory.RoleReviewer)
	if len(got) != 1 || string(got[0].Device.ID) != device || got[0].Behind != 1 || got[0].Client != "teammem/1.2.3 (linux)" || got[0].Report != nil {
		t.Fatalf("after a page: %+v", got)
	}
	viewer.get(b.in("/changes?since="+b.project.Head.Epoch+":1"), "Teammem-Device", device).want(t, http.StatusOK, "")
	flush(now)
	if got := b.health(t, memory.RoleViewer); len(got) != 1 || got[0].Behind != 0 {
		t.Errorf("after all pages: %+v", got)
	}
	tag := viewer.get(b.in("/changes"), "Teammem-Device", device).header.Get("Etag")
	asked := func(at time.Time) (kept time.Time) {
		t.Helper()
		viewer.get(b.in("/changes?since="+b.project.Head.Epoch+":2"), "Teammem-Device", device, "If-None-Match", tag).want(t, http.StatusNotModified, "")
		flush(at)
		b.row(t, &kept, "select at from device_cursors where device_id = $1", device)
		return kept
	}
	written := asked(now)
	if again := asked(now.Add(time.Minute)); !again.Equal(written) {
		t.Error("a question without news was written")
	}
	if later := asked(now.Add(6 * time.Minute)); !later.After(written) {
		t.Error("it is not known that the computer still asks")
	}
	b.sql(t, "update projects set epoch = 'eother'")
	if got := b.health(t, memory.RoleViewer); len(got) != 1 || got[0].Behind != -1 {
		t.Errorf("in another history: %+v", got)
	}
}
