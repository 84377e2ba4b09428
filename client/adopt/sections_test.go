package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []section
	}{
		{"nothing", "", nil},
		{"no heading", "text\n", []section{{"", "text\n"}}},
		{"title and parts", "# App\n\nIntro.\n\n## Build\nmake\n### More\nx\n## Test\r\ngo test\r\n", []section{
			{"App", "# App\n\nIntro.\n\n"}, {"Build", "## Build\nmake\n### More\nx\n"}, {"Test", "## Test\r\ngo test\r\n"},
		}},
		{"part first", "\ufeff## Build\nmake\n## Test", []section{{"Build", "\ufeff## Build\nmake\n"}, {"Test", "## Test"}}},
		{"fence", "## A\n```md\n## no\n```\n## B\n", []section{{"A", "## A\n```md\n## no\n```\n"}, {"B", "## B\n"}}},
		{"long fence", "## A\n````\n```\n## no\n````\n## B\n", []section{{"A", "## A\n````\n```\n## no\n````\n"}, {"B", "## B\n"}}},
		{"tildes", "## A\n  ~~~\n## no\n  ~~~\n## B\n", []section{{"A", "## A\n  ~~~\n## no\n  ~~~\n"}, {"B", "## B\n"}}},
		{"comment", "<!--\n## no\n-->\n## B\n", []section{{"", "<!--\n## no\n-->\n"}, {"B", "## B\n"}}},
		{"frontmatter", "---\nname: x\n## no\n---\n# T\n## B\n", []section{{"T", "---\nname: x\n## no\n---\n# T\n"}, {"B", "## B\n"}}},
		{"fence that stays open", "## A\n```\n## no\n", []section{{"A", "## A\n```\n## no\n"}}},
		{"no space", "##A\n#### B\n##\n", []section{{"", "##A\n#### B\n##\n"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, sections(tt.text), cmp.AllowUnexported(section{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSection_Bare(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"# App\n\n": true, "\n \n": true, "\ufeff# App": true, "## B\n": true, "# App\n\nText\n": false, "text\n": false, "# A\n# B\n": false,
	} {
		if got := (section{text: text}).bare(); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Build & Test": "build-test", "  How to deploy?": "how-to-deploy", "数据库 迁移": "数据库-迁移", "`code` only": "code-only", "???": "",
		"Ünïcode": "ünïcode", strings.Repeat("long ", 30): strings.TrimSuffix(strings.Repeat("long-", 12), "-"),
	} {
		if got := slug(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

// Put together, the sections of a file are the file.
func FuzzSections(f *testing.F) {
	for _, text := range []string{"", "## A\n## B", "---\n---\n## A\n", "```\n## A\n", "\ufeff\r\n## A\r\n", "# A\n\n\n## \n", "<!-- ## -->\n## A"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for n, s := range sections(text) {
			if s.text == "" {
				t.Errorf("part %d is empty", n)
			}
			b.WriteString(s.text)
		}
		if b.String() != text {
			t.Errorf("%q became %q", text, b.String())
		}
	})
}
