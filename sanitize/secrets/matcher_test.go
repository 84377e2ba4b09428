package secrets

import (
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

// TestMatcher_Work holds that a text pays once for what many of its keywords ask
// for: a rule that reads everything reads it for all chunks together, and one
// keyword is enough to wake a matcher.
func TestMatcher_Work(t *testing.T) {
	t.Parallel()
	asked := 0
	word := func(measures) traits {
		return traits{glances: true, window: func(text string, _, _ span) (span, bool) {
			asked++
			return span{0, len(text)}, true
		}}
	}
	m := newMatcher([]*rule{newRule(definition{id: "a", keywords: []string{"ey"}, pattern: pattern{core: "ey"}}, word,
		func() (*config.Allowlist, error) { return &config.Allowlist{}, nil })})
	text := strings.Repeat("ey", 50_000)
	if !m.wakes(text, span{0, len(text)}) || asked != 1 {
		t.Errorf("the rule was asked about %d keywords, want 1", asked)
	}
	windows, err := m.windows(view{text: text}, chunks(text))
	if err != nil || len(windows[0]) != 1 {
		t.Errorf("%d windows for all of the text, error %v, want 1", len(windows[0]), err)
	}
}
