package secrets

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzScan holds for any bytes: no panic, and every finding lies within the
// text, behind the one before it.
func FuzzScan(f *testing.F) {
	for _, s := range shapes() {
		f.Add(s.text(newGenerator(1)))
	}
	f.Add("%41%4\xff\u200b| token |\n|-|\n|\\_|U+0041 \r\n> password:")
	s := scanner(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20_000 {
			return
		}
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
