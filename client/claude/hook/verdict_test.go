package hook

import (
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Each end that a write can come to is told in its own way; of what is shared
// there is nothing to tell.
func TestVerdict(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	p, other := path1(t, "plan.md"), path1(t, "other.md")
	done := func(kind msync.Kind, to memory.Path, v memory.Ruling) client.Report {
		return client.Report{Done: []client.Done{{Kind: msync.Download, Path: other}, {Kind: kind, Path: to, Verdict: v}}}
	}
	moved := func(kind msync.Kind) client.Report {
		return client.Report{Done: []client.Done{{Kind: kind, From: p, Path: path1(t, "plan-2.md")}}}
	}
	waits := func(state memory.ProposalState) client.Report {
		return client.Report{Waiting: []client.Waiting{{Path: p, State: state, Reason: memory.ReasonWrong, By: "ben"}}}
	}
	conflict := done(msync.Conflict, p, "")
	conflict.Conflicts = []client.Conflict{{Path: p, File: "/kept/old.md"}, {Path: p, File: "/kept/new.md"}}
	for _, tt := range []struct {
		name   string
		report client.Report
		block  bool
		want   string // "": nothing is told
	}{
		{"published", done(msync.Upload, p, memory.RulingPublished), false, ""},
		{"the same", done(msync.Create, p, memory.RulingSame), false, ""},
		{"nothing to do", client.Report{}, false, ""},
		{"superseded", done(msync.Upload, p, memory.RulingSuperseded), false, "holds a newer text"},
		{"deleted", done(msync.Upload, p, memory.RulingDeleted), false, "A teammate deleted team/plan.md"},
		{"taken out", done(msync.DeleteLocal, p, ""), false, "A teammate deleted team/plan.md"},
		{"renamed here", moved(msync.Rename), false, "team/plan.md is now team/plan-2.md"},
		{"renamed there", moved(msync.MoveLocal), false, "team/plan.md is now team/plan-2.md"},
		{"conflict", conflict, true, "/kept/new.md"},
		{"waiting", waits(memory.ProposalPending), false, "waits for review"},
		{"rejected", waits(memory.ProposalRejected), true, "rejected by ben (wrong)"},
		{"published after review", waits(memory.ProposalPublished), false, ""},
		{"refused", client.Report{Refused: []client.Refused{
			{File: "other.md", Problem: &memory.Error{Message: "another"}},
			{File: "plan.md", Problem: &memory.Error{Message: "it is too large"}},
		}}, true, "team/plan.md is not shared: it is too large. The file stays as it is"},
		{"refused there", client.Report{Refused: []client.Refused{{File: "plan.md", Remote: true, Problem: &memory.Error{Message: "x"}}}}, false, ""},
		{"not sent", client.Report{Skipped: []memory.Path{p}}, false, "team/plan.md is on this computer only"},
		{"another's not sent", client.Report{Skipped: []memory.Path{other}}, false, ""},
		{"another file's", done(msync.Conflict, other, ""), false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := m.hooks().verdict(spot{m.link, "plan.md", ""}, p, &tt.report)
			text := a.Reason
			if a.Specific != nil {
				text += a.Specific.Context
			}
			if (a.Decision == "block") != tt.block || !strings.Contains(text, tt.want) || tt.want == "" && a != (answer{}) {
				t.Errorf("got %+v (%q)", a, text)
			}
		})
	}
}
