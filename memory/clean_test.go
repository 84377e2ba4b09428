package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/sanitize"
)

func TestScreen_Clean(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "text": "# DB\n\nuse it\n", "CRLF and BOM": "\ufeffa\r\nb", "Chinese": "数据库",
		"as large as may be": strings.Repeat("x", MaxEntryBytes),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Screen(t.Context(), markScanner{}, path1(t, "a.md"), []byte(text))
			must(t, err)
			if c.IsZero() || c.Text() != text || string(c.Bytes()) != text || c.Sum() != Sum([]byte(text)) || c.Size() != len(text) || c.RuleSet() != RuleSet("marks") {
				t.Errorf("got %d bytes, sum %s, rules %s", c.Size(), c.Sum(), c.RuleSet())
			}
		})
	}
}

// Nobody can change content that was screened.
func TestClean_IsACopy(t *testing.T) {
	t.Parallel()
	text := []byte("before")
	c, err := Screen(t.Context(), markScanner{}, path1(t, "a.md"), text)
	must(t, err)
	copy(text, "after!")
	copy(c.Bytes(), "after!")
	if c.Text() != "before" {
		t.Errorf("got %q", c.Text())
	}
	if !(Clean{}).IsZero() {
		t.Error("the zero value passes for screened")
	}
}

func TestClean_Blank(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, " \t\r\n": true, "\u00a0\u2003": true, "\ufeff\n": true, "x": false, "\n#\n": false} {
		if got := clean(text).blank(); got != want {
			t.Errorf("%q is blank: %v, want %v", text, got, want)
		}
	}
}

func TestScreen_Refused(t *testing.T) {
	t.Parallel()
	at := func(rule string, line, column int) []sanitize.Finding {
		return []sanitize.Finding{{Rule: rule, Severity: sanitize.SeverityHard, Line: line, Column: column}}
	}
	for _, tt := range []struct {
		name, path, text string
		want             Error
	}{
		{"one byte too many", "a.md", strings.Repeat("x", MaxEntryBytes+1), Error{Code: CodeTooLarge, Field: "content"}},
		{
			"not UTF-8", "a.md", "é\nab\xffc",
			Error{Code: CodeTextRejected, Field: "content", Layer: "encoding", Position: 5, Findings: at(sanitize.ReasonUTF8, 2, 3)},
		},
		{
			"UTF-16", "a.md", "\xff\xfea\x00",
			Error{Code: CodeTextRejected, Field: "content", Layer: "encoding", Findings: at(sanitize.ReasonUTF16, 1, 1)},
		},
		{
			"NUL", "a.md", "ab\x00",
			Error{Code: CodeTextRejected, Field: "content", Layer: "encoding", Position: 2, Findings: at(sanitize.ReasonNUL, 1, 3)},
		},
		{
			"hidden text", "a.md", "one\nsec\u200bret \u202e",
			Error{
				Code: CodeTextRejected, Field: "content", Layer: "hidden", Position: 7,
				Findings: append(at(sanitize.ReasonInWord, 2, 4), at(sanitize.ReasonBidi, 2, 9)...),
			},
		},
		{"secret in the text", "a.md", "one\nkey: " + mark, Error{Code: CodeSecretFound, Field: "content", Findings: at("mark", 2, 6)}},
		{"secret in the path", mark + ".md", "fine", Error{Code: CodeSecretFound, Field: "path", Findings: at("mark", 1, 1)}},
		{"scan that does not end", "a.md", "slow", Error{Code: CodeScanTimeout, Field: "content"}},
		{"scan of the path that does not end", "slow.md", "fine", Error{Code: CodeScanTimeout, Field: "path"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := Screen(t.Context(), markScanner{}, StoredPath(tt.path), []byte(tt.text))
			e := problemOf(t, err, tt.want.Code)
			if !c.IsZero() {
				t.Error("refused text is clean")
			}
			got := Error{Code: e.Code, Field: e.Field, Layer: e.Layer, Position: e.Position, Findings: e.Findings}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Hint == "" {
				t.Error("a refusal without a hint")
			}
			if all := fmt.Sprintf("%s %+v", e.Error(), e); strings.Contains(all, mark) || strings.Contains(all, "xxx") {
				t.Errorf("the refusal quotes the text: %s", all)
			}
		})
	}
}

func TestScreen_WithoutPath(t *testing.T) {
	t.Parallel()
	_, err := Screen(t.Context(), markScanner{}, Path{}, []byte("fine"))
	wantCode(t, err, CodeInvalid)
}

// Who goes away, or sets a deadline of their own, learns nothing about the
// text: it is not refused.
func TestScreen_CallerGoesAway(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for want, ctx := range map[error]context.Context{context.Canceled: gone, context.DeadlineExceeded: late} {
		c, err := Screen(ctx, markScanner{}, path1(t, "a.md"), []byte("fine"))
		if !errors.Is(err, want) || asError(err) != nil || !c.IsZero() {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestDescribe_NamesTheFirst(t *testing.T) {
	t.Parallel()
	_, err := Screen(t.Context(), markScanner{}, path1(t, "a.md"), bytes.Repeat([]byte(mark+"\n"), 5))
	const want = "mark (line 1, column 1), mark (line 2, column 1), mark (line 3, column 1), 2 more"
	if e := problemOf(t, err, CodeSecretFound); !strings.HasSuffix(e.Message, want) || len(e.Findings) != 5 {
		t.Errorf("got %q with %d findings", e.Message, len(e.Findings))
	}
}
