package view

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 29, 15, 0, 0, 0, time.UTC)
	for want, before := range map[string]time.Duration{
		"just now": 59 * time.Second, "1 min ago": time.Minute, "59 min ago": 59*time.Minute + 59*time.Second, "1 h ago": time.Hour,
		"23 h ago": 23*time.Hour + 59*time.Minute, "yesterday": 47 * time.Hour, "2 days ago": 48 * time.Hour, "59 days ago": 59*24*time.Hour + time.Hour,
		"30 Sep 2026": 60 * 24 * time.Hour,
	} {
		if got := ago(now, now.Add(-before)); got != want {
			t.Errorf("%v before is %q, want %q", before, got, want)
		}
	}
	if got := ago(now, now.Add(time.Hour)); got != "just now" {
		t.Errorf("a clock that runs ahead says %q", got)
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 29, 15, 0, 0, 0, time.UTC)
	for want, after := range map[string]time.Duration{
		"ended": 0, "within the hour": 59 * time.Minute, "in 1 h": time.Hour, "in 23 h": 23*time.Hour + 29*time.Minute,
		"in a day": 35 * time.Hour, "in 2 days": 36 * time.Hour, "in 7 days": 7*24*time.Hour - time.Second, "in 90 days": 90 * 24 * time.Hour,
	} {
		if got := until(now, now.Add(after)); got != want {
			t.Errorf("%v after is %q, want %q", after, got, want)
		}
	}
	if got := until(now, now.Add(-time.Second)); got != "ended" {
		t.Errorf("what is over says %q", got)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 KB", 262144: "262.1 KB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) = %q, want %q", bytes, got, want)
		}
	}
}

func TestFrontmatter_Splits(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, block, body string }{
		{"none", "# a\n", "", "# a\n"},
		{"block", "---\na: b\n---\nc\n", "---\na: b\n---\n", "c\n"},
		{"CRLF and blanks", "--- \r\na: b\r\n---\t\r\nc", "--- \r\na: b\r\n---\t\r\n", "c"},
		{"byte order mark", "\ufeff---\n---\nc", "\ufeff---\n---\n", "c"},
		{"never closes", "---\na: b\n", "", "---\na: b\n"},
		{"closes at the very end", "---\na: b\n---", "---\na: b\n---", ""},
		{"too far away", "---\n" + strings.Repeat("a\n", 200) + "---\n", "", "---\n" + strings.Repeat("a\n", 200) + "---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			block, body := frontmatter(tt.content)
			if block != tt.block || body != tt.body {
				t.Errorf("frontmatter(%q) = %q, %q, want %q, %q", tt.content, block, body, tt.block, tt.body)
			}
		})
	}
}

func TestFields_KeepEveryLine(t *testing.T) {
	t.Parallel()
	got := fields("---\nname: a: b\r\n# note\nmetadata:\n  type: user\n\tx\nlast:\nodd\n---\n")
	want := []field{{"name", "a: b\n# note"}, {"metadata", "  type: user\n\tx"}, {"last", "odd"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(field{})); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := fields("---\nodd\n---\n"); len(got) != 1 || got[0].value != "odd" {
		t.Errorf("a line before any key is lost: %v", got)
	}
}

func TestInvisible_Lines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, where string
		total                int
	}{
		{"none", "a\r\nb\r\n", "", 0},
		{"two on a line", "a\nb\u200b\u202e\nc\u200b", "2, 3", 3},
		{"mixed line ends", "a\r\nb\n", "1", 1},
		{"many lines", strings.Repeat("\u200b\n", 7), "1, 2, 3, 4, 5 …", 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if total, where := invisible(tt.content); total != tt.total || where != tt.where {
				t.Errorf("invisible(%q) = %d on %q, want %d on %q", tt.content, total, where, tt.total, tt.where)
			}
		})
	}
}

func TestTree_OpensOnePath(t *testing.T) {
	t.Parallel()
	got := Tree([]string{"x.md", "b/y.md", "a/c/d/z.md", "a/c/e.md", "a/f/g.md"}, "a/c/")
	want := []Folder{
		{Name: "All entries", Count: 5, Open: true},
		{Name: "a", Prefix: "a/", Depth: 1, Count: 3, Open: true},
		{Name: "c", Prefix: "a/c/", Depth: 2, Count: 2, Open: true, Current: true},
		{Name: "d", Prefix: "a/c/d/", Depth: 3, Count: 1},
		{Name: "f", Prefix: "a/f/", Depth: 2, Count: 1},
		{Name: "b", Prefix: "b/", Depth: 1, Count: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Tree (-want +got):\n%s", diff)
	}
}

func TestRender_ResolvesLinks(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"db.md": "payments%2Fdb.md", "../db.md": "db.md", "./x/db.md": "payments%2Fx%2Fdb.md", "a%20b.md": "payments%2Fa+b.md", "db.md#part": "payments%2Fdb.md",
		"../../db.md": "", "db.txt": "", "db": "", "..": "",
	} {
		page := render("acme/app", "payments/refunds.md", "[x]("+target+")")
		_, address, linked := strings.Cut(page.HTML, `href="/go?project=acme%2Fapp&amp;path=`)
		address, _, _ = strings.Cut(address, `"`)
		if linked != (want != "") || address != want {
			t.Errorf("a link to %q leads to %q, want %q", target, address, want)
		}
	}
}

// Only one file may write past the templates' escaping, and no template may
// write what the content security policy blocks.
func TestTemplates_Rules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	banned := regexp.MustCompile(`templ\.Raw|<script|<style|style=|^\s*(css|script) \w|\bon\w+=|hx-on|js:|templ\.SafeURL\([^)]*p\.(Back|Token)`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(content), "\n") {
			if banned.MatchString(line) {
				t.Errorf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		if file != "trusted.go" && !strings.HasSuffix(file, "_test.go") && callsRaw(t, file) {
			t.Errorf("%s calls templ.Raw", file)
		}
	}
}

func callsRaw(t *testing.T, file string) bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		found = found || ok && call.Sel.Name == "Raw"
		return true
	})
	return found
}

// The sprite holds the icons that are used, and no others.
func TestIcons_Used(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("../static/icons.txt")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"*.templ", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_templ.go") || strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(content)
		}
	}
	for _, name := range strings.Fields(string(list)) {
		if !strings.Contains(source.String(), `"`+name+`"`) {
			t.Errorf("icon %s is in the sprite and never shown", name)
		}
	}
}
