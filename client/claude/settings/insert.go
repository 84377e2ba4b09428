package settings

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Item is one hook as it stands in the settings: an element of hooks.<Event>.
type Item struct {
	Event string
	Value string // a JSON object
}

// Made is what an insertion added.
type Made struct {
	Items  []Item
	Hooks  bool     // the object of all events
	Events []string // the lists of these
}

// Insert puts each item at the end of its event's list, but for those that are
// there. A text without anything in it becomes settings of their own.
func Insert(b []byte, items []Item) (after []byte, made Made, err error) {
	after = b
	if blank(b) {
		after = []byte("{}\n")
	}
	for _, item := range items {
		t, err := parse(after)
		if err != nil {
			return nil, Made{}, err
		}
		there, err := t.find(item)
		if err != nil {
			return nil, Made{}, err
		}
		if there.found {
			continue
		}
		if after, err = t.insert(item, &made); err != nil {
			return nil, Made{}, err
		}
		made.Items = append(made.Items, item)
	}
	return after, made, nil
}

// Missing returns the items that are not in the text.
func Missing(b []byte, items []Item) (missing []Item, err error) {
	t, err := parse(b)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		there, err := t.find(item)
		if err != nil {
			return nil, err
		}
		if !there.found {
			missing = append(missing, item)
		}
	}
	return missing, nil
}

// insert makes the containers that the item needs and puts it at their end.
func (t text) insert(item Item, made *Made) ([]byte, error) {
	hooks, ok := t.top.member(hooksKey)
	if !ok {
		made.Hooks = true
		made.Events = append(made.Events, item.Event)
		return t.add(t.top, hooksKey, object(item.Event, "["+item.Value+"]"))
	}
	list, ok := hooks.member(item.Event)
	if !ok {
		made.Events = append(made.Events, item.Event)
		return t.add(hooks, item.Event, "["+item.Value+"]")
	}
	return t.add(list, "", item.Value)
}

func object(name, value string) string {
	quoted, _ := jsontext.AppendQuote(nil, name) // an event's name is one of ours
	return "{" + string(quoted) + ":" + value + "}"
}

// add puts a value at the end of a container, laid out like its neighbours.
func (t text) add(in value, name, v string) ([]byte, error) {
	look := t.lookOf(in)
	written, err := look.format(name, v)
	if err != nil {
		return nil, err
	}
	if len(in.parts) > 0 {
		last := in.parts[len(in.parts)-1].end()
		return t.replace(last, last, ","+look.before+written), nil
	}
	return t.replace(in.start+1, in.end-1, look.before+written+look.after), nil
}

func (t text) replace(from, to int, with string) []byte {
	return bytes.Join([][]byte{t.bytes[:from], []byte(with), t.bytes[to:]}, nil)
}

// look is how the parts of a container are laid out.
type look struct {
	before  string // a part: line end and indentation, or nothing
	after   string // the last part, if it is the first one
	newline string // "" if everything stands on one line
	margin  string // of a part
	unit    string // of a level
}

// lookOf finds out how the next part of a container has to look. Where nothing
// tells, a level is two blanks.
func (t text) lookOf(in value) look {
	l := look{newline: "\n", unit: t.unit()}
	if bytes.Contains(t.bytes, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	if len(in.parts) > 0 {
		last := len(in.parts) - 1
		from := in.start + 1
		if last > 0 {
			from = in.parts[last-1].end()
		}
		gap := string(t.bytes[from:in.parts[last].start])
		at := strings.LastIndexByte(gap, '\n')
		if at < 0 {
			return look{}
		}
		l.margin = indentation(gap[at+1:])
		l.before = l.newline + l.margin
		return l
	}
	line, own := t.marginOf(in.start)
	if !own && in.start != t.top.start {
		return look{}
	}
	l.margin = line + l.unit
	l.before, l.after = l.newline+l.margin, l.newline+line
	return l
}

// unit is the indentation of the members at the top, if they have one.
func (t text) unit() string {
	if len(t.top.parts) > 0 {
		if margin, own := t.marginOf(t.top.parts[0].start); own && margin != "" {
			return margin
		}
	}
	return "  "
}

// marginOf returns the indentation of the line that a place is in, and whether
// there is a line before it.
func (t text) marginOf(at int) (margin string, own bool) {
	start := bytes.LastIndexByte(t.bytes[:at], '\n') + 1
	return indentation(string(t.bytes[start:at])), start > 0
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// format writes a part.
func (l look) format(name, v string) (string, error) {
	raw := jsontext.Value(v)
	if l.newline == "" {
		if err := raw.Compact(); err != nil {
			return "", fmt.Errorf("lay out a hook: %w", err)
		}
		return prefix(name, ":") + string(raw), nil
	}
	if err := raw.Indent(jsontext.WithIndentPrefix(l.margin), jsontext.WithIndent(l.unit)); err != nil {
		return "", fmt.Errorf("lay out a hook: %w", err)
	}
	return prefix(name, ": ") + strings.ReplaceAll(string(raw), "\n", l.newline), nil
}

func prefix(name, colon string) string {
	if name == "" {
		return ""
	}
	quoted, _ := jsontext.AppendQuote(nil, name) // an event's name is one of ours
	return string(quoted) + colon
}
