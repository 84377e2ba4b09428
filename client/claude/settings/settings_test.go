package settings

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var (
	start = Item{"SessionStart", `{"hooks":[{"type":"command","command":"/opt/teammem","args":["hook","SessionStart"],"timeout":5}]}`}
	write = Item{"PreToolUse", `{"matcher":"Write|Edit","hooks":[{"type":"command","command":"/opt/teammem","args":["hook","PreToolUse"],"timeout":5}]}`}
	short = Item{"Stop", `{"hooks":[]}`}
)

// New text looks like what is around it, and what is around it stays.
func TestInsert_Layout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after string }{
		{"nothing", "", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  }\n}\n"},
		{"an empty object", "{}", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  }\n}"},
		{"one line", `{"a":1}`, `{"a":1,"hooks":{"Stop":[{"hooks":[]}]}}`},
		{"tabs", "{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": []\n\t\t\t}\n\t\t]\n\t}\n}\n"},
		{"CRLF and a mark", bom + "{\r\n   \"a\": 1\r\n}\r\n", bom + "{\r\n   \"a\": 1,\r\n   \"hooks\": {\r\n      \"Stop\": [\r\n         {\r\n            \"hooks\": []\r\n         }\r\n      ]\r\n   }\r\n}\r\n"},
		{"commas first", "{ \"a\": 1\n, \"b\": 2\n}", "{ \"a\": 1\n, \"b\": 2,\n\"hooks\": {\n  \"Stop\": [\n    {\n      \"hooks\": []\n    }\n  ]\n}\n}"},
		{"a list on one line", "{\n  \"hooks\": {\"Stop\": [{\"hooks\":[1]}]}\n}", "{\n  \"hooks\": {\"Stop\": [{\"hooks\":[1]},{\"hooks\":[]}]}\n}"},
		{"an empty list", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  }\n}"},
		{"other hooks", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ],\n    \"X\": []\n  },\n  \"z\": 1.50e1\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      1,\n      {\n        \"hooks\": []\n      }\n    ],\n    \"X\": []\n  },\n  \"z\": 1.50e1\n}"},
		{"an escaped name", `{"h\u006foks":{"St\u006fp":[]}}`, `{"h\u006foks":{"St\u006fp":[{"hooks":[]}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after, _, err := Insert([]byte(tt.before), []Item{short})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the agent would not read, or what is shaped otherwise, is left alone.
func TestInsert_Refuses(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"a comment":              "{\n  // mine\n  \"a\": 1\n}",
		"a comma too many":       `{"a": 1,}`,
		"cut off":                `{"a": 1`,
		"two texts":              `{}{}`,
		"no object":              `[]`,
		"a name twice":           `{"a":1,"a":2}`,
		"hooks are a list":       `{"hooks":[]}`,
		"hooks are nothing":      `{"hooks":null}`,
		"an event is no list":    `{"hooks":{"Stop":{}}}`,
		"another one is no list": `{"hooks":{"X":1}}`,
		"no UTF-8":               "{\"a\":\"\xff\"}",
		"UTF-16":                 "\xff\xfe{\x00}\x00",
	} {
		for what, edit := range map[string]func() error{
			"insert":  func() error { _, _, err := Insert([]byte(before), []Item{short}); return err },
			"remove":  func() error { _, _, err := Remove([]byte(before), Made{Items: []Item{short}}); return err },
			"missing": func() error { _, err := Missing([]byte(before), []Item{short}); return err },
			"hooks":   func() error { _, err := Hooks([]byte(before)); return err },
		} {
			if err := edit(); !errors.Is(err, ErrText) {
				t.Errorf("%s: %s: got %v, want %v", name, what, err, ErrText)
			}
		}
	}
}

func TestInsert_Twice(t *testing.T) {
	t.Parallel()
	items := []Item{start, write, short}
	once, made, err := Insert([]byte("{\n  \"a\": 1\n}\n"), items)
	if err != nil || !made.Hooks || len(made.Events) != 3 {
		t.Fatalf("made %+v, %v", made, err)
	}
	twice, made, err := Insert(once, items)
	if err != nil || !bytes.Equal(once, twice) || made.Hooks || made.Events != nil || made.Items != nil {
		t.Errorf("a second time made %+v of it, %v:\n%s", made, err, twice)
	}
	missing, err := Missing(once, append(items, Item{"Stop", `{"hooks":[2]}`}))
	if err != nil || len(missing) != 1 || missing[0].Value != `{"hooks":[2]}` {
		t.Errorf("got %v, %v", missing, err)
	}
}

// Items are found however they are laid out, and only if nobody changed them.
func TestRemove_EditedInBetween(t *testing.T) {
	t.Parallel()
	items := []Item{start, write, short}
	after, made, err := Insert([]byte(`{"hooks": {"Stop": [{"hooks": [1]}]}}`), items)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(after), `"timeout":5`, `"timeout":60`, 1)                          // of SessionStart
	edited = strings.Replace(edited, `"matcher":"Write|Edit",`, "\n\"matcher\"  :  \"Write|Edit\",", 1) // still the same
	edited = strings.Replace(edited, `{"hooks": {`, `{"model": "x", "hooks": {`, 1)
	rest, missing, err := Remove([]byte(edited), made)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) != 1 || missing[0].Event != "SessionStart" {
		t.Errorf("missing %v, want the one that was changed", missing)
	}
	want := `{"model": "x", "hooks": {"Stop": [{"hooks": [1]}],` +
		`"SessionStart":[{"hooks":[{"type":"command","command":"/opt/teammem","args":["hook","SessionStart"],"timeout":60}]}]}}`
	if diff := cmp.Diff(want, string(rest)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Containers go only if they were made for the items and nothing else is in
// them by then.
func TestRemove_Containers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, later, want string }{
		{"made and empty", "{\n  \"a\": 1\n}\n", "", "{\n  \"a\": 1\n}\n"},
		{"were there", `{"hooks":{"Stop":[]}}`, "", `{"hooks":{"Stop":[]}}`},
		{"the list was there", `{"hooks":{"Stop":[],"X":[]}}`, "", `{"hooks":{"Stop":[],"X":[]}}`},
		{"the object was there", `{"hooks":{}}`, "", `{"hooks":{}}`},
		{"was there itself", `{"hooks":{"Stop":[{"hooks":[]}]}}`, "", `{"hooks":{"Stop":[{"hooks":[]}]}}`},
		{"used by now", `{"a":1}`, `{"hooks":[7]}`, `{"a":1,"hooks":{"Stop":[{"hooks":[7]}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after, made, err := Insert([]byte(tt.before), []Item{short})
			if err != nil {
				t.Fatal(err)
			}
			if tt.later != "" {
				after, _, err = Insert(after, []Item{{"Stop", tt.later}})
			}
			rest, missing, errR := Remove(after, made)
			if err != nil || errR != nil || missing != nil {
				t.Fatalf("%v, %v, missing %v", err, errR, missing)
			}
			if diff := cmp.Diff(tt.want, string(rest)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	got, err := Hooks([]byte(`{"hooks":{
		"Stop":[{"hooks":[{"type":"command","command":"\"C:\\Program Files\\teammem.exe\" hook Stop"}]},7,{"hooks":{}}],
		"PreToolUse":[{"matcher":"Write","hooks":[{"command":"/opt/teammem","args":["hook","PreToolUse"]},{"command":"teammem hook PreToolUse"},{"command":"lint"},{"type":"http","url":"x"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var runs []bool
	for _, h := range got {
		runs = append(runs, h.Runs("teammem", "hook"))
	}
	// A quoted path with a blank in it is not taken apart.
	if diff := cmp.Diff([]bool{false, true, true, false, false}, runs); diff != "" {
		t.Errorf("(-want +got):\n%s\n%+v", diff, got)
	}
	if h := (Hook{Command: `C:\bin\teammem.exe`, Args: []string{"hook", "Stop"}}); !h.Runs("teammem", "hook") {
		t.Error("a program of Windows is not known by its name")
	}
	if none, err := Hooks(nil); err != nil || none != nil {
		t.Errorf("of nothing got %v, %v", none, err)
	}
}

// check holds one text to the promises: what was put in is there, nothing else
// changed, and it can be taken out without a trace.
func check(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, before []byte, items []Item,
) {
	t.Helper()
	after, made, err := Insert(before, items)
	if errors.Is(err, ErrText) {
		return
	}
	if err != nil {
		t.Fatalf("insert: %v", err)
	}
	if missing, err := Missing(after, items); err != nil || missing != nil {
		t.Fatalf("missing %v, %v after insert:\n%s", missing, err, after)
	}
	if again, _, err := Insert(after, items); err != nil || !bytes.Equal(again, after) {
		t.Fatalf("a second insert changes the text, %v:\n%s", err, again)
	}
	rest, missing, err := Remove(after, made)
	if err != nil || missing != nil {
		t.Fatalf("remove: %v, missing %v:\n%s", err, missing, after)
	}
	if blank(before) {
		before = []byte("{}\n")
	}
	want, got := compact(t, before), compact(t, rest)
	if !bytes.Equal(want, got) {
		t.Fatalf("before and after differ:\n%s\n%s", want, got)
	}
	if !emptied(before) && !bytes.Equal(before, rest) {
		t.Fatalf("blanks differ:\n%q\n%q", before, rest)
	}
}

// compact takes out the blanks and leaves everything else as it is written.
func compact(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, b []byte,
) []byte {
	t.Helper()
	v := jsontext.Value(bytes.Clone(bytes.TrimPrefix(b, []byte(bom))))
	if err := v.Compact(); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, b)
	}
	return v
}

// emptied reports whether something was put into an empty container, whose
// blanks then make room.
func emptied(b []byte) bool {
	t, err := parse(b)
	if err != nil || len(t.top.parts) == 0 {
		return true
	}
	hooks, ok := t.top.member(hooksKey)
	if ok && len(hooks.parts) == 0 {
		return true
	}
	for _, p := range hooks.parts {
		if len(p.value.parts) == 0 {
			return true
		}
	}
	return false
}

func TestInsert_RemoveIsItsInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfNDistinct(rapid.SampledFrom([]Item{start, write, short, {"Stop", `{"hooks":[{"command":"é\n"}]}`}}), 1, 4,
			func(i Item) string { return i.Value }).Draw(t, "items")
		check(t, []byte(drawSettings(t)), items)
	})
}

// drawSettings draws settings in any layout.
func drawSettings(t *rapid.T) string {
	blank := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\n\r")), 0, 4, -1)
	gap := func() string { return blank.Draw(t, "blank") }
	list := func(of func() string, open, end string) string {
		s := open + gap()
		for i := range rapid.IntRange(0, 3).Draw(t, "n") {
			if i > 0 {
				s += "," + gap()
			}
			s += of() + gap()
		}
		return s + end
	}
	element := func() string {
		return rapid.SampledFrom([]string{"1", `"é\u00e9"`, "null", `{"hooks" : [ ]}`, `[{ }]`, "-0.50E+1", `{"hooks":[]}`}).Draw(t, "element")
	}
	names := []string{"SessionStart", "PreToolUse", "Stop", "Other"}
	n := 0
	event := func() string {
		n++
		return `"` + names[n-1] + `"` + gap() + ":" + gap() + list(element, "[", "]")
	}
	m := 0
	hooked := rapid.Bool().Draw(t, "hooked")
	member := func() string {
		m++
		if m == 2 && hooked {
			return `"hooks"` + gap() + ":" + gap() + list(event, "{", "}")
		}
		return `"k` + strings.Repeat("x", m) + `"` + gap() + ":" + gap() + element()
	}
	return rapid.SampledFrom([]string{"", bom}).Draw(t, "mark") + gap() + list(member, "{", "}") + gap()
}

// Whatever the file holds: it is refused, or edited so that it can be put back.
func FuzzInsert(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"a":1}`, "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n", bom + "{\r\n}\r\n", `{"hooks":{"Stop":[{"hooks":[]}]}}`, `{"hooks":null}`, "[", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, before []byte) { check(t, before, []Item{start, write, short}) })
}
