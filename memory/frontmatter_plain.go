package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readPlain reads a block in which nothing can mean anything special to YAML:
// lines of "key: words" at the margin, and two spaces in below a "key:". Most
// entries have no other, and reading YAML is a quarter of what a server does
// for a push. It reports false for a block that only [readYAML] can judge.
func readPlain(block string) (keys map[string]string, plain bool) {
	if len(block) > longestYAML {
		return nil, false
	}
	keys = map[string]string{}
	section := "" // with a dot
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		rest, nested := strings.CutPrefix(line, "  ")
		if !nested {
			rest, section = line, ""
		}
		key, value, ok := strings.Cut(rest, ":")
		if !ok || !isPlainKey(key) || nested && section == "" {
			return nil, false
		}
		if !nested && strings.Trim(value, " ") == "" {
			section = key + "."
			continue
		}
		words, ok := plainWords(value)
		if !ok {
			return nil, false
		}
		keep(keys, section+key, words)
	}
	return keys, true
}

// isPlainKey reports whether a key is one word as programmers name things.
func isPlainKey(key string) bool {
	const longest = 100 // YAML looks for the colon in the first 1,024
	for i, r := range key {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return key != "" && len(key) <= longest
}

// plainWords returns the words behind the colon of a key, if they stand for
// themselves: as they are, or in double quotes.
func plainWords(value string) (words string, plain bool) {
	words, ok := strings.CutPrefix(value, " ")
	if !ok || strings.ContainsFunc(words, isOddInYAML) {
		return "", false
	}
	if quoted, ok := strings.CutPrefix(words, `"`); ok {
		quoted, ok = strings.CutSuffix(quoted, `"`)
		return quoted, ok && !strings.ContainsAny(quoted, `"\`)
	}
	first, _ := utf8.DecodeRuneInString(words)
	switch {
	case !unicode.IsLetter(first) && (first < '0' || first > '9'), strings.EqualFold(words, "null"):
		return "", false
	case strings.HasSuffix(words, " "), strings.HasSuffix(words, ":"), strings.Contains(words, ": "), strings.Contains(words, " #"):
		return "", false
	}
	return words, true
}

// isOddInYAML reports whether a character may be more to YAML than itself
// wherever it stands: a line break of its own, or none that may be in a text.
func isOddInYAML(r rune) bool {
	if r <= unicode.MaxASCII {
		return r < ' ' || r > '~'
	}
	return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.P, unicode.S)
}
