package main

import "testing"

// No way to show foreign text lets through what moves the cursor, starts a line
// or turns the direction of what follows.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, shown, visible, inOneLine string }{
		{"plain", "Mara's Büro", "Mara's Büro", "Mara's Büro", "Mara's Büro"},
		{"escape", "a\x1b[2Jb", `"a\x1b[2Jb"`, "a\ufffd[2Jb", "a\ufffd[2Jb"},
		{"lines", "a\nb\tc", `"a\nb\tc"`, "a\nb\tc", "a b c"},
		{"direction", "a\u202eb", `"a\u202eb"`, "a\ufffdb", "a\ufffdb"},
		{"line separator", "a\u2028b", `"a\u2028b"`, "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for how, got := range map[string][2]string{
				"shown": {shown(tt.text), tt.shown}, "visible": {visible(tt.text), tt.visible}, "inOneLine": {inOneLine(tt.text), tt.inOneLine},
			} {
				if got[0] != got[1] {
					t.Errorf("%s: got %q, want %q", how, got[0], got[1])
				}
			}
		})
	}
}
