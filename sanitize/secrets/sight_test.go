package secrets

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// later is a text that one edit turns into one with a secret.
type later struct{ name, before, after string }

// TestLook_LaterEdit_FarAway holds that what is known of a text answers as if
// nothing was, where more than the context of a chunk decides.
func TestLook_LaterEdit_FarAway(t *testing.T) {
	t.Parallel()
	g := newGenerator(9)
	for _, tt := range append(laterTables(g), append(laterLines(g), laterEncoded(g)...)...) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := *scanner(t)
			s.known = newVerdicts()
			if _, err := s.look(t.Context(), tt.before); err != nil {
				t.Fatal(err)
			}
			found, err := s.look(t.Context(), tt.after)
			if err != nil {
				t.Fatal(err)
			}
			s.known = newVerdicts()
			want, err := s.look(t.Context(), tt.after)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != len(want) || len(want) == 0 {
				t.Errorf("after the edit %d are found, and %d by who knows nothing of the text", len(found), len(want))
			}
		})
	}
}

// laterTables are tables whose rows begin behind blanks or in a quotation, where
// the context of a chunk begins, and rows that are longer than a chunk.
func laterTables(g generator) (all []later) {
	value, other := g.random("b", 16), g.random("b", 16)
	for _, indent := range []string{"  ", "   ", "> ", ">  "} {
		text := func(pad int, cell string) string {
			var rows strings.Builder
			for i := range 100 {
				fmt.Fprintf(&rows, "%s| job %d %s | runs there |\n", indent, i, strings.Repeat("y", (pad*7+i*(3+pad/60))%60))
			}
			return strings.ReplaceAll("%| job | password |\n%|---|---|\n", "%", indent) + rows.String() +
				indent + "| nightly | " + cell + " |\n" + rows.String()
		}
		for pad := range 2000 {
			after := text(pad, value)
			at := strings.Index(after, value)
			cores := chunks(after)
			i := slices.IndexFunc(cores, func(c span) bool { return c.contains(span{at, at + 1}) })
			if start := cores[i].start - chunkContext; start > 0 && strings.HasSuffix(after[:start], "\n"+indent) {
				all = append(all, later{fmt.Sprintf("row behind %q", indent), text(pad, "in the vault"), after})
				break
			}
		}
	}
	wide := strings.Repeat("words of a cell that go on, ", 200)
	text := func(head, cell string) string {
		return "| job | " + head + " |\n|---|---|\n| " + wide + " | " + cell + " |\n"
	}
	return append(all, later{"head of a wide row", text("note", value), text("password", value)},
		later{"cell of a wide row", text("password", "in the vault"), text("password", other)})
}

// laterLines are long lines that a word excuses at one end of them.
func laterLines(g generator) []later {
	words := strings.Repeat("nothing is said here of it, ", 200)
	value := " api_key = " + g.random("h", 40)
	return []later{
		{"commit before", "the commit " + words + value, "the answer " + words + value},
		{"commit behind", words + value + " " + words + "commit", words + value + " " + words + "answer"},
	}
}

// laterEncoded are encoded texts in lines that are no multiple of a group, so
// that only the first tells where groups begin.
func laterEncoded(g generator) (all []later) {
	const at = 1600
	plain := strings.Repeat("the words of a note about nothing in particular, line. ", 45)
	secret := "token " + g.fill("ghp_<b36>") + " ok "
	hidden := plain[:at] + secret + plain[at:]
	plain = plain[:at] + strings.Repeat("z", len(secret)) + plain[at:]
	for name, encode := range map[string]func(string) string{"base64": toBase64, "hexadecimal": toHex} {
		for _, width := range []int{63, 70} {
			lines := func(s, mark string) string {
				var b strings.Builder
				for s = encode(s); len(s) > width; s = s[width:] {
					b.WriteString(mark + s[:width] + "\n")
				}
				return prose(500) + "\n\n" + b.String() + mark + s + "\n\n" + prose(300)
			}
			for _, mark := range []string{"", "> "} {
				all = append(all, later{fmt.Sprintf("%s in %q lines of %d", name, mark, width), lines(plain, mark), lines(hidden, mark)})
			}
		}
	}
	return all
}
