package sanitize

import (
	"net/url"
	"strings"
)

// markup finds what is there for an agent that reads the source, and not for a
// person who sees it rendered.
func (r *riskSearch) markup() {
	r.comments()
	r.pushed()
	code := codeSpans(r.text)
	for at := range indexes(r.text, "<") {
		r.tag(at, code.covers(at))
	}
	for at := range indexes(r.text, "](") {
		if !code.covers(at) {
			r.link(at)
		}
	}
}

// comments finds HTML comments, and link definitions that are used as such. A
// comment that never ends takes all that follows.
func (r *riskSearch) comments() {
	for at := 0; ; {
		start := strings.Index(r.text[at:], "<!--")
		if start < 0 {
			break
		}
		start += at
		end := len(r.text)
		if n := strings.Index(r.text[start:], "-->"); n >= 0 {
			end = start + n + len("-->")
		}
		r.add(CauseComment, start, end)
		at = end
	}
	at := 0
	for line := range strings.Lines(r.text) {
		label, _, defines := strings.Cut(strings.TrimLeft(line, " "), "]:")
		if defines && (strings.HasPrefix(label, "[//") || strings.HasPrefix(label, "[comment") || label == "[_" || label == "[") {
			r.add(CauseComment, at, at+len(strings.TrimRight(line, "\r\n")))
		}
		at += len(line)
	}
}

// pushed finds text that stands behind a wall of blanks.
func (r *riskSearch) pushed() {
	const wall = 200
	start, blanks := 0, 0
	for i, c := range r.text {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\u00a0' || c == '\u3000' || 0x2000 <= c && c <= 0x200a {
			if blanks == 0 {
				start = i
			}
			blanks++
			continue
		}
		if blanks > wall && start > 0 {
			r.add(CausePushedAside, start, i)
		}
		blanks = 0
	}
}

// tag looks at what starts with an angle bracket.
func (r *riskSearch) tag(at int, inCode bool) {
	const most, longest = 2000, 30
	rest := r.text[at+1 : min(len(r.text), at+most)]
	name := strings.TrimPrefix(rest, "/")
	name = strings.ToLower(name[:min(len(name), longest)])
	n := 0
	for n < len(name) && (isWordRune(rune(name[n])) || n > 0 && (name[n] == '-' || name[n] == '_')) {
		n++
	}
	name = name[:n]
	end := strings.IndexByte(rest, '>')
	if n == 0 || end < 0 {
		return
	}
	inside, _, _ := strings.Cut(strings.ToLower(rest[:end]), "<") // so that each byte is looked at once
	end += at + 2
	switch {
	case isPromptTag(name):
		r.add(CausePromptTag, at, end)
	case !isElement(name):
	case hidesContent(inside):
		r.add(CauseHiddenHTML, at, end)
	case inCode:
	case name == "details":
		r.add(CauseCollapsed, at, end)
	default:
		r.add(CauseRawHTML, at, end)
	}
}

// isPromptTag knows the tags by which agents tell who speaks.
func isPromptTag(name string) bool {
	switch name {
	case "system", "system-reminder", "system_prompt", "system-prompt", "assistant", "human", "user-prompt-submit-hook", "instructions",
		"instruction", "important", "important_instructions", "function_calls", "tool_use", "tool_result", "antml", "thinking", "admin", "developer":
		return true
	}
	return false
}

func isElement(name string) bool {
	switch name {
	case "a", "abbr", "article", "aside", "audio", "b", "base", "big", "blockquote", "body", "br", "button", "canvas", "center", "code", "dd",
		"del", "details", "dialog", "div", "dl", "dt", "em", "embed", "font", "footer", "form", "frame", "h1", "h2", "h3", "h4", "h5", "h6",
		"head", "header", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "li", "link", "main", "map", "mark", "math",
		"meta", "nav", "noscript", "object", "ol", "option", "p", "param", "picture", "pre", "q", "s", "script", "section", "select", "small",
		"source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea",
		"tfoot", "th", "thead", "title", "tr", "tt", "u", "ul", "var", "video", "wbr":
		return true
	}
	return false
}

// hidesContent reports whether the inside of a tag makes its content unseen.
func hidesContent(inside string) bool {
	tight := strings.Join(strings.Fields(inside), "")
	for _, sign := range []string{
		"display:none", "visibility:hidden", "opacity:0", "font-size:0", "font-size:1px", "color:transparent", "color:white", "color:#fff",
		"left:-9", "top:-9", "text-indent:-", "height:0", "width:0", "max-height:0", "clip:rect", "clip-path:", "z-index:-",
	} {
		for at := range indexes(tight, sign) {
			if !strings.HasSuffix(tight[:at], "-") && !strings.HasPrefix(tight[at+len(sign):], ".") {
				return true
			}
		}
	}
	for _, word := range strings.Fields(inside)[1:] {
		if word == "hidden" || strings.HasPrefix(word, "hidden=") {
			return true
		}
	}
	return false
}

// link looks at a link or image whose text ends at the byte.
func (r *riskSearch) link(at int) {
	const most = 500
	rest := r.text[at+2 : min(len(r.text), at+2+most)]
	n := strings.IndexAny(rest, ")\n")
	if n < 0 {
		return
	}
	target, _, _ := strings.Cut(strings.TrimSpace(rest[:n]), " ")
	target = strings.Trim(target, "<>")
	start := r.opening(at)
	u, err := url.Parse(target)
	if start < 0 || err != nil || u.Host == "" {
		return
	}
	end := at + 2 + n + 1
	if image := start > 0 && r.text[start-1] == '!'; image && u.RawQuery != "" {
		r.add(CauseImageQuery, start-1, end)
	}
	named := hostIn(r.text[start+1 : at])
	if led := strings.ToLower(u.Hostname()); named != "" && named != led && !strings.HasSuffix(led, "."+named) && !strings.HasSuffix(named, "."+led) {
		r.add(CauseLinkText, start, end)
	}
}

// opening returns where the bracket opens that closes at the byte, or -1.
func (r *riskSearch) opening(at int) int {
	const most = 500
	depth := 0
	for i := at - 1; i >= max(0, at-most); i-- {
		switch r.text[i] {
		case ']':
			depth++
		case '[':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// hostIn returns the host that the text of a link names, without "www.", or "".
// What only looks like one may be the name of a file.
func hostIn(text string) string {
	f := fold(text)
	text = strings.Trim(f.text, " *_`~\"'")
	rest, address := text, false
	for _, scheme := range []string{"https://", "http://", "//"} {
		if cut, ok := strings.CutPrefix(rest, scheme); ok {
			rest, address = cut, true
			break
		}
	}
	if n := strings.IndexAny(rest, "/?#: "); n >= 0 {
		if rest[n] == ' ' && !address {
			return ""
		}
		rest = rest[:n]
	}
	www, hadWWW := strings.CutPrefix(rest, "www.")
	dot := strings.LastIndexByte(www, '.')
	if dot <= 0 {
		return ""
	}
	if !address && !hadWWW {
		switch www[dot+1:] {
		case "com", "org", "net", "io", "dev", "app", "ai", "gov", "edu", "co", "eu", "de", "uk", "us", "fr", "cn", "ru", "jp", "info":
		default:
			return ""
		}
	}
	return www
}
