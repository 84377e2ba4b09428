package secrets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestViews(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // besides the text itself
	}{
		{"plain", "nothing to see", nil},
		{"words in lines", "one\ntwo", []string{"onetwo"}},
		{"paragraphs", "one\n\ntwo", nil},
		{"quotation", "> one\n> two", []string{"> onetwo"}},
		{"backslash at the end", "one\\\n  two", []string{"onetwo"}},
		{"invisible", "a\u200bb\u00ad\ufe0f\U000e0041c\u2060\u034f\u3164\u2800d", []string{"abcd"}},
		{"compatibility forms", "\uff47\uff48\uff50\uff3fx", []string{"ghp_x"}},
		{"escapes", `a\_b\-c \n`, []string{`a_b-c \n`}},
		{"normal text beyond ASCII", "größe 密码", nil},
		{"invisible and broken", "a\u200bb\ncd", []string{"ab\ncd", "abcd"}},
		{"table", "| user | password |\n|---|:-:|\n| a | b |\n| c | |\nx | y |", []string{
			"| user | password |\n|---|:-:|\n| a | password = b |\n| c | |\nx | y |",
		}},
		{"table without a secret", "| a | b |\n|---|---|\n| c | d |", nil},
		{"rows without a head", "| password |\n| c |", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, v := range views(tt.text)[1:] {
				got = append(got, v.text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("views (-want +got):\n%s", diff)
			}
		})
	}
}

// TestViews_Origin holds that each byte of a view outside the edits comes from
// the same byte of the original.
func TestViews_Origin(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	parts := []string{"a", "b1", "\u200b", "\n", " ", "\uff3f", `\_`, "é", "| password |\n|---|\n| x |\n", "> "}
	for range 300 {
		var b strings.Builder
		for range 30 {
			b.WriteString(parts[g.IntN(len(parts))])
		}
		text := b.String()
		for _, v := range views(text)[1:] {
			for i := range len(v.text) {
				o := v.origin(span{i, i + 1})
				if o.start < 0 || o.end > len(text) || o.start > o.end {
					t.Fatalf("%q: byte %d of %q comes from %v", text, i, v.text, o)
				}
				if o.size() == 1 && text[o.start] != v.text[i] && !v.live(span{i, i}) {
					t.Fatalf("%q: byte %d of %q comes from %q", text, i, v.text, text[o.start])
				}
			}
		}
	}
}
