package secrets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDisguises(t *testing.T) {
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
		{"bytes of C", `\x67\150p \x6 \x00 \1 \777 \`, []string{`ghp \x6 \x00 \1 \777 \`}},
		{"references of HTML", "&#103;&#x68;&#X70;&lowbar; &#7; &#300; &none; & &;&#;", []string{"ghp_ &#7; &#300; &none; & &;&#;"}},
		{"mail", "a=5Fb=2D x=20 =5f =", []string{"a_b- x=20 =5f =", "a_b-x=20=5f ="}},
		{"letters of other scripts", "gh\u0440_x \u0440\u0440 k\u0336ey a\u2011b", []string{"ghp_x \u0440\u0440 key a-b"}},
		{"base32", "ORUGKIDUN5VWK3RANFZSA2LU", []string{"the token is it"}},
		{"numbers of characters", "[116, 104, 101, 32, 107, 101, 121, 32, 105, 115]  [103, 104, 112, 95, 97, 98, 99, 100, 101, 102, 103, 104]", []string{
			"[116, 104, 101, 32, 107, 101, 121, 32, 105, 115]  [ghp_abcdefgh]",
		}},
		{"dump", "00000000: 7778 797a  wxyz\n00000004: 7900 7a  y.z", []string{
			"00000000: 7778 797a  wxyz00000004: 7900 7a  y.z", "wxyzy z\n",
		}},
		{"operators", `"a" + "b", 'c' . 'd' "e""f"`, []string{`"abcdef"`}},
		{"markup", "a**b**c `d` <b>e</b>f<!-- x -->g <h", []string{"abc `d` <b>efg <h"}},
		{"lines of a comment", "# a\n# b\n// c\n// d\n\n1. e\n2. f", []string{"# abcd\n\n1. ef"}},
		{"lines of a difference", "+a\n+b\n-c\n-d\n e\n+f", []string{"+ab-cde+f"}},
		{"equal groups", "abcd efgh ijkl mno pq", []string{"abcdefghijklmno pq"}},
		{"pairs", "aa:bb:cc:dd:ee:ff:00:11 aa:bb:cc", []string{"aabbccddeeff0011 aa:bb:cc"}},
		{"normal text beyond ASCII", "größe 密码", nil},
		{"invisible and broken", "a\u200bb\ncd", []string{"ab\ncd", "abcd"}},
		{"table", "| user | password |\n|---|:-:|\n| a | from b-z |\n| c | short |\n| d | |\nx | y |", []string{
			"| user | password |\n|---|:-:|\n| a | password = from b-z |\n| c | short |\n| d | |\nx | y |",
			"| userpassword |\n|---|:-:|\n| afrom b-z |\n| cshort |\n| d | |\nxy |",
		}},
		{"table without a secret", "| a | b |\n|:-|-:|\n| c | d |", []string{"| ab |\n|:--:|\n| cd |"}},
		{"rows without a head", "| password |\n| c |", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			all := disguises(tt.text, span{0, len(tt.text)})
			for _, v := range all[:len(all)-1] { // the last is the text from its end
				got = append(got, v.text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("views (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDisguises_Origin holds that each byte of a view outside the edits comes from
// the same byte of the original.
func TestDisguises_Origin(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	parts := []string{"a", "b1", "\u200b", "\n", " ", "\uff3f", `\_`, "é", "| password |\n|---|\n| x |\n", "> "}
	for range 300 {
		var b strings.Builder
		for range 30 {
			b.WriteString(parts[g.IntN(len(parts))])
		}
		text := b.String()
		for _, v := range disguises(text, span{0, len(text)}) {
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
