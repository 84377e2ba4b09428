package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// strict makes the project hold every change.
func strict(t testing.TB) *bundle {
	t.Helper()
	b := setup(t)
	b.sql(t, "update projects set review = 'strict'")
	return b
}

// reviewer returns a client of the member with the role who is signed in and
// may decide.
func (b *bundle) reviewer(t testing.TB, role memory.Role) *client {
	t.Helper()
	return b.signedIn(t, b.members[role], memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview)
}

// offer puts a new text, which waits, and returns its proposal.
func (b *bundle) offer(t testing.TB, c *client, path, content string) wire.Proposal {
	t.Helper()
	body, err := wire.Encode(wire.EntryPut{Content: &content})
	must(t, err)
	r := read[wire.Result](t, c.do(http.MethodPut, b.in("/entry?path="+escape(path)), string(body), "If-None-Match", "*"))
	if r.Verdict != string(memory.RulingWaiting) || r.Rev != 0 || r.EntryID != "" {
		t.Fatalf("put %q: %+v", path, r)
	}
	return b.show(t, c, r.Proposal).Proposal
}

func (b *bundle) show(t testing.TB, c *client, id string) wire.ProposalView {
	t.Helper()
	return read[wire.ProposalView](t, c.get(b.in("/proposals/"+id)))
}

// decision is the body of an approval, or with a reason of a rejection.
func decision(p wire.Proposal, reason, note string) string {
	d := wire.Decide{Action: "approve", SHA256: p.SHA256, BaseRev: &p.BaseRev, Reason: reason, Note: note}
	if reason != "" {
		d.Action = "reject"
	}
	body, err := wire.Encode(d)
	if err != nil {
		panic(err) // it is made of texts and a number
	}
	return string(body)
}

func (b *bundle) decide(c *client, p wire.Proposal, body string) reply {
	c.t.Helper()
	return c.post(b.in("/proposals/"+p.ID+"/decision"), body)
}

// A change waits unseen by everybody else, is approved and then is like any
// other; with the author's name on it.
func TestReview_Life(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, rea, mate := b.as(t, memory.RoleContributor), b.reviewer(t, memory.RoleReviewer), b.as(t, memory.RoleViewer)
	const text = "---\nname: db\n---\nuse \u201cPostgres\u201d\r\n"
	empty := mate.get(b.in("/changes")).header.Get("Etag")
	p := b.offer(t, author, "testing/db.md", text)
	if p.State != "pending" || !p.Creates || p.Op != "put" || p.Path != "testing/db.md" || *p.Content != text || p.Author.Name != "contributor" || p.Name != "db" {
		t.Errorf("proposal %+v", p)
	}
	mate.get(b.in("/changes"), "If-None-Match", empty).want(t, http.StatusNotModified, "")
	mate.get(b.in("/entry?path=testing%2Fdb.md")).want(t, http.StatusNotFound, memory.CodeNotFound)
	if list := read[wire.Page[wire.Entry]](t, mate.get(b.in("/entries"))); len(list.Items) != 0 {
		t.Errorf("entries %+v", list)
	}

	queue := read[wire.Page[wire.Proposal]](t, rea.get(b.in("/proposals?state=pending")))
	if len(queue.Items) != 1 || queue.Items[0].ID != p.ID || queue.Items[0].Content != nil {
		t.Errorf("queue %+v", queue)
	}
	v := b.show(t, rea, p.ID)
	if *v.Proposal.Content != text || v.Base != nil || v.Head != nil || v.Moved {
		t.Errorf("view %+v", v)
	}
	done := read[wire.Proposal](t, b.decide(rea, p, decision(p, "", "")))
	if done.State != "published" || done.Decision.By.Name != "reviewer" || done.Decision.Rev != 1 {
		t.Errorf("decided %+v", done)
	}
	feed := read[wire.Feed](t, mate.get(b.in("/changes?content=inline"), "If-None-Match", empty))
	if c := feed.Changes[0]; len(feed.Changes) != 1 || c.Author.Name != "contributor" || string(*c.Content) != text || c.SHA256 != p.SHA256 || c.EntryID != p.EntryID {
		t.Errorf("feed %+v", feed)
	}
	// The author is told, and the same push is answered that it is there.
	own := read[wire.Page[wire.Proposal]](t, author.get(b.in("/proposals?author=me")))
	if len(own.Items) != 1 || own.Items[0].State != "published" || own.Items[0].Decision.By.Name != "reviewer" {
		t.Errorf("own %+v", own)
	}
	body, err := wire.Encode(wire.EntryPut{Content: p.Content})
	must(t, err)
	if r := read[wire.Result](t, author.do(http.MethodPut, b.in("/entry?path=testing%2Fdb.md"), string(body), "If-Match", `"1"`)); r.Verdict != "same" {
		t.Errorf("again: %+v", r)
	}
}

// Every way to write waits: edits, deletes, moves, restores, index files, and
// whoever writes.
func TestReview_EverythingWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.as(t, memory.RoleContributor)
	made := b.put(t, first, "a.md", "one")
	read[wire.Result](t, first.do(http.MethodPut, b.in("/entry?path=a.md"), `{"content":"two"}`, "If-Match", `"1"`))
	b.put(t, first, "MEMORY.md", "# Index\n")
	b.sql(t, "update projects set review = 'strict'")
	head := read[wire.Project](t, first.get(b.in("")))

	for _, role := range []memory.Role{memory.RoleContributor, memory.RoleReviewer, memory.RoleMaintainer} {
		c := b.reviewer(t, role)
		push := func(op string) string {
			return fmt.Sprintf(`{"epoch":%q,"ops":[%s]}`, head.Epoch, op)
		}
		for name, r := range map[string]reply{
			"delete":  c.do(http.MethodDelete, b.in("/entry?path=a.md"), "", "If-Match", `"2"`),
			"restore": c.post(b.in("/restore"), fmt.Sprintf(`{"entry_id":%q,"rev":1}`, made.EntryID)),
			"index":   c.do(http.MethodPut, b.in("/entry?path=MEMORY.md"), `{"content":"# Other\n"}`, "If-Match", `"3"`),
			"move":    c.post(b.in("/push"), push(`{"op":"move","path":"b.md","previous_path":"a.md","base_rev":2}`)),
			"check":   c.post(b.in("/check"), `{"path":"n.md","content":"new"}`),
		} {
			if r.status != http.StatusOK || !strings.Contains(string(r.body), `"verdict":"waiting"`) {
				t.Errorf("%s by %s: %d %s", name, role, r.status, r.body)
			}
		}
	}
	if now := read[wire.Project](t, first.get(b.in(""))); now.Head != head.Head || now.Digest != head.Digest {
		t.Errorf("the head moved from %+v to %+v", head, now)
	}
	if list := read[wire.Page[wire.Proposal]](t, b.reviewer(t, memory.RoleReviewer).get(b.in("/proposals?state=pending&limit=200"))); len(list.Items) == 0 {
		t.Error("nothing waits")
	}
}

// Nobody approves their own, by any route and with any credential; the admin
// neither.
func TestReview_SelfApproval(t *testing.T) {
	t.Parallel()
	b := strict(t)
	boss, err := b.store.Member(t.Context(), b.admin.Member)
	must(t, err)
	for _, m := range []memory.Member{b.members[memory.RoleReviewer], b.members[memory.RoleMaintainer], boss} {
		c := b.signedIn(t, m, memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview)
		p := b.offer(t, c, m.Name+".md", "mine")
		other := b.signedIn(t, m, memory.ScopeRead, memory.ScopeReview) // another computer of theirs
		for _, me := range []*client{c, other} {
			b.decide(me, p, decision(p, "", "")).want(t, http.StatusForbidden, memory.CodeForbidden)
			b.decide(me, p, decision(p, "wrong", "")).want(t, http.StatusForbidden, memory.CodeForbidden)
		}
		// Pushing it again, restoring or asking for no review changes nothing.
		for _, body := range []string{`{"content":"mine"}`, `{"content":"mine","review":false}`, `{"content":"mine","review":true}`} {
			r := read[wire.Result](t, c.do(http.MethodPut, b.in("/entry?path="+escape(m.Name+".md")), body, "If-None-Match", "*"))
			if r.Verdict != "waiting" || r.Proposal != p.ID {
				t.Errorf("%s: %+v", body, r)
			}
		}
		if now := b.show(t, c, p.ID); now.Proposal.State != "pending" {
			t.Errorf("%s's is %s", m.Name, now.Proposal.State)
		}
	}
}

// An API token decides on nothing, whatever was written into the database about
// it and whoever it speaks for.
func TestReview_APITokens(t *testing.T) {
	t.Parallel()
	b := strict(t)
	p := b.offer(t, b.as(t, memory.RoleContributor), "a.md", "text")
	for _, m := range []memory.MemberID{b.members[memory.RoleReviewer].ID, b.members[memory.RoleMaintainer].ID, b.admin.Member} {
		for _, scopes := range [][]memory.Scope{
			{memory.ScopeRead, memory.ScopeWrite},
			{memory.ScopeReview},
			{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview, memory.ScopeAdmin},
		} {
			c := &client{t: t, url: b.url, token: b.token(t, m, "", scopes...)}
			b.decide(c, p, decision(p, "", "")).want(t, http.StatusForbidden, memory.CodeForbidden)
			b.decide(c, p, decision(p, "wrong", "")).want(t, http.StatusForbidden, memory.CodeForbidden)
		}
	}
	if n := b.show(t, b.reviewer(t, memory.RoleReviewer), p.ID); n.Proposal.State != "pending" {
		t.Errorf("it is %s", n.Proposal.State)
	}
}

// Others' proposals are not there for who may not decide, and those of another
// project for nobody.
func TestReview_Visibility(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, rea := b.as(t, memory.RoleContributor), b.reviewer(t, memory.RoleReviewer)
	p := b.offer(t, author, "a.md", "text")
	b.sql(t, "insert into project_roles values ($1, $2, 'contributor')", b.project.ID, b.members[memory.RoleNone].ID)
	mate := b.as(t, memory.RoleNone) // another contributor by now
	hidden := mate.get(b.in("/proposals/"+p.ID)).want(t, http.StatusNotFound, memory.CodeNotFound)
	unknown := mate.get(b.in("/proposals/prp_none")).want(t, http.StatusNotFound, memory.CodeNotFound)
	if hidden.problem.Detail != unknown.problem.Detail {
		t.Errorf("hidden: %s; unknown: %s", hidden.body, unknown.body)
	}
	mate.do(http.MethodDelete, b.in("/proposals/"+p.ID), "").want(t, http.StatusNotFound, memory.CodeNotFound)
	for _, query := range []string{"", "?author=" + string(b.memberID()), "?author=me"} {
		if list := read[wire.Page[wire.Proposal]](t, mate.get(b.in("/proposals"+query))); len(list.Items) != 0 {
			t.Errorf("%s: %+v", query, list)
		}
	}
	rea.do(http.MethodDelete, b.in("/proposals/"+p.ID), "").want(t, http.StatusForbidden, memory.CodeForbidden)

	// Through another project that the caller may do everything in.
	b.sql(t, "insert into project_roles values ($1, $2, 'maintainer')", b.other.ID, b.members[memory.RoleReviewer].ID)
	elsewhere := base + "/projects/" + string(b.other.ID) + "/proposals"
	rea.get(elsewhere+"/"+p.ID).want(t, http.StatusNotFound, memory.CodeNotFound)
	rea.do(http.MethodDelete, elsewhere+"/"+p.ID, "").want(t, http.StatusNotFound, memory.CodeNotFound)
	rea.post(elsewhere+"/"+p.ID+"/decision", decision(p, "", "")).want(t, http.StatusNotFound, memory.CodeNotFound)
	if list := read[wire.Page[wire.Proposal]](t, rea.get(elsewhere)); len(list.Items) != 0 {
		t.Errorf("the other project has %+v", list)
	}
	done := read[wire.Proposal](t, author.do(http.MethodDelete, b.in("/proposals/"+p.ID), ""))
	if done.State != "withdrawn" || done.Decision.By.Name != "contributor" {
		t.Errorf("withdrawn %+v", done)
	}
}

// What cannot be an id is not found and reaches no database, and what is a
// strange id finds nothing.
func TestReview_HostileIDs(t *testing.T) {
	t.Parallel()
	b := strict(t)
	rea := b.reviewer(t, memory.RoleReviewer)
	for _, id := range []string{
		"prp_", "prp_none", "x", "ent_a", "PRP_a", "prp_%00", "prp_%27%20or%201%3D1--", "prp_%2F..%2F", "prp_%E2%80%AE", "prp_%FF", "..", "%2e%2e",
		"prp_" + strings.Repeat("a", 61), "prp_a%3Fstate", string(b.project.ID),
	} {
		for _, r := range []reply{
			rea.get(b.in("/proposals/" + id)), rea.do(http.MethodDelete, b.in("/proposals/"+id), ""),
			rea.post(b.in("/proposals/"+id+"/decision"), `{"action":"approve","sha256":"`+memory.Sum(nil).String()+`","base_rev":0}`),
		} {
			if r.status != http.StatusNotFound && r.status != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d %s", id, r.status, r.body)
			}
		}
	}
	mine := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for _, query := range []string{
		"state=lost", "state=", "state=pending&state=rejected", "author=boss", "author=mem_%27", "limit=0", "limit=201", "cursor=%21", "x=1",
		"cursor=" + mine("x"), "cursor=" + mine("1"), "cursor=" + mine("1.ent_a"), "cursor=" + mine("-1.prp_a"), "cursor=" + mine("1.prp_'"),
		"cursor=" + mine("9223372036854775808.prp_a"), "cursor=" + mine("9223372036854775807.prp_a"), "cursor=" + mine(".prp_a"),
	} {
		rea.get(b.in("/proposals?"+query)).want(t, http.StatusBadRequest, memory.CodeInvalid)
	}
}

func TestReview_Bodies(t *testing.T) {
	t.Parallel()
	b := strict(t)
	rea := b.reviewer(t, memory.RoleReviewer)
	p := b.offer(t, b.as(t, memory.RoleContributor), "a.md", "text")
	sum := p.SHA256
	for body, field := range map[string]string{
		`{}`: "action",
		`{"action":"publish","sha256":"` + sum + `","base_rev":0}`:                                                           "action",
		`{"action":"approve","sha256":"` + sum + `"}`:                                                                        "base_rev",
		`{"action":"approve","base_rev":0}`:                                                                                  "sha256",
		`{"action":"approve","sha256":"x","base_rev":0}`:                                                                     "sha256",
		`{"action":"approve","sha256":"` + sum + `","base_rev":0,"note":"x"}`:                                                "note",
		`{"action":"approve","sha256":"` + sum + `","base_rev":0,"reason":"wrong"}`:                                          "reason",
		`{"action":"reject","sha256":"` + sum + `","base_rev":0}`:                                                            "reason",
		`{"action":"reject","sha256":"` + sum + `","base_rev":0,"reason":"boring"}`:                                          "reason",
		`{"action":"reject","sha256":"` + sum + `","base_rev":0,"reason":"other"}`:                                           "note",
		`{"action":"reject","sha256":"` + sum + `","base_rev":0,"reason":"other","note":"a\u0007"}`:                          "note",
		`{"action":"reject","sha256":"` + sum + `","base_rev":0,"reason":"wrong","note":"` + strings.Repeat("x", 501) + `"}`: "note",
	} {
		if r := rea.post(b.in("/proposals/"+p.ID+"/decision"), body).want(t, http.StatusBadRequest, memory.CodeInvalid); r.problem.Field != field {
			t.Errorf("%s: field %q", body, r.problem.Field)
		}
	}
	secret := rea.post(b.in("/proposals/"+p.ID+"/decision"), decision(p, "sensitive", "it says "+mark))
	if secret.want(t, http.StatusUnprocessableEntity, memory.CodeSecretFound); strings.Contains(string(secret.body), mark) {
		t.Errorf("the answer quotes the note: %s", secret.body)
	}
	for _, seen := range []wire.Proposal{{SHA256: memory.Sum([]byte("x")).String()}, {SHA256: sum, BaseRev: 3}} {
		b.decide(rea, p, decision(seen, "", "")).want(t, http.StatusConflict, memory.CodeChanged)
		b.decide(rea, p, decision(seen, "wrong", "")).want(t, http.StatusConflict, memory.CodeChanged)
	}
	done := read[wire.Proposal](t, b.decide(rea, p, decision(p, "other", "not ours\nreally")))
	if d := done.Decision; done.State != "rejected" || d.Reason != "other" || d.Note != "not ours\nreally" {
		t.Errorf("rejected %+v", done)
	}
	again := b.decide(rea, p, decision(p, "other", "not ours\nreally"))
	if read[wire.Proposal](t, again).State != "rejected" {
		t.Errorf("again: %s", again.body)
	}
	late := b.decide(b.reviewer(t, memory.RoleMaintainer), p, decision(p, "", ""))
	if late.want(t, http.StatusConflict, memory.CodeConflict); !strings.Contains(late.problem.Detail, "rejected by reviewer") {
		t.Errorf("late: %s", late.body)
	}
}

// The head moves while somebody looks: the approval is refused, the proposal
// shows what happened, and goes on waiting.
func TestReview_HeadMoves(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, other, rea := b.as(t, memory.RoleContributor), b.as(t, memory.RoleMaintainer), b.reviewer(t, memory.RoleReviewer)
	first := b.offer(t, author, "a.md", "one")
	read[wire.Proposal](t, b.decide(rea, first, decision(first, "", "")))
	edit := func(c *client, text string) wire.Proposal {
		r := read[wire.Result](t, c.do(http.MethodPut, b.in("/entry?path=a.md"), fmt.Sprintf(`{"content":%q}`, text), "If-Match", `"1"`))
		return b.show(t, c, r.Proposal).Proposal
	}
	mine, theirs := edit(author, "mine"), edit(other, "theirs")
	if v := b.show(t, rea, mine.ID); v.Moved || *v.Base.Content != "one" || v.Head.Rev != 1 {
		t.Errorf("view %+v", v)
	}
	read[wire.Proposal](t, b.decide(rea, theirs, decision(theirs, "", "")))
	b.decide(rea, mine, decision(mine, "", "")).want(t, http.StatusConflict, memory.CodeChanged)
	if v := b.show(t, rea, mine.ID); !v.Moved || v.Proposal.State != "pending" || *v.Base.Content != "one" || v.Head.Rev != 2 {
		t.Errorf("view %+v", v)
	}
	// On top of what is there, it can be approved.
	r := read[wire.Result](t, author.do(http.MethodPut, b.in("/entry?path=a.md"), `{"content":"mine"}`, "If-Match", `"2"`))
	again := b.show(t, rea, r.Proposal).Proposal
	if old := b.show(t, rea, mine.ID).Proposal; again.ID == mine.ID || old.State != "superseded" || old.Successor != again.ID {
		t.Errorf("the old one is %+v", old)
	}
	read[wire.Proposal](t, b.decide(rea, again, decision(again, "", "")))
	if got := rea.get(b.in("/entry?path=a.md"), "Accept", "text/markdown"); string(got.body) != "mine" {
		t.Errorf("got %q", got.body)
	}
}

// Rules that came after a proposal count when it is approved.
func TestReview_RulesChanged(t *testing.T) {
	t.Parallel()
	b := strict(t)
	rea := b.reviewer(t, memory.RoleReviewer)
	p := b.offer(t, b.as(t, memory.RoleContributor), "a.md", "text")
	b.sql(t, "update proposals set content = convert_to($1, 'UTF8'), sha256 = sha256(convert_to($1, 'UTF8')), size = $2", "it is "+mark, len("it is "+mark))
	p.SHA256 = memory.Sum([]byte("it is " + mark)).String()
	r := b.decide(rea, p, decision(p, "", ""))
	if r.want(t, http.StatusUnprocessableEntity, memory.CodeSecretFound); len(r.problem.Findings) != 1 || strings.Contains(string(r.body), mark) {
		t.Errorf("refused with %s", r.body)
	}
	read[wire.Proposal](t, b.decide(rea, p, decision(p, "sensitive", "")))
}

// Two who approve over HTTP at once: one 200, the other 409; one revision.
func TestReview_Race(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, one, two := b.as(t, memory.RoleContributor), b.reviewer(t, memory.RoleReviewer), b.reviewer(t, memory.RoleMaintainer)
	for round := range 8 {
		p := b.offer(t, author, fmt.Sprint(round, ".md"), "text")
		answers := make([]reply, 2)
		var group sync.WaitGroup
		for i, c := range []*client{one, two} {
			group.Go(func() { answers[i] = b.decide(c, p, decision(p, "", "")) })
		}
		group.Wait()
		if a, z := answers[0], answers[1]; a.status+z.status != http.StatusOK+http.StatusConflict {
			t.Errorf("round %d: %d %s and %d %s", round, a.status, a.body, z.status, z.body)
		}
		if head := read[wire.Project](t, author.get(b.in(""))).Head; head != int64(round)+1 {
			t.Errorf("round %d: the head is %d", round, head)
		}
	}
}

func TestReview_Pages(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, rea := b.as(t, memory.RoleContributor), b.reviewer(t, memory.RoleReviewer)
	var want []string
	for i := range 5 {
		want = append([]string{b.offer(t, author, fmt.Sprint(i, ".md"), "text").ID}, want...)
	}
	for _, c := range []*client{author, rea} {
		var got []string
		for cursor := ""; ; {
			page := read[wire.Page[wire.Proposal]](t, c.get(b.in("/proposals?limit=2&state=pending"+cursor)))
			for _, p := range page.Items {
				got = append(got, p.ID)
			}
			if page.Next == "" {
				break
			}
			cursor = "&cursor=" + page.Next
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// Whoever waits for changes is told of an approval at once.
func TestReview_WakesWhoWaits(t *testing.T) {
	t.Parallel()
	b := strict(t)
	author, rea, mate := b.as(t, memory.RoleContributor), b.reviewer(t, memory.RoleReviewer), b.as(t, memory.RoleViewer)
	p := b.offer(t, author, "a.md", "text")
	project := read[wire.Project](t, mate.get(b.in("")))
	news := make(chan reply, 1)
	go func() { news <- mate.get(b.in(fmt.Sprintf("/changes?wait=25&since=%s:0", project.Epoch))) }()
	<-b.hub.waiting
	start := time.Now()
	read[wire.Proposal](t, b.decide(rea, p, decision(p, "", "")))
	if feed := read[wire.Feed](t, <-news); len(feed.Changes) != 1 || time.Since(start) > 10*time.Second {
		t.Errorf("feed %+v", feed)
	}
}

// The words of a note and a change reach the log of requests nowhere.
func TestReview_LogsNoWords(t *testing.T) {
	t.Parallel()
	b := strict(t)
	p := b.offer(t, b.as(t, memory.RoleContributor), "a.md", canary)
	b.decide(b.reviewer(t, memory.RoleReviewer), p, decision(p, "other", canary))
	if log := b.log.await("/decision"); strings.Contains(log, canary) {
		t.Error("the log holds what was decided on")
	}
}
