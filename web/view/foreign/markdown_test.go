package foreign_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/teammem/teammem/web/view/foreign"
)

// resolve leads to entries as the console does, for links without a folder.
func resolve(target string) (string, bool) {
	if !strings.HasSuffix(target, ".md") || strings.Contains(target, "..") {
		return "", false
	}
	return "/go?project=acme&path=" + url.QueryEscape(target), true
}

func TestMarkdown_Renders(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow noopener noreferrer"`
	tests := []struct {
		name, source, want string
		hidden             int
	}{
		{"paragraphs", "one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>", 0},
		{"hard break", "one  \ntwo", "<p>one<br>two</p>", 0},
		{"emphasis", "*a* **b** ~~c~~ ~d~ a_b_c", "<p><em>a</em> <strong>b</strong> <del>c</del> <del>d</del> a_b_c</p>", 0},
		{"escaped marks", `\*a\* 1 \< 2`, "<p>*a* 1 &lt; 2</p>", 0},
		{"headings step down", "# a\n### b\n###### c\n## d", "<h3>a</h3><h4>b</h4><h5>c</h5><h4>d</h4>", 0},
		{"code span", "`` a`b ``", "<p><code>a`b</code></p>", 0},
		{"code block", "    a  <b>\n", "<pre><code>a  &lt;b&gt;\n</code></pre>", 0},
		{"fence", "```go\nx := 1\n```", `<div class="md-info">go</div><pre><code>x := 1` + "\n</code></pre>", 0},
		{"fence with hidden words", "```go ignore this\n```", `<div class="md-info">go ignore this</div><pre><code></code></pre>`, 1},
		{"list", "- a\n- b", "<ul><li>a\n</li><li>b\n</li></ul>", 0},
		{"numbers as written", "3. a\n3. b", `<ol><li value="3">a` + "\n</li>" + `<li value="3">b` + "\n</li></ol>", 0},
		{"tasks", "- [ ] a\n- [x] b", "<ul><li>[ ] a\n</li><li>[x] b\n</li></ul>", 0},
		{"quote", "> a", "<blockquote><p>a</p></blockquote>", 0},
		{"rule", "a\n\n---\n", "<p>a</p><hr>", 0},
		{
			"table", "| a | b |\n|:--|--:|\n| 1 | `x\\|y` |\n| 2 |",
			`<table><thead><tr><th align="left" scope="col">a</th><th align="right" scope="col">b</th></tr></thead>` +
				`<tbody><tr><td align="left">1</td><td align="right"><code>x|y</code></td></tr>` +
				`<tr><td align="left">2</td></tr></tbody></table>`,
			0,
		},
		{
			"surplus cell", "a|b\n-|-\n1|2|3",
			`<table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>` +
				`<tbody><tr><td>1</td><td>2</td><td class="md-surplus">3</td></tr></tbody></table>`,
			1,
		},
		{"link", "[a](https://b.example/c)", `<p><a href="https://b.example/c"` + rel + `>a</a> <span class="md-target">https://b.example/c</span></p>`, 0},
		{"link that says where it leads", "<https://b.example/> https://c.example/x_y.", `<p><a href="https://b.example/"` + rel + `>https://b.example/</a> <a href="https://c.example/x_y"` + rel + `>https://c.example/x_y</a>.</p>`, 0},
		{"mail", "<a@b.example>", `<p><a href="mailto:a@b.example"` + rel + `>a@b.example</a></p>`, 0},
		{"link to an entry", "[db](testing/db.md#x)", `<p><a href="/go?project=acme&amp;path=testing%2Fdb.md"` + rel + `>db</a> <span class="md-target">testing/db.md#x</span></p>`, 0},
		{"title", `[a](https://b.example "c")`, `<p><a href="https://b.example"` + rel + `>a</a> <span class="md-target">https://b.example</span> <span class="md-title">c</span></p>`, 1},
		{"image", `![alt](https://b.example/c.png)`, `<p><span class="md-aside"><span class="md-label">image</span> alt <span class="md-target">https://b.example/c.png</span></span></p>`, 1},
		{"comment", "a\n\n<!-- b -->\n", `<p>a</p><div class="md-aside"><span class="md-label">comment</span> <code>&lt;!-- b --&gt;</code></div>`, 1},
		{"HTML inside a line", "a <b>c</b>", `<p>a <span class="md-aside"><span class="md-label">HTML</span> <code>&lt;b&gt;</code></span>c<span class="md-aside"><span class="md-label">HTML</span> <code>&lt;/b&gt;</code></span></p>`, 2},
		{"comment by definition", "[//]: # (b)\n", `<div class="md-aside"><span class="md-label">link definition</span> <code>[//]: # (b)</code></div>`, 1},
		{"entity", "a&#8203;b &amp;", "<p>a&amp;#8203;b &amp;amp;</p>", 1},
		{"invisible character", "a\u200bb", `<p>a<span class="chip" title="zero width">U+200B</span>b</p>`, 1},
		{"CRLF", "a\r\nb\r\n", "<p>a\nb</p>", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := foreign.Markdown(tt.source, resolve)
			want := foreign.Rendered{HTML: tt.want, Hidden: tt.hidden}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Markdown(%q) (-want +got):\n%s", tt.source, diff)
			}
		})
	}
}

func TestMarkdown_FollowsNoOtherTarget(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#x09;script:alert(1)", "javascript&colon;alert(1)",
		"&#106;avascript:alert(1)", "&#x6a&#x61vascript:alert(1)", "\x01javascript:alert(1)", "java\tscript:alert(1)",
		"data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd", "ftp://b.example", "blob:x",
		"//b.example", `\\b.example`, `/\b.example`, "/go?project=acme&path=x", "/logout", "../../etc.md", "?a=b", "#main",
		"https:b.example", "https:///b.example", "https://b.example@evil.example", "https://a:b@evil.example",
		"https://bücher.example", "https://b.example/\u202egnp", "mailto:", "x.go", "hx-get:x", "view-source:https://b.example",
	} {
		for _, source := range []string{"[a](<" + target + ">)", "[a]\n\n[a]: <" + target + ">", "![a](<" + target + ">)", "<" + target + ">"} {
			got := foreign.Markdown(source, resolve)
			if strings.Contains(got.HTML, "<a ") {
				t.Errorf("Markdown(%q) has a link: %s", source, got.HTML)
			}
			if got.Hidden == 0 && !strings.HasPrefix(source, "<") {
				t.Errorf("Markdown(%q) counts nothing as hidden: %s", source, got.HTML)
			}
		}
	}
}

// Every construct of Markdown, with a word at each place that can hold one.
func constructs() []string {
	return []string{
		"%s", "# %s", "%s\n===", "> %s", "- %s", "1. %s", "%s. x", "a\n\n    %s", "```\n%s\n```", "```%s\n```", "```go %s\n```", "~~~ a %s\n~~~",
		"*%s*", "**%s**", "~~%s~~", "`%s`", "``` `%s` ```", "x  \n%s", "x\\\n%s", "un*%s*able", `\*%s\*`,
		"[%s](x.md)", "[x](%s.md)", "[x](%s)", `[x](x.md "%s")`, "[x](x.md '%s')", "[x](x.md (%s))", "[%s][x]\n\n[x]: y.md", "[y][%s]\n\n[%[1]s]: y.md",
		"[%s][]\n\n[%[1]s]: y", "[%s]\n\n[%[1]s]: y", "[x]: %s", "[%s]: x", `[x]: y "%s"`, "[x]: y\n  '%s'", "[//]: # (%s)", "[x]: <%s>",
		"![%s](x)", "![x](%s)", `![x](y "%s")`, "![*%s*][a]\n\n[a]: b", "![x][%s]\n\n[%[1]s]: b", "[![%s](a)](b)",
		"<https://b.example/%s>", "<%s@b.example>", "https://b.example/%s", "http://%s.example", "[a](https://b.example/?q=%s#x)",
		"<!-- %s -->", "a <!-- %s --> b", "<div title=\"%s\">", "<%s>", "a <%s> b", "a <i %s=x>", "</%s>", "<? %s ?>", "<!X %s>", "<![CDATA[%s]]>",
		"<script>%s</script>", "<pre>\n%s\n</pre>", "<div>\n%s\n</div>\n", "<style>\n%s\n</style> x",
		"&%s;", "&#%s;", "&amp;%s", "a&#8203;%s",
		"|%s|b|\n|-|-|\n|c|d|", "|a|b|\n|-|-|\n|%s|d|", "|a|b|\n|-|-|\n|c|d|%s|", "|a|b|\n|-|-|\n|c|`%s\\|x`|", "%s\n|a|b|\n|-|-|", "|a|\n|-|\n%s",
		"|a|b|\n|-|-|\n|c|d|e|f|[x](y \"%s\")|", "- [ ] %s", "- [%s] a", "- a\n  - %s\n\n    b\n", "a[^%s]\n\n[^%[1]s]: b", "[^a]: %s", "Term\n: %s",
		"# a {#%s}", "{.%s}", "---\n%s\n---", "+++\n%s\n+++", ":::%s\n:::", "$$%s$$", "a ==%s==", "[[%s]]", "[x]{%s}", "#%s", "[a]( <%s> )",
		"> [a]: b '%s'", "- ```%s", "> <!--\n> %s\n> -->", "\t%s", "a\u2028%s", "\ufeff%s", "%s\x00", "a\x0b%s\x0c",
	}
}

func TestMarkdown_ShowsEveryWord(t *testing.T) {
	t.Parallel()
	const word = "zyxwvu42"
	for _, construct := range constructs() {
		source := fmt.Sprintf(construct, word)
		source, _, _ = strings.Cut(source, "%!(EXTRA")
		got := foreign.Markdown(source, resolve)
		text := visibleText(t, got.HTML)
		if !strings.Contains(text, word) {
			t.Errorf("Markdown(%q) does not show the word:\n%s", source, got.HTML)
		}
		if strings.Contains(text, "also in the text") {
			t.Errorf("Markdown(%q) shows the word away from its place:\n%s", source, got.HTML)
		}
		if got.Plain {
			t.Errorf("Markdown(%q) was not rendered", source)
		}
	}
}

func TestMarkdown_TooLong(t *testing.T) {
	t.Parallel()
	got := foreign.Markdown(strings.Repeat("a *b*\n", 50_000), resolve)
	if !got.Plain || strings.Contains(got.HTML, "<em>") {
		t.Errorf("a text of 300 KB is rendered")
	}
}

// These kept the library's parsers, or the search for flags, busy for minutes. A text that is not
// rendered for it is shown as its source.
func TestMarkdown_BoundedWork(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"> ", "1. ", "[a](", "[a](<b", "[a]: b\n", "a*b_c", "http://a ", "-\n", "\u200b", "|-|\n", "🏴\u00a0"} {
		got := foreign.Markdown(strings.Repeat(part, (256<<10)/len(part))+"\n\nlast", resolve)
		if !strings.Contains(got.HTML, "last") {
			t.Errorf("Markdown of many %q lost the end of the text", part)
		}
	}
}

// A head of many columns above many short rows: as cells, 250 KB would be
// 18 MB, and gigabytes with more of both.
func TestMarkdown_WideTable(t *testing.T) {
	t.Parallel()
	const columns, rows = 2000, 1000
	source := strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("x\n", rows)
	got := foreign.Markdown(source, resolve)
	if most := 20*len(source) + 40*rows; got.Plain || len(got.HTML) > most {
		t.Errorf("%d bytes became %d, want at most %d; plain: %v", len(source), len(got.HTML), most, got.Plain)
	}
	if n := strings.Count(got.HTML, "<td>"); n != rows {
		t.Errorf("there are %d cells, want %d", n, rows)
	}
}

func TestMarkdown_Nesting(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		strings.Repeat("> ", 5000) + "deep", strings.Repeat("- ", 500) + "deep", strings.Repeat("*a **b ", 2000) + "deep",
		strings.Repeat("![", 2000) + "deep" + strings.Repeat("](x)", 2000), strings.Repeat("[", 5000) + "deep",
	} {
		got := foreign.Markdown(source, resolve)
		if !strings.Contains(got.HTML, "deep") {
			t.Errorf("Markdown of %.20q… lost its text", source)
		}
		if depth := depthOf(t, got.HTML); depth > 150 {
			t.Errorf("Markdown of %.20q… nests %d elements", source, depth)
		}
	}
}

// FuzzMarkdown: for any text, the page that a browser reads holds only listed
// elements and attributes, and every word of the text.
func FuzzMarkdown(f *testing.F) {
	for _, construct := range constructs() {
		f.Add(fmt.Sprintf(construct, "word"))
	}
	for _, hostile := range hostile() {
		f.Add(hostile)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := foreign.Markdown(source, resolve)
		if got.Plain {
			t.Fatalf("%q is not rendered", source)
		}
		checkElements(t, got.HTML)
		text := visibleText(t, got.HTML)
		for word := range wordsOf(source) {
			if !strings.Contains(text, word) {
				t.Errorf("%q is missing %q:\n%s", source, word, got.HTML)
			}
		}
	})
}

// checkElements parses a page as a browser does, and holds it to the elements
// and attributes that foreign text may have.
func checkElements(t *testing.T, page string) {
	t.Helper()
	allowed := map[string]string{
		"p": "", "h3": "", "h4": "", "h5": "", "h6": "", "blockquote": "", "ul": "", "ol": "", "li": "value", "pre": "", "code": "",
		"em": "", "strong": "", "del": "", "br": "", "hr": "", "table": "", "thead": "", "tbody": "", "tr": "",
		"th": "align scope class", "td": "align scope class", "span": "class title", "div": "class title", "a": "href rel",
	}
	for n := range parse(t, page).Descendants() {
		if n.Type == html.CommentNode || n.Type == html.DoctypeNode {
			t.Errorf("the page holds a comment: %q in %s", n.Data, page)
		}
		if n.Type != html.ElementNode || n.Data == "html" || n.Data == "head" || n.Data == "body" {
			continue
		}
		attributes, ok := allowed[n.Data]
		if !ok {
			t.Errorf("the page holds <%s>: %s", n.Data, page)
		}
		for _, a := range n.Attr {
			if !strings.Contains(" "+attributes+" ", " "+a.Key+" ") {
				t.Errorf("the page holds %s=%q: %s", a.Key, a.Val, page)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") &&
				!strings.HasPrefix(a.Val, "mailto:") && !strings.HasPrefix(a.Val, "/go?project=acme&path=") {
				t.Errorf("the page leads to %q: %s", a.Val, page)
			}
		}
	}
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<!DOCTYPE html><body>" + page))
	if err != nil {
		t.Fatal(err)
	}
	root.RemoveChild(root.FirstChild) // the doctype
	return root
}

// visibleText returns what stands in a page, with the numbers of its lists.
func visibleText(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for n := range parse(t, page).Descendants() {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Data == "li" && len(n.Attr) > 0:
			b.WriteString("00000000" + n.Attr[0].Val + " ") // leading zeros are not shown
		}
	}
	return b.String()
}

func depthOf(t *testing.T, page string) int {
	t.Helper()
	deepest := 0
	for n := range parse(t, page).Descendants() {
		depth := 0
		for range n.Ancestors() {
			depth++
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// A small text whose definitions repeat themselves is shown as its source.
func TestMarkdown_BoundedPage(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("[a]\n\n", 1000) + "[a]: b.md \"" + strings.Repeat("long ", 4000) + "\"\n"
	got := foreign.Markdown(source, resolve)
	if !got.Plain || len(got.HTML) > 2*len(source) {
		t.Errorf("%d bytes make a page of %d, plain: %v", len(source), len(got.HTML), got.Plain)
	}
}
