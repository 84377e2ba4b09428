package hook

import (
	"fmt"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// mostOfAKind is how many notices of one kind are told; what is more is
// counted.
const mostOfAKind = 8

// notices are what waits for the member.
func notices(k client.Known, gone []string) []string {
	var all []string
	add := func(n int, of string, notice func(i int) string) {
		for i := range min(n, mostOfAKind) {
			all = append(all, notice(i))
		}
		if n > mostOfAKind {
			all = append(all, fmt.Sprintf("and %d more %s", n-mostOfAKind, of))
		}
	}
	add(len(k.Conflicts), "conflicts", func(i int) string {
		return conflicted(named(k.Conflicts[i].Path.String()), k.Conflicts[i].File)
	})
	add(len(k.Leaks), "secrets in what was shared", func(i int) string { return leaked(k.Leaks[i]) })
	waits := open(k.Waiting)
	add(len(waits), "changes that wait or were rejected", func(i int) string { return waiting(waits[i]) })
	add(len(k.Refused), "refusals", func(i int) string { return refusal(k.Refused[i].File, k.Refused[i].Problem) })
	if len(gone) > 0 {
		all = append(all, "Not there any more: "+listed(gone))
	}
	return append(all, k.Notices...)
}

// listed names entries in one line.
func listed(paths []string) string {
	var names []string
	for _, p := range paths[:min(len(paths), mostOfAKind)] {
		names = append(names, named(p))
	}
	more := ""
	if n := len(paths) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// leaked tells of a text that the server took back.
func leaked(l client.Leak) string {
	name := "a name or note"
	if l.Path != "" {
		name = named(l.Path)
	}
	return fmt.Sprintf("Taken back: the server found a secret in %s (%s), which was shared before. Do not write it again; "+
		"the member has to rotate it: teammem findings show %s.", name, memory.Inert(l.Rule, longestName), l.Finding)
}
