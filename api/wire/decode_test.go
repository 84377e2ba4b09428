package wire

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// canary stands for whatever a body may hold that no error may repeat.
const canary = "CANARY"

func TestDecode_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body  string
		field       string
		layer       string
		position    int
		saysAtByte  string
		answerWorks bool // the tolerant reader of answers takes it
	}{
		{name: "nothing", body: ""},
		{name: "white space", body: " \n"},
		{name: "cut off", body: `{"path":"CANARY`},
		{name: "array for object", body: `["CANARY"]`},
		{name: "text for object", body: `"CANARY"`},
		{name: "null", body: `null`, answerWorks: true},
		{name: "byte order mark", body: "\ufeff{\"path\":\"CANARY\"}"},
		{name: "two values", body: `{"path":"a"}{"path":"CANARY"}`},
		{name: "trailing text", body: `{"path":"a"} CANARY`},
		{name: "comment", body: `{/*CANARY*/"path":"a"}`},
		{name: "trailing comma", body: `{"path":"CANARY",}`},
		{name: "single quotes", body: `{'path':'CANARY'}`},
		{name: "raw control character", body: "{\"path\":\"CANARY\x01\"}"},
		{name: "unknown escape", body: `{"path":"\xCANARY"}`},
		{name: "unknown name", body: `{"CANARY":1}`, answerWorks: true},
		{name: "unknown name in an item", body: `{"items":[{"path":"a"},{"CANARY":{"CANARY":1}}]}`, field: "items[1]", answerWorks: true},
		{name: "name in another case", body: `{"Path":"CANARY"}`, answerWorks: true},
		{name: "name twice", body: `{"path":"a","path":"CANARY"}`},
		{name: "unknown name twice", body: `{"items":[{"CANARY":1,"CANARY":2}]}`, field: "items[0]"},
		{name: "name twice through an escape", body: `{"path":"a","\u0070ath":"CANARY"}`},
		{name: "number for text", body: `{"path":1}`, field: "path"},
		{name: "text for number", body: `{"items":[{"rev":"CANARY"}]}`, field: "items[0].rev"},
		{name: "fraction", body: `{"rev":1.5}`, field: "rev"},
		{name: "exponent", body: `{"rev":1e3}`, field: "rev"},
		{name: "number out of range", body: `{"rev":9223372036854775808}`, field: "rev"},
		{name: "leading zero", body: `{"rev":01}`},
		{name: "null field", body: `{"path":null}`, field: "path", answerWorks: true},
		{name: "null item", body: `{"items":[null]}`, field: "items[0]", answerWorks: true},
		{name: "deep nesting", body: strings.Repeat(`{"items":[`, 20_000)},
		{name: "invalid UTF-8", body: "{\"path\":\"CANARY\xff\"}", layer: "encoding", position: 15},
		{name: "invalid UTF-8 in a name", body: "{\"CANARY\xff\":1}", layer: "encoding", position: 8},
		{name: "surrogate as UTF-8", body: "{\"path\":\"\xed\xa0\x80\"}", layer: "encoding", position: 9},
		{name: "overlong UTF-8", body: "{\"path\":\"\xc0\xae\"}", layer: "encoding", position: 9},
		{name: "lone high surrogate", body: `{"path":"CANARY\ud800"}`, layer: "encoding", position: 15},
		{name: "lone low surrogate", body: `{"path":"\uDC00CANARY"}`, layer: "encoding", position: 9},
		{name: "swapped surrogates", body: `{"path":"\udc00\ud800"}`, layer: "encoding", position: 9},
		{name: "half pair before a letter", body: `{"path":"\ud83d\u0041"}`, layer: "encoding", position: 9},
		{name: "lone surrogate in a name", body: `{"CANARY\ud800":1}`, layer: "encoding", position: 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v input
			err := Decode([]byte(tt.body), &v)
			e, ok := errors.AsType[*memory.Error](err)
			if !ok || e.Code != memory.CodeInvalid {
				t.Fatalf("got %v, want code invalid", err)
			}
			got := memory.Error{Field: e.Field, Layer: e.Layer, Position: e.Position}
			want := memory.Error{Field: tt.field, Layer: tt.layer, Position: tt.position}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if text := e.Error() + e.Hint; strings.Contains(text, canary) || e.Err != nil {
				t.Errorf("the error quotes the body: %q, cause %v", text, e.Err)
			}
			if err := DecodeAnswer([]byte(tt.body), &v); (err == nil) != tt.answerWorks {
				t.Errorf("as an answer: %v, want success: %v", err, tt.answerWorks)
			}
		})
	}
}

type input struct {
	Path  string  `json:"path"`
	Rev   int64   `json:"rev"`
	Items []input `json:"items"`
}

// A few megabytes of tiny values would be hundreds in memory. What stands in a
// text is no value.
func TestDecode_ManyValues(t *testing.T) {
	t.Parallel()
	list := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	for _, tt := range []struct {
		name, body string
		many       bool
	}{
		{name: "items", body: `{"items":[` + list(100_000, `{}`) + `]}`, many: true},
		{name: "items after a text", body: `{"path":"\\\"","items":[` + list(100_000, `{}`) + `]}`, many: true},
		{name: "names in place of a text", body: `{"path":{` + list(100_000, `"a":1`) + `}}`, many: true},
		{name: "unknown names", body: `{` + list(100_000, `"a":1`) + `}`, many: true},
		{name: "depth", body: strings.Repeat(`[`, 100_000), many: true},
		{name: "a full push", body: `{"items":[` + list(200, `{"path":"a","items":[{},{},{},{},{}]}`) + `]}`},
		{name: "commas in a text", body: `{"path":"` + strings.Repeat(`,\"[{\\`, 100_000) + `"}`},
		{name: "backslashes in a text", body: `{"path":"` + strings.Repeat(`\\`, 100_000) + `","rev":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v input
			err := Decode([]byte(tt.body), &v)
			if tt.many != (err != nil) || tt.many && (memory.CodeOf(err) != memory.CodeInvalid || !strings.Contains(err.Error(), "10000 values")) {
				t.Errorf("got %v, want a refusal: %v", err, tt.many)
			}
		})
	}
	if n := values([]byte(`{"a":"b\"`)); n != 2 { // cut off
		t.Errorf("counted %d", n)
	}
}

// Texts must arrive byte for byte, and must not share memory with the body,
// which the server reuses.
func TestDecode_KeepsBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain", "\r\n\t", "quotes \" and \\ and /", "<script>&amp;</script>", "\u2028\u2029", "nul \x00 and \x7f",
		"e\u0301 is not \u00e9", "\ufeffmark", "\ufffd", "\U0001f600 \U0010ffff", "\ufdd0", strings.Repeat("long ", 100_000),
	} {
		body, err := Encode(Check{Path: new("a.md"), Content: &text})
		if err != nil {
			t.Fatal(err)
		}
		var got Check
		if err := Decode(body, &got); err != nil {
			t.Fatal(err)
		}
		clear(body)
		if *got.Content != text {
			t.Errorf("got %q, want %q", *got.Content, text)
		}
	}
}

// What Decode accepts, it reads as the standard reading of JSON says, and
// encoding it again gives a body that reads the same. What it refuses, it
// refuses as invalid, without panicking.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a.md","content":"x"}`, `{"path":"\ud83d\ude00"}`, `{"path":"\ud800"}`, "{\"path\":\"\xff\"}", `{"path":"a","path":"b"}`,
		`{"Path":"a"}`, `{"path":null}`, `{}`, `[]`, `{"path":"a"}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v Check
		err := Decode(body, &v)
		if err != nil {
			if memory.CodeOf(err) != memory.CodeInvalid || !utf8.ValidString(err.Error()) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		again, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		var w Check
		if err := json.Unmarshal(again, &w); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, w); d != "" {
			t.Fatalf("changed on the way (-first +second):\n%s", d)
		}
	})
}
