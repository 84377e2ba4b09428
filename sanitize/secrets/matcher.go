package secrets

import (
	"context"
	"slices"
)

// matcher applies a set of rules to the windows around their keywords.
type matcher struct {
	rules  []*rule
	words  *automaton
	byWord [][]int // keyword → rules that it wakes
}

func newMatcher(rules []*rule) *matcher {
	m := &matcher{rules: rules}
	var keywords []string
	ids := map[string]int{}
	for i, r := range rules {
		for _, k := range r.keywords {
			id, known := ids[k]
			if !known {
				id = len(keywords)
				ids[k] = id
				keywords = append(keywords, k)
				m.byWord = append(m.byWord, nil)
			}
			m.byWord[id] = append(m.byWord[id], i)
		}
	}
	m.words = newAutomaton(keywords)
	return m
}

// find returns the matches of the rules for keywords that begin in the cores,
// which are in order. What two of them need is read once. The context ends only
// between windows, which are small.
func (m *matcher) find(ctx context.Context, v view, cores ...span) ([]match, error) {
	windows, err := m.windows(v, cores)
	if err != nil {
		return nil, err
	}
	var found []match
	for _, i := range sortedKeys(windows) {
		for _, w := range cut(merge(windows[i])) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hits, err := m.rules[i].find(v.text, w)
			if err != nil {
				return nil, err
			}
			for _, hit := range hits {
				if v.live(hit.whole) {
					found = append(found, hit)
				}
			}
			if len(found) >= maxFindings {
				return found, ctx.Err()
			}
		}
	}
	return found, ctx.Err()
}

// windows collects, for each rule that has anything to read, what it has to
// read.
func (m *matcher) windows(v view, cores []span) (map[int][]span, error) {
	windows := map[int][]span{}
	var failed error
	for _, core := range cores {
		m.words.each(v.text, core, func(keyword int, at span) {
			for _, i := range m.byWord[keyword] {
				if err := m.addWindow(windows, v, i, at); err != nil {
					failed = err
				}
			}
		})
	}
	for i := range windows {
		slices.SortFunc(windows[i], func(a, b span) int { return a.start - b.start })
	}
	return windows, failed
}

// addWindow adds what rule i has to read for a keyword, if anything.
func (m *matcher) addWindow(windows map[int][]span, v view, i int, at span) error {
	t, err := m.rules[i].traits()
	if err != nil || v.joined && !t.joinable {
		return err
	}
	var seen span
	if n := len(windows[i]); n > 0 {
		seen = windows[i][n-1]
	}
	if w, ok := t.window(v.text, at, seen); ok && w != seen && v.live(w) {
		windows[i] = append(windows[i], w)
	}
	return nil
}

// wakes tells whether a keyword in core may begin a match. It asks the windows
// that need no more than a glance; for the others the keyword is enough, since
// they look further.
func (m *matcher) wakes(text string, core span) bool {
	woken := false
	m.words.each(text, core, func(keyword int, at span) {
		for _, i := range m.byWord[keyword] {
			if woken {
				return // one is enough, and a long run may be full of them
			}
			t, err := m.rules[i].traits()
			woken = true
			if err == nil && t.glances {
				_, woken = t.window(text, at, span{})
			}
		}
	})
	return woken
}

// cut divides long windows, so that the context is looked at in between and a
// text full of findings is left early. Two parts share as much as the longest
// match that a rule looks for.
func cut(windows []span) []span {
	const most = 3 * farReach
	var out []span
	for _, w := range windows {
		for ; w.size() > most; w.start += most - farReach {
			out = append(out, span{w.start, w.start + most})
		}
		out = append(out, w)
	}
	return out
}

func sortedKeys(m map[int][]span) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
