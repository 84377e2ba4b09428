package secrets

import (
	"strings"
	"testing"
)

func TestChunks(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	var lines strings.Builder
	for lines.Len() < 100_000 {
		lines.WriteString(g.random("b", g.IntN(160)) + "\n")
	}
	for name, text := range map[string]string{
		"empty": "", "one line": "line", "lines": lines.String(), "one long line": g.random("b", 50_000),
		"long line among short ones": prose(3000) + "\n" + g.random("b", 30_000) + "\n" + prose(3000),
	} {
		at := 0
		for _, c := range chunks(text) {
			if c.start != at || c.size() == 0 || c.size() > chunkMost {
				t.Errorf("%s: chunk %v after %d", name, c, at)
			}
			at = c.end
		}
		if at != len(text) {
			t.Errorf("%s: chunks end at %d of %d", name, at, len(text))
		}
	}
}

// TestChunks_Edit holds that an edit leaves nearly all chunks, with their
// context, as they were.
func TestChunks_Edit(t *testing.T) {
	t.Parallel()
	g := newGenerator(2)
	var lines strings.Builder
	for lines.Len() < 200_000 {
		lines.WriteString("- a word of " + g.random("b", 20+g.IntN(100)) + " in its line\n")
	}
	before := lines.String()
	after := before[:50_000] + "an inserted line\n" + before[50_000:]
	known := map[verdictKey]bool{}
	for _, c := range chunks(before) {
		known[new(namer).key(before, c)] = true
	}
	fresh, all := 0, chunks(after)
	for _, c := range all {
		if !known[new(namer).key(after, c)] {
			fresh++
		}
	}
	if fresh > 8 {
		t.Errorf("%d of %d chunks are new after one edit", fresh, len(all))
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, w := range []span{{0, 10}, {5, 3 * farReach}, {7, 1_000_000}} {
		at := w.start
		for _, part := range cut([]span{w}) {
			if part.start > at || part.start > w.start && part.start > at-farReach || part.size() > 3*farReach {
				t.Errorf("%v: part %v after %d", w, part, at)
			}
			at = part.end
		}
		if at != w.end {
			t.Errorf("%v: parts end at %d", w, at)
		}
	}
}

// TestReadChunks_Verdicts holds that only clean chunks are remembered, and that
// a verdict is worth nothing where the context differs.
func TestReadChunks_Verdicts(t *testing.T) {
	t.Parallel()
	s := *scanner(t)
	s.known = newVerdicts()
	harmless := prose(500)
	dirty := prose(500) + newGenerator(1).fill("ghp_<b36>\n")
	for range 2 {
		for text, want := range map[string]int{harmless: 0, dirty: 1} {
			found, err := s.Scan(t.Context(), text)
			if err != nil || len(found) != want {
				t.Fatalf("Scan = %v, %v; want %d findings", found, err, want)
			}
		}
	}
	if s.known.of(new(namer).key(harmless, span{0, len(harmless)}))&clean == 0 {
		t.Error("a clean chunk was not remembered")
	}
	if s.known.of(new(namer).key(dirty, span{0, len(dirty)}))&clean != 0 {
		t.Error("a chunk with a finding was remembered as clean")
	}
	if new(namer).key(harmless+"x", span{0, len(harmless)}) == new(namer).key(harmless, span{0, len(harmless)}) {
		t.Error("the context takes no part in the key")
	}
}

func TestVerdicts_Generations(t *testing.T) {
	t.Parallel()
	v := newVerdicts()
	key := func(i int) verdictKey { return verdictKey{byte(i), byte(i >> 8), byte(i >> 16)} }
	for i := range 3 * verdictsKept {
		v.add(key(i), clean)
		if v.of(key(i)) != clean {
			t.Fatalf("verdict %d is forgotten at once", i)
		}
	}
	if v.of(key(0)) != 0 || len(v.young)+len(v.older) > 2*verdictsKept {
		t.Errorf("%d verdicts are kept", len(v.young)+len(v.older))
	}
}
