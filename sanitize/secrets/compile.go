package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/teammem/teammem/sanitize"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/logging"
)

const (
	libraryVersion = "8.30.1"
	// revision goes up when something other than a rule changes what is found:
	// a judgement, a window, a disguise. Rules and placeholders are in the name
	// by their digest.
	revision = "tm1"
)

// mute keeps the library from writing to stderr; its trace messages hold the
// secrets themselves. The logger is a global of the library, so it is set once.
var mute sync.Once //nolint:gochecknoglobals // guards a global of the library

// ruleSet is a compiled set of rules.
type ruleSet struct {
	near, far []*rule // those that read at most nearReach around a keyword, and the others
	name      string
}

func compile() (ruleSet, error) {
	mute.Do(func() { logging.Logger = zerolog.Nop() })
	vc, err := libraryConfig()
	if err != nil {
		return ruleSet{}, fmt.Errorf("read library rules: %w", err)
	}
	patterns := harden(&vc)
	cfg, err := vc.Translate()
	if err != nil {
		return ruleSet{}, fmt.Errorf("compile library rules: %w", err)
	}
	allow, err := placeholders()
	if err != nil {
		return ruleSet{}, err
	}
	c := compiler{allow: allow, digest: sha256.New()}
	slices.Sort(cfg.OrderedRules)
	for _, id := range cfg.OrderedRules {
		if err := c.addLibrary(cfg.Rules[id], patterns[id]); err != nil {
			return ruleSet{}, fmt.Errorf("rule %s: %w", id, err)
		}
	}
	for _, own := range ownRules() {
		if err := c.addOwn(own); err != nil {
			return ruleSet{}, fmt.Errorf("rule %s: %w", own.id, err)
		}
	}
	return c.finish(), nil
}

// compiler turns gitleaks rules into ours.
type compiler struct {
	allow  *config.Allowlist
	digest hash.Hash
	set    ruleSet
}

func (c *compiler) addLibrary(r config.Rule, p pattern) error {
	m, err := measure(p.flags + p.core)
	if err != nil {
		return err
	}
	traits := traitsOf(r.RuleID, p, m)
	return c.add(r, traits)
}

func (c *compiler) addOwn(o ownRule) error {
	m, err := measure(o.pattern.flags + o.pattern.core)
	if err != nil {
		return err
	}
	expr, err := compileExpr(o.pattern.String())
	if err != nil {
		return err
	}
	r := config.Rule{
		RuleID: o.id, Description: o.id, Regex: expr, SecretGroup: o.group, Entropy: o.entropy, Keywords: o.keywords,
	}
	return c.add(r, traits{
		severity: o.severity, window: o.window(m), keep: o.keep,
		anchored: true, joinable: o.severity == sanitize.SeverityHard,
	})
}

// add gives r a detector of its own.
func (c *compiler) add(r config.Rule, t traits) error {
	out, err := newRule(r, c.allow, t)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.digest, r.RuleID, r.Regex, r.Entropy, r.SecretGroup, strings.Join(r.Keywords, " "), t.severity, allowed(r.Allowlists))
	if t.far {
		c.set.far = append(c.set.far, out)
	} else {
		c.set.near = append(c.set.near, out)
	}
	return nil
}

func (c *compiler) finish() ruleSet {
	fmt.Fprintln(c.digest, allowed([]*config.Allowlist{c.allow}))
	sum := hex.EncodeToString(c.digest.Sum(nil))
	c.set.name = "gitleaks-" + libraryVersion + "+" + revision + "." + sum[:8]
	return c.set
}

// allowed spells out what the lists let pass.
func allowed(lists []*config.Allowlist) string {
	var b strings.Builder
	for _, l := range lists {
		fmt.Fprintln(&b, l.RegexTarget, l.Regexes, l.StopWords)
	}
	return b.String()
}
