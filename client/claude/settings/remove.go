package settings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Remove takes out what an insertion added; containers only if nothing else is
// in them now. Items that are not there as they were put in are returned, and
// left to whoever changed them.
func Remove(b []byte, made Made) (rest []byte, missing []Item, err error) {
	for _, item := range made.Items {
		t, err := parse(b)
		if err != nil {
			return nil, nil, err
		}
		there, err := t.find(item)
		if err != nil {
			return nil, nil, err
		}
		if !there.found {
			missing = append(missing, item)
			continue
		}
		b = t.remove(there, made)
	}
	return b, missing, nil
}

// place is where an item stands.
type place struct {
	found   bool
	event   string
	element int
}

// find looks for an item. Order of members and layout do not count.
func (t text) find(item Item) (place, error) {
	want, err := canonical([]byte(item.Value))
	if err != nil {
		return place{}, fmt.Errorf("read a hook: %w", err)
	}
	hooks, _ := t.top.member(hooksKey)
	list, _ := hooks.member(item.Event)
	for i, p := range list.parts {
		got, err := canonical(t.bytes[p.start:p.end()])
		if err != nil {
			return place{}, fmt.Errorf("%w: %w", ErrText, err)
		}
		if bytes.Equal(got, want) {
			return place{true, item.Event, i}, nil
		}
	}
	return place{}, nil
}

func canonical(b []byte) (jsontext.Value, error) {
	v := jsontext.Value(bytes.Clone(b))
	err := v.Canonicalize()
	return v, err
}

// remove takes out the largest thing that holds nothing but the item.
func (t text) remove(p place, made Made) []byte {
	hooks, _ := t.top.member(hooksKey)
	list, _ := hooks.member(p.event)
	switch {
	case len(list.parts) > 1 || !slices.Contains(made.Events, p.event):
		return t.cut(list, p.element)
	case len(hooks.parts) > 1 || !made.Hooks:
		return t.cut(hooks, indexOf(hooks, p.event))
	}
	return t.cut(t.top, indexOf(t.top, hooksKey))
}

func indexOf(v value, name string) int {
	return slices.IndexFunc(v.parts, func(p part) bool { return p.name == name })
}

// cut takes out one part with the comma that kept it apart. What was put behind
// other parts leaves no trace.
func (t text) cut(in value, i int) []byte {
	switch {
	case i > 0:
		return t.replace(in.parts[i-1].end(), in.parts[i].end(), "")
	case len(in.parts) > 1:
		return t.replace(in.parts[0].start, in.parts[1].start, "")
	}
	return t.replace(in.start+1, in.end-1, "")
}

// Hook is a command that some settings run.
type Hook struct {
	Event   string
	Matcher string
	Command string
	Args    []string
}

// Hooks lists the commands that are run on events, in their order. What is not
// shaped like one is left out.
func Hooks(b []byte) ([]Hook, error) {
	t, err := parse(b)
	if err != nil {
		return nil, err
	}
	var all []Hook
	hooks, _ := t.top.member(hooksKey)
	for _, event := range hooks.parts {
		for _, p := range event.value.parts {
			all = append(all, hooksOf(event.name, t.bytes[p.start:p.end()])...)
		}
	}
	return all, nil
}

// hooksOf reads one element of an event's list.
func hooksOf(event string, b []byte) (all []Hook) {
	var group struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"hooks"`
	}
	if json.Unmarshal(b, &group) != nil {
		return nil
	}
	for _, h := range group.Hooks {
		all = append(all, Hook{event, group.Matcher, h.Command, h.Args})
	}
	return all
}

// Runs reports whether the hook runs a program with a first argument, in either
// of the two forms that there are.
func (h Hook) Runs(program, argument string) bool {
	command, args := h.Command, h.Args
	if len(args) == 0 {
		words := strings.Fields(command)
		if len(words) < 2 {
			return false
		}
		command, args = strings.Trim(words[0], `"'`), words[1:]
	}
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.TrimSuffix(base, ".exe") == program && args[0] == argument
}
