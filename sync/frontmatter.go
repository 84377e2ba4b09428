package sync

import (
	"slices"
	"strings"
)

// entryText is an entry, taken apart as far as it can be.
type entryText struct {
	broken bool // the frontmatter cannot be merged key by key
	has    bool // there is frontmatter
	fields []field
	body   []string // lines
}

// field is one key of the frontmatter with all of its lines, byte for byte, and
// the comments above it.
type field struct {
	key    string // "" for comments behind the last key
	lines  []string
	nested []field // of metadata: its own keys, the last lines of the field; nil if they cannot be told
}

// fence is the line before and behind frontmatter.
const fence = "---"

// nestedKey is the one key whose value is merged key by key too: agents keep
// what they rewrite on every save in it.
const nestedKey = "metadata"

// isVolatile reports whether agents rewrite a key on every save, so that
// changing it means nothing.
func isVolatile(key string) bool {
	key = strings.TrimPrefix(key, nestedKey+".")
	return key == "modified" || key == "originSessionId"
}

// readEntry takes the lines of an entry apart. What is odd about a key does not
// matter, as long as it can be told which lines are whose.
func readEntry(lines []string) entryText {
	if len(lines) == 0 || strings.TrimRight(lines[0], " \t") != fence {
		return entryText{body: lines}
	}
	length := slices.IndexFunc(lines[1:], func(l string) bool { return strings.TrimRight(l, " \t") == fence })
	if length < 0 {
		return entryText{broken: true, body: lines}
	}
	fields, ok := readFields(lines[1:1+length], 0)
	if !ok {
		return entryText{broken: true, body: lines}
	}
	return entryText{has: true, fields: fields, body: lines[length+2:]}
}

// lines puts an entry together again.
func (e entryText) lines() []string {
	if !e.has {
		return e.body
	}
	lines := []string{fence}
	for _, f := range e.fields {
		lines = append(lines, f.lines...)
	}
	return append(append(lines, fence), e.body...)
}

// readFields reads keys that stand at an indent. It fails where a line belongs
// to none, and where a key comes twice.
func readFields(lines []string, indent int) (fields []field, ok bool) {
	var above []string // comments that may belong to the next key
	for _, line := range lines {
		key, kind := readLine(line, indent)
		switch {
		case kind == lineComment:
			above = append(above, line)
		case kind == lineKey && find(fields, key) == nil:
			fields = append(fields, field{key: key, lines: append(above, line)})
			above = nil
		case kind == lineMore && len(fields) > 0:
			last := &fields[len(fields)-1]
			last.lines = append(append(last.lines, above...), line)
			above = nil
		case kind == lineBlank && len(fields) > 0 && above == nil:
			last := &fields[len(fields)-1]
			last.lines = append(last.lines, line)
		case kind == lineBlank:
			above = append(above, line)
		default:
			return nil, false
		}
	}
	if above != nil {
		fields = append(fields, field{lines: above})
	}
	if f := find(fields, nestedKey); f != nil && indent == 0 {
		f.nested = readNested(f.lines)
	}
	return fields, true
}

// readNested reads the keys below a key, nil if there are none that can be told
// apart.
func readNested(lines []string) []field {
	start := 1 + slices.IndexFunc(lines, func(l string) bool { _, kind := readLine(l, 0); return kind == lineKey })
	if _, value, _ := strings.Cut(lines[start-1], ":"); strings.TrimSpace(value) != "" || start == len(lines) {
		return nil
	}
	first := lines[start]
	indent := len(first) - len(strings.TrimLeft(first, " "))
	if indent == 0 {
		return nil
	}
	fields, ok := readFields(lines[start:], indent)
	if !ok {
		return nil
	}
	return fields
}

// lineKind says what a line of frontmatter is, seen from an indent.
type lineKind int

const (
	lineStray lineKind = iota
	lineKey
	lineMore // of the value of the key above
	lineComment
	lineBlank
)

func readLine(line string, indent int) (key string, kind lineKind) {
	text := strings.TrimLeft(line, " ")
	depth := len(line) - len(text)
	switch {
	case strings.TrimSpace(text) == "":
		return "", lineBlank
	case depth > indent, depth == indent && (text == "-" || strings.HasPrefix(text, "- ") || text[0] == '\t'):
		return "", lineMore
	case depth < indent:
		return "", lineStray
	case text[0] == '#':
		return "", lineComment
	}
	key, value, found := strings.Cut(text, ":")
	if !found || value != "" && value[0] != ' ' && value[0] != '\t' || key == "" {
		return "", lineStray
	}
	return key, lineKey
}

func find(fields []field, key string) *field {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// mergeFields merges key by key; the order is the server's, and new keys keep
// their neighbours.
func mergeFields(within string, base, server, local []field) (merged []field, clean bool) {
	for _, f := range server {
		m, ok := mergeField(within, find(base, f.key), &f, find(local, f.key))
		if !ok {
			return nil, false
		}
		if m != nil {
			merged = append(merged, *m)
		}
	}
	place := 0 // behind the key that comes before, here
	for _, f := range local {
		if find(server, f.key) == nil {
			m, ok := mergeField(within, find(base, f.key), nil, &f)
			if !ok {
				return nil, false
			}
			if m == nil {
				continue
			}
			merged = slices.Insert(merged, place, *m)
		}
		if i := slices.IndexFunc(merged, func(m field) bool { return m.key == f.key }); i >= 0 {
			place = i + 1
		}
	}
	return merged, true
}

// mergeField decides on one key; nil is a key that is not there.
func mergeField(within string, base, server, local *field) (merged *field, clean bool) {
	switch {
	case isVolatile(within + nameOf(server, local)):
		return mergeVolatile(base, server, local)
	case same(base, local), same(server, local):
		return server, true
	case server != nil && local != nil && server.nested != nil && local.nested != nil:
		return mergeNested(base, server, local)
	case same(base, server):
		return local, true
	}
	return nil, false
}

// mergeVolatile takes the server's line of a key that agents rewrite. What else
// belongs to the key, such as a comment above it, somebody wrote.
func mergeVolatile(base, server, local *field) (merged *field, clean bool) {
	b, s, l := base.beside(), server.beside(), local.beside()
	switch {
	case slices.Equal(l, b), slices.Equal(l, s):
		return server, true
	case server == nil && base == nil:
		return local, true
	case server == nil || local == nil || !slices.Equal(s, b):
		return nil, false
	}
	lines := slices.Clone(local.lines)
	lines[local.keyLine()] = server.lines[server.keyLine()]
	return &field{key: local.key, lines: lines}, true
}

// keyLine is the index of the line that has the key.
func (f *field) keyLine() int {
	return slices.IndexFunc(f.lines, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), f.key+":") })
}

// beside is the lines of a field without that of its key.
func (f *field) beside() []string {
	if f == nil {
		return nil
	}
	i := f.keyLine()
	return slices.Concat(f.lines[:i], f.lines[i+1:])
}

func nameOf(server, local *field) string {
	if server != nil {
		return server.key
	}
	return local.key
}

// same reports whether two versions of a key say the same, but for what agents
// rewrite on every save.
func same(a, b *field) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.meaning(), b.meaning())
}

func (f *field) meaning() []string {
	if f.nested == nil {
		return f.lines
	}
	lines := slices.Clone(f.head())
	for _, n := range f.nested {
		if isVolatile(nestedKey + "." + n.key) {
			lines = append(lines, n.beside()...)
		} else {
			lines = append(lines, n.lines...)
		}
	}
	return lines
}

func (f *field) nestedLines() (n int) {
	for _, sub := range f.nested {
		n += len(sub.lines)
	}
	return n
}

// head is the lines of a field above those of its own keys.
func (f *field) head() []string { return f.lines[:len(f.lines)-f.nestedLines()] }

// mergeNested merges what is below a key that both sides have.
func mergeNested(base, server, local *field) (merged *field, clean bool) {
	var before, above []string
	var fields []field
	if base != nil {
		fields, before = base.nested, base.head()
	}
	switch {
	case slices.Equal(local.head(), before), slices.Equal(local.head(), server.head()):
		above = server.head()
	case slices.Equal(server.head(), before):
		above = local.head()
	default:
		return nil, false
	}
	nested, clean := mergeFields(nestedKey+".", fields, server.nested, local.nested)
	if !clean {
		return nil, false
	}
	m := field{key: server.key, lines: slices.Clone(above), nested: nested}
	for _, n := range nested {
		m.lines = append(m.lines, n.lines...)
	}
	return &m, true
}
