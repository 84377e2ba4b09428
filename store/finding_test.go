package store_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/internal/testscan"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// softScanner tells values apart, so that they can be allowed.
type softScanner = testscan.Words

// office is a service with people, and a clock that is moved by hand.
type office struct {
	*bundle
	*memory.Service

	now              time.Time
	mara, mia, other memory.Principal
}

func openOffice(t *testing.T) *office {
	t.Helper()
	o := &office{bundle: setup(t), now: start()}
	o.Service = memory.NewService(o.Store, softScanner{}, nobody{}, func() time.Time { return o.now }, memory.Limits{OpenFindings: 5})
	as := func(m memory.Member, role memory.Role) memory.Principal {
		must(t, o.Store.SetRole(t.Context(), o.project.ID, m.ID, role, o.principal().Row(start(), "role.set", string(m.ID))))
		return memory.Principal{Member: m.ID, Name: m.Name, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview}}
	}
	o.mara = as(o.member, memory.RoleMaintainer)
	o.mia, o.other = as(o.addMember(t, "Mia"), memory.RoleMaintainer), as(o.addMember(t, "Otto"), memory.RoleContributor)
	return o
}

func (o *office) share(t *testing.T, who memory.Principal, path, text string) memory.Verdict {
	t.Helper()
	op := memory.Op{Action: memory.ActionPut, Path: path, Content: []byte(text)}
	project, err := o.Service.Project(t.Context(), who, o.project.ID)
	must(t, err)
	if e, _, err := o.Service.Entry(t.Context(), who, o.project.ID, path); err == nil {
		op.BaseRev = e.Rev
	}
	r, err := o.Service.Push(t.Context(), who, o.project.ID, memory.Push{Epoch: project.Head.Epoch, Ops: []memory.Op{op}})
	must(t, err)
	return r.Verdicts[0]
}

// only is the one finding that somebody sees.
func (o *office) only(t *testing.T, who memory.Principal) memory.Finding {
	t.Helper()
	all, err := o.Service.Findings(t.Context(), who, o.project.ID, memory.FindingQuery{})
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%d findings, want one: %+v", len(all), all)
	}
	return all[0]
}

func (o *office) state(t *testing.T, want memory.FindingState) {
	t.Helper()
	if f := o.only(t, o.mia); f.State != want {
		t.Errorf("the finding is %s, want %s", f.State, want)
	}
}

// From the refused push to the one that passes, with everybody on the way who
// may not decide.
func TestFinding_Life(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	for range 3 {
		if v := o.share(t, o.mara, "a.md", "soft-one"); v.Ruling != memory.RulingRefused {
			t.Fatalf("verdict %+v", v)
		}
	}
	f := o.only(t, o.mara)
	if f.State != memory.FindingOpen || f.Path.String() != "a.md" || f.Rule != "word" || f.Hard() || f.RuleSet != memory.RuleSet("soft-1") || f.Fingerprint.IsZero() ||
		f.Author.Member != o.mara.Member || f.Line != 1 || f.Column != 1 || f.Excerpt != "" || f.Stored.Rev != 0 {
		t.Errorf("finding %+v", f)
	}
	if seen, err := o.Service.Findings(ctx, o.other, id, memory.FindingQuery{}); err != nil || len(seen) != 0 {
		t.Errorf("another member sees %+v, %v", seen, err)
	}
	if _, err := o.Service.Finding(ctx, o.other, id, f.ID); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("another member: %v", err)
	}

	wish := memory.AllowWish{Reason: memory.AllowTestValue, Note: "of the tutorial"}
	decide := func(who memory.Principal, approve bool) error {
		_, err := o.Service.DecideAllow(ctx, who, id, f.ID, memory.AllowAnswer{Approve: approve})
		return err
	}
	if err := decide(o.mia, true); memory.CodeOf(err) != memory.CodeConflict {
		t.Errorf("nobody asked: %v", err)
	}
	if _, err := o.Service.RequestAllow(ctx, o.mia, id, f.ID, wish); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("somebody else asks: %v", err)
	}
	for range 2 { // the second answer is the first one
		asked, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, wish)
		if err != nil || asked.State != memory.FindingRequested || asked.Request.Glob != "a.md" || asked.Request.ExpiresAt != start().Add(7*24*time.Hour) {
			t.Fatalf("asked: %+v, %v", asked, err)
		}
	}
	token, login := o.mia, o.mia
	token.Token = "tok_ci"
	login.Scopes = []memory.Scope{memory.ScopeRead, memory.ScopeWrite} // all that one made with an API token has
	for name, who := range map[string]memory.Principal{
		"the author": o.mara, "a contributor": o.other, "an API token": token, "a login made with one": login,
	} {
		for _, approve := range []bool{true, false} {
			if err := decide(who, approve); memory.CodeOf(err) != memory.CodeForbidden {
				t.Errorf("%s decides: %v", name, err)
			}
		}
	}
	if v := o.share(t, o.mara, "a.md", "soft-one"); v.Ruling != memory.RulingRefused {
		t.Errorf("before the decision: %+v", v)
	}
	must(t, decide(o.mia, true))
	o.state(t, memory.FindingAllowed)
	if v := o.share(t, o.mara, "b.md", "soft-one"); v.Ruling != memory.RulingRefused {
		t.Errorf("elsewhere: %+v", v)
	}
	if v := o.share(t, o.mara, "a.md", "soft-one soft-two"); v.Ruling != memory.RulingRefused {
		t.Errorf("with another value: %+v", v)
	}
	if v := o.share(t, o.mara, "a.md", "soft-one"); v.Ruling != memory.RulingPublished {
		t.Errorf("after the decision: %+v", v)
	} else if r, err := o.Service.Revision(ctx, o.mara, id, v.EntryID, v.Rev); err != nil || !slices.Contains(r.Risks, memory.Risk{Cause: "secret-allowed"}) {
		t.Errorf("risks of what an exception let pass: %v, %v", r.Risks, err)
	}
	if got, err := o.Service.Finding(ctx, o.mara, id, f.ID); err != nil || got.State != memory.FindingCompleted {
		t.Errorf("after the push: %+v, %v", got, err)
	}
	rules, err := o.Service.AllowRules(ctx, o.other, id)
	if err != nil || len(rules) != 1 || rules[0].By.Name != "Mia" || rules[0].Author.Name != "Mara" || rules[0].ExpiresAt != start().Add(90*24*time.Hour) {
		t.Fatalf("rules %+v, %v", rules, err)
	}

	if err := o.Service.RevokeAllow(ctx, o.other, id, rules[0].ID); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("a contributor revokes: %v", err)
	}
	must(t, o.Service.RevokeAllow(ctx, o.mia, id, rules[0].ID))
	if err := o.Service.RevokeAllow(ctx, o.mia, id, rules[0].ID); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("revoked twice: %v", err)
	}
	if v := o.share(t, o.mara, "a.md", "soft-one again"); v.Ruling != memory.RulingRefused {
		t.Errorf("after the rule: %+v", v)
	}
	for action, want := range map[string]int{"finding.request": 1, "finding.allow": 1, "finding.revoke": 1, "entry.put": 7} {
		if n := o.count(t, `select count(*) from audit where action = $1 and decision in ('requested', 'allowed', 'refused', '')`, action); n != want {
			t.Errorf("%d rows of %s, want %d", n, action, want)
		}
	}
}

// Requests and rules end by themselves, on a clock that is moved.
func TestFinding_Expires(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	wish := memory.AllowWish{Reason: memory.AllowFalsePositive, Glob: "**/*.md"}
	ask := func() {
		t.Helper()
		_, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, wish)
		must(t, err)
	}
	ask()
	o.now = o.now.Add(memory.AllowRequestLife)
	o.state(t, memory.FindingExpired)
	if _, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: true}); memory.CodeOf(err) != memory.CodeConflict {
		t.Errorf("decided too late: %v", err)
	}
	late, err := o.Service.Findings(ctx, o.mara, id, memory.FindingQuery{State: memory.FindingExpired})
	if err != nil || len(late) != 1 {
		t.Errorf("%d have expired, %v", len(late), err)
	}
	ask()
	if _, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: true, Glob: wish.Glob, Life: memory.AllowRuleLife + 1}); memory.CodeOf(err) != memory.CodeInvalid {
		t.Errorf("for too long: %v", err)
	}
	_, err = o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Note: "no"})
	must(t, err)
	o.state(t, memory.FindingDenied)
	ask()
	_, err = o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: true, Glob: wish.Glob, Life: 24 * time.Hour})
	must(t, err)
	o.now = o.now.Add(24*time.Hour - 1)
	if v := o.share(t, o.mara, "sub/b.md", "soft-one"); v.Ruling != memory.RulingPublished {
		t.Errorf("in time: %+v", v)
	}
	o.now = o.now.Add(1)
	o.state(t, memory.FindingExpired)
	if v := o.share(t, o.mara, "sub/c.md", "soft-one"); v.Ruling != memory.RulingRefused {
		t.Errorf("too late: %+v", v)
	}
	_, err = o.Service.ResolveFinding(ctx, o.mara, id, f.ID)
	must(t, err)
}

// Nobody can allow what is always a secret, or what is not in the text of a file;
// and what a computer reports is believed by nobody.
func TestFinding_Refused(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	key, err := o.Service.FindingKey(ctx, o.mara, id)
	must(t, err)
	print := testscan.Print(key.Bytes(), "one")
	report := func(change func(*memory.FindingReport)) (memory.Finding, error) {
		r := memory.FindingReport{Path: "a.md", RuleSet: "soft-1", Excerpt: "the line ********", Device: o.device.ID}
		r.Rule, r.Severity, r.Line, r.Column, r.Fingerprint = "word", sanitize.SeveritySoft, 2, 3, print
		change(&r)
		return o.Service.ReportFinding(ctx, o.mara, id, r)
	}
	for name, change := range map[string]func(*memory.FindingReport){
		"no fingerprint":   func(r *memory.FindingReport) { r.Fingerprint = sanitize.Fingerprint{} },
		"a long rule":      func(r *memory.FindingReport) { r.Rule = strings.Repeat("0a", 20) },
		"an odd rule set":  func(r *memory.FindingReport) { r.RuleSet = "soft-1 hard-one" },
		"no line":          func(r *memory.FindingReport) { r.Line = 0 },
		"no column":        func(r *memory.FindingReport) { r.Column = -1 },
		"another's device": func(r *memory.FindingReport) { r.Device = "dev_other" },
	} {
		if _, err := report(change); err == nil {
			t.Errorf("%s: it is kept", name)
		}
	}
	for name, change := range map[string]func(*memory.FindingReport){
		"a secret in the path": func(r *memory.FindingReport) { r.Path = "x soft-two.md"; r.Excerpt = "" },
		"no path":              func(r *memory.FindingReport) { r.Path = "../x.md"; r.Excerpt = "" },
	} {
		f, err := report(change)
		if err != nil || !f.Path.IsZero() {
			t.Errorf("%s: %+v, %v", name, f, err)
			continue
		}
		if _, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue}); memory.CodeOf(err) != memory.CodeForbidden {
			t.Errorf("%s is asked for: %v", name, err)
		}
	}
	for name, excerpt := range map[string]string{
		"a secret": "is soft-two", "too long": strings.Repeat("ä", 161), "two lines": "a\nb", "bytes": "\xff",
	} {
		if f, err := report(func(r *memory.FindingReport) { r.Excerpt, r.Path = excerpt, "excerpt.md" }); err != nil || f.Excerpt != "" {
			t.Errorf("an excerpt with %s: %q, %v", name, f.Excerpt, err)
		}
	}
	soft, err := report(func(r *memory.FindingReport) {})
	if err != nil || soft.Excerpt != "the line ********" {
		t.Fatalf("%+v, %v", soft, err)
	}

	// The author says that a hard one is soft, and somebody believes it: the text is refused as before.
	for _, w := range []memory.AllowWish{
		{Reason: "later"},
		{Reason: memory.AllowTestValue, Note: "soft-two"},
		{Reason: memory.AllowTestValue, Glob: "b.md"},
		{Reason: memory.AllowTestValue, Glob: "[a.md"},
		{Reason: memory.AllowTestValue, Note: strings.Repeat("n", 501)},
	} {
		if _, err := o.Service.RequestAllow(ctx, o.mara, id, soft.ID, w); err == nil {
			t.Errorf("asked with %+v", w)
		}
	}
	_, err = o.Service.RequestAllow(ctx, o.mara, id, soft.ID, memory.AllowWish{Reason: memory.AllowTestValue})
	must(t, err)
	if _, err := o.Service.DecideAllow(ctx, o.mia, id, soft.ID, memory.AllowAnswer{Approve: true, Note: "soft-two"}); memory.CodeOf(err) != memory.CodeSecretFound {
		t.Errorf("a secret in the decision: %v", err)
	}
	_, err = o.Service.DecideAllow(ctx, o.mia, id, soft.ID, memory.AllowAnswer{Approve: true})
	must(t, err)
	if v := o.share(t, o.mara, "a.md", "hard-one"); v.Ruling != memory.RulingRefused {
		t.Errorf("a hard one passes: %+v", v)
	}
	if v := o.share(t, o.mara, "hard.md", "hard-two"); v.Ruling != memory.RulingRefused {
		t.Errorf("a hard one passes: %+v", v)
	}
	all, err := o.Service.Findings(ctx, o.mara, id, memory.FindingQuery{})
	must(t, err)
	for _, f := range all {
		if !f.Hard() {
			continue
		}
		if _, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue}); memory.CodeOf(err) == "" || err == nil {
			t.Errorf("a hard one is asked for: %v", err)
		}
	}
	// Five are open: one more is not kept, and the push is refused all the same.
	for _, path := range []string{"1.md", "2.md", "3.md", "4.md"} {
		if v := o.share(t, o.mara, path, "soft-nine"); v.Ruling != memory.RulingRefused {
			t.Errorf("%s: %+v", path, v)
		}
	}
	if n := o.count(t, `select count(*) from secret_findings where state in ('open', 'requested', 'allowed', 'denied')`); n != 5 {
		t.Errorf("%d are open", n)
	}
	if n := o.count(t, `select count(*) from audit where decision = 'refused' and action = 'entry.put'`); n != 6 {
		t.Errorf("%d refusals are on record", n)
	}
}

// The audit names the finding that is kept, also when it was known before.
func TestFinding_ReportedAgain(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	r := memory.FindingReport{Path: "a.md", RuleSet: "soft-1", Device: o.device.ID}
	r.Rule, r.Severity, r.Line, r.Column, r.Fingerprint = "word", sanitize.SeveritySoft, 2, 3, sanitize.Fingerprint(memory.Sum([]byte("one")))
	for range 2 {
		_, err := o.Service.ReportFinding(t.Context(), o.mara, o.project.ID, r)
		must(t, err)
	}
	f := o.only(t, o.mara)
	if n := o.count(t, `select count(*) from audit where action = 'finding.report' and object = $1`, string(f.ID)); n != 2 {
		t.Errorf("%d of 2 rows name the finding", n)
	}
}

// An author who asks for more than a maintainer has seen gets nothing by the
// approval of what was seen.
func TestFinding_OtherPathsMeanwhile(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	for _, glob := range []string{"", "**"} {
		_, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
		must(t, err)
	}
	for _, seen := range []string{"", "a.md", "*.md"} {
		a := memory.AllowAnswer{Approve: true, Glob: seen}
		if _, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, a); memory.CodeOf(err) != memory.CodeConflict {
			t.Errorf("%q was seen, ** is asked for: %v", seen, err)
		}
	}
	if v := o.share(t, o.mara, "b.md", "soft-one"); v.Ruling != memory.RulingRefused {
		t.Errorf("elsewhere: %+v", v)
	}
	_, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: true, Glob: "**"})
	must(t, err)
	if v := o.share(t, o.mara, "b.md", "soft-one"); v.Ruling != memory.RulingPublished {
		t.Errorf("when it was seen: %+v", v)
	}
}

// Of two maintainers who decide at once, one does.
func TestFinding_DecidedOnce(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	_, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowPublicIdentifier})
	must(t, err)
	var both sync.WaitGroup
	results := make([]error, 2)
	for i := range results {
		both.Go(func() {
			_, results[i] = o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: i == 0})
		})
	}
	both.Wait()
	if (results[0] == nil) == (results[1] == nil) {
		t.Errorf("both ended alike: %v", results)
	}
	allowed := results[0] == nil
	if n := o.count(t, `select count(*) from allow_rules`); (n == 1) != allowed {
		t.Errorf("%d rules", n)
	}
}

// Whether somebody is there who could decide depends on who asks, and on nobody
// who cannot sign in.
func TestFinding_Decidable(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	for _, tt := range []struct {
		name, sql string
		want      bool
	}{
		{"two maintainers", "", true},
		{"the other has left", "update members set disabled = true where name = 'Mia'", false},
		{"an administrator", "update members set admin = true where name = 'Otto'", true},
		{"none", "update members set admin = false", false},
		{"by default", "update projects set default_role = 'maintainer'; delete from project_roles where role = 'contributor'", true},
		{"of another project", "update projects set default_role = 'contributor'; update members set disabled = false; delete from project_roles where member_id = (select member_id from members where name = 'Mia')", false},
	} {
		if tt.sql != "" {
			o.exec(t, tt.sql)
		}
		if v, err := o.Service.FindingView(t.Context(), o.mara, o.project.ID, f.ID); err != nil || v.Decidable != tt.want || v.Receivers != nil {
			t.Errorf("%s: %t, %v", tt.name, v.Decidable, err)
		}
	}
}
