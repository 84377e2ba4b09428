package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// fullReport has something of everything.
func fullReport() *client.Report {
	p := memory.StoredPath
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return &client.Report{
		Done: []client.Done{
			{Kind: msync.MoveRemote, Path: p("b.md"), From: p("a.md"), Rev: 7, Verdict: memory.RulingPublished},
			{Kind: msync.Download, Path: p("d.md"), Rev: 5},
			{Kind: msync.Create, Path: p("w.md"), Verdict: memory.RulingWaiting},
		},
		Refused: []client.Refused{
			{File: "CON.md", New: true, Problem: &memory.Error{Code: memory.CodePathRejected, Layer: "reserved", Message: "m", Hint: "h"}},
			{File: "key.md", Problem: &memory.Error{
				Code: memory.CodeSecretFound, Message: "m", Findings: []sanitize.Finding{{Rule: "r", Severity: sanitize.SeverityHard, Line: 3, Column: 9}},
			}},
			{File: "link.md", Problem: &memory.Error{Code: "symlink", Message: "m"}},
			{File: "x\x1b.md", Remote: true, Problem: &memory.Error{Code: "clash", Message: "m"}},
		},
		Waiting: []client.Waiting{
			{Path: p("w.md"), Action: memory.ActionPut, Proposal: "prp_1", State: memory.ProposalPending, At: at},
			{Path: p("v.md"), Action: memory.ActionPut, Proposal: "prp_2", State: memory.ProposalRejected, Reason: "wrong", Note: "n", By: "rev", At: at, New: true},
		},
		Conflicts: []client.Conflict{{Path: p("c.md"), ID: "1a2b3c4d", File: "/kept/c.md"}},
		Held: []client.Held{
			{ID: "h1", Kind: msync.DeleteRemote, Why: msync.MassDelete, Paths: []memory.Path{p("g.md"), p("h.md")}},
			{ID: "h2", Kind: msync.DeleteLocal, Why: msync.AfterJump, Paths: []memory.Path{p("i.md")}},
			{ID: "h3", Kind: msync.Upload, Why: msync.AllChanged, Paths: []memory.Path{p("j.md")}},
		},
		LeftOut: []memory.Path{p("o.md")}, Skipped: []memory.Path{p("s.md")}, Notices: []string{"n"},
		Cursor: memory.Cursor{Epoch: "e1", Seq: 9}, Digest: memory.Digest{1}, Proven: true, Pending: 1, Ignored: 2, Entries: 4, Requests: 3,
	}
}

// What scripts read stays as it is: a line that is missing here, or another, breaks them.
func TestReport_JSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := reportPrinter{app: &app{stdout: &out}, link: client.Link{Slug: "acme/app", Mode: client.PullOnly}, bar: &progressBar{}, asJSON: true, lines: newFew(maxLines)}
	r := fullReport()
	for _, d := range r.Done {
		p.done(d)
	}
	if err := p.print(r, exitHold); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"op","op":"move-remote","path":"b.md","from":"a.md","rev":7,"verdict":"published"}
{"type":"op","op":"download","path":"d.md","rev":5}
{"type":"op","op":"create","path":"w.md","verdict":"waiting"}
{"type":"refused","path":"CON.md","code":"path_rejected","layer":"reserved","position":0,"message":"m","hint":"h","known":false}
{"type":"refused","path":"key.md","code":"secret_found","findings":[{"rule":"r","severity":"hard","line":3,"column":9}],"message":"m","known":true}
{"type":"blocked","path":"link.md","code":"symlink","message":"m","known":true}
{"type":"blocked","path":"x\u001b.md","code":"clash","message":"m","known":true,"remote":true}
{"type":"waiting","path":"w.md","op":"put","proposal":"prp_1","state":"pending","at":"2026-03-04T05:06:07Z","known":true}
{"type":"waiting","path":"v.md","op":"put","proposal":"prp_2","state":"rejected","reason":"wrong","note":"n","by":"rev","at":"2026-03-04T05:06:07Z","known":false}
{"type":"conflict","id":"1a2b3c4d","path":"c.md","file":"/kept/c.md"}
{"type":"held","direction":"up","op":"delete","reason":"mass_delete","hold":"h1","count":2,"paths":["g.md","h.md"]}
{"type":"held","direction":"down","op":"delete","reason":"after_jump","hold":"h2","count":1,"paths":["i.md"]}
{"type":"held","direction":"up","op":"change","reason":"all_changed","hold":"h3","count":1,"paths":["j.md"]}
{"type":"blocked","path":"o.md","code":"ignored","message":"left out by team/.teammemignore; it stays as it is, here and there","known":true}
{"type":"skipped","path":"s.md","message":"pull-only"}
{"type":"notice","message":"n"}
{"type":"summary","exit":4,"project":"acme/app","cursor":"e1:9","digest":"0100000000000000000000000000000000000000000000000000000000000000","in_sync":false,"entries":4,"pending":1,"counts":{"conflicts":1,"create":1,"download":1,"held":4,"ignored":2,"left_out":1,"move_remote":1,"refused":4,"requests":3,"skipped":1,"waiting":2}}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Of two codes that apply, the one that comes first here is given.
func TestExit_Order(t *testing.T) {
	t.Parallel()
	order := []int{130, 2, 6, 9, 5, 8, 4, 3, 7, 1, 10, 0}
	for i, first := range order {
		for _, second := range order[i:] {
			if got := mostUrgent(second, first); got != first {
				t.Errorf("of %d and %d: %d", first, second, got)
			}
		}
	}
}

func TestExit_OfRun(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	known := func(code memory.Code) []client.Refused { return []client.Refused{{Problem: &memory.Error{Code: code}}} }
	fresh := []client.Refused{{New: true, Problem: &memory.Error{Code: memory.CodeSecretFound}}}
	held := []client.Held{{Kind: msync.DeleteRemote, Paths: make([]memory.Path, 1)}}
	open := make([]client.Conflict, 1)
	for name, tc := range map[string]struct {
		report client.Report
		err    error
		strict bool
		want   int
	}{
		"in sync":            {client.Report{Proven: true}, nil, false, 0},
		"left out":           {client.Report{LeftOut: make([]memory.Path, 1), Skipped: make([]memory.Path, 1)}, nil, false, 0},
		"left out, strict":   {client.Report{LeftOut: make([]memory.Path, 1)}, nil, true, 0},
		"not linked":         {client.Report{}, fmt.Errorf("x: %w", client.ErrNotLinked), false, 2},
		"login over all":     {*fullReport(), client.ErrNotLoggedIn, false, 6},
		"role lost":          {client.Report{}, &memory.Error{Code: memory.CodeForbidden}, false, 6},
		"other server":       {client.Report{Held: held}, client.ErrOtherServer, false, 9},
		"restored":           {client.Report{}, &memory.Error{Code: memory.CodeEpochChanged}, false, 9},
		"locked":             {client.Report{}, client.ErrLocked, false, 5},
		"offline":            {client.Report{Conflicts: open, Held: held}, client.ErrOffline, false, 8},
		"no marker":          {client.Report{Conflicts: open}, client.ErrMarker, false, 4},
		"rules not known":    {client.Report{}, client.ErrScope, false, 4},
		"held":               {client.Report{Held: held, Conflicts: open, Refused: fresh}, nil, false, 4},
		"conflict":           {client.Report{Conflicts: open, Refused: fresh}, nil, false, 3},
		"refused, and later": {client.Report{Refused: fresh, Pending: 1, DryRun: true}, errors.New("again"), false, 7},
		"quota":              {client.Report{}, &memory.Error{Code: memory.CodeQuota}, false, 7},
		"upgrade":            {client.Report{}, &memory.Error{Code: memory.CodeUpgradeRequired}, false, 7},
		"known":              {client.Report{Refused: known(memory.CodeSecretFound)}, nil, false, 0},
		"known, strict":      {client.Report{Refused: known(memory.CodeSecretFound)}, nil, true, 7},
		"unreadable":         {client.Report{Refused: known("unreadable")}, nil, false, 1},
		"too many requests":  {client.Report{}, &memory.Error{Code: memory.CodeRateLimited}, false, 1},
		"broken server":      {client.Report{}, &memory.Error{Code: memory.CodeInternal}, false, 1},
		"again":              {client.Report{Pending: 1, DryRun: true}, errors.New("again"), false, 1},
		"pending":            {client.Report{Pending: 1, DryRun: true}, nil, false, 10},
		"nothing pending":    {client.Report{Pending: 1}, nil, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := codeOfRun(t.Context(), &tc.report, tc.err, tc.strict); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
			if got := codeOfRun(stopped, &tc.report, context.Canceled, tc.strict); got != exitInterrupt {
				t.Errorf("interrupted: %d", got)
			}
		})
	}
}
