package secrets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// The parts of which expressions for secrets in context are made.
const (
	// spelled is a password as people quote it: eight characters or more.
	spelled = `([^\s"'\x60|<>]{8,96})`
	// mixed is one in running text, where it has to differ from a word.
	mixed = `(?-i:([^\s"'\x60|<>()]*(?:[0-9]|[a-z][A-Z]|[!@#$%^&*+=~])[^\s"'\x60|<>()]*))`
	// opening is what may stand between an operator and a value in Markdown.
	opening = `[ \t]*["'\x60*_]{0,4}`

	passwordLabel = `(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|pwd)`
	secretLabel   = `(?:(?:api|access|secret|private|signing|encryption)[ _-]?key|secret|token|credential|auth[ _-]?key)`

	// base64Edge is next to a run of base64 that has exactly the length asked for.
	base64Edge = `[^0-9A-Za-z/+_-]`
	base64End  = `(?:[^0-9A-Za-z/+=_-]|$)`
)

// contextRules are those that need a word beside the value: passwords and keys
// the way people write them down. All are soft.
func contextRules() []ownRule {
	passwords := []string{"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd"}
	labels := append([]string{"key", "secret", "token", "credential"}, passwords...)
	rules := []ownRule{
		{
			id: "password-assignment", keywords: append([]string{"pass", "secret"}, passwords...), group: 1,
			pattern: pattern{core: `(?i)(?:` + passwordLabel + `|(?:\b|_)pass(?:\b|[_.\d-])|secret(?:[ _-]?key(?:[ _-]?base)?)?)` +
				`[\w.-]{0,16}["'\x60*\])]{0,4}[ \t]{0,8}(?::=|=>|=|:)[ \t=*]{0,4}["'\x60]{0,3}` + spelled},
			window: password, keep: keepPassword,
		},
		{
			id: "password-prose", keywords: append([]string{"pw"}, passwords...), group: 1,
			pattern: pattern{core: `(?i)\b(?:` + passwordLabel + `|pw)s?\b` +
				`(?:[^\n]{0,60}?(?:\b(?:is|was|are|ist)\b|[:=→]|->|[–—-][ \t])|[ \t])` + opening + mixed},
			window: within(220), keep: keepProse,
		},
		{
			id: "password-table", keywords: labels, group: 1,
			pattern: pattern{core: `(?i)\|[^|\n]{0,80}(?:` + passwordLabel + `|` + secretLabel + `)[^|\n]{0,40}\|` +
				opening + `([^\s|"'\x60]{8,128})`},
			window: tableRow, keep: keepProse,
		},
		{
			id: "credential-pair", keywords: []string{"credential", "creds", "login"}, group: 1,
			pattern: pattern{core: `(?i)\b(?:credentials?|creds|logins?)["'\x60*]{0,3}[ \t]*[:=][ \t*]*["'\x60]?` +
				`([\w.@+-]{1,64}[ \t]?[:/][ \t]?[^\s"'\x60|<>]{8,64})`},
			window: within(180), keep: keepPair,
		},
		{
			id: "secret-prose", keywords: labels, group: 1,
			pattern: pattern{core: `(?i)\b` + secretLabel + `s?\b[^\n:=|]{0,48}?[ \t](?:is|was|are|ist|[–—→-])[ \t:]+` +
				`["'\x60*_]{0,4}([\w+/=.~-]{16,200})`},
			window: within(300), keep: keepProse,
		},
		{
			id: "key-assignment", keywords: []string{"key", "secret", "token", "salt"}, group: 1,
			pattern: pattern{core: `(?i)(?:` + secretLabel + `|(?:app|auth|master|access|logged_in|nonce)[ _-]?(?:key|salt))` +
				`["'\x60*\])]{0,4}[ \t]{0,8}(?::=|=>|=|:|,)[ \t=*]{0,4}["'\x60]{0,3}([^\s"'\x60|<>]{20,128})`},
			window: password, keep: keepDense,
		},
		{
			id: "named-token", keywords: namedMarks(), group: 1,
			pattern: pattern{left: `(?:^|[^\w-])`, core: `([a-z][a-z0-9]{1,15}[_-](?:` + strings.Join(namedWords(), "|") +
				`)[_-](?:[a-z0-9]{1,8}[_-])?[0-9A-Za-z]{24,200})`, right: tokenEnd},
			entropy: 3, window: word, keep: keepRandom,
		},
		{
			id: "prefixed-token", keywords: []string{"_", "-", "."}, group: 1,
			pattern: pattern{
				left:  `(?:^|[^\w./#\\-]|` + escaped + `)`,
				core:  `(` + oneCase(2, 15) + `[_.-](?:` + oneCase(1, 10) + `[_.-]){0,2}[0-9A-Za-z][\w-]{31,300})`,
				right: tokenEnd,
			},
			entropy: 3, window: word, keep: keepMixed,
		},
	}
	rules = slices.Concat(rules, serviceRules(), toolRules())
	for i := range rules {
		rules[i].severity = sanitize.SeveritySoft
	}
	return rules
}

// oneCase is a word of a prefix: the parts of a random text are rarely of one case.
func oneCase(least, most int) string {
	return fmt.Sprintf(`(?:[a-z][0-9a-z]{%d,%d}|[A-Z][0-9A-Z]{%[1]d,%[2]d})`, least-1, most-1)
}

// namedWords stand in the middle of tokens whose maker we do not know.
func namedWords() []string {
	return []string{
		"access", "admin", "api", "auth", "bot", "dev", "key", "live", "oauth", "oauth2", "pat", "prod", "refresh", "sandbox", "sat", "secret",
		"service", "sk", "test", "tok", "token", "v1", "v2", "webhook",
	}
}

func namedMarks() []string {
	var marks []string
	for _, w := range namedWords() {
		marks = append(marks, "_"+w+"_", "-"+w+"-", "_"+w+"-", "-"+w+"_")
	}
	return marks
}

const urlRule = "url-password"

// serviceRules are for services whose secrets have a form, but no prefix.
func serviceRules() []ownRule {
	return []ownRule{
		{
			id: urlRule, keywords: []string{"://"}, group: 2,
			pattern: pattern{core: `(?i)\b[a-z][a-z0-9+.-]{1,24}://([^\s:@/'"\x60<>|]{0,80}):([^\s@/"\x60<>|]{3,128})@[\w.\[-]`},
			window:  authority, keep: keepURL,
		},
		{
			id: "aws-secret-key", keywords: []string{"aws", "secret"},
			pattern: pattern{core: `(?i:aws|secret)[^\n]{0,160}?` + base64Edge + `([0-9A-Za-z/+]{40})` + base64End +
				`|(?:^|` + base64Edge + `)([0-9A-Za-z/+]{40})` + base64Edge + `[^\n]{0,160}?(?i:aws|secret)`},
			window: besideRun(40), keep: keepAWSSecret,
		},
		{
			id: "azure-sas-signature", keywords: []string{"sig="}, group: 1,
			pattern: pattern{core: `\bsig=([0-9A-Za-z%+/]{40,128}(?:%3[dD]|=))`},
			window:  within(200),
		},
		{
			id: "azure-function-key", keywords: []string{"code="}, group: 1,
			pattern: pattern{core: `[?&]code=([\w/+-]{40,60}(?:==|%3[dD]%3[dD]))`},
			window:  within(120),
		},
		{
			id: "azure-storage-key", keywords: []string{"accountkey="}, group: 1,
			pattern: pattern{core: `(?i:AccountKey=)([0-9A-Za-z+/]{86}==)`},
			window:  within(200),
		},
		{
			id: "azure-devops-pat", keywords: []string{"pat"}, group: 1,
			pattern: pattern{core: `(?i)(?:\b|_)pat["'\x60*]{0,3}[ \t]{0,4}[:=][ \t*]{0,4}["'\x60]?([a-z0-9]{52})\b`},
			window:  whole(200), keep: keepGeneric,
		},
		{
			id: "npmrc-auth", keywords: []string{":_auth", ":_password"}, group: 1,
			pattern: pattern{core: `:_(?:authToken|auth|password)[ \t]*=[ \t]*["']?([\w+/=.-]{16,400})`},
			window:  within(440), keep: keepCredential,
		},
		{
			id: "vault-legacy-token", keywords: []string{"s."}, group: 1,
			pattern: pattern{left: `\b`, core: `(s\.[0-9A-Za-z]{24})`, right: `\b`},
			window:  word, keep: keepGeneric,
		},
	}
}
