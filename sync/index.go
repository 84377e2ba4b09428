package sync

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
)

// MergeIndex merges three versions of an index file, MEMORY.md. It always
// succeeds and never writes markers. List items are merged by what they link
// to, others by their words: what anyone added is in, what one side removed
// and the other left alone is out, and an edit outlives a removal. Where both
// sides changed the wording of one item, or one stretch of prose, the server's
// stays, and what the member had is in lost, line by line; the caller then
// keeps the member's whole file in the conflict store.
//
// The order is the server's; new items keep their neighbours, several at one
// place are sorted by target, so that additions give one file in any order.
// Line ends, byte order mark and final newline are the server's too. If one
// side already says all that the merge says, that side is the result, so that
// blank lines and places alone make no revision.
//
// gone, if not nil, says which link targets lead to a deleted entry (see
// [Gone]); a merge drops their items. Where one side did not change anything,
// the result is the other side, byte for byte.
func MergeIndex(base, server, local []byte, gone func(target string) bool) (merged []byte, lost []string) {
	baseLines, _ := readLines(base)
	serverLines, form := readLines(server)
	localLines, localForm := readLines(local)
	switch {
	case bytes.Equal(base, server):
		return local, nil
	case slices.Equal(baseLines, localLines), slices.Equal(serverLines, localLines):
		return server, nil
	}
	if len(server) == 0 {
		form = localForm
	}

	m := indexMerge{
		base: parseOutline(baseLines), server: parseOutline(serverLines), local: parseOutline(localLines),
		text: map[token][]string{},
	}
	m.mergeItems()
	m.dropGone(gone)
	m.mergeOrder()
	m.restore(m.server)
	m.restore(m.local)
	switch all := sorted(m.lines()); {
	case slices.Equal(all, sorted(serverLines)):
		return server, m.lost
	case slices.Equal(all, sorted(localLines)) && m.sameOrder():
		return form.write(localLines), m.lost
	}
	return form.write(m.lines()), m.lost
}

// sorted is for comparing what two files say: places and blank lines aside.
func sorted(lines []string) []string { return slices.Sorted(slices.Values(withoutBlanks(lines))) }

// Gone returns what [MergeIndex] asks about link targets, for the index file
// at this path and the entries that were deleted.
func Gone(index memory.Path, deleted []memory.Path) func(target string) bool {
	dead := make(map[string]bool, len(deleted))
	for _, p := range deleted {
		dead[p.String()] = true
	}
	return func(target string) bool {
		target, _, _ = strings.Cut(target, "#")
		if plain, err := url.PathUnescape(target); err == nil {
			target = plain
		}
		return dead[path.Join(index.Dir(), target)]
	}
}

// indexMerge is one merge on its way.
type indexMerge struct {
	base, server, local outline

	text map[token][]string // of every item that is in the result
	out  []token
	lost []string
}

func (m *indexMerge) lines() []string {
	var lines []string
	for _, t := range m.out {
		if t.isItem() {
			lines = append(lines, m.text[t]...)
			continue
		}
		lines = append(lines, t.line())
	}
	return lines
}

// sameOrder reports whether the member's file keeps the server's order, as it
// does after an earlier merge.
func (m *indexMerge) sameOrder() bool {
	shared := func(row, other []token) []token {
		return slices.DeleteFunc(slices.Clone(row), func(t token) bool {
			return !t.isItem() && t.isBlank() || !slices.Contains(other, t)
		})
	}
	return slices.Equal(shared(m.local.tokens, m.server.tokens), shared(m.server.tokens, m.local.tokens))
}

// mergeItems decides for every item whether it stays, and with which words.
func (m *indexMerge) mergeItems() {
	for _, side := range []outline{m.server, m.local} {
		for _, t := range side.tokens {
			if !t.isItem() || m.text[t] != nil {
				continue
			}
			if text := m.mergeItem(t); text != nil {
				m.text[t] = text
			}
		}
	}
}

// mergeItem returns the lines of an item that at least one side has, nil if
// the other side removed it.
func (m *indexMerge) mergeItem(t token) []string {
	base, server, local := m.base.items[t], m.server.items[t], m.local.items[t]
	switch {
	case server == nil && slices.Equal(local, base), local == nil && slices.Equal(server, base):
		return nil
	case server == nil:
		return local
	case local == nil:
		return server
	}
	merged, clean := merge3(base, server, local)
	if base == nil && !slices.Equal(server, local) {
		clean = false // two first wordings of one item are no two insertions
	}
	if clean {
		return merged
	}
	if words(strings.Join(server, " ")) != words(strings.Join(local, " ")) { // a new number is no new wording
		m.lose(local, server, base)
	}
	return server
}

// lose notes the member's lines that are in neither of the others.
func (m *indexMerge) lose(local, server, base []string) {
	for _, line := range local {
		if strings.TrimSpace(line) != "" && !slices.Contains(server, line) && !slices.Contains(base, line) {
			m.lost = append(m.lost, line)
		}
	}
}

// dropGone takes the items out that lead to a deleted entry.
func (m *indexMerge) dropGone(gone func(string) bool) {
	if gone == nil {
		return
	}
	for _, t := range slices.Concat(m.server.tokens, m.local.tokens) {
		if target := t.target(); m.text[t] != nil && target != "" && gone(target) {
			m.lose(m.text[t], m.server.items[t], m.base.items[t])
			delete(m.text, t)
		}
	}
}

// mergeOrder merges the rows of tokens. What comes out may lack items that
// stay (restore adds them), but has none twice and none that was removed, and no
// new line more often than either side: one that both have came from one of them.
func (m *indexMerge) mergeOrder() {
	placed := map[token]int{}
	for _, c := range diff3(texts(m.base.tokens), texts(m.server.tokens), texts(m.local.tokens)) {
		for _, t := range m.mergeChunk(tokens(c.base), tokens(c.server), tokens(c.local)) {
			switch {
			case t.isItem() && (placed[t] > 0 || m.text[t] == nil):
				continue
			case placed[t] > 0 && m.isOften(t, placed[t]):
				continue
			}
			placed[t]++
			m.out = append(m.out, t)
		}
	}
}

// isOften reports whether a new line of prose is there as often as either side
// has it.
func (m *indexMerge) isOften(t token, placed int) bool {
	return !t.isItem() && letters(t.line()) >= tellingLine && !slices.Contains(m.base.tokens, t) &&
		placed >= max(m.server.count(t), m.local.count(t))
}

// mergeChunk chooses the side whose row of tokens stands, going by the prose
// alone: items are not lost by it. New items of the other side join it where
// they stood in the same gap; restore finds a place for the rest.
func (m *indexMerge) mergeChunk(base, server, local []token) []token {
	b, s, l := prose(base), prose(server), prose(local)
	switch {
	case slices.Equal(base, server):
		return local
	case slices.Equal(base, local):
		return server
	case slices.Equal(b, l), slices.Equal(s, l):
		return m.joinLead(base, server, local, m.server)
	case slices.Equal(b, s):
		return m.joinLead(base, local, server, m.local)
	case includes(b, s, l):
		return m.joinLead(base, server, local, m.server)
	case includes(b, l, s):
		return m.joinLead(base, local, server, m.local)
	case len(b) > 0:
		m.lose(l, s, b)
		return m.joinLead(base, server, local, m.server)
	}
	return slices.Concat(m.joinLead(base, server, local, m.server), local[lead(local):])
}

// includes reports whether a side has already made all changes of the other:
// it has what that one added, and not what it removed.
func includes(base, side, other []string) bool {
	side, other, base = withoutBlanks(side), withoutBlanks(other), withoutBlanks(base)
	for _, line := range other {
		if !slices.Contains(base, line) && !slices.Contains(side, line) {
			return false
		}
	}
	return !slices.ContainsFunc(base, func(line string) bool {
		return !slices.Contains(other, line) && slices.Contains(side, line)
	})
}

// joinLead puts the new items at the top of the other side's row into the top
// of the row that stands, unless its side has them elsewhere.
func (m *indexMerge) joinLead(base, row, other []token, side outline) []token {
	top := lead(row)
	if lead(base) > 0 || top == 0 {
		return row // the items have better neighbours elsewhere
	}
	row = slices.Clone(row)
	joined := top
	for _, t := range other[:lead(other)] {
		if !m.base.has(t) && !side.has(t) {
			row = slices.Insert(row, joined, t)
			joined++
		}
	}
	if joined > top {
		slices.SortFunc(row[:joined], cmp.Compare[token])
	}
	return row
}

// lead counts the items before the first line of prose.
func lead(row []token) int {
	for i, t := range row {
		if !t.isItem() {
			return i
		}
	}
	return len(row)
}

// restore puts back the items of one side that the merge of the order left out.
func (m *indexMerge) restore(side outline) {
	placed := map[token]bool{}
	for _, t := range m.out {
		placed[t] = t.isItem()
	}
	for i, t := range side.tokens {
		if !t.isItem() || m.text[t] == nil || placed[t] {
			continue
		}
		pos := m.place(side.tokens, i)
		m.out = slices.Insert(m.out, pos, t)
		placed[t] = true
		if !m.base.has(t) {
			m.sortNew(pos)
		}
	}
}

// place finds where in the result the item at i belongs: behind the nearest
// item above it in its own list, before the nearest below, at the end of its
// section's list, at the end of the last list.
func (m *indexMerge) place(row []token, i int) int {
	for k := i - 1; k >= 0 && row[k].isItem(); k-- {
		if pos := slices.Index(m.out, row[k]); pos >= 0 {
			return pos + 1
		}
	}
	for k := i + 1; k < len(row) && row[k].isItem(); k++ {
		if pos := slices.Index(m.out, row[k]); pos >= 0 {
			return pos
		}
	}
	for k := i - 1; k >= 0; k-- {
		if !row[k].isHeading() {
			continue
		}
		if pos := slices.Index(m.out, row[k]); pos >= 0 {
			return m.endOfSection(pos)
		}
		break
	}
	return m.endOfList(0, len(m.out))
}

// endOfSection is where the list under the heading at pos ends.
func (m *indexMerge) endOfSection(pos int) int {
	end := pos + 1
	for end < len(m.out) && !m.out[end].isHeading() {
		end++
	}
	return m.endOfList(pos, end)
}

// endOfList is behind the last item in out[from:to], or, without one, behind
// the last line that is not blank.
func (m *indexMerge) endOfList(from, to int) int {
	for k := to; k > from; k-- {
		if m.out[k-1].isItem() {
			return k
		}
	}
	for to > from && m.out[to-1].isBlank() {
		to--
	}
	return to
}

// sortNew sorts the new items around pos that follow each other.
func (m *indexMerge) sortNew(pos int) {
	isNew := func(t token) bool { return t.isItem() && !m.base.has(t) }
	from, to := pos, pos+1
	for from > 0 && isNew(m.out[from-1]) {
		from--
	}
	for to < len(m.out) && isNew(m.out[to]) {
		to++
	}
	slices.SortFunc(m.out[from:to], cmp.Compare[token])
}

func withoutBlanks(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) == "" })
}

func prose(row []token) []string {
	var lines []string
	for _, t := range row {
		if !t.isItem() {
			lines = append(lines, t.line())
		}
	}
	return lines
}

func texts(row []token) []string {
	lines := make([]string, len(row))
	for i, t := range row {
		lines[i] = string(t)
	}
	return lines
}

func tokens(lines []string) []token {
	row := make([]token, len(lines))
	for i, line := range lines {
		row[i] = token(line)
	}
	return row
}
