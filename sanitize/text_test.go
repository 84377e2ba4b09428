package sanitize_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/sanitize"
)

func TestCheckText(t *testing.T) {
	t.Parallel()
	utf8Error := func(offset, line, column int) *sanitize.TextError {
		return &sanitize.TextError{Reason: sanitize.ReasonUTF8, Offset: offset, Line: line, Column: column}
	}
	nul := func(offset, line, column int) *sanitize.TextError {
		return &sanitize.TextError{Reason: sanitize.ReasonNUL, Offset: offset, Line: line, Column: column}
	}
	utf16 := &sanitize.TextError{Reason: sanitize.ReasonUTF16, Offset: 0, Line: 1, Column: 1}
	tests := []struct {
		name, content string
		want          *sanitize.TextError
	}{
		{"empty", "", nil},
		{"plain", "# Notes\n\ntext\n", nil},
		{"CRLF", "a\r\nb\r\n", nil},
		{"byte order mark", "\ufeff# Notes\n", nil},
		{"every width", "aé文🚀\n", nil},
		{"replacement character is a character", "a\ufffdb", nil},
		{"controls are not judged here", "a\x1bb\u200b", nil},
		{"Latin-1", "caf\xe9\n", utf8Error(3, 1, 4)},
		{"first byte", "\xff", utf8Error(0, 1, 1)},
		{"after other lines", "a\r\nb\n文é\xc3(", utf8Error(10, 3, 3)},
		{"cut off at the end", "ab\xe6\x96", utf8Error(2, 1, 3)},
		{"overlong", "a\xc0\xaf", utf8Error(1, 1, 2)},
		{"surrogate", "a\xed\xa0\x80", utf8Error(1, 1, 2)},
		{"above U+10FFFF", "a\xf4\x90\x80\x80", utf8Error(1, 1, 2)},
		{"bad byte after a good replacement character", "\ufffd\x80", utf8Error(3, 1, 2)},
		{"NUL", "a\nb\x00c", nul(3, 2, 2)},
		{"NUL first", "\x00", nul(0, 1, 1)},
		{"NUL before a bad byte", "a\x00\xff", nul(1, 1, 2)},
		{"bad byte before NUL", "a\xff\x00", utf8Error(1, 1, 2)},
		{"NUL cuts off a sequence", "a\xc3\x00", utf8Error(1, 1, 2)},
		{"UTF-16 little endian", "\xff\xfea\x00", utf16},
		{"UTF-16 big endian", "\xfe\xff\x00a", utf16},
		{"UTF-32 little endian", "\xff\xfe\x00\x00a\x00\x00\x00", utf16},
		{"UTF-16 without a mark", "a\x00b\x00", nul(1, 1, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := sanitize.CheckText([]byte(tt.content))
			got, _ := errors.AsType[*sanitize.TextError](err)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want == nil) {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestTextError_Error(t *testing.T) {
	t.Parallel()
	tests := []struct{ content, want string }{
		{"ab\n\ncaf\xe9", "invalid UTF-8 at byte 7 (line 3, column 4)"},
		{"a\x00", "NUL character at byte 1 (line 1, column 2)"},
		{"\xff\xfea\x00", "UTF-16 instead of UTF-8 at byte 0 (line 1, column 1)"},
	}
	for _, tt := range tests {
		if err := sanitize.CheckText([]byte(tt.content)); err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.content, err, tt.want)
		}
	}
	other := &sanitize.TextError{Reason: "other_rule", Offset: 1, Line: 2, Column: 3}
	if got, want := other.Error(), "other_rule at byte 1 (line 2, column 3)"; got != want {
		t.Errorf("got %s, want %s", got, want)
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

// FuzzCheckText holds that exactly UTF-8 without NUL passes, and that the
// offset is that of the first bad byte.
func FuzzCheckText(f *testing.F) {
	for _, seed := range []string{"", "text\n", "\ufeffa\r\n", "\xff\xfea", "a\x00", "caf\xe9", "\xe6\x96", "\xed\xa0\x80", "\ufffd\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		err := sanitize.CheckText(content)
		if legal := utf8.Valid(content) && !bytes.Contains(content, []byte{0}); legal != (err == nil) {
			t.Fatalf("%+q: got %v, legal %t", content, err, legal)
		}
		te, ok := errors.AsType[*sanitize.TextError](err)
		if !ok {
			return
		}
		if head := content[:te.Offset]; sanitize.CheckText(head) != nil {
			t.Errorf("%+q: %v is not the first bad byte", content, te)
		}
		if tail := content[te.Offset:]; len(tail) == 0 || tail[0] != 0 && tail[0] < utf8.RuneSelf {
			t.Errorf("%+q: %v points at a good byte", content, te)
		}
	})
}
