package sync_test

import (
	"bytes"
	"testing"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

func TestTextSum(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"itself", "a\n", "a\n", true},
		{"CRLF", "a\r\nb\r\n", "a\nb\n", true},
		{"byte order mark", "\ufeffa\n", "a\n", true},
		{"no final newline", "a", "a\n", true},
		{"many final newlines", "a\r\n\r\n\n", "a\n", true},
		{"nothing", "", "\n", true},
		{"a blank line inside", "a\n\nb\n", "a\nb\n", false},
		{"a lone CR", "a\rb\n", "a\nb\n", false},
		{"a mark inside", "a\ufeff\n", "a\n", false},
		{"final blanks", "a \n", "a\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if same := msync.TextSum([]byte(tt.a)) == msync.TextSum([]byte(tt.b)); same != tt.same {
				t.Errorf("TextSum of %q and %q equal: %v, want %v", tt.a, tt.b, same, tt.same)
			}
			for _, text := range []string{tt.a, tt.b} {
				if content := []byte(text); msync.TextSumOf(content, memory.Sum(content)) != msync.TextSum(content) {
					t.Errorf("TextSumOf of %q is not its TextSum", text)
				}
			}
		})
	}
}

// What TextSum ignores can be added to any text without changing its sum, and
// the content itself is left alone.
func FuzzTextSum(f *testing.F) {
	for _, seed := range []string{"", "a", "a\r\n", "\ufeffa\nb", "\r\r\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		before := bytes.Clone(content)
		want := msync.TextSum(content)
		if !bytes.Equal(before, content) {
			t.Fatal("TextSum wrote to its argument")
		}
		lf := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
		variants := map[string][]byte{}
		if !bytes.Contains(lf, []byte("\r")) { // beside a lone CR, a newline means something else
			variants["final newline"] = append(bytes.Clone(content), '\n')
			variants["LF"] = lf
			variants["CRLF"] = bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))
		}
		if !bytes.HasPrefix(content, []byte("\ufeff")) {
			variants["byte order mark"] = append([]byte("\ufeff"), content...)
		}
		for name, variant := range variants {
			if msync.TextSum(variant) != want {
				t.Errorf("%s: another sum for %q than for %q", name, variant, content)
			}
		}
	})
}
