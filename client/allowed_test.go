package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// softMark begins what the scanner of tests takes for a secret that a person can
// allow.
const softMark = "SOFT-SECRET-"

// ScanKeyed also finds soft secrets, up to the end of their words.
func (s markScanner) ScanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error) {
	found, err := s.Scan(ctx, text)
	for i := range found {
		_, value, _ := strings.Cut(text, softMark)
		value, _, _ = strings.Cut(value+"\n", "\n")
		found[i].Fingerprint = sanitize.Fingerprint(memory.Sum([]byte(string(key) + found[i].Rule + value)))
	}
	return found, err
}

// Mask can do nothing about them.
func (markScanner) Mask(context.Context, string) (string, error) { return "", nil }

// Excerpt shows the first line that has a soft secret.
func (markScanner) Excerpt(_ context.Context, text string, _ sanitize.Finding) (string, error) {
	before, _, _ := strings.Cut(text, softMark)
	return before[strings.LastIndexByte(before, '\n')+1:] + "********", nil
}

// tally counts the calls that findings cost.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	down   bool // the server takes no findings
	deaf   bool // nor tells of any
	silent bool // it answers nothing
}

func (n *tally) of(tm *team) {
	n.counts = map[string]int{}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		n.mu.Lock()
		call := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		n.counts[call]++
		down := n.down && call == "POST findings" || n.deaf && call == "GET findings" || n.silent
		n.mu.Unlock()
		if down {
			http.Error(w, "bad gateway", http.StatusBadGateway) // which is not tried again at once
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (n *tally) take() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	counts := n.counts
	n.counts = map[string]int{}
	return counts
}

// maintainer is somebody else who may decide.
func (tm *team) maintainer(t *testing.T) memory.Principal {
	t.Helper()
	m, err := tm.service.AddMember(t.Context(), root(), "mia", true)
	must(t, err)
	return memory.Principal{
		Member: m.ID, Name: m.Name, Admin: true, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview},
	}
}

func refusedOnly(t *testing.T, r *client.Report) client.Refused {
	t.Helper()
	if len(r.Refused) != 1 {
		t.Fatalf("refused %+v, want one", r.Refused)
	}
	return r.Refused[0]
}

// What a maintainer allows is shared by the next run, without anybody doing
// anything about the file; and until then the runs neither scan nor tell again.
func TestFindings_AllowedTextIsShared(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, mia := tm.join(t, "mara"), tm.maintainer(t)
	calls := &tally{}
	calls.of(tm)
	m.write(t, "a.md", "# Access\nthe id is "+softMark+"one\n")
	first := refusedOnly(t, m.sync(t))
	all, err := tm.service.Findings(t.Context(), mia, tm.project.ID, memory.FindingQuery{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d findings, %v", len(all), err)
	}
	f := all[0]
	if f.Path.String() != "a.md" || f.Line != 2 || f.Excerpt != "the id is ********" || f.Author.Name != "mara" || f.Hard() || f.RuleSet != memory.RuleSet("mark-1") {
		t.Errorf("finding %+v", f)
	}
	if !first.New || !strings.Contains(first.Problem.Hint, "teammem allow request "+string(f.ID)) {
		t.Errorf("told: %+v", first.Problem)
	}
	if n := calls.take(); n["POST findings"] != 1 || n["POST push"] != 0 {
		t.Errorf("calls %v", n)
	}
	for range 2 {
		again := refusedOnly(t, m.sync(t))
		if again.New || again.Problem.Hint != first.Problem.Hint {
			t.Errorf("told again: %+v", again)
		}
		if n := calls.take(); n["POST findings"] != 0 || n["GET allow-rules"] != 1 {
			t.Errorf("calls of a run without news: %v", n)
		}
	}
	author := memory.Principal{Member: f.Author.Member, Name: "mara", Scopes: mia.Scopes}
	_, err = tm.service.RequestAllow(t.Context(), author, tm.project.ID, f.ID, memory.AllowWish{Reason: memory.AllowPublicIdentifier})
	must(t, err)
	_, err = tm.service.DecideAllow(t.Context(), mia, tm.project.ID, f.ID, memory.AllowAnswer{Approve: true})
	must(t, err)
	m.now = func() time.Time { return time.Now().Add(-time.Hour) } // whether a rule is in force is the server's to say
	r := m.sync(t)
	if len(r.Refused) != 0 || r.Entries != 1 {
		t.Errorf("after the decision: %+v", r)
	}
	if f, err = tm.service.Finding(t.Context(), mia, tm.project.ID, f.ID); err != nil || f.State != memory.FindingCompleted {
		t.Errorf("the finding is %s, %v", f.State, err)
	}
	// The rule is about this value and file.
	m.now = func() time.Time { return time.Now().Add(2 * memory.AllowRuleLife) }
	m.write(t, "b.md", "the id is "+softMark+"one\n")
	m.write(t, "a.md", "# Access\nthe id is "+softMark+"one\nand more\n")
	if other := refusedOnly(t, m.sync(t)); other.File != "b.md" {
		t.Errorf("refused %+v", other)
	}
}

// A finding that the server could not be told of is told by the next run; and
// what nobody can allow costs no question.
func TestFindings_ToldLater(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, mia := tm.join(t, "mara"), tm.maintainer(t)
	calls := &tally{down: true}
	calls.of(tm)
	count := func() int {
		all, err := tm.service.Findings(t.Context(), mia, tm.project.ID, memory.FindingQuery{})
		must(t, err)
		return len(all)
	}
	m.write(t, "a.md", mark+"\n")
	if r := refusedOnly(t, m.sync(t)); r.Problem.Code != memory.CodeSecretFound || count() != 0 {
		t.Errorf("refused %+v", r)
	}
	calls.mu.Lock()
	calls.down = false
	calls.mu.Unlock()
	told := refusedOnly(t, m.sync(t))
	if count() != 1 || !strings.Contains(told.Problem.Hint, "rotate it") || strings.Contains(told.Problem.Hint, "allow request") {
		t.Errorf("%d findings, %+v", count(), told.Problem)
	}
	calls.take()
	refusedOnly(t, m.sync(t))
	if n := calls.take(); n["POST findings"] != 0 || n["GET allow-rules"] != 0 {
		t.Errorf("calls %v", n)
	}
}

// Whoever has as many findings as the server takes is told so once, and no run
// tells what was not taken again; what can be told later is.
func TestFindings_NoRoom(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{OpenFindings: 2})
	m := tm.join(t, "mara")
	calls := &tally{}
	calls.of(tm)
	for i := range 6 {
		m.write(t, fmt.Sprintf("%d.md", i), fmt.Sprintf("the id is %s%d\n", softMark, i))
	}
	r := m.sync(t)
	if n := calls.take(); n["POST findings"] != 3 || len(r.Refused) != 6 {
		t.Errorf("calls %v, refused %+v", n, r.Refused)
	}
	if len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "2 findings of yours are open") || !strings.Contains(r.Notices[0], "teammem findings resolve") {
		t.Errorf("notices %q", r.Notices)
	}
	for range 2 {
		r := m.sync(t)
		if n := calls.take(); n["POST findings"] != 0 || len(r.Refused) != 6 || len(r.Notices) != 0 {
			t.Errorf("calls of a run without news %v, refused %d, notices %q", n, len(r.Refused), r.Notices)
		}
	}
	all, err := tm.service.Findings(t.Context(), m.person(), tm.project.ID, memory.FindingQuery{})
	must(t, err)
	for _, f := range all {
		_, err := tm.service.ResolveFinding(t.Context(), m.person(), tm.project.ID, f.ID)
		must(t, err)
	}
	m.write(t, "5.md", fmt.Sprintf("the id is %sother\n", softMark))
	m.sync(t)
	if n := calls.take(); n["POST findings"] != 1 {
		t.Errorf("calls when there is room: %v", n)
	}
}
