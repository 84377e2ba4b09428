package hook

import (
	"fmt"
	"strings"

	"github.com/teammem/teammem/client"
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
	waits := open(k.Waiting)
	add(len(waits), "changes that wait or were rejected", func(i int) string { return waiting(waits[i]) })
	add(len(k.Refused), "refusals", func(i int) string { return refusal(k.Refused[i].File, k.Refused[i].Problem) })
	if len(gone) > 0 {
		more := ""
		if len(gone) > mostOfAKind {
			more = fmt.Sprintf(" and %d more", len(gone)-mostOfAKind)
		}
		names := make([]string, min(len(gone), mostOfAKind))
		for i := range names {
			names[i] = named(gone[i])
		}
		all = append(all, "Not there any more: "+strings.Join(names, ", ")+more)
	}
	return append(all, k.Notices...)
}
