package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadFrontmatter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("数", 2000)
	for _, tt := range []struct {
		name, text string
		want       Frontmatter
	}{
		{
			"as Claude Code writes it",
			"---\nname: db-tests\ndescription: How tests get a database\ntype: feedback\n---\n# DB\n",
			Frontmatter{Name: "db-tests", Description: "How tests get a database", Kind: KindFeedback},
		},
		{
			"type below metadata",
			"---\nname: x\ndescription: d\nmetadata:\n  node_type: memory\n  type: user\n  originSessionId: 12\n---\n",
			Frontmatter{Name: "x", Description: "d", Kind: KindUser},
		},
		{"blank behind metadata", "---\nname: x\ndescription: d\nmetadata: \n  type: reference\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindReference}},
		{"tab below metadata", "---\nname: x\ndescription: d\nmetadata:\n\ttype: user\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"metadata ends", "---\nmetadata:\n  type: user\nname: x\ndescription: d\n  type: feedback\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"type on top and nested", "---\nname: x\ndescription: d\ntype: user\nmetadata:\n  type: project\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"unknown type on top", "---\nname: x\ndescription: d\ntype: note\nmetadata:\n  type: user\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject}},
		{"unknown type", "---\nname: x\ndescription: d\ntype: note\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject}},
		{"type in capitals", "---\nname: x\ndescription: d\ntype: Feedback\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindFeedback}},
		{"CRLF", "---\r\nname: x\r\ndescription: d\r\ntype: user\r\n---\r\nbody\r\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"BOM", "\ufeff---\nname: x\ndescription: d\ntype: user\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"blanks behind the lines", "--- \nname: x \ndescription: d\t\ntype: user\n---  \n", Frontmatter{Name: "x", Description: "d", Kind: KindUser}},
		{"ends with the block", "---\nname: x\ndescription: d\n---", Frontmatter{Name: "x", Description: "d", Kind: KindProject}},
		{"quotes", "---\nname: \"a: b\"\ndescription: 'it is'\n---\n", Frontmatter{Name: "a: b", Description: "it is", Kind: KindProject}},
		{"half a quote", "---\nname: \"a\ndescription: '\n---\n", Frontmatter{Name: `"a`, Description: "'", Kind: KindProject}},
		{"colon in the description", "---\nname: x\ndescription: db: use 15: or later\n---\n", Frontmatter{Name: "x", Description: "db: use 15: or later", Kind: KindProject}},
		{"first value counts", "---\nname: x\nname: y\ndescription: d\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject}},
		{"comments and lists", "---\n# name: no\n- name: no\nname: x\ndescription: d\n\nplain\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject}},
		{"block of lines", "---\nname: x\ndescription: >-\n  two\n  lines\ntype: user\n---\n# Head\n", Frontmatter{Name: "x", Description: "two lines", Kind: KindUser}},
		{"empty values", "---\nname:\ndescription: \"\"\n---\nBody text.\n", Frontmatter{Name: "db", Description: "Body text.", Kind: KindProject}},
		{"Chinese", "---\nname: 数据库\ndescription: 测试如何获得数据库\ntype: user\n---\n", Frontmatter{Name: "数据库", Description: "测试如何获得数据库", Kind: KindUser}},
		{
			"too long", "---\nname: " + long + "\ndescription: " + long + "\n---\n",
			Frontmatter{Name: strings.Repeat("数", 199) + "…", Description: strings.Repeat("数", 999) + "…", Kind: KindProject},
		},

		{"nothing", "", Frontmatter{Name: "db", Description: "", Kind: KindProject}},
		{"only marks", "---\n\n***\n# \n", Frontmatter{Name: "db", Description: "", Kind: KindProject}},
		{"heading", "\n\n## How to test\n\nText.\n", Frontmatter{Name: "db", Description: "How to test", Kind: KindProject}},
		{"sentence", "Use it. Or not.\n", Frontmatter{Name: "db", Description: "Use it.", Kind: KindProject}},
		{"sentence with a version", "Use 1.2 or later. Not 1.1.\n", Frontmatter{Name: "db", Description: "Use 1.2 or later.", Kind: KindProject}},
		{"list", "- first thing\n- second\n", Frontmatter{Name: "db", Description: "first thing", Kind: KindProject}},
		{"Chinese sentence", "先迁移。再测试。\n", Frontmatter{Name: "db", Description: "先迁移。", Kind: KindProject}},
		{"long line", long, Frontmatter{Name: "db", Description: strings.Repeat("数", 119) + "…", Kind: KindProject}},
		{"never closed", "---\nname: x\ntype: user\n", Frontmatter{Name: "db", Description: "name: x", Kind: KindProject}},
		{"closed too late", "---\n" + strings.Repeat("a: b\n", longestBlockLines) + "---\n", Frontmatter{Name: "db", Description: "a: b", Kind: KindProject}},
		{"rule later in the text", "# DB\n---\ntype: user\n---\n", Frontmatter{Name: "db", Description: "DB", Kind: KindProject}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ReadFrontmatter(path1(t, "testing/db.md"), tt.text)
			if diff := cmp.Diff(tt.want, Frontmatter{Name: got.Name, Description: got.Description, Kind: got.Kind}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a file says, the answer is short text of a known kind.
func FuzzReadFrontmatter(f *testing.F) {
	for _, seed := range []string{"---\nname: x\n---\n", "---\n:\n---", "---\n :\n", "\ufeff---\r\nmetadata: \r\n  type: user\r\n---\r\n", "# a. b", "---\n\"\n---"} {
		f.Add(seed)
	}
	path := StoredPath("db.md")
	f.Fuzz(func(t *testing.T, text string) {
		m := ReadFrontmatter(path, text)
		if m.Name == "" || utf8.RuneCountInString(m.Name) > longestName || utf8.RuneCountInString(m.Description) > longestDescription {
			t.Errorf("got %+v", m)
		}
		if strings.ContainsAny(m.Name+m.Description, "\n") || (utf8.ValidString(text) && !utf8.ValidString(m.Name+m.Description)) {
			t.Errorf("got %+v", m)
		}
		switch m.Kind {
		case KindUser, KindFeedback, KindProject, KindReference:
		default:
			t.Errorf("kind %q", m.Kind)
		}
	})
}

// Real memory files: each has a name, nearly all a description, and of those
// that state a kind none loses it.
func TestReadFrontmatter_Corpus(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "shared", "corpus")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: it is handed out beside the repository", root)
	}
	kinds, files, described := map[Kind]int{}, 0, 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		text, err := os.ReadFile(file)
		m := ReadFrontmatter(StoredPath(filepath.Base(file)), string(text))
		files++
		kinds[m.Kind]++
		if m.Description != "" {
			described++
		}
		for _, k := range []Kind{KindUser, KindFeedback, KindReference} {
			if head, _, _ := strings.Cut(string(text), "\n---"); strings.Contains(head, "\n  type: "+string(k)+"\n") && m.Kind != k {
				t.Errorf("%s: got kind %s, want %s", filepath.Base(file), m.Kind, k)
			}
		}
		return err
	})
	must(t, err)
	t.Logf("%d files, %d with a description, kinds: %v", files, described, kinds)
	if described < files*95/100 || kinds[KindFeedback] == 0 || kinds[KindUser] == 0 || kinds[KindReference] == 0 {
		t.Errorf("of %d files %d have a description; kinds: %v", files, described, kinds)
	}
}
