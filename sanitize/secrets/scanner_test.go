package secrets

import (
	"errors"
	"regexp"
	"testing"

	"github.com/teammem/teammem/sanitize"
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
	vc, err := libraryConfig()
	if err != nil {
		t.Fatal(err)
	}
	harden(&vc)
	cfg, err := vc.Translate()
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Allowlists) > 0 {
		t.Error("the library's global allowlist is in force")
	}
	if len(cfg.Rules) < 200 {
		t.Errorf("only %d rules are left", len(cfg.Rules))
	}
	for id, r := range cfg.Rules {
		if r.Path != nil {
			t.Errorf("rule %s looks for a path", id)
		}
		for _, list := range r.Allowlists {
			if len(list.StopWords) > 0 || len(list.Paths) > 0 || len(list.Commits) > 0 || list.RegexTarget != "" {
				t.Errorf("rule %s has an allowlist for more than the secret", id)
			}
		}
	}
}

// TestSelfTest_Blind holds that a scanner without its rules is no scanner.
func TestSelfTest_Blind(t *testing.T) {
	t.Parallel()
	for name, drop := range map[string]string{"library": "github-pat", "own": "teammem-api-token"} {
		s := *scanner(t)
		s.clean = newVerdicts()
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
			text := intro + "the token " + g.sample(parse(t, own.pattern.left+own.pattern.core)) + outro
			if got := scan(t, text); len(got) != 1 || got[0].Rule != own.id || got[0].Severity != sanitize.SeverityHard {
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
				if len(k) < 2 || len(k) > 64 || !all(k, func(b byte) bool { return b < 0x80 && !isUpper(b) }) {
					t.Errorf("rule %s has the keyword %q", r.id, k)
				}
			}
		}
	}
}
