package memory

import "strings"

// Frontmatter is what entries say about themselves. It is read tolerantly and
// never decides whether an entry is accepted.
type Frontmatter struct {
	Name        string
	Description string
	Kind        Kind
}

// frontmatterLines bounds the search for the end of the block, so that a file
// which merely starts with a rule costs nothing.
const frontmatterLines = 200

// ReadFrontmatter reads name, description and kind of an entry. Without them
// the name is the stem, the description the first heading or sentence, and the
// kind project.
func ReadFrontmatter(path Path, content string) Frontmatter {
	text := strings.TrimPrefix(content, "\ufeff")
	keys, body := split(text)
	f := Frontmatter{Name: keys["name"], Description: keys["description"], Kind: kindOf(keys)}
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
	key, value, ok := strings.Cut(strings.TrimLeft(line, " \t"), ":")
	if !ok || strings.HasPrefix(key, "#") {
		return section
	}
	value = unquote(strings.TrimSpace(value))
	if line[0] == ' ' || line[0] == '\t' {
		key = section + "." + key
	} else if value == "" {
		return key
	} else {
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

func kindOf(keys map[string]string) Kind {
	name := keys["type"]
	if name == "" {
		name = keys["metadata.type"]
	}
	switch k := Kind(strings.ToLower(name)); k {
	case KindUser, KindFeedback, KindProject, KindReference:
		return k
	}
	return KindProject
}

// firstSentence returns the first heading or sentence, at most 120 characters.
func firstSentence(body string) string {
	const most = 120
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#>*-"))
		if line == "" {
			continue
		}
		if i := strings.Index(line, ". "); i >= 0 {
			line = line[:i+1]
		}
		if runes := []rune(line); len(runes) > most {
			line = string(runes[:most-1]) + "…"
		}
		return line
	}
	return ""
}
