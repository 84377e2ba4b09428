package secrets

import (
	"slices"
	"strings"
	"testing"
)

// TestAutomaton compares the automaton with a plain search, on texts full of
// overlapping keywords.
func TestAutomaton(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	keywords := []string{"a", "ab", "bab", "abc", "bc", "c-", "aab"}
	a := newAutomaton(keywords)
	for range 300 {
		text := make([]byte, 40)
		for i := range text {
			text[i] = "abcABC-."[g.IntN(8)]
		}
		within := span{g.IntN(20), 20 + g.IntN(20)}
		var got []span
		a.each(string(text), within, func(id int, at span) { got = append(got, span{at.start, id}) })
		var want []span
		lower := strings.ToLower(string(text))
		for id, k := range keywords {
			for i := within.start; i < within.end; i++ {
				if strings.HasPrefix(lower[i:], k) {
					want = append(want, span{i, id})
				}
			}
		}
		order := func(a, b span) int { return (a.start-b.start)*100 + a.end - b.end }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %v: got %v, want %v", text, within, got, want)
		}
	}
}
