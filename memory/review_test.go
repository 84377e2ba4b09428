package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reviewed is a project with proposals, and a reviewer who is signed in.
func reviewed(t *testing.T) (*bundle, Principal) {
	t.Helper()
	b := setup(t).withEntry("a.md", "text").withProposals()
	b.store.roles["prj_a"] = RoleReviewer
	b.who.Scopes = []Scope{ScopeRead, ScopeWrite, ScopeReview}
	return b, b.who
}

// as is the bundle's member under another name.
func as(who Principal, id MemberID, name string) Principal {
	who.Member, who.Name = id, name
	return who
}

func TestProposals_Visible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		role Role
		ask  ProposalQuery
		want ProposalQuery // what the store is asked; Limit -1: nothing
	}{
		{"viewer sees their own", RoleViewer, ProposalQuery{}, ProposalQuery{Author: "mem_mara", Limit: 200}},
		{"contributor sees their own", RoleContributor, ProposalQuery{State: ProposalPending, Limit: 7}, ProposalQuery{State: ProposalPending, Author: "mem_mara", Limit: 7}},
		{"contributor asks for their own", RoleContributor, ProposalQuery{Author: "mem_mara"}, ProposalQuery{Author: "mem_mara", Limit: 200}},
		{"contributor asks for another's", RoleContributor, ProposalQuery{Author: "mem_theirs"}, ProposalQuery{Limit: -1}},
		{"reviewer sees all", RoleReviewer, ProposalQuery{Limit: 201}, ProposalQuery{Limit: 200}},
		{"reviewer asks for another's", RoleReviewer, ProposalQuery{Author: "mem_theirs", Limit: -1}, ProposalQuery{Author: "mem_theirs", Limit: 200}},
		{"maintainer sees all", RoleMaintainer, ProposalQuery{}, ProposalQuery{Limit: 200}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			b.store.roles["prj_a"] = tt.role
			b.store.wanted.Limit = -1
			_, err := b.Proposals(t.Context(), who, "prj_a", tt.ask)
			must(t, err)
			if diff := cmp.Diff(tt.want, b.store.wanted); diff != "" {
				t.Errorf("asked the store (-want +got):\n%s", diff)
			}
		})
	}
}

// Somebody else's proposal reads exactly like one that is not there.
func TestProposal_OthersAreNotFound(t *testing.T) {
	t.Parallel()
	b, who := reviewed(t)
	if v, err := b.Proposal(t.Context(), who, "prj_a", "prp_theirs"); err != nil || string(v.Content) != "theirs" {
		t.Errorf("a reviewer got %+v, %v", v, err)
	}
	b.store.roles["prj_a"] = RoleContributor
	if v, err := b.Proposal(t.Context(), who, "prj_a", "prp_mine"); err != nil || string(v.Content) != "mine" {
		t.Errorf("the author got %+v, %v", v, err)
	}
	_, unknown := b.Proposal(t.Context(), who, "prj_a", "prp_none")
	_, theirs := b.Proposal(t.Context(), who, "prj_a", "prp_theirs")
	_, withdrawn := b.Withdraw(t.Context(), who, "prj_a", "prp_theirs")
	for _, err := range []error{unknown, theirs, withdrawn} {
		if e := problemOf(t, err, CodeNotFound); e.Error() != unknown.Error() {
			t.Errorf("got %v and %v", e, unknown)
		}
	}
}

func TestProposal_BaseAndHead(t *testing.T) {
	t.Parallel()
	edit := Proposal{
		Action: ActionPut, EntryID: "ent_a", Path: StoredPath("a.md"), BaseRev: 1, BaseSum: Sum([]byte("text")), Content: []byte("new"), Sum: Sum([]byte("new")),
	}
	with := func(change func(*Proposal)) Proposal {
		p := edit
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name       string
		proposal   Proposal
		change     func(*bundle)
		base, head bool
		moved      bool
	}{
		{"edit", edit, nil, true, true, false},
		{"edit of what was edited since", edit, func(b *bundle) { b.store.entries["ent_a"] = Entry{ID: "ent_a", Path: StoredPath("a.md"), Rev: 2} }, true, true, true},
		{"edit of another history", with(func(p *Proposal) { p.BaseSum = Sum([]byte("another")) }), nil, true, true, true},
		{"delete", with(func(p *Proposal) { p.Action, p.Content, p.Sum = ActionDelete, nil, p.BaseSum }), nil, true, true, false},
		{"published", with(func(p *Proposal) { p.State, p.BaseSum = ProposalPublished, Hash{} }), nil, true, true, false},
		{"new", proposed("mine"), nil, false, false, false},
		{"new where something is now", proposed("mine"), func(b *bundle) { b.store.entries["ent_x"] = Entry{ID: "ent_x", Path: StoredPath("mine.md"), Rev: 2} }, false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			p := tt.proposal
			if p.ID, p.Project = "prp_x", "prj_a"; p.State == "" {
				p.State = ProposalPending
			}
			b.store.proposals["prp_x"] = p
			if tt.change != nil {
				tt.change(b)
			}
			v, err := b.Proposal(t.Context(), who, "prj_a", "prp_x")
			must(t, err)
			if (v.Base != nil) != tt.base || (v.Head != nil) != tt.head || v.Moved != tt.moved {
				t.Errorf("base %v, head %v, moved %v", v.Base, v.Head, v.Moved)
			}
			if v.Base != nil && string(v.Base.Content) != "text" {
				t.Errorf("base %+v", v.Base)
			}
		})
	}
}

// The revision is the author's in everything, and the record names who
// approved it.
func TestApprove_Batch(t *testing.T) {
	t.Parallel()
	b, who := reviewed(t)
	p, err := b.Approve(t.Context(), who, "prj_a", "prp_theirs", seenOf(proposed("theirs")))
	must(t, err)
	got := b.store.batch
	if got.Author() != "mem_theirs" || got.By.Member != "mem_mara" || got.Device != "dev_theirs" || got.Agent.Name != "claude-code" ||
		got.At != start() || got.Epoch != "e1" || got.Quota != 20_000 || got.Review != "" || got.Approves.Proposal != "prp_theirs" {
		t.Errorf("batch %+v", got)
	}
	w := got.Items[0].Write
	if w.Path.String() != "theirs.md" || w.Content.Text() != "theirs" || w.EntryID != "ent_theirs" || w.BaseRev != 0 || w.Note != "because" ||
		!w.AllowEmpty || w.AbsentAt != (Cursor{"e1", 7}) || got.Items[0].waits() || len(got.Items) != 1 {
		t.Errorf("write %+v, waits: %v", w, got.Items[0].waits())
	}
	want := proposed("theirs")
	want.State, want.Decision = ProposalPublished, &ReviewDecision{By: Author{"mem_mara", "Mara"}, At: start(), Rev: 8}
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(Path{})); diff != "" {
		t.Errorf("proposal (-want +got):\n%s", diff)
	}
	row := []AuditRow{{
		At: start(), Actor: "mem_mara", Device: "dev_own", Client: "test", Action: "proposal.approve", Object: "prp_theirs",
		After: want.Sum, Decision: "published",
	}}
	if diff := cmp.Diff(row, b.store.audit); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	if !slices.Equal(b.notify.hints, []int64{8}) {
		t.Errorf("hints %v", b.notify.hints)
	}
}

// A move and a delete are approved with the hash of what they move or delete.
func TestApprove_MoveAndDelete(t *testing.T) {
	t.Parallel()
	for _, action := range []Action{ActionMove, ActionDelete} {
		b, who := reviewed(t)
		p := proposed("theirs")
		p.Action, p.Creates, p.EntryID, p.BaseRev, p.Content, p.Path = action, false, "ent_a", 1, nil, StoredPath("b.md")
		p.BaseSum, p.Sum, p.Previous = Sum([]byte("text")), Sum([]byte("text")), StoredPath("a.md")
		b.store.proposals[p.ID] = p
		_, err := b.Approve(t.Context(), who, "prj_a", p.ID, Seen{BaseRev: 1})
		wantCode(t, err, CodeChanged)
		_, err = b.Approve(t.Context(), who, "prj_a", p.ID, Seen{Sum([]byte("text")), 1})
		must(t, err)
		w := b.store.batch.Items[0].Write
		if w.Action != action || w.BaseSum != p.BaseSum || w.BaseRev != 1 || !w.Content.IsZero() || (action == ActionMove) == w.Previous.IsZero() {
			t.Errorf("%s: write %+v", action, w)
		}
	}
}

// Nobody decides on their own proposal, whatever they may do otherwise, and no
// token of a machine decides on any.
func TestReview_SecondPerson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		who    func(Principal) Principal
		id     ProposalID
		reason string
	}{
		{"reviewer on their own", func(p Principal) Principal { return p }, "prp_mine", "nobody decides on their own"},
		{"admin on their own", func(p Principal) Principal { p.Admin = true; return p }, "prp_mine", "nobody decides on their own"},
		{"under another name", func(p Principal) Principal { p.Name = "Jo"; return p }, "prp_mine", "nobody decides on their own"},
		{"API token with the scope", func(p Principal) Principal { p.Token = "tok_a"; return p }, "prp_theirs", "an API token decides"},
		{"admin's API token", func(p Principal) Principal { p.Token, p.Admin = "tok_a", true; return p }, "prp_theirs", "an API token decides"},
		{"API token of the project", func(p Principal) Principal { p.Token, p.Project = "tok_a", "prj_a"; return p }, "prp_theirs", "an API token decides"},
		{"without the scope", func(p Principal) Principal { p.Scopes = p.Scopes[:2]; return p }, "prp_theirs", "scope review"},
		{"admin without the scope", func(p Principal) Principal { p.Admin, p.Scopes = true, p.Scopes[:2]; return p }, "prp_theirs", "scope review"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			who = tt.who(who)
			seen := seenOf(b.store.proposals[tt.id])
			_, approve := b.Approve(t.Context(), who, "prj_a", tt.id, seen)
			_, reject := b.Reject(t.Context(), who, "prj_a", tt.id, seen, ReasonWrong, "")
			for _, err := range []error{approve, reject} {
				if e := problemOf(t, err, CodeForbidden); !strings.Contains(e.Message, tt.reason) || e.Hint == "" {
					t.Errorf("got %v", e)
				}
			}
			if b.store.batch.Items != nil || b.store.ended != nil || b.notify.hints != nil {
				t.Error("something was decided")
			}
		})
	}
}

// A decision counts only for what was on the screen.
func TestReview_Seen(t *testing.T) {
	t.Parallel()
	good := seenOf(proposed("theirs"))
	for name, seen := range map[string]Seen{
		"nothing": {}, "another text": {Sum([]byte("x")), 0}, "another base": {good.Sum, 1}, "no text": {Hash{}, good.BaseRev},
	} {
		b, who := reviewed(t)
		_, approve := b.Approve(t.Context(), who, "prj_a", "prp_theirs", seen)
		_, reject := b.Reject(t.Context(), who, "prj_a", "prp_theirs", seen, ReasonWrong, "")
		for _, err := range []error{approve, reject} {
			if CodeOf(err) != CodeChanged || b.store.ended != nil || b.store.batch.Items != nil {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// The gate of today counts: what was clean when it was proposed may not be now.
func TestApprove_ScreensAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*Proposal)
		code   Code
		rules  []string
	}{
		{"secret in the text", func(p *Proposal) { p.Content = []byte("a " + mark) }, CodeSecretFound, []string{"secret_found", "mark"}},
		{"secret in the note", func(p *Proposal) { p.Note = mark }, CodeSecretFound, []string{"secret_found", "mark"}},
		{"secret in the path", func(p *Proposal) { p.Path = StoredPath(mark + ".md") }, CodeSecretFound, []string{"secret_found", "mark"}},
		{"path that is not allowed any more", func(p *Proposal) { p.Path = StoredPath("con.md") }, CodePathRejected, []string{"path_rejected"}},
		{"no text any more", func(p *Proposal) { p.Content = []byte("\xff") }, CodeTextRejected, nil},
		{"scan without end", func(p *Proposal) { p.Content = []byte("slow") }, CodeScanTimeout, []string{"scan_timeout"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			p := proposed("theirs")
			tt.change(&p)
			p.Sum = Sum(p.Content)
			b.store.proposals[p.ID] = p
			_, err := b.Approve(t.Context(), who, "prj_a", p.ID, seenOf(p))
			if e := problemOf(t, err, tt.code); strings.Contains(e.Error(), mark) {
				t.Errorf("the answer quotes: %v", e)
			}
			if b.store.batch.Items != nil || b.store.proposals[p.ID].State != ProposalPending {
				t.Error("it was published all the same")
			}
			row := b.store.audit[0]
			if row.Action != "proposal.approve" || row.Decision != "refused" || row.Object != string(p.ID) || row.Actor != who.Member ||
				(tt.rules != nil && !slices.Equal(row.Rules, tt.rules)) {
				t.Errorf("audit %+v", row)
			}
			_, err = b.Reject(t.Context(), who, "prj_a", p.ID, seenOf(p), ReasonSensitive, "")
			must(t, err) // what is refused can still be closed
		})
	}
}

func TestApprove_ScanIsCutOff(t *testing.T) {
	t.Parallel()
	b, who := reviewed(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Approve(ctx, who, "prj_a", "prp_theirs", seenOf(proposed("theirs")))
	if !errors.Is(err, context.Canceled) || b.store.audit != nil || b.store.batch.Items != nil {
		t.Errorf("got %v; audit %v", err, b.store.audit)
	}
}

// What judging says instead of published: the base is gone, or a rule of the
// whole project is in the way. Either way the proposal goes on waiting.
func TestApprove_NotPublished(t *testing.T) {
	t.Parallel()
	head := &EntryHead{ID: "ent_a", Rev: 9}
	for _, tt := range []struct {
		name    string
		verdict Verdict
		code    Code
		audited bool
	}{
		{"the head moved", conflict(head), CodeChanged, false},
		{"the same text is there", same(head), CodeChanged, false},
		{"deleted meanwhile", gone(head), CodeChanged, false},
		{"an earlier text by now", Verdict{Ruling: RulingSuperseded}, CodeChanged, false},
		{"another entry has the path", refused("", &Error{Code: CodeConflict}), CodeChanged, false},
		{"a twin has the name", refused("", &Error{Code: CodePathRejected}), CodePathRejected, true},
		{"the project is full", refused("", quotaReached(3)), CodeQuota, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			b.store.receipt = Receipt{Head: Head{Seq: 9}, Verdicts: []Verdict{tt.verdict}}
			_, err := b.Approve(t.Context(), who, "prj_a", "prp_theirs", seenOf(proposed("theirs")))
			wantCode(t, err, tt.code)
			if b.store.proposals["prp_theirs"].State != ProposalPending || b.notify.hints != nil {
				t.Error("it does not wait any more")
			}
			if (b.store.audit != nil) != tt.audited {
				t.Errorf("audit %+v", b.store.audit)
			}
		})
	}
}

func TestApprove_RefusalIsAnsweredOnceOnRecord(t *testing.T) {
	t.Parallel()
	b, who := reviewed(t)
	b.store.auditErr = errFake
	b.store.receipt = Receipt{Verdicts: []Verdict{refused("", quotaReached(3))}}
	if _, err := b.Approve(t.Context(), who, "prj_a", "prp_theirs", seenOf(proposed("theirs"))); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

func TestReject_Reasons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, note string
		code               Code
		field              string
	}{
		{"plain", "wrong", "", "", ""},
		{"with a note", "duplicate", "see b.md\nline two", "", ""},
		{"other with a note", "other", "not ours", "", ""},
		{"other without", "other", "", CodeInvalid, "note"},
		{"none", "", "", CodeInvalid, "reason"},
		{"unknown", "boring", "x", CodeInvalid, "reason"},
		{"longest note", "wrong", strings.Repeat("数", 500), "", ""},
		{"note too long", "wrong", strings.Repeat("数", 501), CodeInvalid, "note"},
		{"secret in the note", "sensitive", "it says " + mark, CodeSecretFound, "note"},
		{"note that is no text", "wrong", "a\x00", CodeTextRejected, "note"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, who := reviewed(t)
			p, err := b.Reject(t.Context(), who, "prj_a", "prp_theirs", seenOf(proposed("theirs")), Reason(tt.reason), tt.note)
			if tt.code != "" {
				if e := problemOf(t, err, tt.code); e.Field != tt.field || strings.Contains(e.Error(), mark) || b.store.ended != nil {
					t.Errorf("got %s about %s: %v", e.Code, e.Field, e)
				}
				return
			}
			must(t, err)
			d := ReviewDecision{By: Author{"mem_mara", "Mara"}, At: start(), Reason: Reason(tt.reason), Note: tt.note}
			if p.State != ProposalRejected || *p.Decision != d || b.store.ended[0].Note != tt.note || b.store.batch.Items != nil || b.notify.hints != nil {
				t.Errorf("got %+v", p)
			}
			row := b.store.audit[0]
			if row.Action != "proposal.reject" || row.Decision != "rejected" || !slices.Equal(row.Rules, []string{tt.reason}) || row.Object != "prp_theirs" {
				t.Errorf("audit %+v", row)
			}
		})
	}
}

func TestParseReason(t *testing.T) {
	t.Parallel()
	for _, r := range Reasons() {
		if got, err := ParseReason(string(r)); err != nil || got != r {
			t.Errorf("%s: got %s, %v", r, got, err)
		}
	}
	for _, s := range []string{"pending", "published", "rejected", "superseded", "withdrawn"} {
		if got, err := ParseProposalState(s); err != nil || string(got) != s {
			t.Errorf("%s: got %s, %v", s, got, err)
		}
	}
	_, err := ParseProposalState("lost")
	wantCode(t, err, CodeInvalid)
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	b, who := reviewed(t)
	_, err := b.Withdraw(t.Context(), who, "prj_a", "prp_theirs")
	wantCode(t, err, CodeForbidden)
	who.Token = "tok_a" // what an author's client works with
	p, err := b.Withdraw(t.Context(), who, "prj_a", "prp_mine")
	if err != nil || p.State != ProposalWithdrawn || p.Decision.By.Member != who.Member {
		t.Errorf("got %+v, %v", p, err)
	}
	if row := b.store.audit[0]; row.Action != "proposal.withdraw" || row.Decision != "withdrawn" || row.Token != "tok_a" {
		t.Errorf("audit %+v", row)
	}
}

// decisions are all ways to end a proposal.
func decisions() map[ProposalState]func(context.Context, *bundle, Principal, Proposal) (Proposal, error) {
	return map[ProposalState]func(context.Context, *bundle, Principal, Proposal) (Proposal, error){
		ProposalPublished: func(ctx context.Context, b *bundle, who Principal, p Proposal) (Proposal, error) {
			return b.Approve(ctx, as(who, "mem_first", "Fay"), "prj_a", p.ID, seenOf(p))
		},
		ProposalRejected: func(ctx context.Context, b *bundle, who Principal, p Proposal) (Proposal, error) {
			return b.Reject(ctx, as(who, "mem_first", "Fay"), "prj_a", p.ID, seenOf(p), ReasonWrong, "why")
		},
		ProposalWithdrawn: func(ctx context.Context, b *bundle, who Principal, p Proposal) (Proposal, error) {
			return b.Withdraw(ctx, as(who, p.Author.Member, p.Author.Name), "prj_a", p.ID)
		},
	}
}

// A decision that is sent again, as after a lost answer, is answered the same.
// Any other is told how it ended.
func TestReview_DecidedAlready(t *testing.T) {
	t.Parallel()
	for first, decide := range decisions() {
		for second, again := range decisions() {
			b, who := reviewed(t)
			p := proposed("theirs")
			one, err := decide(t.Context(), b, who, p)
			must(t, err)
			two, err := again(t.Context(), b, who, p)
			if first == second {
				if diff := cmp.Diff(one.State, two.State); err != nil || diff != "" || two.Decision.By.Member != one.Decision.By.Member {
					t.Errorf("%s twice: %+v, %v", first, two, err)
				}
			} else if e := problemOf(t, err, CodeConflict); !strings.Contains(e.Message, "already decided: "+string(first)) {
				t.Errorf("%s after %s: %v", second, first, e)
			}
			if len(b.store.ended) != 1 {
				t.Errorf("%s after %s: ended %d times", second, first, len(b.store.ended))
			}
		}
		b, who := reviewed(t)
		p := proposed("theirs")
		_, err := decide(t.Context(), b, who, p)
		must(t, err)
		_, approve := b.Approve(t.Context(), as(who, "mem_other", "Olga"), "prj_a", p.ID, seenOf(p))
		_, reject := b.Reject(t.Context(), as(who, "mem_first", "Fay"), "prj_a", p.ID, seenOf(p), ReasonOutdated, "")
		_, reworded := b.Reject(t.Context(), as(who, "mem_first", "Fay"), "prj_a", p.ID, seenOf(p), ReasonWrong, "another note, which is not kept")
		wantCode(t, approve, CodeConflict)
		wantCode(t, reject, CodeConflict)
		wantCode(t, reworded, CodeConflict)
	}
}

// Of two decisions at once one loses, and is told who won; unless it is the
// same person's same decision.
func TestReview_LosesTheRace(t *testing.T) {
	t.Parallel()
	for winner, win := range decisions() {
		for loser, lose := range decisions() {
			b, who := reviewed(t)
			p := proposed("theirs")
			b.store.raced = func() {
				b.store.raced = nil
				_, err := win(t.Context(), b, who, p)
				must(t, err)
			}
			got, err := lose(t.Context(), b, who, p)
			if winner == loser {
				if err != nil || got.State != winner {
					t.Errorf("%s at once: %+v, %v", winner, got, err)
				}
			} else {
				wantCode(t, err, CodeConflict)
			}
			if len(b.store.ended) != 1 {
				t.Errorf("%s against %s: ended %d times", winner, loser, len(b.store.ended))
			}
		}
	}
}

func TestReview_StoreFailsLater(t *testing.T) {
	t.Parallel()
	for state, decide := range decisions() {
		b, who := reviewed(t)
		b.store.raced = func() { b.store.err = errFake }
		if _, err := decide(t.Context(), b, who, proposed("theirs")); !errors.Is(err, errFake) || b.notify.hints != nil {
			t.Errorf("%s: got %v", state, err)
		}
	}
}

// Under strict a push waits, and says so; nobody is told of news.
func TestPush_Strict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.strict()
	receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(op("a.md", "x"), op("b.md", mark), Op{Action: ActionDelete, Path: "c.md", BaseRev: 1}))
	must(t, err)
	if diff := cmp.Diff([]Ruling{RulingWaiting, RulingRefused, RulingWaiting}, rulings(Judgement{Verdicts: receipt.Verdicts})); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
	got := b.store.batch
	if got.Review != PresetStrict || got.Pending != 2000 || got.Own != 1000 || !strings.HasPrefix(string(got.Items[0].Proposal), "prp_") ||
		got.Items[0].Proposal == got.Items[2].Proposal || got.Items[1].waits() {
		t.Errorf("batch %+v", got)
	}
	if b.notify.hints != nil || len(b.store.audit) != 1 {
		t.Errorf("hints %v, audit %+v", b.notify.hints, b.store.audit)
	}
}

func TestPush_AsksForAReviewer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := op("a.md", "x")
	asked.Review = true
	receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(asked, op("b.md", "x")))
	must(t, err)
	if diff := cmp.Diff([]Ruling{RulingWaiting, RulingPublished}, rulings(Judgement{Verdicts: receipt.Verdicts})); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
	if !slices.Equal(b.notify.hints, []int64{8}) {
		t.Errorf("hints %v", b.notify.hints)
	}
}

// What waits is stored like what is published: its receipt must reach the
// client.
func TestPush_AuditFailsBesideWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.strict()
	b.store.auditErr = errFake
	receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(op("a.md", "x"), op("b.md", mark)))
	if err != nil || receipt.Verdicts[0].Ruling != RulingWaiting || !errors.Is(receipt.Unrecorded, errFake) {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

func (b *bundle) strict() {
	p := b.store.projects["prj_a"]
	p.Review = PresetStrict
	b.store.projects["prj_a"] = p
}

func TestRestore_Strict(t *testing.T) {
	t.Parallel()
	b := setup(t).withEntry("a.md", "text")
	b.strict()
	receipt, err := b.Restore(t.Context(), b.who, "prj_a", "ent_a", 1)
	if err != nil || receipt.Verdicts[0].Ruling != RulingWaiting {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

// A preview says waiting where a push would wait, and names no proposal that
// does not exist.
func TestCheck_Strict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, text string
		bare             bool
		want             Ruling
	}{
		{"new entry", "b.md", "x", false, RulingWaiting},
		{"edit", "a.md", "x", false, RulingWaiting},
		{"what it says already", "a.md", "text", false, RulingSame},
		{"key of a live entry", "a.md", "", true, RulingWaiting},
		{"free key", "b.md", "", true, RulingWaiting},
		{"twin", "A.md", "x", false, RulingRefused},
		{"secret", "b.md", mark, false, RulingRefused},
	} {
		b := setup(t).withEntry("a.md", "text")
		b.strict()
		content := []byte(tt.text)
		if tt.bare {
			content = nil
		}
		v, err := b.Check(t.Context(), b.who, "prj_a", tt.path, content)
		if err != nil || v.Ruling != tt.want || v.Proposal != "" {
			t.Errorf("%s: got %+v, %v", tt.name, v, err)
		}
	}
	if v, err := setup(t).Check(t.Context(), Principal{}, "", "a.md", []byte("fine")); err != nil || v.Ruling != RulingPublished {
		t.Errorf("without a project: %+v, %v", v, err)
	}
}
