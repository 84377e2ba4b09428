package secrets

import (
	"fmt"
	"math/rand/v2"
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

// Mask leaves of all lines what is no secret.
func TestScanner_Mask(t *testing.T) {
	t.Parallel()
	g := newGenerator(2)
	password, token := g.fill("<b16>"), g.fill("ghp_<b36>")
	for text, want := range map[string]string{
		"":                   "",
		"nothing\n\nin it\n": "nothing\n\nin it\n",
		"one\npassword: " + password + " # staging\r\ntwo " + token: "one\npassword: " + mask + " # staging\r\ntwo " + mask,
		"x " + token[:9] + "\n" + token[9:] + " y\n":                "x " + mask + "\n" + mask + " y\n",
	} {
		if got, err := scanner(t).Mask(t.Context(), text); err != nil || got != want {
			t.Errorf("%q: got %q, want %q (%v)", text, got, want, err)
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

// TestExcerpt_Punctuation holds that nothing of a password is shown where a rule
// took a sign in it for its end.
func TestExcerpt_Punctuation(t *testing.T) {
	t.Parallel()
	s, r := scanner(t), rand.New(rand.NewPCG(1, 2))
	const letters, signs = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", "!#$%&*+,-./:;=?@^_~|()[]{}"
	for _, form := range []string{
		"password = \"%s\"", "DB_PASSWORD=%s", "the password is %s.", "- **password:** `%s`", "| db | password | %s |", "sshpass -p '%s' ssh x",
		"postgres://app:%s@db.internal/app", "user kim, password %s, port 5432", "pass: %s # staging", "mysql -p%s -h db",
	} {
		seen := 0
		for range 30 {
			var password []byte
			for len(password) < 16 {
				from := letters
				if r.IntN(5) == 0 {
					from = signs
				}
				password = append(password, from[r.IntN(len(from))])
			}
			text := fmt.Sprintf(form, password)
			found, err := s.look(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings(text, found, nil) {
				seen++
				excerpt := masked(text, found, f)
				for i := range len(password) - 3 {
					if part := string(password[i : i+4]); strings.Contains(excerpt, part) && !strings.Contains(form, part) {
						t.Errorf("%s: the excerpt %q shows %q", text, excerpt, part)
						break
					}
				}
			}
		}
		if seen < 10 {
			t.Errorf("%s: %d passwords found", form, seen)
		}
	}
}

// What is found in other words than those of the text has no place in it where a
// mask could stand, so there is no excerpt.
func TestExcerpt_OfOtherWords(t *testing.T) {
	t.Parallel()
	f := sanitize.Finding{Rule: "github-pat", Line: 2, Column: 1}
	if got, err := scanner(t).Excerpt(t.Context(), "---\ndescription: in other words\n---\n", f); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}
