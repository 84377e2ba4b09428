package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func storedFinding() memory.FindingView {
	v := memory.FindingView{Finding: memory.Finding{
		ID: "fnd_a", State: memory.FindingOpen, RuleSet: "r-1", Author: memory.Author{Member: "mem_a", Name: "Mara"},
		FirstAt: time.Unix(1, 0).UTC(), At: time.Unix(2, 0).UTC(), Held: "prp_a", Stored: memory.RevisionRef{EntryID: "ent_a", Rev: 7},
	}}
	v.Rule, v.Severity, v.Line, v.Column, v.Fingerprint = "github-pat", "hard", 3, 4, memory.Fingerprint(memory.Sum([]byte("x")))
	v.Receivers = []memory.Receiver{{Device: memory.Device{Name: "laptop"}, Owner: memory.Author{Member: "mem_b", Name: "Ben"}, At: time.Unix(3, 0).UTC()}}
	return v
}

func TestSecretFinding_View(t *testing.T) {
	t.Parallel()
	want := storedFinding()
	got, rotation, err := over(t, NewFindingView(want)).View()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b memory.Path) bool { return a == b })); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(memory.RotationOf("github-pat"), rotation); diff != "" {
		t.Errorf("rotation (-want +got):\n%s", diff)
	}
	older := NewSecretFinding(want.Finding)
	if got, rotation, err := older.View(); err != nil || len(got.Receivers) != 0 || rotation.Provider != "GitHub" {
		t.Errorf("an older server: %+v, %v", rotation, err)
	}
}

// Words of a server's cannot move a cursor, and its ids lead nowhere.
func TestSecretFinding_Hostile(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2Jb\u202ec\nd"
	w := NewFindingView(storedFinding())
	w.Rule, w.Device, w.State, w.Severity, w.Receivers[0].Device = evil, evil, evil, evil, evil
	w.Rotation, w.Request = &Rotation{evil, evil, []string{evil}}, &AllowRequest{Reason: evil, Note: evil, Paths: evil, AllowRule: evil}
	v, r, err := w.View()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		v.Rule, string(v.Device), string(v.State), string(v.Severity), v.Receivers[0].Device.Name, r.Provider, r.Where, r.Steps[0],
		string(v.Request.Reason), v.Request.Note, v.Request.Glob, string(v.Request.Rule.ID),
	} {
		if strings.ContainsAny(s, "\x1b\u202e\n") {
			t.Errorf("%q is shown as it came", s)
		}
	}
	for _, id := range []string{"../../x", "ent_", "prj_a", "ent_a\n"} {
		w := NewFindingView(storedFinding())
		if w.EntryID = id; id != "" {
			if _, _, err := w.View(); err == nil {
				t.Errorf("the entry %q is taken", id)
			}
		}
		if _, err := (FindingEvent{Project: id}).Domain(); (err == nil) != (id == "prj_a") {
			t.Errorf("an event about %q: %v", id, err)
		}
	}
	if _, err := (FindingEvent{}).Domain(); err == nil {
		t.Error("an event about nothing is taken")
	}
}

func TestAllowDecision(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		w    AllowDecision
		want string // field; "" if it is good
	}{
		{"approve", AllowDecision{Action: "approve", Paths: "a/*.md", Days: 30, Note: "fine"}, ""},
		{"deny", AllowDecision{Action: "deny", Note: "no"}, ""},
		{"nothing", AllowDecision{}, "action"},
		{"the author's", AllowDecision{Action: "request"}, "action"},
		{"deny for paths", AllowDecision{Action: "deny", Paths: "a.md"}, "paths"},
		{"deny for days", AllowDecision{Action: "deny", Days: 1}, "days"},
		{"too long", AllowDecision{Action: "approve", Days: 91}, "days"},
		{"back in time", AllowDecision{Action: "approve", Days: -1}, "days"},
		{"a bell", AllowDecision{Action: "approve", Note: "\a"}, "note"},
		{"odd paths", AllowDecision{Action: "approve", Paths: strings.Repeat("a", 513)}, "paths"},
	} {
		a, err := tt.w.Domain()
		if tt.want == "" {
			if err != nil || a.Approve != (tt.w.Action == "approve") || a.Glob != tt.w.Paths || a.Life != time.Duration(tt.w.Days)*24*time.Hour || a.Note != tt.w.Note {
				t.Errorf("%s: %+v, %v", tt.name, a, err)
			}
			continue
		}
		if e := problemOf(err); err == nil || e.Field != tt.want {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for action, want := range map[string]memory.Code{"approve": memory.CodeForbidden, "deny": memory.CodeForbidden, "": memory.CodeInvalid} {
		if err := (AllowAction{Action: action, Days: 3}).Check(); memory.CodeOf(err) != want {
			t.Errorf("an older program's %s: %v", action, err)
		}
	}
}
