package sanitize_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/sanitize"
)

func TestCheckText(t *testing.T) {
	t.Parallel()
	bytesAt := func(reason string, offset, line, column int) []sanitize.TextFault {
		return []sanitize.TextFault{{Reason: reason, Offset: offset, Line: line, Column: column}}
	}
	hidden := func(reason string, r rune, offset, line, column int) []sanitize.TextFault {
		return []sanitize.TextFault{{Reason: reason, Rune: r, Offset: offset, Line: line, Column: column}}
	}
	tests := []struct {
		name, content string
		want          []sanitize.TextFault
	}{
		{"empty", "", nil},
		{"plain", "# Notes\n\n\ttext\n", nil},
		{"CRLF", "a\r\nb\r\n", nil},
		{"lone CR", "a\rb", nil},
		{"byte order mark", "\ufeff# Notes\n", nil},
		{"every width", "aé文🚀\n", nil},
		{"replacement character is a character", "a\ufffdb", nil},
		{"emoji with joiner and selector", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", nil},
		{"Persian", "می\u200cخواهم", nil},
		{"line separators", "a\u2028b\u2029", nil},
		{"joiner and direction mark in a word", "a\u200db\u200ec\ufe0fd", nil},
		{"blanks beside words", "a\u200b b \u2060 \u00adc\u200b", nil},
		{"blank in a word of another script", "да\u200bта 数\u200b据", nil},
		{"blank between a word and a sign", "a\u200b.b", nil},
		{"character newer than our tables", "a\U0001fadeb", nil},

		{"Latin-1", "caf\xe9\n", bytesAt(sanitize.ReasonUTF8, 3, 1, 4)},
		{"first byte", "\xff", bytesAt(sanitize.ReasonUTF8, 0, 1, 1)},
		{"after other lines", "a\r\nb\n文é\xc3(", bytesAt(sanitize.ReasonUTF8, 10, 3, 3)},
		{"cut off at the end", "ab\xe6", bytesAt(sanitize.ReasonUTF8, 2, 1, 3)},
		{"bad byte after a good replacement character", "\ufffd\x80", bytesAt(sanitize.ReasonUTF8, 3, 1, 2)},
		{"NUL", "a\nb\x00c", bytesAt(sanitize.ReasonNUL, 3, 2, 2)},
		{"NUL first", "\x00", bytesAt(sanitize.ReasonNUL, 0, 1, 1)},
		{"UTF-16 little endian", "\xff\xfea\x00", bytesAt(sanitize.ReasonUTF16, 0, 1, 1)},
		{"UTF-16 big endian", "\xfe\xff\x00a", bytesAt(sanitize.ReasonUTF16, 0, 1, 1)},
		{"UTF-32 little endian", "\xff\xfe\x00\x00a\x00\x00\x00", bytesAt(sanitize.ReasonUTF16, 0, 1, 1)},

		{"escape", "a\x1b[31m", hidden(sanitize.ReasonControl, 0x1b, 1, 1, 2)},
		{"form feed", "a\n\f", hidden(sanitize.ReasonControl, '\f', 2, 2, 1)},
		{"delete", "\x7f", hidden(sanitize.ReasonControl, 0x7f, 0, 1, 1)},
		{"C1", "é\u0085", hidden(sanitize.ReasonControl, 0x85, 2, 1, 2)},
		{"noncharacter", "a\ufdd0", hidden(sanitize.ReasonNonchar, 0xfdd0, 1, 1, 2)},
		{"last of a plane", "a\U0001ffff", hidden(sanitize.ReasonNonchar, 0x1ffff, 1, 1, 2)},
		{"interlinear annotation", "a\ufff9", hidden(sanitize.ReasonAnnotation, 0xfff9, 1, 1, 2)},
		{"tag", "ok\U000e0041", hidden(sanitize.ReasonTag, 0xe0041, 2, 1, 3)},
		{"private use", "a\ue000", hidden(sanitize.ReasonPrivate, 0xe000, 1, 1, 2)},
		{"private plane", "a\U00100000", hidden(sanitize.ReasonPrivate, 0x100000, 1, 1, 2)},
		{"selector of a byte", "a\U000e0100", hidden(sanitize.ReasonSelector, 0xe0100, 1, 1, 2)},
		{"override", "safe\u202egnp", hidden(sanitize.ReasonBidi, 0x202e, 4, 1, 5)},
		{"isolate", "a\u2066", hidden(sanitize.ReasonBidi, 0x2066, 1, 1, 2)},
		{"deprecated", "a \u206a", hidden(sanitize.ReasonDeprecated, 0x206a, 2, 1, 3)},
		{"invisible and unassigned", "a \u2065", hidden(sanitize.ReasonUnassigned, 0x2065, 2, 1, 3)},
		{"unassigned tag", "a \U000e0fff", hidden(sanitize.ReasonUnassigned, 0xe0fff, 2, 1, 3)},

		{"zero width in a word", "one\nsec\u200bret", hidden(sanitize.ReasonInWord, 0x200b, 7, 2, 4)},
		{"soft hyphen in a word", "co\u00adop", hidden(sanitize.ReasonInWord, 0xad, 2, 1, 3)},
		{"in a number", "1\u20602", hidden(sanitize.ReasonInWord, 0x2060, 1, 1, 2)},
		{"in a name", "sk_\u3164live", hidden(sanitize.ReasonInWord, 0x3164, 3, 1, 4)},
		{"beside an accent", "e\u0301\u200bt\u0301", hidden(sanitize.ReasonInWord, 0x200b, 3, 1, 3)},
		{"accent on nothing", "e\u200b\u0301t", hidden(sanitize.ReasonInWord, 0x200b, 1, 1, 2)},
		{"joiner hides it", "a\u200d\u2800\u200db", hidden(sanitize.ReasonInWord, 0x2800, 4, 1, 3)},
		{"selector of an ASCII letter", "a\ufe00b", hidden(sanitize.ReasonInWord, 0xfe00, 1, 1, 2)},
		{"byte order mark in a word", "a\ufeffb", hidden(sanitize.ReasonInWord, 0xfeff, 1, 1, 2)},
		{"fullwidth word", "ａ\u200bｂ", hidden(sanitize.ReasonInWord, 0x200b, 3, 1, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := sanitize.CheckText([]byte(tt.content))
			var got []sanitize.TextFault
			if te, ok := errors.AsType[*sanitize.TextError](err); ok {
				got = te.Faults
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want == nil) {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestTextError_Error(t *testing.T) {
	t.Parallel()
	tests := []struct{ content, want, hint string }{
		{"ab\n\ncaf\xe9", "invalid UTF-8 at byte 7 (line 3, column 4)", "save the file as UTF-8"},
		{"a\x00", "NUL character at byte 1 (line 1, column 2)", "save the file as UTF-8"},
		{"\xff\xfea\x00", "UTF-16 instead of UTF-8 at byte 0 (line 1, column 1)", "save the file as UTF-8"},
		{
			"a\nsec\u200bret", "U+200B ZERO WIDTH SPACE inside a word at byte 5 (line 2, column 4)",
			"remove U+200B ZERO WIDTH SPACE at line 2, column 4",
		},
		{
			"\ue000\x1b\u202e\ufdd0\U000e0041", "U+E000, private use at byte 0 (line 1, column 1), " +
				"U+001B, control character at byte 3 (line 1, column 2), " +
				"U+202E RIGHT-TO-LEFT OVERRIDE, bidi control at byte 4 (line 1, column 3), 2 more",
			"remove U+E000 at line 1, column 1, and 4 more like it",
		},
	}
	for _, tt := range tests {
		te, ok := errors.AsType[*sanitize.TextError](sanitize.CheckText([]byte(tt.content)))
		if !ok {
			t.Errorf("%q passes", tt.content)
			continue
		}
		if te.Error() != tt.want || te.Hint() != tt.hint {
			t.Errorf("%q: got %s; %s", tt.content, te.Error(), te.Hint())
		}
	}
}

func TestCheckText_ManyFaults(t *testing.T) {
	t.Parallel()
	te, _ := errors.AsType[*sanitize.TextError](sanitize.CheckText([]byte(strings.Repeat("x\u202e\n", 1000))))
	if te == nil || len(te.Faults) != 50 || te.More != 950 || te.Faults[49].Line != 50 {
		t.Errorf("got %+v", te)
	}
	if !strings.HasSuffix(te.Error(), ", 997 more") || !strings.HasSuffix(te.Hint(), ", and 999 more like it") {
		t.Errorf("got %s; %s", te.Error(), te.Hint())
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	const text = "ab\r\nü文x\n\nend"
	for substring, want := range map[string][2]int{
		"ab": {1, 1}, "\r": {1, 3}, "\n": {1, 4}, "ü": {2, 1}, "文": {2, 2}, "x": {2, 3}, "end": {4, 1}, "d": {4, 3},
	} {
		line, column := sanitize.Position(text, strings.Index(text, substring))
		if got := [2]int{line, column}; got != want {
			t.Errorf("%q: got %v, want %v", substring, got, want)
		}
	}
	if line, column := sanitize.Position(text, len(text)); line != 4 || column != 4 {
		t.Errorf("the end: got %d, %d; want 4, 4", line, column)
	}
}

// FuzzCheckText holds that a text passes if it is UTF-8 and no code point in it
// is refused; that the first fault is at the first that is; and that a code point
// which is refused anywhere is found wherever it is put, with its position.
func FuzzCheckText(f *testing.F) {
	for _, seed := range []string{
		"", "text\n", "\ufeffa\r\n", "\xff\xfea", "a\x00", "caf\xe9", "\xe6\x96", "\xed\xa0\x80", "\ufffd\xff", "a\xc0\xaf",
		"sec\u200bret", "a\u200d\u2060\u0301b", "да\u00adта", "👩\u200d💻", "a\u2065 \U000e0100",
	} {
		f.Add([]byte(seed), uint(1))
	}
	f.Fuzz(func(t *testing.T, content []byte, where uint) {
		before := bytes.Clone(content)
		err := sanitize.CheckText(content)
		if !bytes.Equal(before, content) {
			t.Fatalf("%+q was changed", before)
		}
		if err != nil {
			checkFaults(t, content, err)
			return
		}
		if !utf8.Valid(content) || bytes.Contains(content, []byte{0}) {
			t.Fatalf("%+q passes", content)
		}
		at := int(where % uint(len(content)+1))
		for at > 0 && at < len(content) && !utf8.RuneStart(content[at]) {
			at--
		}
		for _, bad := range []rune{0x1b, 0x9b, 0x202e, 0xe000, 0xfdd0, 0xfffa, 0xe0041, 0xe01ef, 0x2065} {
			text := slices.Concat(content[:at], utf8.AppendRune(nil, bad), content[at:])
			line, column := sanitize.Position(string(text), at)
			te, _ := errors.AsType[*sanitize.TextError](sanitize.CheckText(text))
			if te == nil {
				t.Fatalf("%+q passes", text)
			}
			got := te.Faults[0]
			if got.Rune != bad || got.Offset != at || got.Line != line || got.Column != column || te.More > 0 {
				t.Errorf("%+q: got %+v, want %U at byte %d, %d:%d", text, te, bad, at, line, column)
			}
		}
	})
}

// checkFaults tests what is promised of every refusal.
func checkFaults(t *testing.T, content []byte, err error) {
	t.Helper()
	te, ok := errors.AsType[*sanitize.TextError](err)
	if !ok || len(te.Faults) == 0 || len(te.Faults) > 50 || te.Error() == "" || te.Hint() == "" {
		t.Fatalf("%+q: got %#v", content, err)
	}
	if te.Faults[0].Reason == sanitize.ReasonUTF16 {
		return
	}
	for _, f := range te.Faults {
		r, size := utf8.DecodeRune(content[f.Offset:])
		line, column := sanitize.Position(string(content), f.Offset)
		if f.Line != line || f.Column != column {
			t.Errorf("%+q: %v is at %d:%d", content, f, line, column)
		}
		if broken := r == utf8.RuneError && size == 1; f.Rune == 0 && !broken && r != 0 || f.Rune != 0 && f.Rune != r {
			t.Errorf("%+q: %v points at %U", content, f, r)
		}
	}
	if head := content[:te.Faults[0].Offset]; !bytes.HasPrefix(head, []byte{0xFF, 0xFE}) && sanitize.CheckText(head) != nil {
		t.Errorf("%+q: %v is not the first", content, te)
	}
}
