package secrets

import (
	"regexp"
	"slices"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// ownRule is a rule that the library lacks.
type ownRule struct {
	id       string
	severity sanitize.Severity
	keywords []string // in lower case; each stands within the match
	pattern  pattern
	entropy  float64
	group    int // of the expression that holds the secret; 0 is the first that took part
	window   func(measures) windowFunc
	keep     func(candidate) bool
}

func (o ownRule) definition() definition {
	return definition{
		id: o.id, severity: o.severity, keywords: o.keywords, pattern: o.pattern, entropy: o.entropy, group: o.group,
	}
}

func (o ownRule) traits(m measures) traits {
	return traits{
		window: o.window(m), far: slices.Contains(farRules(), o.id), keep: o.keep, anchored: true,
		joinable: o.severity == sanitize.SeverityHard,
	}
}

func ownRules() []ownRule {
	return slices.Concat(tokenRules(), keyRules(), contextRules())
}

// tokenRules are those with a fixed prefix. No prefix stands here together with
// the characters of a token, so that this package is no finding of its own.
func tokenRules() []ownRule {
	return slices.Concat(teammemTokens(), hostTokenRules(), cloudTokenRules(), modelTokenRules(), serviceTokenRules())
}

// teammemTokens are our own; their last six characters are a checksum of the
// others.
func teammemTokens() []ownRule {
	return []ownRule{
		token("teammem-api-token", `[0-9A-Za-z]{36}`, "tm", "p_"),
		token("teammem-refresh-token", `[0-9A-Za-z]{36,64}`, "tm", "r_"),
		token("teammem-invitation", `[0-9A-Za-z]{20,64}`, "tm", "i_"),
	}
}

// token makes the rule for a prefix, given in parts, and what follows it.
func token(id, body string, prefix ...string) ownRule {
	head := strings.Join(prefix, "")
	return form(id, regexp.QuoteMeta(head)+body, strings.ToLower(head))
}

// form makes the rule for a token of which the keywords are a part.
func form(id, core string, keywords ...string) ownRule {
	return ownRule{
		id: id, severity: sanitize.SeverityHard, keywords: keywords,
		pattern: pattern{left: `(?:^|[^0-9A-Za-z]|` + escaped + `)`, core: "(" + core + ")", right: endOf(keywords)},
		entropy: 3, group: 1, window: word, keep: keepToken,
	}
}

// random is form for a prefix that words have as well.
func random(id, core string, keywords ...string) ownRule {
	r := form(id, core, keywords...)
	r.keep = keepRandom
	return r
}

// weak is random for a form that something harmless may have as well, so that a
// maintainer may allow it.
func weak(id, core string, keywords ...string) ownRule {
	r := random(id, core, keywords...)
	r.severity = sanitize.SeveritySoft
	return r
}

// short is weak for a form with so few characters that they have to be of both cases.
func short(id, core string, keywords ...string) ownRule {
	r := weak(id, core, keywords...)
	r.keep = keepCased
	return r
}
