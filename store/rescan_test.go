package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
)

// oldRules finds nothing: what softScanner finds was shared under it.
type oldRules struct{}

func (oldRules) RuleSet() string { return "soft-0" }
func (oldRules) Scan(context.Context, string) ([]sanitize.Finding, error) {
	return nil, nil
}

func (oldRules) ScanKeyed(context.Context, string, []byte) ([]sanitize.Finding, error) {
	return nil, nil
}

func (oldRules) Mask(_ context.Context, text string) (string, error) { return text, nil }

// watched is a scanner that tells of each text before it scans it.
type watched struct {
	softScanner
	rules  string
	before func(text string) error
}

func (w watched) RuleSet() string { return w.rules }

func (w watched) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	if err := w.before(text); err != nil {
		return nil, err
	}
	return w.softScanner.Scan(ctx, text)
}

// archive is an office whose texts were shared under the old rules.
type archive struct {
	*office
	notified atomic.Int64
}

func openArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{office: openOffice(t)}
	a.use(oldRules{})
	return a
}

func (a *archive) Notify(memory.ProjectID, memory.Cursor)                { a.notified.Add(1) }
func (a *archive) Wait(context.Context, memory.ProjectID, memory.Cursor) {}

// service is another server on the database.
func (a *archive) service(s memory.Scanner) *memory.Service {
	return memory.NewService(a.Store, s, a, func() time.Time { return a.now }, memory.Limits{OpenFindings: 5})
}

// use replaces the server by one with another scanner.
func (a *archive) use(s memory.Scanner) { a.Service = a.service(s) }

// rescan starts a server with the scanner, and lets it come to its end.
func (a *archive) rescan(t *testing.T, s memory.Scanner) memory.RescanProgress {
	t.Helper()
	a.use(s)
	must(t, a.Service.WantRescan(t.Context()))
	must(t, a.Service.Rescan(t.Context(), nil))
	return a.progress(t)
}

func admin() memory.Principal {
	return memory.Principal{Name: "operator", Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
}

func (a *archive) progress(t *testing.T) memory.RescanProgress {
	t.Helper()
	r, err := a.Service.RescanReport(t.Context(), admin())
	must(t, err)
	if len(r.Projects) != 1 {
		t.Fatalf("%d projects", len(r.Projects))
	}
	return r.Projects[0]
}

func (a *archive) leaks(t *testing.T) []memory.Leak {
	t.Helper()
	r, err := a.Service.RescanReport(t.Context(), admin())
	must(t, err)
	return r.Findings
}

// write shares a text over what is there.
func (a *archive) write(t *testing.T, who memory.Principal, path, text string) memory.Verdict {
	t.Helper()
	v := a.share(t, who, path, text)
	if v.Ruling != memory.RulingPublished {
		t.Fatalf("%s: %s, %v", path, v.Ruling, v.Problem)
	}
	return v
}

// gone reports whether the entry has left everybody's tree.
func (a *archive) gone(t *testing.T, path string) bool {
	t.Helper()
	_, there := a.tree(t)[path]
	return !there
}

func (a *archive) counts(t *testing.T, p memory.RescanProgress, texts, findings, withdrawn, hidden int) {
	t.Helper()
	want := []int{texts, findings, withdrawn, hidden}
	if diff := cmp.Diff(want, []int{p.Texts, p.Findings, p.Withdrawn, p.Hidden}); diff != "" {
		t.Errorf("texts, findings, withdrawn, hidden (-want +got):\n%s", diff)
	}
	if p.EndedAt.IsZero() || p.Seq != p.Head {
		t.Errorf("it did not come to its end: %+v", p)
	}
	a.check(t)
}

// What newer rules find in the text of an entry takes it out of every tree, and
// what they find in its past out of its history. Nothing else is touched.
func TestRescan_Takes(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	a.write(t, a.mara, "clean.md", "nothing")
	now := a.write(t, a.other, "now.md", "hard-one")
	past := a.write(t, a.other, "past.md", "was soft-two")
	a.write(t, a.mara, "past.md", "is clean")
	was := a.tree(t)
	p := a.rescan(t, softScanner{})
	a.counts(t, p, 4, 2, 1, 1)
	delete(was, "now.md")
	if diff := cmp.Diff(was, a.tree(t)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	if a.notified.Load() == 0 {
		t.Error("nobody was told of the withdrawal")
	}
	reader := a.other
	for _, v := range []memory.Verdict{now, past} {
		if _, err := a.Service.Revision(ctx, reader, id, v.EntryID, v.Rev); memory.CodeOf(err) != memory.CodeForbidden {
			t.Errorf("a contributor reads the text: %v", err)
		}
		if r, err := a.Service.Revision(ctx, a.mara, id, v.EntryID, v.Rev); err != nil || len(r.Content) == 0 || r.RuleSet != memory.RuleSet("soft-0") {
			t.Errorf("a maintainer reads %+v, %v", r, err)
		}
	}
	_, head, err := a.Service.EntryByID(ctx, reader, id, now.EntryID)
	if err != nil || head.Note != "secret found by newer rules: word" || head.Author.Name != "teammem server" {
		t.Errorf("the author sees %+v, %v", head, err)
	}
	seen, err := a.Service.Findings(ctx, reader, id, memory.FindingQuery{})
	if err != nil || len(seen) != 2 {
		t.Errorf("the author sees %d findings, %v", len(seen), err)
	}
	again := a.rescan(t, softScanner{})
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the same rules look again (-first +second):\n%s", diff)
	}
}

// A release undoes it byte for byte, once a maintainer has allowed what was
// found; and newer rules that find the same again leave it alone.
func TestRescan_Release(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	const text = "\ufeffis soft-one\r\n\r\n\ttail \n"
	a.write(t, a.other, "a.md", "the first\n")
	a.write(t, a.other, "a.md", text)
	was := a.tree(t)
	a.rescan(t, softScanner{})
	qs, err := a.Service.Quarantines(ctx, a.mara, id, memory.QuarantineQuery{})
	if err != nil || len(qs) != 1 || qs[0].By.Member != memory.ServerMember {
		t.Fatalf("quarantines %+v, %v", qs, err)
	}
	release := func() memory.Quarantine {
		t.Helper()
		q, err := a.Service.Release(ctx, a.mara, id, qs[0].ID, "")
		must(t, err)
		return q
	}
	if q := release(); q.Released != 0 || q.Entries[0].Stuck != memory.StuckRefused {
		t.Errorf("released with the secret: %+v", q)
	}
	f := a.only(t, a.other)
	_, err = a.Service.RequestAllow(ctx, a.other, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue})
	must(t, err)
	_, err = a.Service.DecideAllow(ctx, a.mara, id, f.ID, memory.AllowAnswer{Approve: true})
	must(t, err)
	if q := release(); q.Released != 1 {
		t.Errorf("not released: %+v", q)
	}
	if diff := cmp.Diff(was, a.tree(t)); diff != "" {
		t.Errorf("after the release (-want +got):\n%s", diff)
	}
	newer := watched{rules: "soft-2", before: func(string) error { return nil }}
	a.counts(t, a.rescan(t, newer), 3, 0, 0, 0) // two texts, and the released one
	if a.gone(t, "a.md") {
		t.Error("what was allowed is taken back")
	}
	a.now = a.now.Add(memory.AllowRuleLife + time.Hour)
	if a.rescan(t, newer); a.gone(t, "a.md") {
		t.Error("the same rules take back what they passed")
	}
	if a.rescan(t, softScanner{}); !a.gone(t, "a.md") {
		t.Error("the exception has ended, and the next rules do not take it back")
	}
}

// Proposals that wait are closed, texts of conflicts only told of; and what was
// decided stays as it was.
func TestRescan_Kept(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	must(t, a.Store.SetReview(ctx, id, memory.PresetStrict, a.principal().Row(start(), "project.review", string(id))))
	for _, path := range []string{"held.md", "rejected.md"} {
		if v := a.share(t, a.other, path, "hard-"+path); v.Ruling != memory.RulingWaiting {
			t.Fatalf("verdict %+v", v)
		}
	}
	waiting, err := a.Service.Proposals(ctx, a.other, id, memory.ProposalQuery{})
	must(t, err)
	a.exec(t, `update proposals set state = 'rejected', reason = 'wrong', decided_by = author, decided_at = at where path = 'rejected.md'`)
	_, err = a.Service.KeepConflict(ctx, a.other, id, memory.Draft{
		ID: memory.NewConflictID(), Path: "lost.md", Content: []byte("hard-lost"), KeptAt: start(),
	})
	must(t, err)
	a.counts(t, a.rescan(t, softScanner{}), 3, 3, 0, 0)
	for _, w := range waiting {
		p, err := a.Service.Proposal(ctx, a.other, id, w.ID)
		want := map[string]memory.ProposalState{"held.md": memory.ProposalWithdrawn, "rejected.md": memory.ProposalRejected}[p.Path.String()]
		if err != nil || p.State != want || len(p.Content) == 0 {
			t.Errorf("%s is %s, want %s, with %d bytes, %v", p.Path, p.State, want, len(p.Content), err)
		}
	}
	if n := a.count(t, `select count(*) from conflicts where content is not null and closed_at is null`); n != 1 {
		t.Errorf("%d open conflicts", n)
	}
}

// An entry is judged by what it says when it is taken, not when it was read.
func TestRescan_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	paths := []string{"edited.md", "moved.md", "deleted.md", "purged.md"}
	for _, p := range paths {
		a.write(t, a.mara, p, "hard-"+p)
	}
	op := func(o memory.Op) {
		e, _, err := a.Service.Entry(ctx, a.mara, id, o.Path)
		if o.Previous != "" {
			e, _, err = a.Service.Entry(ctx, a.mara, id, o.Previous)
		}
		must(t, err)
		o.EntryID, o.BaseRev = e.ID, e.Rev
		r, err := a.Service.Push(ctx, a.mara, id, memory.Push{Epoch: a.project.Head.Epoch, Ops: []memory.Op{o}})
		if err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
			t.Errorf("%s: %+v, %v", o.Path, r, err)
		}
	}
	meanwhile := map[string]func(){
		"hard-edited.md":  func() { op(memory.Op{Action: memory.ActionPut, Path: "edited.md", Content: []byte("rotated")}) },
		"hard-moved.md":   func() { op(memory.Op{Action: memory.ActionMove, Path: "there.md", Previous: "moved.md"}) },
		"hard-deleted.md": func() { op(memory.Op{Action: memory.ActionDelete, Path: "deleted.md"}) },
		"hard-purged.md": func() {
			e, _, err := a.Service.Entry(ctx, a.mara, id, "purged.md")
			must(t, err)
			_, err = a.Service.Purge(ctx, a.mara, id, memory.Purge{EntryID: e.ID})
			must(t, err)
		},
	}
	a.rescan(t, watched{rules: "soft-1", before: func(text string) error {
		if do := meanwhile[text]; do != nil {
			delete(meanwhile, text)
			do()
		}
		return nil
	}})
	a.check(t)
	if diff := cmp.Diff(map[string]string{"edited.md": "rotated"}, a.tree(t)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	if n := a.count(t, `select count(*) from revisions where content like 'hard-%' and withdrawn_rev is null`); n != 0 {
		t.Errorf("%d revisions are given out with a secret", n)
	}
}

// What holds characters that nobody sees is taken back as well, once the rules
// know them, and can never come back: that is no finding which somebody allows.
// The reason names the character and where it stands.
func TestRescan_HiddenText(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	hide := func(table, path string) {
		t.Helper()
		text := []byte("# Title\nsee \U000e0041\U000e0042 and caf\xe9\n")
		sum := memory.Sum(text)
		a.exec(t, `update `+table+` set content = $1, sha256 = $2, size = $3, rule_set = 'before' where path = $4`, text, sum[:], len(text), path)
	}
	now := a.write(t, a.other, "now.md", "# Title\nsee it and more\n")
	was := a.write(t, a.other, "past.md", "# Title\nsee it and more\n")
	hide("revisions", "now.md")
	hide("revisions", "past.md")
	a.exec(t, `update entries e set sha256 = r.sha256, size = r.size from revisions r where r.entry_id = e.entry_id and r.rev = e.head_rev`)
	a.write(t, a.other, "past.md", "is clean")
	must(t, a.Store.SetReview(ctx, id, memory.PresetStrict, a.principal().Row(start(), "project.review", string(id))))
	if v := a.share(t, a.other, "held.md", "waits"); v.Ruling != memory.RulingWaiting {
		t.Fatalf("verdict %+v", v)
	}
	hide("proposals", "held.md")

	p := a.rescan(t, oldRules{})
	if got := []int{p.Texts, p.Findings, p.Rejected, p.Withdrawn, p.Hidden}; !slices.Equal(got, []int{3, 0, 3, 1, 1}) || p.EndedAt.IsZero() {
		t.Errorf("texts, findings, rejected, withdrawn, hidden: %v of %+v", got, p)
	}
	const reason = "text refused by newer rules: U+E0041 TAG 'A', tag character at byte 12 (line 2, column 5), " +
		"U+E0042 TAG 'B', tag character at byte 16 (line 2, column 6), invalid UTF-8 at byte 28 (line 2, column 15)"
	_, head, err := a.Service.EntryByID(ctx, a.other, id, now.EntryID)
	if err != nil || head.Note != reason || !a.gone(t, "now.md") || a.gone(t, "past.md") {
		t.Errorf("the author sees %+v, %v", head, err)
	}
	for _, v := range []memory.Verdict{now, was} {
		if _, err := a.Service.Revision(ctx, a.other, id, v.EntryID, v.Rev); memory.CodeOf(err) != memory.CodeForbidden {
			t.Errorf("a contributor reads the text: %v", err)
		}
	}
	all, err := a.Service.Proposals(ctx, a.other, id, memory.ProposalQuery{State: memory.ProposalWithdrawn})
	if err != nil || len(all) != 1 || all[0].Decision.Note != reason {
		t.Errorf("the proposal: %+v, %v", all, err)
	}
	if found, err := a.Service.Findings(ctx, a.mara, id, memory.FindingQuery{}); err != nil || len(found) != 0 {
		t.Errorf("findings %+v, %v", found, err)
	}
	qs, err := a.Service.Quarantines(ctx, a.mara, id, memory.QuarantineQuery{})
	must(t, err)
	if q, err := a.Service.Release(ctx, a.mara, id, qs[0].ID, ""); err != nil || q.Released != 0 || q.Entries[0].Stuck != memory.StuckRefused {
		t.Errorf("released: %+v, %v", q, err)
	}
	n := a.count(t, `select count(*) from audit where action = 'finding.rescan' and rules = '{text_rejected,invalid_utf8,tag_character}'`)
	if n != 3 {
		t.Errorf("%d rows in the audit", n)
	}
}

// A text whose scan does not end is told of, and stays.
func TestRescan_Unscanned(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	v := a.write(t, a.mara, "slow.md", "slow hard-one")
	p := a.rescan(t, watched{rules: "soft-1", before: func(text string) error {
		if strings.HasPrefix(text, "slow ") {
			return errors.New("took too long")
		}
		return nil
	}})
	a.counts(t, p, 1, 0, 0, 0)
	if want := fmt.Sprintf("%s@%d", v.EntryID, v.Rev); p.Unscanned != 1 || p.UnscannedSome[0] != want || a.gone(t, "slow.md") {
		t.Errorf("unscanned: %+v", p)
	}
}

// What was interrupted goes on where it was, on whichever server, and beside
// pushes; and two servers never look at once.
func TestRescan_Resumed(t *testing.T) {
	t.Parallel()
	const texts, secrets = 1000, 5
	a := openArchive(t)
	ctx := t.Context()
	for from := 0; from < texts; from += 100 {
		var writes []memory.Write
		for i := from; i < from+100; i++ {
			text := "nothing"
			if i%(texts/secrets) == 7 {
				text = fmt.Sprintf("hard-%d", i)
			}
			writes = append(writes, put(t, pathOf(i), text))
		}
		a.push(t, writes...)
	}
	a.exec(t, `update revisions set rule_set = $1`, memory.RuleSet("soft-0"))
	var scanned atomic.Int64
	crash := errors.New("crashed")
	died, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	scanner := watched{rules: "soft-1", before: func(text string) error {
		entry := text == "nothing" || strings.HasPrefix(text, "hard-") || strings.HasPrefix(text, "rules-1 ") // and no name or note
		if entry && scanned.Add(1) == 450 {
			cancel(crash)
		}
		return nil
	}}
	a.use(scanner)
	must(t, a.Service.WantRescan(ctx))
	if err := a.Service.Rescan(died, nil); err == nil {
		t.Fatal("it did not crash")
	}
	if p := a.progress(t); p.Seq != 400 || !p.EndedAt.IsZero() {
		t.Fatalf("after the crash: %+v", p)
	}

	before := scanned.Load()
	var wait sync.WaitGroup
	servers := []*memory.Service{a.service(scanner), a.service(scanner)}
	for _, s := range servers {
		wait.Go(func() {
			for range 2 { // who finds the other at it may have to finish what it left
				if err := s.Rescan(ctx, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Go(func() {
		for i := range 20 {
			r, err := a.Store.Push(t.Context(), a.batch(put(t, fmt.Sprintf("new/%d.md", i), "rules-1 passed it")))
			if err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
				t.Errorf("push %d: %+v, %v", i, r, err)
			}
		}
	})
	wait.Wait()
	must(t, a.Service.Rescan(ctx, nil))
	if n := scanned.Load() - before; n > texts-400+20 {
		t.Errorf("%d texts were looked at, more than there were left", n)
	}
	p := a.progress(t)
	if n := a.count(t, `select count(*) from quarantined`); n != secrets || p.EndedAt.IsZero() || p.Seq != p.Head || len(a.tree(t)) != texts-secrets+20 {
		t.Errorf("at the end: %+v, %d entries", p, len(a.tree(t)))
	}
	a.check(t)
}

// The server that was started last decides by which rules is scanned, and
// whoever asks for it that it begins again, whatever was let pass.
func TestRescan_Rounds(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx := t.Context()
	a.write(t, a.mara, "a.md", "hard-one")
	must(t, a.Service.WantRescan(ctx))
	older := a.Service
	newer := a.service(softScanner{})
	must(t, newer.WantRescan(ctx))
	must(t, older.Rescan(ctx, nil))
	if p := a.progress(t); p.Texts != 0 {
		t.Fatalf("the older server scans: %+v", p)
	}
	must(t, newer.Rescan(ctx, nil))
	if p := a.progress(t); p.Withdrawn != 1 || p.Round != 2 {
		t.Fatalf("the newer server: %+v", p)
	}
	a.exec(t, `update revisions set rule_set = $1`, memory.RuleSet("soft-1"))
	if err := newer.ForceRescan(ctx, a.mara); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("a member asks for a re-scan: %v", err)
	}
	must(t, newer.ForceRescan(ctx, admin()))
	must(t, newer.WantRescan(ctx)) // as one that is started again
	must(t, newer.Rescan(ctx, nil))
	if p := a.progress(t); p.Texts != 1 || p.Round != 3 || p.EndedAt.IsZero() {
		t.Errorf("asked for: %+v", p)
	}
}

// Whose computers asked for news behind the text may have the secret; those that
// came after it went have not.
func TestRescan_Receivers(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx := t.Context()
	v := a.write(t, a.other, "a.md", "hard-one")
	device := func(name string, at time.Time, epoch string, seq int64) {
		d := memory.Device{ID: memory.NewDeviceID(), Member: a.member.ID, Name: name, OS: "linux", CreatedAt: at}
		must(t, a.Store.AddDevice(t.Context(), d, a.principal().Row(at, "device.add", string(d.ID))))
		a.exec(t, `insert into device_cursors (project_id, device_id, epoch, seq, client, at) values ($1, $2, $3, $4, '', $5)`,
			a.project.ID, d.ID, epoch, seq, at)
	}
	a.now = start().Add(time.Hour)
	a.rescan(t, softScanner{})
	head := a.project.Head.Epoch
	device("behind", start(), head, v.Rev-1)
	device("has it", start(), head, v.Rev)
	device("of another history", start(), "another", 0)
	device("too late", start().Add(2*time.Hour), head, v.Rev+1)
	leaks := a.leaks(t)
	if len(leaks) != 1 || leaks[0].Stored.Rev != v.Rev || leaks[0].Author.Member != a.other.Member || leaks[0].Slug != a.project.Slug {
		t.Fatalf("leaks %+v", leaks)
	}
	var names []string
	for _, r := range leaks[0].Receivers {
		names = append(names, r.Device.Name+" of "+r.Owner.Name)
	}
	if diff := cmp.Diff([]string{"has it of Mara", "of another history of Mara"}, names); diff != "" {
		t.Errorf("who got it (-want +got):\n%s", diff)
	}
	stranger := memory.Principal{Member: a.addMember(t, "Olga").ID, Scopes: a.other.Scopes}
	if _, err := a.Service.FindingView(ctx, stranger, a.project.ID, leaks[0].ID); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("a stranger: %v", err)
	}
	mara := memory.Author{Member: a.member.ID, Name: "Mara"}
	for _, tt := range []struct {
		who  memory.Principal
		want []memory.Receiver
	}{
		{a.mia, leaks[0].Receivers},
		{a.other, []memory.Receiver{{Owner: mara, Computers: 2}}}, // whose computers these are, and not what they are called
	} {
		v, err := a.Service.FindingView(ctx, tt.who, a.project.ID, leaks[0].ID)
		if diff := cmp.Diff(tt.want, v.Receivers); err != nil || diff != "" || v.ID != leaks[0].ID {
			t.Errorf("as %s sees it: %v (-want +got)\n%s", tt.who.Name, err, diff)
		}
	}
	a.share(t, a.other, "refused.md", "hard-refused")
	leaked := func(want ...memory.FindingID) {
		t.Helper()
		found, err := a.Service.Findings(ctx, a.other, a.project.ID, memory.FindingQuery{Leaked: true})
		var got []memory.FindingID
		for _, f := range found {
			got = append(got, f.ID)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("leaked: %v (-want +got):\n%s", err, diff)
		}
	}
	leaked(leaks[0].ID)
	_, err := a.Service.ResolveFinding(ctx, a.other, a.project.ID, leaks[0].ID)
	must(t, err)
	leaked()
	must(t, a.Service.ForceRescan(ctx, admin()))
	must(t, a.Service.Rescan(ctx, nil))
	if left := a.leaks(t); len(left) != 0 {
		t.Errorf("what was settled is told again: %+v", left)
	}
}

// One server looks at a time, and the next one as soon as it ends.
func TestRescan_Alone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, err := store.Open(t.Context(), b.url, store.Options{MaxConns: 2})
	must(t, err)
	defer other.Close()
	nothing := func(context.Context) error { return nil }
	done, err := b.RescanAlone(t.Context(), func(ctx context.Context) error {
		if done, err := other.RescanAlone(ctx, nothing); err != nil || done {
			t.Errorf("two at once: %t, %v", done, err)
		}
		return errors.New("it ends")
	})
	if err == nil || !done {
		t.Errorf("alone: %t, %v", done, err)
	}
	if done, err = other.RescanAlone(t.Context(), nothing); err != nil || !done {
		t.Errorf("the next one: %t, %v", done, err)
	}
}
