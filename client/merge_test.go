package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// Two members add to one index while each sync finds that the other was faster.
func TestMerge_Race(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "MEMORY.md", "# Team\n")
	a.sync(t)
	b.sync(t)
	mine := "# Team\n- [ann](ann.md)\n"
	a.write(t, "MEMORY.md", mine)
	rounds := 0
	tm.onPush(func(int) {
		if rounds == 3 {
			return
		}
		rounds++
		hook := tm.hook
		tm.between(nil)
		b.write(t, "MEMORY.md", b.files(t)["MEMORY.md"]+fmt.Sprintf("- [ben %d](ben-%d.md)\n", rounds, rounds))
		b.sync(t)
		tm.between(hook)
	})
	a.sync(t)
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
	got := a.files(t)["MEMORY.md"]
	for _, line := range []string{"ann.md", "ben-1.md", "ben-2.md", "ben-3.md"} {
		if strings.Count(got, line) != 1 {
			t.Errorf("%s is %d times in\n%s", line, strings.Count(got, line), got)
		}
	}
}

// A merge whose outcome is refused leaves both sides as they are, and lists the
// file; everything else goes on.
func TestMerge_Refused(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "MEMORY.md", "- [one](one.md)\n")
	a.sync(t)
	b.sync(t)
	b.write(t, "MEMORY.md", "- [one](one.md)\n- [ben](ben.md)\n")
	b.sync(t)
	a.write(t, "MEMORY.md", "- [one](one.md)\n- "+mark+"\n")
	a.write(t, "other.md", "other\n")
	r := a.sync(t)
	if refused(r)["MEMORY.md"] != memory.CodeSecretFound || !r.NewRefusals() {
		t.Errorf("refused %v, want MEMORY.md", refused(r))
	}
	if r = a.sync(t); r.NewRefusals() || refused(r)["MEMORY.md"] != memory.CodeSecretFound {
		t.Errorf("second run: news %t, refused %v", r.NewRefusals(), refused(r))
	}
	if got := a.files(t)["MEMORY.md"]; !strings.Contains(got, mark) {
		t.Errorf("ann's index was replaced by\n%s", got)
	}
	if tm.served(t)["other.md"] == "" || strings.Contains(tm.served(t)["MEMORY.md"], mark) {
		t.Errorf("the server has %q", tm.served(t))
	}
	a.write(t, "MEMORY.md", "- [one](one.md)\n- [ann](ann.md)\n")
	if r = a.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing once it is fixed", refused(r))
	}
	b.sync(t)
	tm.equal(t, a, b)
}

// Both reworded one item: the server's words stay, and nobody's are lost.
func TestMerge_LostWordsAreKept(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "MEMORY.md", "- [one](one.md) first\n")
	a.sync(t)
	b.sync(t)
	b.write(t, "MEMORY.md", "- [one](one.md) ben says\n")
	b.sync(t)
	a.write(t, "MEMORY.md", "- [one](one.md) ann says\n")
	r := a.sync(t)
	if len(r.Conflicts) != 1 || a.kept(t, "- [one](one.md) ann says\n") != "conflicts" {
		t.Errorf("conflicts %v", r.Conflicts)
	}
	tm.equal(t, a)

	// Without a common past, both sides' items stay.
	c := tm.join(t, "cleo")
	c.write(t, "MEMORY.md", "- [cleo](cleo.md)\n")
	c.sync(t)
	if got := tm.served(t)["MEMORY.md"]; !strings.Contains(got, "cleo.md") || !strings.Contains(got, "one.md") {
		t.Errorf("the union is\n%s", got)
	}
	tm.equal(t, c)
}
