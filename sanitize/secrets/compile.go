package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"github.com/teammem/teammem/sanitize"
	"github.com/zricethezav/gitleaks/v8/config"
)

const (
	libraryVersion = "8.30.1"
	// revision goes up when something other than a rule changes what is found:
	// a judgement, a window, a disguise. Rules and placeholders are in the name
	// by their digest.
	revision = "tm7"
)

// definition is a rule in words, before anything of it is compiled.
type definition struct {
	id       string
	severity sanitize.Severity
	keywords []string // in lower case
	pattern  pattern
	entropy  float64
	group    int        // of the expression that holds the secret; 0 is the first that took part
	allowed  [][]string // expressions for what may pass, by list
}

// ruleSet is a set of rules, each of which compiles itself when it is needed.
type ruleSet struct {
	near, far []*rule // those that read at most nearReach around a keyword, and the others
	name      string
}

func compile() (ruleSet, error) {
	library, err := readRules(config.DefaultConfig)
	if err != nil {
		return ruleSet{}, fmt.Errorf("read library rules: %w", err)
	}
	hard, err := harden(library)
	if err != nil {
		return ruleSet{}, fmt.Errorf("harden library rules: %w", err)
	}
	slices.SortFunc(hard, func(a, b definition) int { return strings.Compare(a.id, b.id) })
	c := compiler{
		allow:  sync.OnceValues(func() (*config.Allowlist, error) { return allowlist(placeholders()) }),
		digest: sha256.New(),
	}
	for _, d := range hard {
		c.add(d, func(m measures) traits { return traitsOf(d.id, d.pattern, m) })
	}
	for _, own := range ownRules() {
		c.add(own.definition(), own.traits)
	}
	return c.finish(), nil
}

// compiler turns definitions into rules.
type compiler struct {
	allow  func() (*config.Allowlist, error)
	digest hash.Hash
	set    ruleSet
}

func (c *compiler) add(d definition, derive func(measures) traits) {
	fmt.Fprintln(c.digest, d.id, d.pattern, d.entropy, d.group, strings.Join(d.keywords, " "), d.severity, allowed(d.allowed))
	r := newRule(d, derive, c.allow)
	if r.far {
		c.set.far = append(c.set.far, r)
	} else {
		c.set.near = append(c.set.near, r)
	}
}

func (c *compiler) finish() ruleSet {
	fmt.Fprintln(c.digest, allowed([][]string{placeholders()}))
	sum := hex.EncodeToString(c.digest.Sum(nil))
	c.set.name = "gitleaks-" + libraryVersion + "+" + revision + "." + sum[:8]
	return c.set
}

// allowed spells out what the lists let pass.
func allowed(lists [][]string) string {
	var b strings.Builder
	for _, l := range lists {
		fmt.Fprintln(&b, "", l, "[]")
	}
	return b.String()
}
