package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lines is an index of so many lines.
func lines(n int) string { return strings.Repeat("- one thing\n", n) }

// sized is an index of so many bytes, in lines of a hundred.
func sized(n int) string {
	line := strings.Repeat("a", 99) + "\n"
	return strings.Repeat(line, n/100) + strings.Repeat("b", n%100)
}

func TestIndexBudget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       Budget
	}{
		{"nothing", "", Budget{}},
		{"no newline at the end", "a\nbc", Budget{2, 4}},
		{"newline at the end", "a\nbc\n", Budget{2, 5}},
		{"CRLF", "a\r\nb\r\n", Budget{2, 6}},
		{"byte order mark", "\ufeffa\n", Budget{1, 2}},
		{"characters of several bytes", "数\n", Budget{1, 4}},
		{"blank lines count", "a\n\n\n", Budget{3, 4}},
		{"frontmatter", "---\nname: x\n---\na\n", Budget{1, 2}},
		{"frontmatter that never closes", "---\nname: x\n", Budget{2, 12}},
		{"comment", "<!-- x -->\na\n", Budget{1, 2}},
		{"comment of lines", "a\n<!--\nx\n\ny\n-->\nb\n", Budget{2, 4}},
		{"text behind a comment", "<!-- x --> a\n", Budget{1, 13}},
		{"text behind a comment of lines", "<!--\nx --> a\n", Budget{1, 8}},
		{"comment in a line", "a <!-- x -->\n", Budget{1, 13}},
		{"comment that never closes", "<!-- x\na\n", Budget{2, 9}},
		{"comment in code", "```\n<!-- x -->\n```\n", Budget{3, 19}},
		{"code in a comment", "<!--\n```\n-->\na\n", Budget{1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := IndexBudget(tt.text); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// The warning comes at four fifths, the fault with the first line or byte that
// agents do not load. A character is never counted by halves.
func TestField_F15_NobodySeesTheCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		text       string
		near, over bool
		line       int // the first that agents do not see
	}{
		{"159 lines", lines(159), false, false, 0},
		{"160 lines", lines(160), true, false, 0},
		{"199 lines", lines(199), true, false, 0},
		{"200 lines", lines(200), true, false, 0},
		{"200 lines without the last newline", strings.TrimSuffix(lines(200), "\n"), true, false, 0},
		{"201 lines", lines(201), true, true, 201},
		{"201 lines and frontmatter", "---\nname: x\n---\n" + lines(201), true, true, 204},
		{"200 lines and comments", "---\nname: x\n---\n" + lines(100) + "<!--\nx\n-->\n" + lines(100), true, false, 0},
		{"19,999 bytes", sized(19_999), true, false, 0}, // of 200 lines
		{"24,999 bytes", strings.Repeat("x", 24_999), true, false, 0},
		{"25,000 bytes", strings.Repeat("x", 25_000), true, false, 0},
		{"25,001 bytes", strings.Repeat("x", 25_001), true, true, 1},
		{"19,999 bytes in one line", strings.Repeat("x", 19_999), false, false, 0},
		{"20,000 bytes in one line", strings.Repeat("x", 20_000), true, false, 0},
		{"a character up to the limit", strings.Repeat("x", 24_996) + "\n数", true, false, 0},
		{"a character across the limit", strings.Repeat("x", 24_998) + "\n数", true, true, 2},
		{"CRLF over the limit", strings.Repeat(strings.Repeat("x", 248)+"\r\n", 100) + "\r\n", true, true, 101},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := IndexBudget(tt.text)
			if b.Near() != tt.near || b.Over() != tt.over {
				t.Errorf("%v: near %v, over %v", b, b.Near(), b.Over())
			}
			lint := slices.DeleteFunc(LintIndex(tt.text, nil), func(l Lint) bool { return l.Rule == LintLongLine })
			want := "[]"
			switch usage := fmt.Sprintf("%d lines, %d bytes (limit: 200 lines, 25000 bytes)", b.Lines, b.Bytes); {
			case tt.over:
				want = fmt.Sprintf("[{over-budget %d %s: agents do not read this line and what follows; shorten lines or remove old ones}]", tt.line, usage)
			case tt.near:
				want = fmt.Sprintf("[{near-budget 0 %s: agents do not read beyond; shorten lines or remove old ones}]", usage)
			}
			if got := fmt.Sprint(lint); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
