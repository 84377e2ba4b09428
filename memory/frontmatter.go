package memory

import (
	"strings"
	"unicode/utf8"
)

// Frontmatter is what entries say about themselves. It is read tolerantly and
// never decides whether an entry is accepted.
type Frontmatter struct {
	Name        string
	Description string
	Kind        Kind
	Type        string // as the entry states it, also where it is no known kind

	Has              bool // there is a block
	Repaired         bool // the block is not valid YAML and was read line by line
	NeedsDescription bool // Description was taken from the text
}

// frontmatterLines bounds the search for the end of the block, so that a file
// which merely starts with a rule costs nothing.
const frontmatterLines = 200

// The longest name and description, in characters: every list carries them.
const (
	longestName        = 200
	longestDescription = 1000
)

// ReadFrontmatter reads name, description and kind of an entry. Without them
// the name is the stem, the description the first heading or sentence, and the
// kind project.
func ReadFrontmatter(path Path, content string) Frontmatter {
	keys, body := split(strings.TrimPrefix(content, "\ufeff"))
	f := Frontmatter{
		Name: clip(keys["name"], longestName), Description: clip(keys["description"], longestDescription), Kind: kindOf(keys),
	}
	if f.Name == "" {
		f.Name = path.Stem()
	}
	if f.Description == "" {
		f.Description = firstSentence(body)
	}
	return f
}

// split separates the block between two "---" lines from the body. A block
// that never closes is body.
func split(text string) (keys map[string]string, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, text
	}
	keys = map[string]string{}
	section := ""
	for range frontmatterLines {
		line, after, more := strings.Cut(rest, "\n")
		line = strings.TrimRight(line, " \t\r")
		if line == "---" {
			return keys, after
		}
		if !more {
			break
		}
		section = readLine(keys, section, line)
		rest = after
	}
	return nil, text
}

// readLine takes "key: value", at the margin or one level below a section, and
// returns the section it is in. The first value of a key counts.
func readLine(keys map[string]string, section, line string) string {
	key, value, ok := strings.Cut(line, ":")
	nested := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
	key, value = strings.TrimSpace(key), unquote(strings.TrimSpace(value))
	switch {
	case !ok || strings.HasPrefix(key, "#"):
		return section
	case nested:
		key = section + "." + key
	case strings.Trim(value, "|>+-") == "": // also of a value that is a block of lines, which are not read
		return key
	default:
		section = ""
	}
	if _, dup := keys[key]; !dup {
		keys[key] = value
	}
	return section
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// kindOf takes the first type that is a known kind.
func kindOf(keys map[string]string) Kind {
	for _, key := range []string{"type", "metadata.type"} {
		switch k := Kind(strings.ToLower(keys[key])); k {
		case KindUser, KindFeedback, KindProject, KindReference:
			return k
		}
	}
	return KindProject
}

// firstSentence returns the first heading or sentence, at most 120 characters.
func firstSentence(body string) string {
	const most = 120
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#>*-"))
		if line != "" {
			return clip(sentence(line), most)
		}
	}
	return ""
}

// sentence cuts a line behind the stop of its first sentence.
func sentence(line string) string {
	end := len(line)
	for _, stop := range []string{". ", "。", "！", "？"} {
		if i := strings.Index(line, stop); i >= 0 {
			end = min(end, i+len(strings.TrimSpace(stop)))
		}
	}
	return line[:end]
}

// clip shortens a text to so many characters.
func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
