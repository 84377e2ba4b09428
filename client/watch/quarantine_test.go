package watch_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/teammem/teammem/memory"
)

// What a maintainer takes back leaves every watching member's tree by itself,
// and comes back byte for byte: far more than a guard lets go.
func TestQuarantine_ReachesWatchers(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	all := map[string]string{}
	for i := range 60 {
		all[fmt.Sprintf("%03d.md", i)] = fmt.Sprintf("text %d\r\nwithout an end", i)
	}
	for name, text := range all {
		ada.write(t, name, text)
	}
	ada.watching(t)
	bob.watching(t)
	bob.becomes(t, all)

	_, entries, err := tm.store.Manifest(t.Context(), ada.link.Project)
	must(t, err)
	left := maps.Clone(all)
	var w memory.Withdrawal
	for _, e := range entries[:40] {
		w.Entries = append(w.Entries, e.ID)
		delete(left, e.Path.String())
	}
	boss := root()
	boss.Member, boss.Scopes = entries[0].Author.Member, []memory.Scope{memory.ScopeRead, memory.ScopeWrite}
	q, err := tm.service.Quarantine(t.Context(), boss, ada.link.Project, w)
	must(t, err)
	ada.becomes(t, left)
	bob.becomes(t, left)
	_, err = tm.service.Release(t.Context(), boss, ada.link.Project, q.ID, "")
	must(t, err)
	ada.becomes(t, all)
	bob.becomes(t, all)
}
