package secrets

import (
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// ownRule is a rule that the library lacks.
type ownRule struct {
	id       string
	severity sanitize.Severity
	keywords []string
	pattern  pattern
	entropy  float64
	group    int
	window   func(measures) windowFunc
	keep     func(candidate) bool
}

// ownRules lists the rules that gitleaks lacks: tokens of newer services, and
// passwords the way people write them down.
func ownRules() []ownRule { return append(tokenRules(), contextRules()...) }

// tokenRules are those with a fixed prefix. No prefix stands here whole, so that
// this file is no finding of its own.
func tokenRules() []ownRule {
	token := func(id, core string, prefix ...string) ownRule {
		head := strings.Join(prefix, "")
		return ownRule{
			id: id, severity: sanitize.SeverityHard, keywords: []string{strings.ToLower(head)},
			pattern: pattern{left: `(?:^|[^0-9A-Za-z])`, core: "(" + head + core + ")", right: tokenEnd},
			entropy: 3, group: 1, window: word, keep: keepToken,
		}
	}
	return []ownRule{
		// Our own; the last six characters are a checksum of the others.
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
		discordWebhook(),
		azureDevOpsToken(),
	}
}

func discordWebhook() ownRule {
	return ownRule{
		id: "discord-webhook", severity: sanitize.SeverityHard, keywords: []string{"/webhooks/"},
		pattern: pattern{left: `discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{16,20}/`, core: `([\w-]{60,80})`, right: tokenEnd},
		entropy: 3, group: 1, keep: keepToken,
		window: within(160),
	}
}

// azureDevOpsToken is the newer form, with a signature inside.
func azureDevOpsToken() ownRule {
	signature := strings.Join([]string{"AZ", "DO"}, "")
	return ownRule{
		id: "azure-devops-token", severity: sanitize.SeverityHard, keywords: []string{strings.ToLower(signature)},
		pattern: pattern{left: `(?:^|[^0-9A-Za-z])`, core: `([0-9A-Za-z]{76}` + signature + `[0-9A-Za-z]{4})`, right: tokenEnd},
		entropy: 3, group: 1, window: word, keep: keepToken,
	}
}

const (
	// spelled is a password as people quote it: eight characters or more.
	spelled = "([^\\s\"'\\x60|<>]{8,96})"
	// mixed is the same in running text, where it has to differ from a word.
	mixed = "([^\\s\"'\\x60|<>()]*(?:[0-9]|[a-z][A-Z]|[!@#$%^&*+=~])[^\\s\"'\\x60|<>()]*)"
	// passwordLabel names what a password is called.
	passwordLabel = `(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|pwd)`
	// secretLabel names what other secrets are called.
	secretLabel = `(?:(?:api|access|secret|private|signing|encryption)[ _-]?key|secret|token|credential|auth[ _-]?key)`
	opening     = "[ \\t]*[\"'\\x60*_]{0,4}"
)

// contextRules are those that need a word beside the value.
func contextRules() []ownRule {
	passwords := []string{"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd"}
	labels := append([]string{"key", "secret", "token", "credential"}, passwords...)
	return []ownRule{
		soft("password-assignment", passwords, `(?i)`+passwordLabel+`[\w.-]{0,16}["'\x60*\])]{0,4}[ \t]{0,8}(?::=|=>|=|:)[ \t=*]{0,4}["'\x60]{0,3}`+spelled,
			1, password, keepPassword),
		soft("password-prose", append([]string{"pw"}, passwords...), `(?i)\b(?:`+passwordLabel+`|pw)s?\b[^\n]{0,60}?(?:\b(?:is|was|are|ist)\b|[:=→]|->|[–—-][ \t])`+opening+`(?-i:`+mixed+`)`,
			1, within(220), keepProse),
		soft("password-table", labels, `(?i)\|[^|\n]{0,80}(?:`+passwordLabel+`|`+secretLabel+`)[^|\n]{0,40}\|`+opening+`([^\s|"'\x60*]{8,128})`,
			1, tableRow, keepProse),
		soft("secret-prose", labels, `(?i)\b`+secretLabel+`s?\b[^\n:=|]{0,48}?[ \t](?:is|was|are|ist)[ \t:]+["'\x60*_]{0,4}([\w+/=.~-]{16,200})`,
			1, within(300), keepProse),
		soft("url-password", []string{"://"}, `(?i)\b[a-z][a-z0-9+.-]{1,24}://([^\s:@/'"\x60<>|]{0,80}):([^\s@/"\x60<>|]{3,128})@[\w.\[-]`,
			2, authority, keepURL),
		soft("aws-secret-key", []string{"aws", "secret"}, `(?i:\b|_)(?i:aws|secret)[^\n]{0,160}?[^0-9A-Za-z/+_-]([0-9A-Za-z/+]{40})(?:[^0-9A-Za-z/+=_-]|$)`,
			1, besideRun(40), keepAWSSecret),
		soft("aws-secret-key-before", []string{"aws", "secret"}, `(?:^|[^0-9A-Za-z/+_-])([0-9A-Za-z/+]{40})[^0-9A-Za-z/+=_-][^\n]{0,160}?(?i:\baws|secret)`,
			1, besideRun(40), keepAWSSecret),
		soft("azure-sas-signature", []string{"sig="}, `\bsig=([0-9A-Za-z%+/]{40,128}(?:%3[dD]|=))`, 1, within(200), nil),
		soft("azure-storage-key", []string{"accountkey="}, `(?i:AccountKey=)([0-9A-Za-z+/]{86}==)`, 1, within(200), nil),
		soft("npmrc-auth", []string{":_auth", ":_password"}, `:_(?:authToken|auth|password)[ \t]*=[ \t]*["']?([\w+/=.-]{16,400})`, 1, within(440), keepCredential),
		soft("azure-devops-pat", []string{"pat"}, `(?i)(?:\b|_)pat["'\x60*]{0,3}[ \t]{0,4}[:=][ \t*]{0,4}["'\x60]?([a-z0-9]{52})\b`, 1, within(200), keepGeneric),
		soft("vault-legacy-token", []string{"s."}, `\b(s\.[0-9A-Za-z]{24})\b`, 1, word, keepGeneric),
	}
}

func soft(id string, keywords []string, expr string, group int, window func(measures) windowFunc, keep func(candidate) bool) ownRule {
	return ownRule{id, sanitize.SeveritySoft, keywords, pattern{core: expr}, 0, group, window, keep}
}
