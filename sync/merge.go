package sync

import (
	"bytes"
	"slices"
	"strings"
)

// MergeEntry merges three versions of an entry. It is clean or a conflict, and
// cannot write markers.
//
// The frontmatter is merged key by key, and below metadata once more; unknown
// keys, comments and their order stay. A key that both sides changed to
// different values is a conflict, but for modified and originSessionId, which
// agents rewrite on every save: the server's value stays, and whoever changed
// nothing else did not change the entry. Frontmatter of which it cannot be told
// which line belongs to which key is merged like the body.
//
// The body is merged line by line: two insertions at one point both stay, the
// server's first; what one side only inserted beside lines that the other reworded
// stays beside them; everything else that overlaps or touches is a conflict. Line
// ends, byte order mark and final newline are the server's. Where one side did not
// change anything, the result is the other side, byte for byte.
//
// A merge that is repeated, because its answer got lost, gives what it gave
// before, or is a conflict: no line that both sides have anew is there twice.
func MergeEntry(base, server, local []byte) (merged []byte, clean bool) {
	merged, clean = mergeOnce(base, server, local)
	if !clean || repeats(merged, base, server, local) {
		return nil, false
	}
	return merged, true
}

// repeats reports whether a merge has a line more often than the two sides made it:
// one got it from the other, or both moved it, and have it at another place. A line
// that is new on both sides is there as often as either has it.
func repeats(merged, base, server, local []byte) bool {
	all := count(merged)
	var inBase, inServer, inLocal map[string]int
	for line, n := range all {
		if n == 1 || letters(line) < tellingLine {
			continue
		}
		if inBase == nil {
			inBase, inServer, inLocal = count(base), count(server), count(local)
		}
		there, here, before := inServer[line], inLocal[line], inBase[line]
		most := max(there, here)
		if before > 0 {
			most = max(most, there+here-before)
		}
		if there > 0 && here > 0 && n > most {
			return true
		}
	}
	return false
}

func count(text []byte) map[string]int {
	lines, _ := readLines(text)
	return tally(lines)
}

func mergeOnce(base, server, local []byte) (merged []byte, clean bool) {
	baseLines, _ := readLines(base)
	serverLines, form := readLines(server)
	localLines, _ := readLines(local)
	switch {
	case bytes.Equal(base, server):
		return local, true
	case slices.Equal(baseLines, localLines), slices.Equal(serverLines, localLines):
		return server, true
	}
	b, s, l := readEntry(baseLines), readEntry(serverLines), readEntry(localLines)
	lines, clean := mergeEntries(b, s, l)
	if b.broken || s.broken || l.broken {
		lines, clean = merge3(baseLines, serverLines, localLines)
	}
	if !clean || !isSound(readEntry(lines), s, l) {
		return nil, false
	}
	return form.write(lines), true
}

func mergeEntries(base, server, local entryText) (lines []string, clean bool) {
	fields, clean := mergeFields("", base.fields, server.fields, local.fields)
	if !clean {
		return nil, false
	}
	body, clean := merge3(base.body, server.body, local.body)
	if !clean {
		return nil, false
	}
	has := server.has
	if base.has == server.has {
		has = local.has
	}
	return entryText{has: has || len(fields) > 0, fields: fields, body: body}.lines(), true
}

// isSound reports whether a merged entry reads as well as the two it was made
// of: frontmatter that both could tell apart still can be, and there is no
// second block of it.
func isSound(merged, server, local entryText) bool {
	if merged.broken {
		return server.broken || local.broken
	}
	return !merged.hasSecond() || server.hasSecond() || local.hasSecond()
}

// hasSecond reports whether the body begins with another block of frontmatter.
func (e entryText) hasSecond() bool {
	if !e.has {
		return false
	}
	start := slices.IndexFunc(e.body, func(l string) bool { return strings.TrimSpace(l) != "" })
	return start >= 0 && readEntry(e.body[start:]).has
}
