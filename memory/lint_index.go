package memory

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// longestIndexLine is how long a line may be, in characters, before it takes
// more of the budget than one entry should.
const longestIndexLine = 200

// LintIndex compares an index, the MEMORY.md at the top of team/, with the
// entries there are. What it says of the budget comes first, then what is
// wrong line by line, then what is not listed, in the order of paths.
func LintIndex(index string, paths []Path) []Lint {
	l := indexLint{known: newKnown(paths), listed: map[string]int{}}
	l.budget(index)
	for line := range indexLines(index) {
		if n := utf8.RuneCountInString(line.text); n > longestIndexLine {
			l.say(LintLongLine, line.number, "%d characters in one line: keep it below %d and the details in the entry", n, longestIndexLine)
		}
		if line.part == partProse {
			l.links(line)
		}
	}
	for _, p := range paths {
		if !l.isListed(p) {
			l.say(LintUnlisted, 0, "%s is not listed: add a line with its link and description", inert(p.key))
		}
	}
	return l.found
}

type indexLint struct {
	known  known
	listed map[string]int // by collision key: the line of the item that lists it; 0: prose mentions it
	found  []Lint
}

func (l *indexLint) say(rule string, line int, format string, args ...any) {
	l.found = append(l.found, Lint{rule, line, fmt.Sprintf(format, args...)})
}

// budget warns before an agent stops reading, and says where it does.
func (l *indexLint) budget(index string) {
	var b Budget
	unseen := 0
	for line := range indexLines(index) {
		if b.add(line); b.Over() && unseen == 0 {
			unseen = line.number
		}
	}
	switch {
	case b.Over():
		l.say(LintOverBudget, unseen, "%s: agents do not read this line and what follows; shorten lines or remove old ones", b.Usage())
	case b.Near():
		l.say(LintNearBudget, 0, "%s: agents do not read beyond; shorten lines or remove old ones", b.Usage())
	}
}

// links checks where the links of a line lead. The first link of an item is
// the entry it lists; others only mention one.
func (l *indexLint) links(line mdLine) {
	lists := isListItem(line.text)
	for target := range mdLinks(line.text) {
		key, where := resolve(target)
		switch {
		case where == placeOutside:
			l.say(LintOutside, line.number, "%s leads out of team/, where teammates have nothing: link an entry", Inert(target, longestSummary))
		case where == placeEntry && !l.known.has(key):
			l.say(LintDangling, line.number, "there is no entry %s: correct the link or remove the line", Inert(target, longestSummary))
		case where == placeEntry:
			l.list(sanitize.Skeleton(key), line.number, lists)
		}
		lists = false
	}
	for name := range wikiLinks(line.text) {
		if key, ok := l.known.stems[sanitize.Skeleton(name)]; ok {
			l.list(key, line.number, false)
		}
	}
}

func (l *indexLint) list(key string, line int, asItem bool) {
	before := l.listed[key]
	switch {
	case asItem && before > 0:
		l.say(LintDuplicate, line, "line %d lists this entry already: keep one of them", before)
	case asItem:
		l.listed[key] = line
	default:
		l.listed[key] = before
	}
}

// isListed reports whether a reader of the index finds the entry: by its own
// line, or by the index that its folder has.
func (l *indexLint) isListed(p Path) bool {
	if p.IsIndex() {
		return true
	}
	for dir := p.Dir(); dir != ""; dir = parentOf(dir) {
		if l.known.has(dir + "/" + IndexName) {
			return true
		}
	}
	_, ok := l.listed[p.Skeleton()]
	return ok
}

func parentOf(dir string) string {
	if parent := path.Dir(dir); parent != "." {
		return parent
	}
	return ""
}

// known is the entries there are, by collision key, so that a link finds its
// entry whatever case or Unicode form it was written in.
type known struct {
	keys  map[string]bool   // also of the folders
	stems map[string]string // of one entry that has this stem
}

func newKnown(paths []Path) known {
	k := known{map[string]bool{sanitize.Skeleton(IndexName): true}, map[string]string{}}
	for _, p := range paths {
		key := p.Skeleton()
		k.keys[key], k.stems[sanitize.Skeleton(p.Stem())] = true, key
		for dir := p.Dir(); dir != ""; dir = parentOf(dir) {
			k.keys[sanitize.Skeleton(dir)] = true
		}
	}
	return k
}

func (k known) has(key string) bool { return k.keys[sanitize.Skeleton(key)] || key == "." }

// isListItem reports whether a line starts an item of a list.
func isListItem(line string) bool {
	text := strings.TrimLeft(line, " \t")
	digits := strings.TrimLeft(text, "0123456789")
	if digits != text {
		return strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")
	}
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ")
}
