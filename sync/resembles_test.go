package sync_test

import (
	"testing"

	msync "github.com/teammem/teammem/sync"
)

func TestResembles(t *testing.T) {
	t.Parallel()
	const original = "---\nname: x\n---\n\nfirst of the lines\nsecond of the lines\n"
	for _, tt := range []struct {
		name, text, original string
		want                 bool
	}{
		{"the same", original, original, true},
		{"edited", "---\nname: y\n---\n\nfirst of the lines\nanother one\n", original, true},
		{"most of it is new", "second of the lines\na new line here\none more new line\nand the last one\n", original, true},
		{"only what everybody writes is the same", "---\nname: x\n---\n\nanother text\n", original, false},
		{"a line that is twice", "once and again\n", "once and again\nonce and again\nonce and again\n", false},
		{"nothing to go by", "a\nb\n", "a\nb\n", false},
		{"nothing at all", "", "", false},
	} {
		if got := msync.Resembles([]byte(tt.text), []byte(tt.original)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
