package secrets

import (
	"net/url"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect/codec"
)

// TestPieces_MissNothing holds that whatever the library's codec decodes lies
// in a piece that it will see.
func TestPieces_MissNothing(t *testing.T) {
	t.Parallel()
	scanner(t) // sets the library's logger, which its codec reads
	g := newGenerator(1)
	words := "secret words, 100 % of them: "
	parts := []func() string{
		func() string { return toBase64(words[:g.IntN(len(words))]) },
		func() string { return toHex(words[:g.IntN(len(words))]) },
		func() string { return url.PathEscape(words[g.IntN(len(words)):]) },
		func() string { return `\u0041\u0062` },
		func() string { return "U+0041 U+0062 " },
		func() string { return g.random("u", g.IntN(40)) },
		func() string { return "\n" },
		func() string { return " docs/architecture-decisions/0001-record " },
		func() string { return "=" },
	}
	decoded := 0
	for range 3000 {
		var b strings.Builder
		for range 1 + g.IntN(5) {
			b.WriteString(parts[g.IntN(len(parts))]())
		}
		text := b.String()
		_, segments := codec.NewDecoder().Decode(text, nil)
		if len(segments) == 0 {
			continue
		}
		decoded++
		if len(pieces(view{text: text}, []span{{0, len(text)}})) == 0 {
			t.Errorf("%q holds something to decode, but no piece", text)
		}
	}
	if decoded < 1000 {
		t.Errorf("only %d texts held something to decode", decoded)
	}
}

func TestCutPiece(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	for name, text := range map[string]string{
		"short": "x", "run": g.random("B", 100_000), "lines": strings.Repeat(g.random("B", 76)+"\n", 900),
		"spaces": strings.Repeat(" ", 50_000),
	} {
		at := 0
		for _, p := range cutPiece(text, span{0, len(text)}) {
			if p.start > at || p.end <= at || p.size() > pieceMost {
				t.Errorf("%s: piece %v after %d", name, p, at)
			}
			if name == "run" && p.start%4 != 0 {
				t.Errorf("%s: piece %v is out of step", name, p)
			}
			at = p.end
		}
		if at != len(text) {
			t.Errorf("%s: pieces end at %d of %d", name, at, len(text))
		}
	}
}

// TestScan_EncodedFar finds a token in the middle of a long encoded text.
func TestScan_EncodedFar(t *testing.T) {
	t.Parallel()
	token := newGenerator(1).fill("ghp_<b36>")
	for _, at := range []int{12_200, 0, 30_000, 90_000} {
		plain := prose(90_000)
		encoded := toBase64(plain[:at] + "\n" + token + "\n" + plain[at:])
		if len(scan(t, "blob: "+encoded+"\n")) == 0 {
			t.Errorf("a token %d bytes into an encoded text was not found", at)
		}
	}
}

// TestScan_Depth holds how many encodings may lie on top of each other.
func TestScan_Depth(t *testing.T) {
	t.Parallel()
	text := newGenerator(1).fill("token ghp_<b36>")
	for depth := 1; depth <= decodeDepth; depth++ {
		text = toBase64(text)
		if len(scan(t, text)) != 1 {
			t.Errorf("a token under %d encodings was not found", depth)
		}
	}
}
