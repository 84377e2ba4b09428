package memory

import (
	"strconv"
	"strings"
)

// LintNumbered says of an entry with a number that it may be a duplicate of the
// one without: where two members create one name, the later one gets a number.
// has tells whether the team has an entry of that path. Names that are counted
// from 1 are a series.
func LintNumbered(path string, has func(path string) bool) []Lint {
	stem, ok := unnumbered(path)
	if !ok || !has(stem+".md") || has(stem+"-1.md") {
		return nil
	}
	var l entryLint
	l.say(LintDuplicate, 0, "this may be a duplicate of %s: keep one of them with what both say, or give this one a name of its own", inert(stem+".md"))
	return l.found
}

// unnumbered takes the number off "<stem>-2.md".
func unnumbered(key string) (stem string, ok bool) {
	name := strings.TrimSuffix(key, ".md")
	at := strings.LastIndexByte(name, '-')
	if at < 1 || name == key || name[at-1] == '/' {
		return "", false
	}
	n, err := strconv.Atoi(name[at+1:])
	return name[:at], err == nil && n >= 2 && strconv.Itoa(n) == name[at+1:]
}
