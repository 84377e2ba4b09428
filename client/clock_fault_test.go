package client_test

import (
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// F52: clocks decide nothing. Whatever this computer's shows, and in whatever
// order, the server's order counts and no text leaves the trash early.
func TestSync_ClockJumps(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "x.md", "before all\n")
	a.sync(t)
	b.sync(t)
	const day = 24 * time.Hour
	for name, jump := range map[string]time.Duration{
		"an hour ahead": time.Hour, "an hour behind": -time.Hour, "40 days ahead": 40 * day, "ten years ahead": 3650 * day, "ten years behind": -3650 * day,
	} {
		before := b.files(t)["x.md"]
		b.now = func() time.Time { return time.Now().Add(jump) }
		a.write(t, "x.md", "by ann, "+name+"\n")
		a.sync(t)
		if b.sync(t); b.files(t)["x.md"] != "by ann, "+name+"\n" {
			t.Errorf("%s: the newer revision did not come", name)
		}
		b.write(t, "x.md", "by ben, "+name+"\n")
		b.write(t, "ben.md", name+"\n")
		b.sync(t)
		a.sync(t)
		tm.equal(t, a, b)
		for _, text := range []string{"before all\n", before} {
			if b.kept(t, text) != "trash" {
				t.Errorf("%s: %q is not in the trash", name, text)
			}
		}
	}
}
