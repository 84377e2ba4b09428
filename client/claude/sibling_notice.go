package claude

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/teammem/teammem/client"
)

// Notices tells what a member should know about where the memory of a linked
// folder is: that sessions in it use another one, and that siblings hold texts
// that nobody sends. Mostly that is nothing.
func Notices(d client.Dirs, l client.Link, folder string, getenv func(string) string) ([]string, error) {
	root, err := findRoot(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	if root.real != l.Folder {
		all = append(all, fmt.Sprintf("sessions in %s have a memory of their own, which is not linked; this is the one of %s", root.real, l.Folder))
	}
	siblings, err := siblingsOf(d, l, root, getenv)
	if err != nil {
		return all, err
	}
	for _, s := range siblings {
		if n := s.notice(l); n != "" {
			all = append(all, n)
		}
	}
	return all, nil
}

// notice is "" if the sibling has nothing to send.
func (s Sibling) notice(l client.Link) string {
	if s.Linked != "" || len(s.Unsent) == 0 {
		return ""
	}
	return fmt.Sprintf("%s is a second memory of this repository (%s) beside %s, and is not shared: %s; teammem import %s takes over what is missing",
		s.Dir, s.Why, l.MemoryDir, some(s.Unsent), filepath.Join(s.Dir, teamFolder))
}

// some names the first few of some foreign names, and counts the rest.
func some(names []string) string {
	const named = 3
	shown := make([]string, 0, named+1)
	for _, name := range names[:min(named, len(names))] {
		shown = append(shown, visible(name))
	}
	if more := len(names) - named; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

// visible quotes a foreign name unless all of it can be seen.
func visible(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
