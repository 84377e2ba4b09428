package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// Frontmatter is what entries say about themselves. It is read tolerantly and
// never decides whether an entry is accepted. Its texts are for showing: one
// line each, valid UTF-8, without invisible characters (see
// [sanitize.Inline]) and of bounded length.
type Frontmatter struct {
	Name        string
	Description string
	Kind        Kind
	Type        string // as the entry states it, also where it is no known kind

	Has              bool // there is a block
	Repaired         bool // the block is not valid YAML and was read line by line
	NeedsDescription bool // the entry states none: Description is its first heading or sentence
}

// The longest texts, in characters: every list carries them.
const (
	longestName        = 200
	longestDescription = 1000
	longestType        = 50
	longestSummary     = 120
)

// ReadFrontmatter reads name, description and kind of an entry. Without them
// the name is the stem, the description the first heading or sentence, and the
// kind project. The content is only read: whatever is odd about it stays.
func ReadFrontmatter(path Path, content string) Frontmatter {
	return readHead(content).frontmatter(path)
}

func (h head) frontmatter(path Path) Frontmatter {
	f := Frontmatter{
		Name:        shown(h.keys["name"], longestName),
		Description: shown(h.keys["description"], longestDescription),
		Type:        shown(h.stated(), longestType),
		Has:         h.end > 0,
		Repaired:    h.repaired,
	}
	f.Kind, _ = ParseKind(f.Type)
	if f.Name == "" {
		f.Name = shown(path.Stem(), longestName)
	}
	if f.Description == "" {
		f.Description = summary(h.body)
		f.NeedsDescription = !path.IsIndex() // an index is described by what it lists
	}
	return f
}

// stated returns the type an entry states: the one at the margin counts, and
// most entries only have the other.
func (h head) stated() string {
	if t := h.keys["type"]; t != "" {
		return t
	}
	return h.keys["metadata.type"]
}

// shown makes a text fit for a list.
func shown(s string, most int) string { return clip(sanitize.Inline(s), most) }

// summary returns the first heading or sentence of a body. Comments, code and
// lines without a word, such as rules, are none.
func summary(body string) string {
	for _, line := range proseLines(body) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "**", "")
		line = strings.TrimSpace(strings.TrimLeft(line, "#>*-+ \t"))
		if strings.ContainsFunc(line, isWordRune) {
			return shown(sentence(line), longestSummary)
		}
	}
	return ""
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
