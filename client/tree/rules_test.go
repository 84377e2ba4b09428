package tree

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// samples are paths that the patterns of these tests are about, in many ways.
func samples() []string {
	return []string{
		"a.md", "b.md", "a/a.md", "a/b.md", "a/b/c.md", "a/b/c/d.md", "b/a/a.md", "drafts/x.md", "old drafts/x.md", "sub/drafts/x.md", "drafts.md",
		"{a}.md", "{a,b}.md", "#a.md", "!a.md", "a b.md", "a .md", "ab.md", "abc.md", "a-b.md", "x/y/z/a.md", "résumé.md", "[a].md", "x.draft.md", "A.md",
		"a.md ", "a*b.md", "[!a].md", "].md", `\a.md`, "team/a.md", "x/team/a.md", "drafts/keep/x.md", "drafts/keep.md", "x/drafts/keep.md", "z.md/a.md",
	}
}

// What git leaves out by an ignore file is left out here, and nothing else.
func TestRules_AsGit(t *testing.T) { //nolint:paralleltest // see child
	for i, text := range []string{
		"", "# a.md\n", "a.md", "/a.md", "a/a.md", "drafts", "drafts/", "/drafts/", "drafts/*\n!drafts/keep.md", "drafts/\n!drafts/keep.md", "*.md\n!a.md",
		"*\n!*/\n!a.md", "**/a.md", "a/**", "a/**/c.md", "**/drafts/**", "a/*", "a/*/c.md", "**", "**/", "x/**/a.md", "*.draft.md",
		"{a}.md", "{a,b}.md", `\#a.md`, `\!a.md`, "!a.md", "a b.md", `a\ b.md`, "a.md   ", `a.md\ `, "[ab].md", "[!a].md", "[^a].md", "[a-b]*.md", "a?c.md", "?.md", `\[!a].md`, `[!\]].md`, `[a[!]*.md`, `\\[!a].md`,
		"résumé.md", `\[a].md`, `a\*b.md`, "a*b.md", "*/a.md", "/*/a.md", "sub/drafts/", "drafts/keep", "drafts/keep/", "z.md/", "z.md",
		"a/\n!a/a.md", "*.md\n!/a/\n!/a/b.md", "a.md\n!a.md\n/a.md", "/**/c.md", "a/b/**/d.md", "**/**/a.md", "* *", "**/team/a.md",
	} {
		rules, err := ParseRules(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		want := leftOutByGit(t, text, samples())
		for _, path := range samples() {
			if got := rules.LeaveOut(path); got != want[path] {
				t.Errorf("%d %q: %q left out %t, and by git %t", i, text, path, got, want[path])
			}
		}
	}
}

// leftOutByGit asks git which of the paths an ignore file leaves out.
func leftOutByGit(t *testing.T, text string, paths []string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".gitignore": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "git", "check-ignore", "--no-index", "-z", "--stdin")
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	c.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil && errs.Len() > 0 { // without a word: none is left out
		t.Fatalf("git: %v: %s", err, &errs)
	}
	leftOut := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		leftOut[path] = true
	}
	return leftOut
}

// Where git passes over a line in silence, there is an error that names it.
func TestRules_NotUnderstood(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"[a.md", "[[:alpha:]].md", `a\`, "a[", "[]", "x**/a.md", "a**b.md", "a[/]b.md", "***",
		"/", "//", "!", "!/", "./a.md", "a//b.md", "a/../b/", "drafts//", "drafts/\t", " drafts/", "a\x00.md", "drafts\u200b/", "drafts/\u00a0",
		`drafts\a.md`, `drafts\9.md`, `drafts\_a.md`, "team/drafts/", "/team/a.md",
	} {
		if _, err := ParseRules("# first\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), "line 2 of team/.teammemignore") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// What some editors and shells write is no text in UTF-8.
func TestRules_Encodings(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"UTF-16":               "\xff\xfed\x00/\x00\n\x00",
		"UTF-16, without mark": "d\x00/\x00\n\x00",
		"Latin-1":              "r\xe9sum\xe9.md\n",
		"zeros":                "\x00\x00\x00",
	} {
		if _, err := ParseRules(text); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}

// Ends of lines and spellings do not matter.
func TestRules_Spellings(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"line ends": "drafts/\r\nre\u0301sume\u0301.md\r\n", "byte order mark": "\ufeffdrafts/\nr\u00e9sum\u00e9.md",
	} {
		rules, err := ParseRules(text)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(rules.LeaveOut("drafts/a.md"), rules.LeaveOut("r\u00e9sum\u00e9.md"), rules.LeaveOut("re\u0301sume\u0301.md"), rules.LeaveOut("a.md"))
		if got != "true true true false" || rules.Text() != text {
			t.Errorf("%s: %s", name, got)
		}
	}
}
