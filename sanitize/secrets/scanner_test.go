package secrets

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

func TestNew(t *testing.T) {
	t.Parallel()
	first, err := New()
	if err != nil {
		t.Fatal(err)
	}
	second, err := New() // the library loses its rules when it loads them a third time its own way
	if err != nil {
		t.Fatal(err)
	}
	third, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if first.RuleSet() != third.RuleSet() || second.RuleSet() != third.RuleSet() {
		t.Errorf("rule sets %q, %q, %q differ", first.RuleSet(), second.RuleSet(), third.RuleSet())
	}
	if !regexp.MustCompile(`^gitleaks-8\.30\.1\+tm\d+\.[0-9a-f]{8}$`).MatchString(first.RuleSet()) {
		t.Errorf("rule set %q", first.RuleSet())
	}
}

// TestHarden holds that none of the library's switches is left: lists that match
// anywhere in a value, stop words, paths.
func TestHarden(t *testing.T) {
	t.Parallel()
	library, err := readRules(config.DefaultConfig)
	if err != nil {
		t.Fatal(err)
	}
	hard, err := harden(library)
	if err != nil {
		t.Fatal(err)
	}
	if len(hard) < 200 {
		t.Errorf("only %d rules are left", len(hard))
	}
	for _, d := range hard {
		if len(d.allowed) > 0 && slices.Contains(unlisted(), d.id) {
			t.Errorf("rule %s has its allowlist still", d.id)
		}
	}
	for more, want := range map[bool]bool{false: true, true: false} {
		_, err := harden([]libraryRule{{id: "a", regex: "a", lists: []libraryList{{regexes: []string{"b"}, more: more}}}})
		if got := err == nil; got != want {
			t.Errorf("an allowlist for more than the secret (%t): error %v", more, err)
		}
	}
}

// TestRules_Compile compiles what a scan compiles only when it needs it.
func TestRules_Compile(t *testing.T) {
	t.Parallel()
	rules, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	if len(rules.far) != len(farRules()) {
		t.Errorf("%d far rules, want %d", len(rules.far), len(farRules()))
	}
	for _, r := range slices.Concat(rules.near, rules.far) {
		if _, err := r.traits(); err != nil {
			t.Errorf("traits: %v", err)
		}
		if _, err := r.detector(); err != nil {
			t.Errorf("detector: %v", err)
		}
	}
}

// TestScan_BrokenRule holds that a rule which does not compile ends the scan of
// a text that wakes it: nothing of that text was found, but nothing was looked
// for either.
func TestScan_BrokenRule(t *testing.T) {
	t.Parallel()
	word := func(m measures) traits { return traits{window: word(m)} }
	no := func() (*config.Allowlist, error) { return nil, errBlind }
	for name, r := range map[string]*rule{
		"core":      newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{core: "wake("}}, word, no),
		"left":      newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{left: "(", core: "wake"}}, word, no),
		"group":     newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{core: "wake"}, group: 1}, word, no),
		"list":      newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{core: "wake"}, allowed: [][]string{{"("}}}, word, no),
		"allowlist": newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{core: "wake"}}, word, no),
		"reach":     newRule(definition{id: "a", keywords: []string{"wake"}, pattern: pattern{core: "wake"}}, func(measures) traits { return traits{far: true} }, no),
	} {
		s := *scanner(t)
		s.near, s.known = newMatcher([]*rule{r}), newVerdicts()
		if _, err := s.Scan(t.Context(), "asleep"); err != nil {
			t.Errorf("%s: a text that wakes no rule: %v", name, err)
		}
		for range 2 {
			if found, err := s.Scan(t.Context(), "a wake\n"); err == nil || found != nil {
				t.Errorf("%s: Scan = %v, %v; want an error", name, found, err)
			}
		}
	}
}

// TestCaptures compares with the parser of the standard library.
func TestCaptures(t *testing.T) {
	t.Parallel()
	exprs := []string{`a`, `(a)`, `(?:a)`, `(?i:a)`, `(?P<n>a)`, `(?<n>a)`, `\(a\)`, `[(]`, `[](]`, `[^](]`, `[^a](b)`, `[\]](b)`, `\[(b)`, `(?i)[a-z]\((?:b)`}
	for _, r := range viperRules(t).Rules {
		exprs = append(exprs, r.Regex)
	}
	for _, expr := range exprs {
		if got, want := captures(expr), parse(t, expr).MaxCap() > 0; got != want {
			t.Errorf("captures(%s) = %t, want %t", expr, got, want)
		}
	}
}

// TestSelfTest_Blind holds that a scanner without its rules is no scanner.
func TestSelfTest_Blind(t *testing.T) {
	t.Parallel()
	for name, drop := range map[string]string{"library": "github-pat", "own": "teammem-api-token"} {
		s := *scanner(t)
		s.known = newVerdicts()
		var rules []*rule
		for _, r := range s.near.rules {
			if r.id != drop {
				rules = append(rules, r)
			}
		}
		s.near = newMatcher(rules)
		if err := s.selfTest(); !errors.Is(err, errBlind) {
			t.Errorf("self-test without %s rules = %v, want %v", name, err, errBlind)
		}
	}
}

// TestRules_OwnFindTheirShape makes values from the expressions of our own
// rules with a prefix.
func TestRules_OwnFindTheirShape(t *testing.T) {
	t.Parallel()
	for _, own := range tokenRules() {
		for seed := range uint64(5) {
			g := newGenerator(seed)
			text := intro + "the token " + newGenerator(seed+50).sample(parse(t, own.pattern.left)) + g.sample(parse(t, own.pattern.core)) + outro
			if got := scan(t, text); len(got) != 1 || got[0].Rule != own.id || got[0].Severity != own.severity {
				t.Errorf("%s, seed %d: found %v", own.id, seed, got)
			}
		}
	}
}

// TestRules_Keywords holds what the automaton and the windows rely on: every
// rule has keywords, in lower-case ASCII, and an identifier of its own.
func TestRules_Keywords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range []*matcher{scanner(t).near, scanner(t).far} {
		for _, r := range m.rules {
			if seen[r.id] {
				t.Errorf("rule %s stands twice", r.id)
			}
			seen[r.id] = true
			if len(r.keywords) == 0 {
				t.Errorf("rule %s has no keywords", r.id)
			}
			for _, k := range r.keywords {
				if len(k) < 1 || len(k) > 64 || !all(k, func(b byte) bool { return b < 0x80 && !isUpper(b) }) {
					t.Errorf("rule %s has the keyword %q", r.id, k)
				}
			}
		}
	}
}
