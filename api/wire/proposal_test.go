package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func proposals(t *testing.T) map[string]memory.Proposal {
	t.Helper()
	text := []byte("\ufeffone\r\n“two”")
	put := memory.Proposal{
		ID: "prp_a", State: memory.ProposalPending, Action: memory.ActionPut, Path: path(t, "a/b.md"), EntryID: "ent_a", Creates: true,
		Sum: memory.Sum(text), Size: len(text), Kind: memory.KindFeedback, Name: "n", Description: "d",
		Author: memory.Author{Member: "mem_a", Name: "Mara"}, Device: "dev_a", Agent: memory.Agent{Name: "claude-code", Session: "s"},
		Note: "why\nso", RuleSet: "r1", At: at(),
	}
	move := put
	move.ID, move.State, move.Action, move.Creates, move.Previous = "prp_b", memory.ProposalRejected, memory.ActionMove, false, path(t, "c.md")
	move.BaseRev, move.BaseSum = 7, move.Sum
	move.Decision = &memory.ReviewDecision{By: memory.Author{Member: "mem_r", Name: "Rea"}, At: at(), Reason: memory.ReasonOther, Note: "no"}
	replaced := put
	replaced.State, replaced.Successor = memory.ProposalSuperseded, "prp_c"
	replaced.Decision = &memory.ReviewDecision{By: put.Author, At: at()}
	published := put
	published.State = memory.ProposalPublished
	published.Decision = &memory.ReviewDecision{By: memory.Author{Member: "mem_r", Name: "Rea"}, At: at(), Rev: 8}
	return map[string]memory.Proposal{"put": put, "move": move, "superseded": replaced, "published": published}
}

func TestProposal_RoundTrip(t *testing.T) {
	t.Parallel()
	for name, want := range proposals(t) {
		got, err := over(t, NewProposal(want)).Domain()
		if diff := cmp.Diff(want, got, paths()); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A text arrives byte for byte, an empty one too; a delete's base has none.
func TestProposalView_Content(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\ufeffa\r\nb\u2028"} {
		p := proposals(t)["put"]
		p.Content, p.Sum = []byte(text), memory.Sum([]byte(text))
		base := memory.Revision{EntryID: "ent_a", Rev: 3, Action: memory.ActionDelete, Path: p.Path, At: at()}
		head := memory.Entry{ID: "ent_a", Path: p.Path, Rev: 9, Sum: p.Sum}
		w := over(t, NewProposalView(memory.ProposalView{Proposal: p, Base: &base, Head: &head, Moved: true}))
		got, err := w.Proposal.Domain()
		if err != nil || string(got.Content) != text || got.Content == nil || w.Base.Content != nil || w.Base.Rev != 3 || w.Head.Rev != 9 || !w.Moved {
			t.Errorf("%q: %+v, %v", text, w, err)
		}
	}
	bare := over(t, NewProposalView(memory.ProposalView{Proposal: proposals(t)["move"]}))
	if bare.Proposal.Content != nil || bare.Base != nil || bare.Head != nil {
		t.Errorf("got %+v", bare)
	}
}

func TestProposal_RefusesNonsense(t *testing.T) {
	t.Parallel()
	text := "other"
	for name, change := range map[string]func(*Proposal){
		"no id":              func(w *Proposal) { w.ID = "" },
		"another id":         func(w *Proposal) { w.ID = "ent_a" },
		"unknown op":         func(w *Proposal) { w.Op = "purge" },
		"path outside":       func(w *Proposal) { w.Path = "../a.md" },
		"previous outside":   func(w *Proposal) { w.PreviousPath = "/a.md" },
		"no hash":            func(w *Proposal) { w.SHA256 = "" },
		"half a hash":        func(w *Proposal) { w.BaseSHA256 = "ab" },
		"content of another": func(w *Proposal) { w.Content = &text },
	} {
		w := NewProposal(proposals(t)["put"])
		change(&w)
		if _, err := w.Domain(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	base, sum := int64(7), memory.Sum([]byte("x"))
	for _, tt := range []struct {
		name   string
		w      Decide
		reason memory.Reason
		field  string
	}{
		{"approve", Decide{Action: "approve", SHA256: sum.String(), BaseRev: &base}, "", ""},
		{"reject", Decide{Action: "reject", SHA256: sum.String(), BaseRev: &base, Reason: "shape", Note: "a\tb\nc"}, memory.ReasonShape, ""},
		{"nothing", Decide{}, "", "action"},
		{"another action", Decide{Action: "Approve", SHA256: sum.String(), BaseRev: &base}, "", "action"},
		{"no base", Decide{Action: "approve", SHA256: sum.String()}, "", "base_rev"},
		{"no hash", Decide{Action: "reject", BaseRev: &base, Reason: "wrong"}, "", "sha256"},
		{"approve for a reason", Decide{Action: "approve", SHA256: sum.String(), BaseRev: &base, Reason: "wrong"}, "", "reason"},
		{"approve with a note", Decide{Action: "approve", SHA256: sum.String(), BaseRev: &base, Note: "x"}, "", "note"},
		{"reject for nothing", Decide{Action: "reject", SHA256: sum.String(), BaseRev: &base}, "", "reason"},
		{"reject with a bell", Decide{Action: "reject", SHA256: sum.String(), BaseRev: &base, Reason: "wrong", Note: "\a"}, "", "note"},
	} {
		seen, reason, note, err := tt.w.Domain()
		if tt.field != "" {
			if e := problemOf(err); err == nil || e.Code != memory.CodeInvalid || e.Field != tt.field {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		if err != nil || seen != (memory.Seen{Sum: sum, BaseRev: 7}) || reason != tt.reason || note != tt.w.Note {
			t.Errorf("%s: got %+v, %q, %q, %v", tt.name, seen, reason, note, err)
		}
	}
}

func TestResult_Proposal(t *testing.T) {
	t.Parallel()
	want := memory.Verdict{Ruling: memory.RulingWaiting, EntryID: "ent_a", Proposal: "prp_a"}
	got, err := over(t, NewResult(want)).Domain()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := (Result{Verdict: "waiting", Proposal: "ent_a"}).Domain(); err == nil {
		t.Error("an id of something else passes")
	}
}
