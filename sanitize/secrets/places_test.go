package secrets

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// places are where programs put a whole token, or how they write one down.
func places() map[string]func(token string) string {
	around := func(before, after string) func(string) string {
		return func(token string) string { return before + token + after }
	}
	each := func(format string) func(string) string {
		return func(token string) string {
			var b strings.Builder
			for i := range len(token) {
				fmt.Fprintf(&b, format, token[i])
			}
			return b.String()
		}
	}
	halves := func(between string) func(string) string {
		return func(token string) string { return token[:len(token)/2] + between + token[len(token)/2:] }
	}
	dump := func(offset, gap, before, after string, group int) func(string) string {
		return func(token string) string {
			var b strings.Builder
			for at := 0; at < len(token); at += 16 {
				part := token[at:min(len(token), at+16)]
				fmt.Fprintf(&b, offset, at)
				for i := 0; i < len(part); i += group {
					b.WriteString(gap + toHex(part[i:min(len(part), i+group)]))
				}
				b.WriteString("  " + before + part + after + "\n")
			}
			return b.String()
		}
	}
	return map[string]func(string) string{
		"a dump of xxd":                  dump("%08x:", " ", "", "", 2),
		"a dump of hexdump":              dump("> %08x ", " ", "|", "|", 1),
		"behind a sign of four bytes":    around("\U0001f511", "\U0001f511"),
		"in a path":                      around("https://a.example/x/", "/y"),
		"between slashes":                around("/", "/"),
		"in sed":                         around("sed -i 's/TOKEN/", "/g' .env"),
		"before an equals sign":          around("", "=="),
		"in a difference of words":       around("[-old-]{+", "+}"),
		"behind a line break of JSON":    around(`"{a\n`, `\nmore"`),
		"behind a break of Windows":      around(`"a\r\n`, `\r\nb"`),
		"behind a tab of JSON":           around(`"a\t`, `\tmore"`),
		"in colours without their mark":  around("[1;32m", "[0m"),
		"in colours as a shell has them": around(`\033[32m`, `\033[0m`),
		"bytes of C":                     each("0x%02x, "),
		"bytes of C without blanks":      each("0x%02X,"),
		"numbers in lines":               each("  %d,\n"),
		"a number of SQL":                func(token string) string { return "0x" + toHex(token) },
		"bytes of PostgreSQL":            func(token string) string { return `'\x` + toHex(token) + "'" },
		"mail with the breaks of mail":   halves("=\r\n"),
		"two rows of a box":              func(token string) string { return "│ " + halves(" │\n│ ")(token) + " │" },
		"a program shown in colours":     halves(`</span><span class="token string highlight" style="color: rgb(3, 47, 98)">`),
		"lines that were added":          func(token string) string { return "+  \"" + halves("\" \\\n+  \"")(token) + "\"" },
	}
}

// TestScan_Places holds that tokens of several providers are found where programs
// put them.
func TestScan_Places(t *testing.T) {
	t.Parallel()
	for name, place := range places() {
		for _, form := range []string{"ghp_<b36>", "glpat-<u20>", "sk_live_<b24>", "sk-ant-api03-<u93>AA", "AKIA<t16>", "npm_<b36>", "xoxb-<d12>-<d13>-<b24>"} {
			token := newGenerator(101).fill(form)
			hard := func(f sanitize.Finding) bool { return f.Severity == sanitize.SeverityHard }
			if found := scan(t, intro+place(token)+outro); !slices.ContainsFunc(found, hard) {
				t.Errorf("%s, %s: found %v", name, form[:4], found)
			}
		}
	}
}
