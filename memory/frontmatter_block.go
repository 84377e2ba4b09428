package memory

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// head is an entry taken apart: what its frontmatter says, and the text below.
type head struct {
	keys     map[string]string // also "metadata.type" for what is one level down
	block    string            // with LF
	end      int               // the line that closes the block; 0: there is none
	repaired bool
	body     string
}

// The bounds of a block. Claude Code looks for its end in the first 30 lines;
// entries that are a little longer are still understood. YAML is costly, so a
// block that is no ordinary frontmatter any more is read line by line.
const (
	agentBlockLines   = 30
	longestBlockLines = 200
	longestYAML       = 4 << 10 // bytes; real blocks have a tenth of it
)

const byteOrderMark = "\ufeff"

// readHead takes an entry apart. A byte order mark and CRLF do not count.
func readHead(content string) head {
	block, end, body := cutBlock(strings.TrimPrefix(content, byteOrderMark))
	h := head{end: end, body: body}
	if end == 0 {
		return h
	}
	h.block = strings.ReplaceAll(block, "\r\n", "\n")
	if keys, plain := readPlain(h.block); plain {
		h.keys = keys
		return h
	}
	if keys, err := readYAML(h.block); err == nil {
		h.keys = keys
		return h
	}
	h.keys, h.repaired = readLines(h.block), true
	return h
}

// line returns the first line of the block that states a key, 0 if none does.
func (h head) line(key string) int {
	return h.find(func(line string) bool {
		k, _, ok := pair(line)
		return ok && k == key
	})
}

// brokenLine returns the line for which the block is no YAML, 0 if it is not
// one line alone.
func (h head) brokenLine() int {
	return h.find(func(line string) bool {
		_, err := readYAML(line)
		return err != nil
	})
}

func (h head) find(match func(line string) bool) int {
	number := 1 // the block starts behind the first line
	for line := range strings.Lines(h.block) {
		number++
		if match(strings.TrimSpace(line)) {
			return number
		}
	}
	return 0
}

// cutBlock separates the block between two "---" lines from the body, and says
// on which line it ends. A block that never closes is body.
func cutBlock(text string) (block string, end int, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	if !isFence(first) {
		return "", 0, text
	}
	for at, number := 0, 2; number <= longestBlockLines; number++ {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := min(at+len(line)+1, len(rest))
		if isFence(line) {
			return rest[:at], number, rest[next:]
		}
		if !more {
			break
		}
		at = next
	}
	return "", 0, text
}

func isFence(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// readYAML reads the scalars of a block and of the mappings in it. Of lists and
// what lies deeper nothing is read, and an alias is never followed, so nothing
// can be multiplied.
func readYAML(block string) (keys map[string]string, err error) {
	if len(block) > longestYAML {
		return nil, fmt.Errorf("%d bytes are no frontmatter", len(block))
	}
	defer func() { // the block is foreign: a fault of the library must not end the program
		if fault := recover(); fault != nil {
			err = fmt.Errorf("yaml: %v", fault)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
		return nil, fmt.Errorf("read frontmatter: %w", err)
	}
	keys = map[string]string{}
	if len(doc.Content) > 0 {
		err = readMapping(keys, "", doc.Content[0])
	}
	return keys, err
}

// readMapping takes the scalars of a mapping, and of the mappings in the
// outermost one. The first value of a key counts. Nobody means an anchor, an
// alias or a tag here, but some start a sentence with their marks.
func readMapping(keys map[string]string, section string, node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := section+node.Content[i].Value, node.Content[i+1]
		switch {
		case value.Anchor != "", value.Kind == yaml.AliasNode, value.Style&yaml.TaggedStyle != 0:
			return fmt.Errorf("the value of %s starts with a mark", key)
		case value.Kind == yaml.MappingNode && section == "":
			if err := readMapping(keys, key+".", value); err != nil {
				return err
			}
		case value.Kind == yaml.ScalarNode && value.ShortTag() != "!!null":
			keep(keys, key, value.Value+afterHash(key, value))
		}
	}
	return nil
}

// afterHash returns what YAML takes for a comment behind a name or description:
// there "see #12" is text.
func afterHash(key string, value *yaml.Node) string {
	if value.LineComment == "" || value.Style != 0 || key != "name" && key != "description" {
		return ""
	}
	return " " + value.LineComment
}

// readLines reads a block that is not YAML, mostly because of a colon or a
// quote in a description: "key: rest" at the margin, the same one level below
// a section, and further lines of a value.
func readLines(block string) map[string]string {
	keys := map[string]string{}
	section, open := "", "" // the section, and the key whose value may go on
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, " \t\n")
		key, value, isPair := pair(line)
		nested := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		case nested && section != "" && isPair:
			keep(keys, section+"."+key, unquote(value))
		case nested && open != "" && !isPair:
			keys[open] = strings.TrimSpace(keys[open] + " " + strings.TrimSpace(line))
		case nested || !isPair:
		case value == "":
			section, open = key, ""
		case isBlockScalar(value):
			section, open = "", keep(keys, key, "")
		default:
			section, open = "", keep(keys, key, unquote(value))
		}
	}
	return keys
}

// pair takes "key: value" apart. A key is one word.
func pair(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimSpace(line), ":")
	if !ok || key == "" || strings.ContainsAny(key, " \t") || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

// isBlockScalar reports whether a value announces lines, such as ">-".
func isBlockScalar(value string) bool {
	return (value[0] == '|' || value[0] == '>') && strings.Trim(value[1:], "+-0123456789") == ""
}

// keep sets a key that has no value yet, and returns it if it did.
func keep(keys map[string]string, key, value string) string {
	if _, dup := keys[key]; dup {
		return ""
	}
	keys[key] = value
	return key
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
