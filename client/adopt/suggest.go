package adopt

import (
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/memory"
)

// suggest returns a key that a file could have whose own is refused: as close
// to it as the rules allow, always the same for the same key, and one that free
// accepts.
func suggest(key string, free func(memory.Path) bool) memory.Path {
	sum := memory.Sum([]byte(key))
	tag := hex.EncodeToString(sum[:4])
	for _, candidate := range []string{
		legal(key, func(rune) bool { return true }),
		legal(key, func(r rune) bool { return r < utf8.RuneSelf }), // where only the script is in the way
		"imported-" + tag + extension,
	} {
		stem := strings.TrimSuffix(candidate, extension)
		for n := 1; n < 100; n++ {
			name := stem + extension
			if n > 1 {
				name = stem + "-" + strconv.Itoa(n) + extension
			}
			p, err := memory.ParsePath(name)
			if err != nil {
				break
			}
			if free(p) {
				return p
			}
		}
	}
	return memory.Path{}
}

const extension = ".md"

// What a suggested key has at most; the limits of keys leave room for a number.
const (
	mostSegments     = 8
	mostSegmentBytes = 100
)

// legal spells a key with letters, digits and a few signs.
func legal(key string, keep func(rune) bool) string {
	var segments []string
	for segment := range strings.SplitSeq(norm.NFC.String(strings.ToValidUTF8(key, "-")), "/") {
		if s := legalSegment(segment, keep); s != "" {
			segments = append(segments, s)
		}
	}
	if len(segments) == 0 {
		segments = []string{"unnamed"}
	}
	if len(segments) > mostSegments {
		rest := strings.Join(segments[mostSegments-1:], "-")
		segments = append(segments[:mostSegments-1], cut(rest))
	}
	last := len(segments) - 1
	for i, s := range segments {
		if i == last {
			s = withoutExtension(s)
		}
		segments[i] = unreserved(s, i == last)
	}
	return strings.Join(segments, "/") + extension
}

// legalSegment replaces what is refused somewhere by dashes, and takes off what
// a name may not start or end with.
func legalSegment(segment string, keep func(rune) bool) string {
	var b strings.Builder
	gap := false
	for _, r := range segment {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) && b.Len() > 0
		if !keep(r) || !letter && !strings.ContainsRune("-_. ", r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return cut(strings.Trim(b.String(), "-. "))
}

// cut shortens a segment at a whole character.
func cut(s string) string {
	if len(s) <= mostSegmentBytes {
		return s
	}
	ext := ""
	if isMarkdown(s) {
		ext = path.Ext(s)
	}
	s = s[:mostSegmentBytes-len(ext)]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return strings.TrimRight(s, "-. ") + ext
}

// withoutExtension cuts every spelling of it off.
func withoutExtension(name string) string {
	for isMarkdown(name) {
		name = strings.TrimRight(strings.TrimSuffix(name, path.Ext(name)), "-. ")
	}
	if name == "" {
		return "unnamed"
	}
	return name
}

// unreserved lengthens a name that a system or an agent gives a meaning, and a
// folder's that would be a file's.
func unreserved(name string, isFile bool) string {
	probe := name + "/x" + extension
	if isFile {
		probe = name + extension
	}
	if _, err := memory.ParsePath(probe); err == nil {
		return name
	}
	stem, rest, dotted := strings.Cut(name, ".")
	if dotted {
		return stem + "-note-" + strings.ReplaceAll(rest, ".", "-")
	}
	return stem + "-note"
}
