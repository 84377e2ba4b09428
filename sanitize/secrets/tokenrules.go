package secrets

import (
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
	return traits{window: o.window(m), keep: o.keep, anchored: true, joinable: o.severity == sanitize.SeverityHard}
}

func ownRules() []ownRule { return append(tokenRules(), contextRules()...) }

// tokenRules are those with a fixed prefix. No prefix stands here whole, so that
// this file is no finding of its own.
func tokenRules() []ownRule {
	return []ownRule{
		// Our own; their last six characters are a checksum of the others.
		token("teammem-api-token", `[0-9A-Za-z]{36}`, "tm", "p_"),
		token("teammem-refresh-token", `[0-9A-Za-z]{36,64}`, "tm", "r_"),
		token("teammem-invitation", `[0-9A-Za-z]{20,64}`, "tm", "i_"),

		token("anthropic-oauth-token", `(?:oa|or)t01-[\w-]{80,120}`, "sk-", "ant-"),
		token("atlassian-account-token", `3[A-Za-z0-9_=-]{180,200}`, "ATA", "TT"),
		token("docker-hub-token", `(?:p|o)at_[\w-]{27,32}`, "dckr", "_"),
		token("figma-token", `[dour]_[\w-]{40}`, "fi", "g"),
		token("google-client-secret", `-[\w-]{28}`, "GOC", "SPX"),
		token("google-oauth-token", `\.[\w-]{60,400}`, "ya", "29"),
		token("groq-api-key", `_[0-9A-Za-z]{52}`, "gs", "k"),
		token("langsmith-api-key", `_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`, "lsv", "2"),
		token("new-relic-user-key", `-[A-Z0-9]{27}`, "NR", "AK"),
		token("nvidia-api-key", `-[\w-]{60,80}`, "nva", "pi"),
		token("openrouter-api-key", `v1-[0-9a-f]{64}`, "sk-", "or-"),
		token("replicate-api-token", `_[0-9A-Za-z]{37}`, "r", "8"),
		token("stripe-webhook-secret", `_[0-9A-Za-z+/]{32,64}`, "whs", "ec"),
		token("supabase-access-token", `_[0-9a-f]{40}`, "sb", "p"),
		token("supabase-secret-key", `secret_[\w-]{31}`, "sb", "_"),
		token("tailscale-key", `(?:auth|api|client|scim|webhook)-[0-9A-Za-z]{8,24}-?[0-9A-Za-z]{20,48}`, "tsk", "ey-"),
		token("xai-api-key", `-[0-9A-Za-z]{80}`, "xa", "i"),
		azureDevOpsToken(),
		discordWebhook(),
	}
}

// token makes the rule for a prefix, given in parts, and what follows it.
func token(id, body string, prefix ...string) ownRule {
	head := strings.Join(prefix, "")
	return ownRule{
		id: id, severity: sanitize.SeverityHard, keywords: []string{strings.ToLower(head)},
		pattern: pattern{left: `(?:^|[^0-9A-Za-z])`, core: "(" + head + body + ")", right: tokenEnd},
		entropy: 3, group: 1, window: word, keep: keepToken,
	}
}

// azureDevOpsToken has its mark inside.
func azureDevOpsToken() ownRule {
	mark := strings.Join([]string{"AZ", "DO"}, "")
	r := token("azure-devops-token", `[0-9A-Za-z]{76}`+mark+`[0-9A-Za-z]{4}`)
	r.keywords = []string{strings.ToLower(mark)}
	return r
}

func discordWebhook() ownRule {
	r := token("discord-webhook", `[\w-]{60,80}`)
	r.keywords = []string{"/webhooks/"}
	r.pattern.left = `discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{16,20}/`
	r.window = within(160)
	return r
}
