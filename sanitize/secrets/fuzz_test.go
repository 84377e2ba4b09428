package secrets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// FuzzScan holds for any bytes, with the halves of a secret somewhere in them: no
// panic, and every finding lies within the text, behind the one before it. What a
// fuzzer finds names the secret by its shape, and holds none.
func FuzzScan(f *testing.F) {
	all := shapes()
	for i := range all {
		f.Add("", uint16(i), uint16(0), uint16(0))
	}
	f.Add("%41%4\xff\u200b| token |\n|-|\n|\\_|U+0041 \r\n> password:", uint16(3), uint16(9), uint16(7))
	s := scanner(f)
	f.Fuzz(func(t *testing.T, around string, shape, at, half uint16) {
		if len(around) > 20_000 {
			return
		}
		secret := all[int(shape)%len(all)].text(newGenerator(uint64(at)))
		cut, middle := int(at)%(len(around)+1), int(half)%(len(secret)+1)
		text := secret[:middle] + around[:cut] + secret[middle:] + around[cut:]
		found, err := s.look(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		line, column := 1, 0
		for _, f := range findings(text, found, nil) {
			if f.Line < line || f.Line == line && f.Column < column || f.Line > len(lines) {
				t.Fatalf("%v after line %d, column %d", f, line, column)
			}
			line, column = f.Line, f.Column
			if column < 1 || column > utf8.RuneCountInString(lines[line-1])+1 {
				t.Fatalf("%v lies outside its line", f)
			}
		}
	})
}

// FuzzInjected puts a token of a provider into any text, at any place and in any
// wrapping: nothing around it keeps it from being found.
func FuzzInjected(f *testing.F) {
	for i, name := range []string{"README.md", "SECURITY.md", filepath.Join("docs", "architecture.md")} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			f.Fatal(err)
		}
		for j := range uint16(6) {
			f.Add(string(text[:min(len(text), 2000)]), 331*j, uint64(i), uint8(j))
		}
	}
	f.Add("| password |\n|---|\n| <!-- `", uint16(29), uint64(1), uint8(4))
	f.Add("\\\xff\u200b=\n> ```", uint16(5), uint64(2), uint8(2))
	s := scanner(f)
	f.Fuzz(func(t *testing.T, text string, at uint16, seed uint64, place uint8) {
		if len(text) > 4000 {
			return
		}
		g := newGenerator(seed)
		token := anyToken(g)
		places := wrappings(token)
		cut := int(at) % (len(text) + 1)
		all := text[:cut] + "\n\n" + places[int(place)%len(places)].wrap(token) + "\n\n" + text[cut:]
		found, err := s.look(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(findings(all, found, nil), func(f sanitize.Finding) bool { return f.Severity == sanitize.SeverityHard }) &&
			len(found) < maxFindings {
			t.Fatalf("the token of seed %d was not found in place %d at %d", seed, place, cut)
		}
	})
}
