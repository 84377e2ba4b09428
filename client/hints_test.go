package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func (m *member) status(t testing.TB) client.Status {
	t.Helper()
	st, err := m.syncer("").Status(t.Context(), false)
	must(t, err)
	return st
}

// rules returns what is hinted at, as "path rule".
func rules(st client.Status) string {
	var lines []string
	for _, h := range st.Hints {
		lines = append(lines, h.Path.String()+" "+h.Rule)
	}
	return strings.Join(lines, "\n")
}

// Status reads every file for what could be better, but none that must not be
// shared, and measures the index. A file that is not good changes nothing else.
func TestHints(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	if st := a.status(t); len(st.Hints) != 0 || st.Index != nil {
		t.Errorf("an empty tree: %v, %v", st.Hints, st.Index)
	}
	good := "---\nname: Builds\ndescription: Builds need the flag -x.\ntype: reference\n---\n\nSee the wiki.\n"
	a.write(t, "good.md", good)
	a.write(t, "sub/mine.md", "---\nname: Me\ndescription: About me.\ntype: user\n---\n\nI like tea.\n")
	a.write(t, "secret.md", "---\ntype: user\n---\n"+mark+"\n")
	a.write(t, "MEMORY.md", "# Team\n\n- [good](good.md) — builds\n- [gone](gone.md) — nothing\n")
	must(t, os.Symlink("good.md", filepath.Join(a.tree(), "link.md")))
	r := a.sync(t)
	st := a.status(t)
	got := rules(st)
	for _, want := range []string{"sub/mine.md " + memory.LintKindUser, "MEMORY.md " + memory.LintDangling, "MEMORY.md " + memory.LintUnlisted} {
		if !strings.Contains(got, want) {
			t.Errorf("no hint %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "good.md") || strings.Contains(got, "secret.md ") {
		t.Errorf("a good or a refused file has hints:\n%s", got)
	}
	if st.Index == nil || st.Index.Lines != 4 {
		t.Errorf("the index measures %v, want 4 lines", st.Index)
	}
	if st.Pending != 0 || !st.Proven || st.NewRefusals() || len(st.Refused) != len(r.Refused) {
		t.Errorf("pending %d, proven %t, refused %v", st.Pending, st.Proven, refused(&st.Report))
	}
}

// The index is measured as an agent reads it, at every side of its limits.
func TestHints_Budget(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	for _, c := range []struct {
		name        string
		index       string
		near, over  bool
		lines, size int
	}{
		{"199 lines", strings.Repeat("x\n", 199), true, false, 199, 398},
		{"200 lines", strings.Repeat("x\n", 200), true, false, 200, 400},
		{"201 lines", strings.Repeat("x\n", 201), true, true, 201, 402},
		{"24,999 bytes", strings.Repeat(strings.Repeat("y", 249)+"\n", 99) + strings.Repeat("y", 249), true, false, 100, 24_999},
		{"25,001 bytes", strings.Repeat(strings.Repeat("y", 249)+"\n", 100) + "y", true, true, 101, 25_001},
		{"few", "x\n", false, false, 1, 2},
	} {
		a.write(t, "MEMORY.md", c.index)
		st := a.status(t)
		b := st.Index
		if b == nil || b.Lines != c.lines || b.Bytes != c.size || b.Near() != c.near || b.Over() != c.over {
			t.Errorf("%s: measures %+v", c.name, b)
		}
		if got := rules(st); strings.Contains(got, memory.LintNearBudget) != (c.near && !c.over) || strings.Contains(got, memory.LintOverBudget) != c.over {
			t.Errorf("%s: hints\n%s", c.name, got)
		}
	}
}
