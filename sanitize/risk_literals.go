package sanitize

import (
	"slices"
	"sort"
	"strings"
)

// literals finds what is told by a few fixed characters.
func (r *riskSearch) literals(f folded, book literalBook) {
	r.pipes(f)
	r.imports(f)
	text := f.text
	for at := 0; at+headLen <= len(text); at++ {
		if !book.may[headSum(text[at:])] {
			continue
		}
		for _, l := range book.byHead[text[at:at+headLen]] {
			end := at + len(l.text)
			if !strings.HasPrefix(text[at:], l.text) || l.word && !standsAlone(text, at, end) {
				continue
			}
			from, to := f.span(at, end)
			r.add(l.cause, from, to)
		}
	}
}

// literalBook holds the literals by their first bytes, so that a text is read
// once for all of them.
type literalBook struct {
	byHead map[string][]literal
	may    *[1 << 13]bool // by the sum of a head
}

// headLen is the length of a head: no literal is shorter.
const headLen = 3

// headSum is below 1<<13.
func headSum(s string) uint { return (uint(s[0])<<7 ^ uint(s[1])<<4 ^ uint(s[2])) & (1<<13 - 1) }

func newLiteralBook() literalBook {
	b := literalBook{byHead: map[string][]literal{}, may: new([1 << 13]bool)}
	for _, l := range literals() {
		head := l.text[:headLen]
		b.byHead[head] = append(b.byHead[head], l)
		b.may[headSum(head)] = true
	}
	return b
}

// literal is a text by which a risk is told.
type literal struct {
	cause Cause
	text  string // folded
	word  bool   // with neither letter nor digit beside it
}

func literals() []literal {
	return []literal{
		{CauseSkipFlags, "--dangerously-", false},
		{CauseSkipFlags, "--allow-dangerously-", false},
		{CauseSkipFlags, "bypasspermissions", false},
		{CauseSkipFlags, "--permission-mode", false},
		{CauseSkipFlags, "--yolo", true},
		{CauseSkipFlags, "--full-auto", true},
		{CauseSkipFlags, "--trust-all-tools", true},
		{CauseSkipFlags, "--allow-all-tools", true},
		{CauseSkipFlags, "--yes-always", true},
		{CauseSkipFlags, "--no-sandbox", true},
		{CauseSkipFlags, "defaultmode\": \"acceptedits", false},

		{CauseSecretFile, ".ssh/", false},
		{CauseSecretFile, "id_rsa", true},
		{CauseSecretFile, "id_ed25519", true},
		{CauseSecretFile, ".env", true},
		{CauseSecretFile, ".netrc", true},
		{CauseSecretFile, ".pgpass", true},
		{CauseSecretFile, ".npmrc", true},
		{CauseSecretFile, ".pypirc", true},
		{CauseSecretFile, ".git-credentials", true},
		{CauseSecretFile, ".aws/", false},
		{CauseSecretFile, ".kube/config", true},
		{CauseSecretFile, ".docker/config.json", true},
		{CauseSecretFile, ".gnupg", true},
		{CauseSecretFile, "/etc/shadow", true},
		{CauseSecretFile, "/etc/passwd", true},
		{CauseSecretFile, "credentials.json", true},
		{CauseSecretFile, "application_default_credentials", false},

		{CauseCommand, "eval(", false},
		{CauseCommand, "eval \"$", false},
		{CauseCommand, "dd if=", true},

		{CauseWebhook, "hooks.slack.com/", false},
		{CauseWebhook, "discord.com/api/webhooks/", false},
		{CauseWebhook, "discordapp.com/api/webhooks/", false},
		{CauseWebhook, "api.telegram.org/bot", false},
		{CauseWebhook, "webhook.office.com/", false},
		{CauseWebhook, "webhook.site", true},
		{CauseWebhook, "requestbin.", false},
		{CauseWebhook, "pipedream.net", true},
		{CauseWebhook, "ngrok.io", true},
		{CauseWebhook, "ngrok-free.app", true},
		{CauseWebhook, "trycloudflare.com", true},
		{CauseWebhook, "interact.sh", true},
		{CauseWebhook, "oastify.com", true},
		{CauseWebhook, "burpcollaborator.net", true},
		{CauseWebhook, "transfer.sh", true},

		{CauseSettings, "pretooluse", true},
		{CauseSettings, "posttooluse", true},
		{CauseSettings, "userpromptsubmit", true},
		{CauseSettings, "\"sessionstart\"", false},
		{CauseSettings, "\"hooks\":", false},
		{CauseSettings, "\"permissions\":", false},
		{CauseSettings, "mcpservers", true},
		{CauseSettings, "allowed-tools:", false},
		{CauseSettings, "allowedtools", true},
		{CauseSettings, ".claude/settings", false},
		{CauseSettings, "apikeyhelper", true},

		{CausePromptTag, "<|im_start|>", false},
		{CausePromptTag, "<|system|>", false},
		{CausePromptTag, "[inst]", false},
		{CausePromptTag, "[/inst]", false},
		{CausePromptTag, "<<sys>>", false},
		{CausePromptTag, "\n\nhuman:", false},
		{CausePromptTag, "\n\nassistant:", false},

		{CauseDataURI, "data:text/", false},
		{CauseDataURI, "data:application/", false},
		{CauseDataURI, "data:image/", false},
		{CauseDataURI, "data:;base64", false},
	}
}

// indexes goes through the places of part in text.
func indexes(text, part string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for at := 0; ; at += len(part) {
			i := strings.Index(text[at:], part)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i
		}
	}
}

// standsAlone reports whether no word goes on at either end.
func standsAlone(text string, start, end int) bool {
	before := start == 0 || !isWordRune(rune(text[start-1]))
	after := end == len(text) || !isWordRune(rune(text[end])) && text[end] != '_' && (text[end] != '.' || end+1 == len(text) || !isWordRune(rune(text[end+1])))
	return before && after
}

// pipes finds downloads, or decoded text, that go straight to an interpreter.
func (r *riskSearch) pipes(f folded) {
	var sources []int
	for _, source := range [...]string{"curl ", "wget ", "fetch ", "base64 ", "iwr ", "irm ", "invoke-webrequest", "downloadstring"} {
		for at := range indexes(f.text, source) {
			if at > 0 && isWordRune(rune(f.text[at-1])) {
				continue
			}
			sources = append(sources, at)
			if runsInside(f.text[max(0, at-24):at]) {
				from, to := f.span(at, at+len(source))
				r.add(CausePipeToShell, from, to)
			}
		}
	}
	if len(sources) == 0 {
		return
	}
	slices.Sort(sources)
	for at := range indexes(f.text, "|") {
		end := interpreter(f.text, at+1)
		i := sort.SearchInts(sources, at) - 1
		if end > 0 && i >= 0 && isCommand(f.text, sources[i], at) {
			from, to := f.span(sources[i], end)
			r.add(CausePipeToShell, from, to)
		}
	}
}

// interpreter returns where the name of an interpreter ends that a pipe leads
// to, or 0.
func interpreter(text string, at int) int {
	rest := text[at:min(len(text), at+80)]
	total := len(rest)
	rest = strings.TrimLeft(rest, " \t\\\r\n&")
	for _, prefix := range []string{"sudo ", "env ", "-e ", "/bin/", "/usr/bin/"} {
		rest = strings.TrimPrefix(rest, prefix)
	}
	for _, program := range []string{
		"sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "perl", "ruby", "php", "iex", "invoke-expression", "source",
	} {
		if after, ok := strings.CutPrefix(rest, program); ok && (after == "" || !isWordRune(rune(after[0])) && after[0] != '-') {
			return at + total - len(after)
		}
	}
	return 0
}

// isCommand reports whether one command leads from a byte to another: its lines
// end with a backslash or a pipe.
func isCommand(text string, from, to int) bool {
	const most = 600
	if to-from > most {
		return false
	}
	for at := range indexes(text[from:to], "\n") {
		line := strings.TrimRight(text[from:from+at], " \t\r")
		if !strings.HasSuffix(line, "\\") && !strings.HasSuffix(line, "|") {
			return false
		}
	}
	return true
}

// runsInside reports whether a command is executed for what it prints, as in
// "bash <(curl" and "eval $(curl".
func runsInside(before string) bool {
	before = strings.TrimRight(before, " \"'`")
	if strings.HasSuffix(before, "<(") {
		before = strings.TrimRight(before[:len(before)-2], " ")
		return strings.HasSuffix(before, "sh") || strings.HasSuffix(before, "source") || strings.HasSuffix(before, ".")
	}
	if before, ok := strings.CutSuffix(before, "$("); ok {
		before = strings.TrimRight(before, " \"'")
		return strings.HasSuffix(before, "-c") || strings.HasSuffix(before, "eval")
	}
	return strings.HasSuffix(before, "iex (") || strings.HasSuffix(before, "iex(") || strings.HasSuffix(before, "eval")
}

// imports finds the names of files that some agents load where they read them.
func (r *riskSearch) imports(f folded) {
	const most = 200 // of a name
	for at := range indexes(f.text, "@") {
		if at > 0 && !strings.ContainsRune(" \t\n(", rune(f.text[at-1])) {
			continue
		}
		rest := f.text[at+1 : min(len(f.text), at+2*most)]
		name := rest
		if n := strings.IndexAny(rest, " \t\r\n)`'\","); n >= 0 {
			name = rest[:n]
		}
		switch {
		case strings.HasPrefix(name, "~/"), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"):
		case strings.HasSuffix(strings.TrimRight(name, ".:;"), ".md"):
		case name == "import" && strings.HasPrefix(strings.TrimLeft(rest[len(name):], " \"'`"), "~"),
			name == "import" && strings.HasPrefix(strings.TrimLeft(rest[len(name):], " \"'`"), "/"):
		default:
			continue
		}
		if name = name[:min(len(name), most)]; len(name) > 1 {
			from, to := f.span(at, at+1+len(name))
			r.add(CauseImport, from, to)
		}
	}
}
