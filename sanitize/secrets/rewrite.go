package secrets

import (
	"fmt"
	"slices"
	"strings"
)

// pattern is an expression without and with its surroundings. Only the core
// takes part when the length and the bytes of a match are measured.
type pattern struct{ flags, left, core, right string }

func (p pattern) String() string { return p.flags + p.left + p.core + p.right }

// These are the library's building blocks, and what we put in their place.
const (
	libraryEnd   = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	libraryLead  = `[\w.-]{0,50}?`
	libraryOp    = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	libraryOpen  = `[\s'"]{0,3}`
	libraryQuote = `[\x60'"\s=]{0,5}`

	// tokenEnd ends a token of a fixed length or prefix at anything that cannot
	// go on a token: prose puts a full stop or a bracket there.
	tokenEnd = `(?:[^0-9A-Za-z_+/=-]|\\[nr]|$)`
	// pathEnd also ends one in a path, an address or a command of sed. It is for
	// prefixes that do not occur in base64.
	pathEnd = `(?:[^0-9A-Za-z_-]|\\[nr]|$)`
	// escaped is what may stand right before a token although it ends in a letter:
	// an escape of JSON, or a colour of a terminal without its first character.
	escaped = `\\[nrtbf]|\[[\d;]{0,8}m`
	// valueEnd ends an assigned value in Markdown, JSON and shells too.
	valueEnd  = "(?:[\\x60'\"\\s;,|*)<\\]}]|\\\\[nr]|$)"
	valueOpen = "[\\s'\"\\x60*]{0,4}"
	quote     = "[\\x60'\"\\s=*]{0,6}"
)

// harden makes the library's rules ours: stricter about what may pass, and at
// home in prose.
func harden(library []libraryRule) ([]definition, error) {
	var hard []definition
	rekeyed, rewritten, unlisted := rekeyed(), rewritten(), unlisted()
	for _, r := range library {
		if r.regex == "" { // rules for file names
			continue
		}
		d := definition{id: r.id, entropy: r.entropy, group: r.group}
		for _, k := range r.keywords {
			d.keywords = append(d.keywords, strings.ToLower(k))
		}
		if keywords, ok := rekeyed[r.id]; ok {
			d.keywords = keywords
		}
		if regex, ok := rewritten[r.id]; ok {
			r.regex = regex
		}
		for _, list := range r.lists {
			if len(list.regexes) == 0 || slices.Contains(unlisted, r.id) {
				continue
			}
			if list.more {
				return nil, fmt.Errorf("rule %s: its allowlist looks at more than the secret", r.id)
			}
			d.allowed = append(d.allowed, list.regexes)
		}
		if r.id == genericRule {
			d.entropy = 3
		}
		d.pattern = loosen(r.id, r.regex, endOf(d.keywords))
		d.severity = severityOf(r.id, d.pattern)
		hard = append(hard, d)
	}
	return hard, nil
}

// loosen lets an expression match in prose and Markdown. What it drops from the
// left takes no part in the decision: an optional run that may be empty.
func loosen(id, regex, end string) pattern {
	var p pattern
	if core, ok := strings.CutSuffix(regex, libraryEnd); ok {
		regex, p.right = core, end
	}
	if assigned(regex) {
		regex = strings.ReplaceAll(regex, libraryLead, "")
		regex = strings.Replace(regex, libraryOpen, valueOpen, 1)
		regex = strings.Replace(regex, libraryQuote, quote, 1)
		p.core, p.right = regex, valueEnd
		return p
	}
	if rest, ok := strings.CutPrefix(regex, "(?i)"); ok {
		p.flags, regex = "(?i)", rest
	}
	if rest, ok := strings.CutPrefix(regex, `\b`); ok {
		regex, p.left = rest, `(?:\b|_|`+escaped+`)`
	}
	if rest, ok := strings.CutSuffix(regex, `\b`); ok && p.right == "" {
		regex, p.right = rest, `(?:[^0-9A-Za-z]|$)`
	}
	if !captures(regex) {
		regex = "(" + regex + ")" // the secret is what stands between the boundaries
	}
	if id == "square-access-token" { // its prefix is common in the base64 of certificates
		p.left = `(?:^|[^\w/+-])`
	}
	p.core = regex
	return p
}

// endOf returns what ends a token that begins with one of the keywords.
func endOf(keywords []string) string {
	for _, k := range keywords {
		if !strings.ContainsAny(k, "_-.:$") {
			return tokenEnd
		}
	}
	return pathEnd
}

// captures tells whether an expression has a group with a number. Parsing it
// would say so too, but for all rules that takes longer than a scan.
func captures(regex string) bool {
	class := false
	for i := 0; i < len(regex); i++ {
		switch {
		case regex[i] == '\\':
			i++
		case class:
			class = regex[i] != ']'
		case regex[i] == '[':
			class = true
			if i+1 < len(regex) && regex[i+1] == '^' {
				i++
			}
			i++ // the first member may be a bracket
		case regex[i] == '(' && !strings.HasPrefix(regex[i:], "(?"), strings.HasPrefix(regex[i:], "(?P<"), strings.HasPrefix(regex[i:], "(?<"):
			return true
		}
	}
	return false
}

// assigned tells whether an expression looks for a label, an operator and a
// value.
func assigned(regex string) bool { return strings.Contains(regex, libraryOp) }

const genericRule = "generic-api-key"

// rekeyed gives rules keywords that stand where our windows expect them: in the
// label, if the rule has one, and always within the match.
func rekeyed() map[string][]string {
	newRelic := []string{"new-relic", "newrelic", "new_relic"}
	return map[string][]string{
		"atlassian-api-token":         {"atlassian", "confluence", "jira"},
		"cloudflare-origin-ca-key":    {"v1.0-"},
		"gocardless-api-token":        {"gocardless"},
		"intra42-client-secret":       {"s-s4t2ud-", "s-s4t2af-"},
		"lob-api-key":                 {"lob"},
		"lob-pub-api-key":             {"lob"},
		"new-relic-browser-api-token": newRelic,
		"new-relic-insert-key":        newRelic,
		"new-relic-user-api-key":      newRelic,
		"sourcegraph-access-token":    {"sgp_"},
		"typeform-api-token":          {"typeform"},
		"vault-service-token":         {"hvs."},
	}
}

// rewritten replaces expressions that join two shapes (our own rules have the
// other one), or that match what is no secret.
func rewritten() map[string]string {
	return map[string]string{
		"atlassian-api-token": `(?i)(?:(?-i:ATLASSIAN|[Aa]tlassian)|(?-i:CONFLUENCE|[Cc]onfluence)|(?-i:JIRA|[Jj]ira))` +
			`(?:[ \t\w.-]{0,20})` + libraryOpen + libraryOp + libraryQuote + `([a-z0-9]{20}[a-f0-9]{4})` + libraryEnd,
		// The original takes any 40 hexadecimal digits in a text that names the product.
		"sourcegraph-access-token": `(?i)\b(sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40})` + libraryEnd,
		"vault-service-token":      `\b(hvs\.[\w-]{90,120})` + libraryEnd,
	}
}

// unlisted names the rules whose allowlists match anywhere in a value. Our own
// judgements take their place.
func unlisted() []string {
	return []string{genericRule, "curl-auth-user", "vault-service-token", "kubernetes-secret-yaml"}
}
