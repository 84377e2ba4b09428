package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/sanitize/secrets"
	"github.com/teammem/teammem/store"
)

// laxScanner is an older program's, which does not know tokens yet.
type laxScanner struct{}

func (laxScanner) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }
func (laxScanner) RuleSet() string                                          { return "lax-1" }

// A server that is started with newer rules finds what an older one let pass,
// and whoever runs it is told what to do, but not the secret.
func TestRescan_Told(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := store.Open(ctx, testdb.New(t), store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	hub := api.NewHub()
	tell := notifier{hub, db.Hints(hub.Notify)}
	older := memory.NewService(db, laxScanner{}, tell, time.Now, memory.Limits{})
	mara, err := older.AddMember(ctx, operator(), "mara", false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := older.AddProject(ctx, operator(), "acme/app", nil, memory.PresetOpen)
	if err != nil {
		t.Fatal(err)
	}
	who := memory.Principal{Member: mara.ID, Name: "mara", Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	token := credentials()["github"]
	pushed, err := older.Push(ctx, who, p.ID, memory.Push{Epoch: p.Head.Epoch, Ops: []memory.Op{
		{Action: memory.ActionPut, Path: "access.md", Content: []byte("# Access\n\nThe token is " + token + ", ask first.\n")},
		{Action: memory.ActionPut, Path: "fine.md", Content: []byte("# Fine\n\nNothing to see.\n")},
	}})
	if err != nil || pushed.Verdicts[0].Ruling != memory.RulingPublished {
		t.Fatalf("%+v, %v", pushed, err)
	}

	found, err := secrets.New()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{scanner: timedScanner{found, time.Now, api.NewMetrics(), &atomic.Int64{}}}
	s.service = memory.NewService(db, s.scanner, tell, time.Now, memory.Limits{})
	if err := s.service.WantRescan(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.service.Rescan(ctx, s.pace); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.service.Entry(ctx, who, p.ID, "access.md"); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("the entry with the token: %v", err)
	}
	if _, _, err := s.service.Entry(ctx, who, p.ID, "fine.md"); err != nil {
		t.Errorf("the other one: %v", err)
	}
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		a := &app{stdout: &out}
		if err := a.runRescan(ctx, s.service, rescanOptions{asJSON: asJSON}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), token) {
			t.Errorf("it repeats the secret: %s", &out)
		}
		want := []string{"2 texts scanned, 1 secret, 0 hidden texts, 1 entry quarantined", "github-pat in access.md:3 by mara", "2. end the old one: github.com"}
		if asJSON {
			want = []string{`"withdrawn":1`, `"rule":"github-pat"`, `"provider":"GitHub"`, `"receivers":[]`}
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("no %q in %s", w, &out)
			}
		}
	}
}

// What the server does for itself waits for members, but not for ever.
func TestServer_PaceGivesWay(t *testing.T) {
	t.Parallel()
	s := &server{scanner: timedScanner{scans: &atomic.Int64{}}}
	s.scanner.scans.Store(1)
	began := time.Now()
	if err := s.pace(t.Context(), 0); err != nil || time.Since(began) < giveWay {
		t.Errorf("it did not give way: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.pace(ended, time.Hour); err == nil {
		t.Error("it rests though the server ends")
	}
}

// A real server is stopped, its database says that an older program with other
// rules was the last, and such a program had let a token pass: the server that is
// started then takes the text back, tells its author and whoever administers the
// instance, and repeats the token to nobody.
func TestRescan_Restart(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara, theo := tm.join(t, "mara"), tm.join(t, "theo")
	token := credentials()["github"]
	tm.rescans(t, "rules ")
	sql(t, tm.database, `update rescan set rule_set = 'older-1'`) // a server with other rules does nothing from here on
	tm.shareUnderOlderRules(t, tm.inPerson(t, "mara"), "access.md", "# Access\n\nThe token is "+token+", ask first.\n")
	theo.sync(t, exitOK)
	if !strings.Contains(theo.read(t, "access.md"), token) {
		t.Fatal("the text did not come to anybody")
	}
	mara.write(t, "fine.md", "# Fine\n")
	mara.sync(t, exitOK)

	tm.stop(syscall.SIGTERM)
	tm.start(t, tm.address())
	report := tm.rescans(t, "acme/app: done ")
	theo.sync(t, exitOK)
	mara.sync(t, exitOK)
	for _, m := range []*member{mara, theo} {
		if files := m.files(t); len(files) != 1 || files["fine.md"] == "" {
			t.Errorf("%s has %d files, want the fine one", filepath.Base(m.home), len(files))
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	status := mara.must(t, "status", mara.work(), "--json")
	id := regexp.MustCompile(`fnd_[a-z0-9]+`).FindString(status)
	for _, said := range []struct {
		text string
		want []string
	}{
		{report, []string{"1 secret, 0 hidden texts, 1 entry quarantined", "github-pat in access.md:3 by mara", "may have got it: ", host + " of theo", "2. end the old one: github.com"}},
		{status, []string{`"type":"taken_back"`, `"path":"access.md"`, "github-pat"}},
		{mara.run(t, "status", mara.work()).stderr, []string{"taken back: access.md, revision 1: the rule github-pat", "teammem findings show " + id}},
		{mara.must(t, "findings", "show", id, "--folder", mara.work()), []string{"access.md, line 3", "1 computer of theo", "2. end the old one: github.com"}},
	} {
		for _, want := range said.want {
			if !strings.Contains(said.text, want) {
				t.Errorf("no %q in\n%s", want, said.text)
			}
		}
		if strings.Contains(said.text, token) {
			t.Errorf("the token is repeated:\n%s", said.text)
		}
	}
	if r := theo.run(t, "status", theo.work()); strings.Contains(r.stdout+r.stderr, "taken back: ") {
		t.Errorf("a teammate is told what is its author's:\n%s", r.stderr)
	}
	mara.must(t, "findings", "resolve", id, "--folder", mara.work())
	if r := mara.run(t, "status", mara.work()); strings.Contains(r.stderr, "taken back: ") {
		t.Errorf("what was taken care of is told again:\n%s", r.stderr)
	}
}

// rescans waits until administrators are told something of re-scans, and returns
// all that they are told.
func (tm *team) rescans(t *testing.T, want string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		r := run(t, tm.dir, append(tm.admin, "rescan")...)
		if strings.Contains(r.stdout, want) {
			return r.stdout
		}
		if time.Now().After(end) {
			t.Fatalf("no %q: exit %d\n%s%s", want, r.code, r.stdout, r.stderr)
		}
	}
}
