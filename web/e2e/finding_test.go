package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// sandboxLogin is a text with a value that looks like a password, and that value.
func sandboxLogin() (text, value string) {
	value = strings.Join([]string{"Xq7", "vR2m", "K9dL", "w4Tz"}, "")
	return "# Sandbox\n\nThe demo page opens with password: " + value + " for everybody.\n", value
}

// A text is refused; its author asks in the console, a maintainer who is not the
// author allows it for the paths on the screen, and the next sync shares it: all
// of it without scripts, and with the value nowhere.
func TestFinding(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments")
	mara, jo, ines := s.join("Mara"), s.join("Jo"), s.join("Inês")
	s.admin("role", "set", "--project", "acme/payments", "--member", "Jo", "--role", "maintainer")
	text, value := sandboxLogin()
	if v := mara.send("acme/payments", put("sandbox.md", text))[0]; v["verdict"] != "refused" {
		t.Fatalf("verdict %v", v)
	}
	var told []string
	read := func(tb *tab) { told = append(told, tb.html()) }

	author, maintainer := mara.browse(t).withoutScripts(), jo.browse(t).withoutScripts()
	author.follow("1 finding of yours is open").shows("sandbox.md", "perhaps a secret")
	author.follow("sandbox.md").shows("It was refused, and never stored", "line 3", "mara-laptop")
	maintainer.follow("Findings").follow("sandbox.md").hides("Allow")
	page := author.address()
	ines.browse(t).refused(404, page).hides("sandbox.md")

	author.run(click("summary", "Ask for an exception"))
	author.choose("reason", "test-value")
	author.choose("note", "It is password: "+value)
	author.goes(422, click("form//button", "Ask")).hides(value)
	author.picture("finding-asking")
	read(author)
	author.choose("reason", "test-value")
	author.choose("note", "The provider prints it in its documentation.")
	author.goes(200, click("form//button", "Ask")).shows("Asked", "exception asked for", "Take the request back").hides("Allow")
	read(author)

	maintainer.follow("Home").follow("1 request for an exception waits").follow("sandbox.md").shows("Mara asks for an exception", "prints it in its documentation")
	author.press("Take the request back").run(click("summary", "Ask for an exception"))
	author.choose("reason", "test-value")
	author.choose("paths", "**/*.md")
	author.goes(200, click("form//button", "Ask")).shows("**/*.md")
	maintainer.run(click("summary", "Allow"))
	maintainer.choose("days", "7")
	maintainer.hides("Deny")
	maintainer.picture("finding-allowing")
	maintainer.goes(409, click("form//button", "Allow")).shows("other paths", "**/*.md")
	maintainer.run(click("summary", "Allow"))
	maintainer.choose("days", "7")
	maintainer.goes(200, click("form//button", "Allow")).shows("Allowed until", "Revoke the exception")
	read(maintainer)

	mara.push("acme/payments", put("sandbox.md", text))
	author.open(page).shows("shared by exception", "Allowed until", "by Jo")
	read(author)
	maintainer.follow("Exceptions in force").shows("**/*.md", "Test value", "in 7 days")
	read(maintainer)
	maintainer.press("Revoke").shows("Revoked", "Nothing that looks like a secret")
	if v := mara.send("acme/payments", put("sandbox-2.md", text))[0]; v["verdict"] != "refused" {
		t.Errorf("after the exception: %v", v)
	}
	for _, html := range told {
		if strings.Contains(html, value) {
			t.Error("a page holds the value")
		}
	}
}

// What a member's own program says of a finding, and what people write about it,
// is shown as text.
func TestHostile_Findings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments")
	mallory, jo := s.join(`Mallory "><script>alert(1)</script>`), s.join(`Jo <b onclick=x>`)
	s.admin("role", "set", "--project", "acme/payments", "--member", jo.name, "--role", "maintainer")
	id := mallory.project("acme/payments")["id"].(string)
	texts := hostile()
	long := strings.Repeat("x<i>", 30)
	var pages []string
	for i, text := range texts {
		if i%6 != 0 { // each page is drawn with all of them in a test of package view
			continue
		}
		excerpt := strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
		f := mallory.call(http.MethodPost, "/projects/"+id+"/findings", map[string]any{
			"path": "hostile/n' & onload=x ;" + wordOf(i) + ".md", "rule": "word", "severity": "soft", "line": 1, "column": 1, "rule_set": "secrets-1",
			"fingerprint": fmt.Sprintf("%064x", i+1), "excerpt": excerpt, "device": mallory.device,
		})
		pages = append(pages, "/p/"+id+"/findings/"+f["id"].(string))
	}
	first := strings.TrimPrefix(pages[0], "/p/"+id)
	mallory.call(http.MethodPost, "/projects/"+id+first+"/allow", map[string]any{
		"action": "request", "reason": "test-value", "note": `</p><script>alert("note")</script>` + long, "paths": "hostile/**",
	})
	tb := jo.browse(t)
	tb.follow("Findings")
	inert(tb)
	for i, page := range pages {
		tb.open(page).shows(wordOf(i * 6))
		inert(tb)
	}
	tb.open(pages[0]).shows(`<script>alert("note")</script>`, `Mallory "><script>alert(1)</script>`)
	tb.run(click("summary", "Deny"))
	tb.run(chromedp.SetValue("#deny-note", `"><script>alert("reason")</script><img src=//evil.example>`, chromedp.ByQuery))
	tb.goes(200, click("form//button", "Deny"))
	inert(tb)
	author := mallory.browse(t)
	author.open(pages[0]).shows(`"><script>alert("reason")</script>`, `Jo <b onclick=x>`)
	inert(author)
}

// html is the source of the page.
func (tb *tab) html() (source string) {
	tb.t.Helper()
	tb.run(chromedp.OuterHTML("html", &source, chromedp.ByQuery))
	return source
}
