package memory

import (
	"strings"
	"testing"
)

func TestParseCursor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want Cursor
	}{
		{"e1:0", Cursor{"e1", 0}},
		{"e1:103", Cursor{"e1", 103}},
		{"eabc2345:9223372036854775807", Cursor{"eabc2345", 9223372036854775807}},
		{NewEpoch() + ":1", Cursor{}},
	} {
		got, err := ParseCursor(tt.in)
		if err != nil || got.String() != tt.in || got.IsZero() || (!tt.want.IsZero() && got != tt.want) {
			t.Errorf("%q: got %+v, %v", tt.in, got, err)
		}
	}
	for _, bad := range []string{
		"", ":", "e1", "e1:", ":1", "e1:-1", "e1:+1", "e1:-0", "e1:01", "e1: 1", "e1:1 ", "e1:1:2", "e1:1_0", "e1:0x1", "E1:1", "e 1:1", "é:1",
		"e1\n:1", `e"1:1`, "e1:9223372036854775808", strings.Repeat("e", 33) + ":1",
	} {
		if c, err := ParseCursor(bad); CodeOf(err) != CodeInvalid || !c.IsZero() {
			t.Errorf("%q: got %+v, %v", bad, c, err)
		}
	}
}

// What parses prints the same again, so a cursor can be compared as text.
func FuzzParseCursor(f *testing.F) {
	for _, seed := range []string{"e1:0", "e1:103", "e1:-0", "e1:007", "e1:+1", ":", "e:1:1", "\x00:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCursor(s)
		if err == nil && (c.String() != s || c.Seq < 0 || c.Epoch == "") {
			t.Errorf("%q parses as %+v, which prints %q", s, c, c)
		}
	})
}

func TestHead_CursorAndTag(t *testing.T) {
	t.Parallel()
	h := Head{Epoch: "e1", Seq: 7, Floor: 2, Digest: Digest{31: 0xab}}
	if got := h.Cursor(); got != (Cursor{"e1", 7}) {
		t.Errorf("cursor %s", got)
	}
	if want := "e1:7:" + strings.Repeat("0", 62) + "ab"; h.Tag() != want {
		t.Errorf("tag %s, want %s", h.Tag(), want)
	}
}

func TestFeedPage_More(t *testing.T) {
	t.Parallel()
	if (FeedPage{To: 3, Head: 3}).More() || !(FeedPage{To: 2, Head: 3}).More() {
		t.Error("a page says wrongly whether the feed goes on behind it")
	}
}
