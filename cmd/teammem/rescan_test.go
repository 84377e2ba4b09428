package main

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
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
