package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostile is what would act in a page, were it not only shown: each with a word
// in it that a person must be able to read. They are those that the gate lets
// through; a text that is no UTF-8, or that holds a NUL, never gets here.
func hostile() []string {
	list := []string{
		`<script>document.title="%s"</script>`,
		`</script><script>alert("%s")</script>`,
		`</title></textarea></template></noscript><script>alert("%s")</script>`,
		`"><img src=x onerror=alert("%s")>`,
		`' onmouseover='alert("%s")`,
		`<img src="https://evil.example/%s.png">`,
		`![%s](https://evil.example/pixel.png?q=1)`,
		`<svg onload=alert("%s")><script>alert(1)</script></svg>`,
		`<iframe srcdoc="<script>parent.alert('%s')</script>"></iframe>`,
		`<style>*{background:url(https://evil.example/%s)}</style>`,
		`<link rel=stylesheet href="//evil.example/%s.css">`,
		`<base href="//evil.example/%s/">`,
		`<meta http-equiv=refresh content="0;url=//evil.example/%s">`,
		`<form action="//evil.example/%s"><button>Approve</button></form>`,
		`<input autofocus onfocus=alert("%s")>`,
		`<a href="javascript:alert('%s')">click</a>`,
		`[%s](javascript:alert(1))`,
		"[%s](java\tscript:alert(1))",
		`[%s](java&#9;script:alert(1))`,
		`[%s](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
		`[%s](//evil.example/path)`,
		`<div id="main" class="rail" style="position:fixed;inset:0">%s</div>`,
		`<div hx-get="https://evil.example/%s" hx-trigger="load"></div>`,
		`<div data-hx-get="/x" hx-swap-oob="true" id="main">%s</div>`,
		`<hx-partial hx-target="#main">%s</hx-partial>`,
		`<title>%s</title>`,
		`<!-- %s --!><script>alert(1)</script>`,
		`<template><script>alert("%s")</script></template>`,
		"[//]: # (%s)",
		"```js onclick=alert(1) %s\ncode\n```",
		"\u200f%s\u200e and \u200b \u2060hidden\u3164",
		`{{.%s}} ${%[1]s}`,
	}
	for i, s := range list {
		list[i] = fmt.Sprintf(s, wordOf(i))
	}
	return list
}

// wordOf is a word that is nowhere else.
func wordOf(i int) string { return fmt.Sprintf("zq%dword", i) }

// What members and their agents wrote is shown as text, wherever it is shown,
// and does nothing: scenario 15 of the console's design.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments")
	mallory := s.join(`Mallory <script>alert("name")</script>`)
	jo := s.join("Jo")
	s.admin("role", "set", "--project", "acme/payments", "--member", "Jo", "--role", "reviewer")
	mallory.device = mallory.call(http.MethodPost, "/me/devices", map[string]any{"name": `<img src=x onerror=alert("device")>`, "os": "linux"})["id"].(string)
	mallory.agent = map[string]string{
		"name": `<script>alert("agent")</script>`, "version": `"><b>1`, "model": `' onclick='x`, "session": `<!-- session`,
	}
	texts := hostile()
	body := strings.Join(texts, "\n\n") + "\n"
	var ops []op
	for i, text := range texts {
		line := strings.NewReplacer("\n", " ", "\t", " ", `\`, `\\`, `"`, `\"`).Replace(text)
		ops = append(ops, put(fmt.Sprintf("hostile/n%02d ' & onload=x ;.md", i), "---\nname: \""+line+"\"\ndescription: \""+line+"\"\n---\n"+text+"\n"))
	}
	all := put("hostile/all.md", body)
	all["note"] = `<script>alert("note")</script>`
	first := mallory.push("acme/payments", append(ops, all)...)
	again := edit("hostile/all.md", "changed\n"+body, first[len(texts)])
	mallory.push("acme/payments", again)

	tb := jo.browse(t)
	for _, view := range []string{"", "?view=rendered"} {
		tb.open(jo.address("acme/payments", "hostile/all.md"))
		if view != "" {
			tb.follow("Rendered")
		}
		shown(tb, len(texts))
	}
	entry, _, _ := strings.Cut(tb.address(), "?")
	tb.open(entry + "/diff")
	inert(tb)
	rev := first[len(texts)]["rev"]
	tb.open(fmt.Sprintf("%s/diff?a=%v&b=%v", entry, rev, rev))
	inert(tb)
	tb.open(fmt.Sprintf("%s/rev/%v", entry, rev)).shows(`<script>alert("note")</script>`, `<img src=x onerror=alert("device")>`, `<script>alert("agent")</script>`)
	shown(tb, len(texts))
	tb.open(fmt.Sprintf("%s/restore?rev=%v", entry, rev))
	inert(tb)
	tb.open(entry + "/history").shows(`<script>alert("note")</script>`)
	inert(tb)
	tb.open("/").shows(`Mallory <script>alert("name")</script>`)
	inert(tb)
	tb.follow("acme/payments")
	shown(tb, len(texts))
	for i := range texts {
		tb.open(jo.address("acme/payments", ops[i]["path"].(string)))
		tb.open(tb.address() + "?view=rendered").shows(wordOf(i))
		inert(tb)
	}
}

// The same for what waits for a reviewer, and for what a reviewer writes.
func TestHostile_Proposals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments", "--review", "strict")
	mallory, jo := s.join(`Mallory "><script>alert(1)</script>`), s.join(`Jo <b onclick=x>`)
	s.admin("role", "set", "--project", "acme/payments", "--member", jo.name, "--role", "reviewer")
	texts := hostile()
	proposal := put("all.md", "---\nname: \"</title><script>alert(1)</script>\"\ndescription: <!-- hidden -->\n---\n"+strings.Join(texts, "\n\n")+"\n")
	proposal["note"] = `</p><script>alert("note")</script>`
	mallory.push("acme/payments", proposal)

	tb := jo.browse(t)
	inert(tb)
	tb.follow("Review")
	inert(tb)
	tb.follow("alert(1)").shows(`<script>alert("note")</script>`)
	shown(tb, len(texts))
	tb.follow("Rendered")
	shown(tb, len(texts))
	tb.follow("Raw")
	shown(tb, len(texts))
	tb.run(click("summary", "Reject"))
	tb.choose("reason", "injection")
	tb.choose("note", `"><script>alert("reason")</script><img src=//evil.example>`)
	tb.goes(200, click("form//button", "Reject"))
	inert(tb)

	author := mallory.browse(t)
	inert(author)
	author.follow("alert(1)").shows(`"><script>alert("reason")</script>`, `Jo <b onclick=x>`)
	shown(author, len(texts))
}

// shown checks that every word can be read, and that nothing acts.
func shown(tb *tab, words int) {
	tb.t.Helper()
	got := tb.text()
	for i := range words {
		if !strings.Contains(got, wordOf(i)) {
			tb.t.Errorf("%s does not show %s, of %q", tb.address(), wordOf(i), hostile()[i])
		}
	}
	inert(tb)
}

// inert checks that the page holds nothing but what the console puts there. The
// tab itself watches for requests, dialogs and reports.
func inert(tb *tab) {
	tb.t.Helper()
	const foreign = `script, iframe, frame, img, image, object, embed, applet, style, base, video, audio, source, track, math, template, noscript, ` +
		`meta[http-equiv], [style], [srcdoc], [autofocus], [href^="javascript" i], [href^="data" i], [action^="//"], a[href^="//"]`
	if n := tb.count(foreign); n != 0 {
		tb.t.Errorf("%s holds %d elements that nobody put there", tb.address(), n)
	}
	var odd []string
	tb.run(chromedp.Evaluate(`[...document.querySelectorAll("*")].flatMap(e => [...e.attributes].filter(a =>
		/^(on|hx-|data-hx)/i.test(a.name) || a.name === "id" && document.querySelectorAll("#" + CSS.escape(a.value)).length > 1
	).map(a => e.tagName + " " + a.name + "=" + a.value))`, &odd))
	if len(odd) > 0 {
		tb.t.Errorf("%s holds attributes that nobody put there: %q", tb.address(), odd)
	}
	var clobbered bool
	tb.run(chromedp.Evaluate(`document.getElementById("main").tagName !== "MAIN" || document.forms.length > 0 && [...document.forms].some(f => new URL(f.action).origin !== location.origin)`, &clobbered))
	if clobbered {
		tb.t.Errorf("%s: the page's own elements were replaced", tb.address())
	}
	var title string
	tb.run(chromedp.Title(&title))
	if title == wordOf(0) {
		tb.t.Errorf("%s: a script ran", tb.address())
	}
}
