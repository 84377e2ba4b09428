package view_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"github.com/teammem/teammem/web/view"
)

// hostile are texts that would act in a page if they were not only shown.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `</title><script>alert(1)</script>`, `</textarea></select></template><script>alert(1)</script>`,
		`"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)' x='`, `<svg/onload=alert(1)>`, `<style>*{display:none}</style>`,
		`<form action=//evil.example><input name=sha256>`, `<a href="javascript:alert(1)">x</a>`, `javascript:alert(1)`, `java&#9;script:alert(1)`, "java\tscript:alert(1)",
		`[x](javascript:alert(1))`, `[x](data:text/html,<script>alert(1)</script>)`, `![x](https://evil.example/pixel.png)`, `//evil.example`, `/\evil.example`,
		`<div hx-get="https://evil.example" hx-trigger="load">`, `<div data-hx-get="/x">`, `<hx-partial hx-target="#main">x</hx-partial>`, `<p hx-swap-oob="true" id="main">`,
		`<div id="main" style="position:fixed;inset:0">`, `<!-- x --><base href="//evil.example">`, "a\u202egpj.exe", "a\u2066b\u2069", "a\U000e0041\U000e0042\U000e007f", "a\u200b\u200db",
		"\x1b]8;;https://evil.example\x07x", "a\r\nb\rc", "---\nname: <script>\n---\n<script>", "| a |\n|-|\n| <script> | <b> |", "```\" onclick=\"x\n```",
	}
}

// A hostile text in every field of every page changes nothing but what is
// written: no element, attribute or target comes from it, and nobody has to
// guess what cannot be seen.
func TestPages_HostileText(t *testing.T) {
	t.Parallel()
	for _, source := range hostile() {
		for name, root := range filled(t, source) {
			checkInert(t, root)
			checkElements(t, name, root)
			for n := range root.Descendants() {
				// What somebody typed into a form comes back as it was, and so does what is copied from a source.
				if n.Type == html.TextNode && strings.ContainsFunc(n.Data, unseen) && n.Parent.Data != "textarea" && attribute(n.Parent, "class") != "true" {
					t.Errorf("%s: %q stands in the page as it is: %q", name, source, n.Data)
				}
			}
			if t.Failed() {
				t.Fatalf("%s does not stand %q", name, source)
			}
		}
	}
}

func unseen(r rune) bool {
	return r != '\n' && r != '\t' && r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// checkElements allows what the templates and package foreign write.
func checkElements(t *testing.T, name string, root *html.Node) {
	t.Helper()
	tags := strings.Fields(`html head meta title link body a header nav ul ol li main h1 h2 h3 h4 h5 h6 section article aside footer div span p pre code
		form input button select option label textarea fieldset legend details summary table caption thead tbody tr th td dl dt dd time svg use rect path
		bdi strong em del ins br hr blockquote`)
	attributes := strings.Fields(`lang data-theme charset name content rel href class tabindex id role for value type method action title datetime viewBox
		width height rx d as crossorigin scope align colspan selected checked open required rows maxlength autocomplete spellcheck min max data-label xlink:href`)
	for n := range elements(root, "") {
		if !slices.Contains(tags, n.Data) {
			t.Errorf("%s holds <%s>", name, n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, a.Key) && !strings.HasPrefix(a.Key, "aria-") {
				t.Errorf("%s: <%s> has %s=%q", name, n.Data, a.Key, a.Val)
			}
		}
	}
}

// filled draws every page with one text in each of its fields.
func filled(t *testing.T, source string) map[string]*html.Node {
	t.Helper()
	f := view.Frame{Asset: func(string) string { return "/static/x" }}
	fill(reflect.ValueOf(&f).Elem(), source)
	pages := map[string]*html.Node{}
	pages["sign-in"] = drawn(t, view.SignInPage(f, filledWith[view.SignIn](source)))
	confirm := filledWith[view.SignIn](source)
	confirm.State = view.SignInConfirm
	pages["confirm"] = drawn(t, view.SignInPage(f, confirm))
	pages["home"] = drawn(t, view.HomePage(f, filledWith[view.Home](source)))
	conflict := filledWith[view.Conflict](source)
	pages["conflict purged"] = drawn(t, view.ConflictPage(f, conflict))
	conflict.Purge = nil
	pages["conflict"] = drawn(t, view.ConflictPage(f, conflict))
	pages["exceptions"] = drawn(t, view.ExceptionsPage(f, filledWith[view.Exceptions](source)))
	pages["findings"] = drawn(t, view.FindingsPage(f, view.Findings{List: filledWith[view.FindingList](source)}))
	finding := filledWith[view.Finding](source)
	pages["finding stored"] = drawn(t, view.FindingsPage(f, view.Findings{Open: &finding}))
	finding.State, finding.Stored, finding.Block, finding.EntryID, finding.Excerpt, finding.MayRevoke = view.FindingRequested, false, view.FindingNobody, "", "", false
	finding.Request.Decision.Rule = ""
	pages["finding denied"] = drawn(t, view.FindingsPage(f, view.Findings{Open: &finding}))
	pages["sync"] = drawn(t, view.SyncPage(f, filledWith[view.Sync](source)))
	pages["projects"] = drawn(t, view.ProjectsPage(f, filledWith[view.Projects](source)))
	pages["entries"] = drawn(t, view.EntriesPage(f, filledWith[view.Entries](source)))
	pages["history"] = drawn(t, view.HistoryPage(f, filledWith[view.History](source)))
	pages["diff"] = drawn(t, view.DiffPage(f, filledWith[view.Comparison](source)))
	pages["restore"] = drawn(t, view.RestorePage(f, filledWith[view.Restore](source)))
	failure := filledWith[view.Failure](source)
	failure.Back = "" // a handler's own address
	pages["error"] = drawn(t, view.ErrorPage(f, failure))
	for _, mode := range []view.Mode{view.ModeRaw, view.ModeRendered, view.ModeUnified} {
		entry := filledWith[view.Entry](source)
		entry.Mode = mode
		pages["entry "+string(mode)] = drawn(t, view.EntryPage(f, entry))
		for _, state := range []view.State{view.StatePending, view.StateRejected} {
			review := filledWith[view.Review](source)
			pages["review purged"] = drawn(t, view.ReviewPage(f, review))
			review.Open.Purge = nil
			review.Open.Mode, review.Open.State, review.Open.Action, review.Open.Block = mode, state, view.ActionMove, view.BlockMoved
			if state == view.StatePending {
				review.Open.Decision = nil
			}
			pages["review "+string(mode)+string(state)] = drawn(t, view.ReviewPage(f, review))
		}
	}
	return pages
}

func filledWith[T any](source string) T {
	var page T
	fill(reflect.ValueOf(&page).Elem(), source)
	return page
}

// fill puts a text into every string below a value, one item into each list,
// and true and a number into the rest.
func fill(v reflect.Value, source string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(source)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), source)
		fill(v.Index(1), source)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), source)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(now()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), source)
		}
	default: // the function that finds assets
	}
}
