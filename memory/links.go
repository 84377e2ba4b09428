package memory

import (
	"iter"
	"net/url"
	"path"
	"strings"
)

// place is where a link of an index leads.
type place int

const (
	placeWeb     place = iota // also to a heading of the same file
	placeEntry                // a key below team/
	placeOutside              // out of team/
)

// mdLinks goes through the targets of the inline links of a line.
func mdLinks(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, found := strings.Cut(line, "](")
			if !found {
				return
			}
			line = rest
			target, after, closed := cutTarget(rest)
			if closed {
				line = after
				if !yield(target) {
					return
				}
			}
		}
	}
}

// cutTarget reads the target of a link whose text is read. A target in angle
// brackets may hold anything, others end at a blank, where a title follows,
// or with their own parentheses.
func cutTarget(rest string) (target, after string, closed bool) {
	rest = strings.TrimLeft(rest, " \t")
	if inner, bracketed := strings.CutPrefix(rest, "<"); bracketed {
		return strings.Cut(inner, ">")
	}
	depth := 0
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')', c == ' ', c == '\t':
			return rest[:i], rest[i+1:], true
		}
	}
	return "", "", false
}

// wikiLinks goes through the names in double brackets.
func wikiLinks(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, opens := strings.Cut(line, "[[")
			name, after, closes := strings.Cut(rest, "]]")
			if !opens || !closes {
				return
			}
			name, _, _ = strings.Cut(name, "|")
			name, _, _ = strings.Cut(name, "#")
			if !yield(strings.TrimSpace(name)) {
				return
			}
			line = after
		}
	}
}

// resolve returns the key that a link of the index at the top of team/ names.
func resolve(target string) (key string, where place) {
	target, _, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	target = strings.ReplaceAll(target, `\`, "/")
	if colon := strings.IndexByte(target, ':'); colon > 1 && !strings.ContainsAny(target[:colon], "/ ") {
		return "", placeWeb
	} else if colon == 1 { // a drive
		return "", placeOutside
	}
	switch clean := path.Clean(target); {
	case target == "":
		return "", placeWeb
	case clean[0] == '/', clean[0] == '~', clean == "..", strings.HasPrefix(clean, "../"):
		return "", placeOutside
	default:
		return clean, placeEntry
	}
}
