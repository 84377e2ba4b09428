package secrets

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

func TestMasked(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	password, token := g.fill("<b16>"), g.fill("ghp_<b36>")
	long := strings.Repeat("größe ", 60)
	for _, tt := range []struct{ name, text, want string }{
		{"assignment", "one\npassword: " + password + " # staging\ntwo", "password: " + mask + " # staging"},
		{"crlf", "one\r\npassword: " + password + "\r\ntwo", "password: " + mask},
		{"url", "see postgres://app:" + password + "@db.internal/app", "see postgres://app:" + mask + "@db.internal/app"},
		{"soft and hard", "password: " + password + " and " + token, "password: " + mask + " and " + mask},
		{"encoded", "blob: " + toBase64("the token is "+token+", they say") + " end", "blob: " + mask + " end"},
		{"over two lines", "x\npassword: " + password + " or " + token[:9] + "\n" + token[9:] + " y", "password: " + mask + " or " + mask},
		{"long line", long + "password: " + password + " " + long, ""},
	} {
		found, err := scanner(t).look(t.Context(), tt.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings(tt.text, found, nil) {
			got := masked(tt.text, found, f)
			if tt.want != "" && got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
			if n := utf8.RuneCountInString(got); n > ExcerptMost || !utf8.ValidString(got) || !strings.Contains(got, mask) {
				t.Errorf("%s: %d characters, or none of them a mask", tt.name, n)
			}
			break
		}
	}
}

// TestExcerpt_Shapes looks for a part of any secret in the excerpts, and for a
// finding in them.
func TestExcerpt_Shapes(t *testing.T) {
	t.Parallel()
	s := *scanner(t)
	empty := 0
	for _, shape := range shapes() {
		secret := shape.text(newGenerator(8))
		text := intro + secret + outro
		found, err := s.look(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings(text, found, nil) {
			excerpt := masked(text, found, f)
			if left := scan(t, excerpt); len(left) > 0 {
				empty++
			}
			for _, m := range found {
				if v := canonical(m.value); strings.Contains(excerpt, v[:min(len(v), 8)]) {
					t.Errorf("%s: the excerpt for %s shows a part of the secret", shape.name, f.Rule)
				}
			}
		}
	}
	if empty > 2 {
		t.Errorf("%d excerpts are found again and would be empty", empty)
	}
}

// TestExcerpt_Outside gives positions that the text does not have.
func TestExcerpt_Outside(t *testing.T) {
	t.Parallel()
	for _, f := range []sanitize.Finding{{}, {Line: 9, Column: 9}, {Line: 1, Column: 900}, {Line: -1, Column: -1}} {
		if got, err := scanner(t).Excerpt(t.Context(), "a line\nand another", f); err != nil || utf8.RuneCountInString(got) > ExcerptMost {
			t.Errorf("%v: %q, %v", f, got, err)
		}
	}
}
