package secrets

import "github.com/teammem/teammem/sanitize"

// traits is what we add to a gitleaks rule, as far as its expression decides.
type traits struct {
	// window says which part of the text decides about a keyword, if any.
	window windowFunc
	// far rules read more than nearReach around their keyword.
	far bool
	// anchored tells that a match that begins or ends where its window was cut
	// owes its boundary to the cut.
	anchored bool
	// joinable rules are asked again about the text without its line breaks.
	joinable bool
	// glances tells that a look at the keyword's word, or a few bytes before it, is
	// enough to refuse a window.
	glances bool
	// keep judges a finding; nil keeps all.
	keep func(candidate) bool
}

// traitsOf derives the traits of a library rule from its expression. The few
// that need more are named.
func traitsOf(id string, p pattern, m measures) traits {
	severity := severityOf(id, p)
	t := traits{keep: judgeOf(id, severity), anchored: m.max <= nearReach, far: m.max > nearReach}
	switch {
	case id == "private-key":
		t.window = block
	case id == "kubernetes-secret-yaml":
		t.window, t.glances = manifest, true
	case id == "curl-auth-header":
		t.window = lines(11, "-H", "--header")
	case id == "curl-auth-user":
		t.window = lines(11, "-u", "--user")
	case id == "facebook-access-token", id == "airtable-personnal-access-token":
		t.window, t.far, t.anchored = everything, true, false // the keyword may stand far from the token
	case assigned(p.core):
		t.window, t.far = assignment(m), false
	case m.compact():
		t.window, t.glances = word(m), true
		t.joinable = severity == sanitize.SeverityHard
	default:
		t.window, t.far = stretch(m), false
	}
	return t
}

// farRules names the rules whose traits are far. It is asked before those are
// known; a rule that turns out otherwise is an error.
func farRules() []string {
	return []string{
		"1password-service-account-token", "airtable-personnal-access-token", "curl-auth-header", "curl-auth-user",
		"facebook-access-token", "facebook-page-access-token", "flyio-access-token", "jwt", "kubernetes-secret-yaml",
		"microsoft-teams-webhook", "private-key", "pypi-upload-token", "slack-app-token", "slack-bot-token", "slack-legacy-token",
		// Our own.
		"dropbox-access-token", "json-web-key", "pypi-test-token", "session-cookie",
	}
}

// severityOf tells the rules that a maintainer may override from those that
// nobody may: a label and some random characters can be harmless, a token with
// a provider's prefix is what it says.
func severityOf(id string, p pattern) sanitize.Severity {
	switch id {
	case "curl-auth-header", "curl-auth-user", "facebook-access-token", "jwt", "jwt-base64", "kubernetes-secret-yaml",
		"nuget-config-password", "sidekiq-sensitive-url":
		return sanitize.SeveritySoft
	case "defined-networking-api-token", "gocardless-api-token", "lob-api-key", "mailgun-private-api-token",
		"new-relic-browser-api-token", "new-relic-insert-key", "new-relic-user-api-key", "plaid-api-token",
		"typeform-api-token", "yandex-access-token", "yandex-api-key":
		return sanitize.SeverityHard // assigned, but with a prefix of their own
	}
	if assigned(p.core) {
		return sanitize.SeveritySoft
	}
	return sanitize.SeverityHard
}
