package memory

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file that Notepad saved starts with a byte order mark and ends its lines
// with CRLF: all of it is understood, and every byte is kept.
func TestField_F38_BOMHidesFrontmatter(t *testing.T) {
	t.Parallel()
	text := "\ufeff---\r\nname: deploys\r\ndescription: How we deploy\r\ntype: reference\r\n---\r\n\r\n# Deploys\r\n"
	content, err := Screen(t.Context(), markScanner{}, path1(t, "deploys.md"), []byte(text))
	must(t, err)
	if content.Text() != text {
		t.Errorf("stored %q", content.Text())
	}
	want := Frontmatter{Name: "deploys", Description: "How we deploy", Kind: KindReference, Type: "reference", Has: true}
	if diff := cmp.Diff(want, ReadFrontmatter(path1(t, "deploys.md"), content.Text())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if lints := Lints(path1(t, "deploys.md"), text, start()); lints != nil {
		t.Errorf("got %v", lints)
	}
}

// Whatever a tool makes of the line ends, an entry says the same: real files
// with LF and with CRLF, and the indexes among them.
func TestField_F39_CRLFChurn(t *testing.T) {
	t.Parallel()
	must(t, filepath.WalkDir(corpus(t), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		text, err := os.ReadFile(file)
		lf := strings.ReplaceAll(string(text), "\r\n", "\n")
		crlf := strings.ReplaceAll(lf, "\n", "\r\n")
		path := StoredPath(filepath.Base(file))
		if diff := cmp.Diff(ReadFrontmatter(path, lf), ReadFrontmatter(path, crlf)); diff != "" {
			t.Errorf("%s: (-LF +CRLF):\n%s", d.Name(), diff)
		}
		if diff := cmp.Diff(Lints(path, lf, start()), Lints(path, crlf, start())); diff != "" {
			t.Errorf("%s: (-LF +CRLF):\n%s", d.Name(), diff)
		}
		a, b := IndexBudget(lf), IndexBudget(crlf)
		if a.Lines != b.Lines || b.Bytes < a.Bytes {
			t.Errorf("%s: %v with LF, %v with CRLF", d.Name(), a, b)
		}
		return err
	}))
}

// A Mac lists café.md in its decomposed form, and an agent there may link it so.
func TestField_F40_DecomposedLink(t *testing.T) {
	t.Parallel()
	if got := LintIndex("- [Café](cafe\u0301.md)\n", []Path{path1(t, "caf\u00e9.md")}); got != nil {
		t.Errorf("got %v", got)
	}
}

// Agents leave quotes out where YAML needs them. Name, description and type
// are understood all the same, the entry says that it was repaired, and its
// bytes stay.
func TestField_F41_UnquotedYAML(t *testing.T) {
	t.Parallel()
	for _, description := range []string{
		"Rule: never push on Friday",
		"`make test` before each push",
		"@mara decides about releases",
		"*.go files are formatted by gofumpt",
		"[draft] how we deploy",
		"\"secrets-last\" holds within layer 1 only",
		"--files must render from env_file: paths",
		"% of tests that may fail: none",
		"&shared state is not shared",
		"{braces} open a mapping: here they do not",
		"ends with a colon:",
	} {
		text := "---\nname: rule\ndescription: " + description + "\nmetadata: \n  type: feedback\n---\n\n**Why:** it broke once.\n"
		content, err := Screen(t.Context(), markScanner{}, path1(t, "rule.md"), []byte(text))
		must(t, err)
		want := Frontmatter{Name: "rule", Description: description, Kind: KindFeedback, Type: "feedback", Has: true, Repaired: true}
		if diff := cmp.Diff(want, ReadFrontmatter(path1(t, "rule.md"), content.Text())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"repaired 3"}, said(Lints(path1(t, "rule.md"), text, start()))); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", description, diff)
		}
		if content.Text() != text {
			t.Errorf("stored %q", content.Text())
		}
	}
}

// The five real files that are no strict YAML are understood.
func TestField_F41_Corpus(t *testing.T) {
	t.Parallel()
	root := filepath.Join(corpus(t), "compose-envkit", "agent-memory")
	for _, name := range []string{
		"code-reviewer/blank-import-reference-not-a-lint-failure.md", "go-engineer/files-from-declared-not-derived.md",
		"go-engineer/include-conflict-vs-overlay-merge.md", "architect/layer2-debug-only-not-populated.md", "qa-engineer/secrets-last-scope.md",
	} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		must(t, err)
		m := ReadFrontmatter(StoredPath(name), string(text))
		if !m.Repaired || m.Name != strings.TrimSuffix(filepath.Base(name), ".md") || m.Type == "" || len(m.Description) < 80 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// If an editor has put a second block above the first, the first one counts.
func TestField_F42_DoubleFrontmatter(t *testing.T) {
	t.Parallel()
	text := "---\ndescription: new\n---\n---\nname: x\ndescription: old\n---\nText.\n"
	m := ReadFrontmatter(path1(t, "db.md"), text)
	if m.Name != "db" || m.Description != "new" {
		t.Errorf("got %+v", m)
	}
}
