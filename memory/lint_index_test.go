package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said are lints as "rule line", with the message of those of the whole file.
func said(lints []Lint) []string {
	var out []string
	for _, l := range lints {
		if l.Line > 0 {
			out = append(out, fmt.Sprintf("%s %d", l.Rule, l.Line))
			continue
		}
		out = append(out, l.Rule+": "+l.Message)
	}
	return out
}

func unlisted(path string) string {
	return "unlisted: " + path + " is not listed: add a line with its link and description"
}

func TestLintIndex(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		text  string
		paths []string
		want  []string
	}{
		{"nothing at all", "", nil, nil},
		{"all is well", "# Memory\n\n- [DB](db.md) — tests\n* [X](<x y.md>) — x\n1. [Z](./z.md \"title\")\n", []string{"db.md", "x y.md", "z.md", "MEMORY.md"}, nil},
		{"dangling", "- [A](a.md)\n- [B](b.md)\n", []string{"a.md"}, []string{"dangling 2"}},
		{"unlisted in order", "# Index\n", []string{"a.md", "t/b.md"}, []string{unlisted("a.md"), unlisted("t/b.md")}},
		{"duplicate", "- [A](a.md)\n- see [A](a.md) again\n", []string{"a.md"}, []string{"duplicate 2"}},
		{"mentioned is no duplicate", "- [A](a.md), unlike [B](b.md)\n- [B](b.md)\n\nRead [A](a.md) first.\n", []string{"a.md", "b.md"}, nil},
		{"mentioned is listed", "Read [A](a.md) and [[b]].\n", []string{"a.md", "t/b.md"}, nil},
		{"wiki links", "- [[a|the first]]\n- [[no such]]\n- [[b#part]] [[open\n", []string{"a.md", "b.md"}, nil},
		{
			"outside", "- [A](../private.md)\n- [B](/etc/passwd)\n- [C](~/x.md)\n- [D](C:\\x.md)\n- [E](t/../../x.md)\n- [F](..)\n", nil,
			[]string{"outside 1", "outside 2", "outside 3", "outside 4", "outside 5", "outside 6"},
		},
		{"web and headings", "- [A](https://example.com/a.md)\n- [B](#part)\n- [C](mailto:x@example.com)\n- [D]()\n", nil, nil},
		{"part of an entry", "- [A](a.md#part)\n", []string{"a.md"}, nil},
		{"escaped", "- [A](caf%C3%A9%20x.md)\n- [B](100%.md)\n", []string{"café x.md"}, []string{"dangling 2"}},
		{"NFD, case and backslash", "- [A](cafe\u0301.md)\n- [B](T\\B.md)\n", []string{"café.md", "t/b.md"}, nil},
		{"parentheses", "- [A](a(1).md)\n- [B](open(.md\n", []string{"a(1).md"}, nil},
		{"folder", "- [T](t/)\n- [.](.)\n", []string{"t/MEMORY.md"}, nil},
		{"own index of a folder", "- [T](t/MEMORY.md)\n", []string{"t/MEMORY.md", "t/u/a.md", "v/b.md"}, []string{unlisted("v/b.md")}},
		{"itself", "- [this](MEMORY.md)\n", nil, nil},
		{"code and comments are no lists", "```\n- [A](no.md)\n```\n<!-- [B](no.md) -->\n---\n", nil, nil},
		{"frontmatter counts as lines", "---\nname: [x](no.md)\n---\n- [A](a.md)\n", nil, []string{"dangling 4"}},
		{"CRLF", "---\r\nname: x\r\n---\r\n- [A](a.md)\r\n- [A](a.md)\r\n", []string{"a.md"}, []string{"duplicate 5"}},
		{"200 characters", "- " + strings.Repeat("数", 198) + "\n", nil, nil},
		{"201 characters", "- " + strings.Repeat("数", 199) + "\n", nil, []string{"long-line 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var paths []Path
			for _, p := range tt.paths {
				paths = append(paths, path1(t, p))
			}
			if diff := cmp.Diff(tt.want, said(LintIndex(tt.text, paths))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a lint repeats of a file is inert.
func TestLintIndex_Inert(t *testing.T) {
	t.Parallel()
	for _, l := range LintIndex("- [x](<a\u202e> b.md)\n- [y](<script>.md)\n", nil) {
		if strings.ContainsAny(l.Message, "<>\u202e\n") {
			t.Errorf("got %q", l.Message)
		}
	}
}

// corpus returns the folder of real memory trees, or skips.
func corpus(t testing.TB) string {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "corpus")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: it is handed out beside the repository", root)
	}
	return root
}

// Real indexes: what they are said to lack is what they lack.
func TestLintIndex_Corpus(t *testing.T) {
	t.Parallel()
	root := corpus(t)
	for _, tt := range []struct {
		tree string
		want map[string]int
	}{
		{"xray/memory", map[string]int{"long-line": 5}},
		{"tlamatini/memory", map[string]int{"dangling": 86, "long-line": 24, "near-budget": 1, "unlisted": 9}},
		{"blog/memory", map[string]int{"long-line": 1}},
		{"twelve-factor-explorer", map[string]int{"dangling": 24, "long-line": 2, "over-budget": 1, "unlisted": 69}},
		{"compose-envkit/agent-memory/architect", map[string]int{"long-line": 8}},
	} {
		dir := filepath.Join(root, filepath.FromSlash(tt.tree))
		var paths []Path
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(dir, file); err == nil && !d.IsDir() && filepath.Ext(file) == ".md" {
				paths = append(paths, StoredPath(filepath.ToSlash(rel)))
			}
			return err
		})
		must(t, err)
		index, err := os.ReadFile(filepath.Join(dir, IndexName))
		must(t, err)
		got := map[string]int{}
		for _, l := range LintIndex(string(index), paths) {
			got[l.Rule]++
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.tree, diff)
		}
	}
}
