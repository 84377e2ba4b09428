package memory

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/sanitize"
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

// What the reader of a list is told besides name and description.
func TestReadFrontmatter_Marks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       Frontmatter
	}{
		{"YAML", "---\nname: x\ndescription: d\ntype: Note\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject, Type: "Note", Has: true}},
		{"no block", "Text.\n", Frontmatter{Name: "db", Description: "Text.", Kind: KindProject, NeedsDescription: true}},
		{"empty block", "---\n---\nText.\n", Frontmatter{Name: "db", Description: "Text.", Kind: KindProject, Has: true, NeedsDescription: true}},
		{"never closed", "---\nname: x\n", Frontmatter{Name: "db", Description: "name: x", Kind: KindProject, NeedsDescription: true}},
		{"closes behind line 30", "---\nname: x\n" + strings.Repeat("a: b\n", 60) + "description: d\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject, Has: true}},
		{"no YAML", "---\nname: x\ndescription: a: b\n---\n", Frontmatter{Name: "x", Description: "a: b", Kind: KindProject, Has: true, Repaired: true}},
		{
			"as Claude Code rewrites it", "---\nname: x\ndescription: d\nmetadata: \n  node_type: memory\n  type: feedback\n  originSessionId: 334ab2b5\n  modified: 2026-08-11T18:29:58.156Z\n---\n",
			Frontmatter{Name: "x", Description: "d", Kind: KindFeedback, Type: "feedback", Has: true},
		},
		{"top counts", "---\ndescription: d\nname: x\ntype: user\nmetadata:\n  type: project\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindUser, Type: "user", Has: true}},
		{"null and empty", "---\nname: ~\ndescription: null\ntype:\n---\nText.\n", Frontmatter{Name: "db", Description: "Text.", Kind: KindProject, Has: true, NeedsDescription: true}},
		{"numbers and dates as they stand", "---\nname: 007\ndescription: 2026-03-04\ntype: yes\n---\n", Frontmatter{Name: "007", Description: "2026-03-04", Kind: KindProject, Type: "yes", Has: true}},
		{"lists are no text", "---\nname: [a, b]\ndescription:\n  - c\ntype: {a: b}\n---\nText.\n", Frontmatter{Name: "db", Description: "Text.", Kind: KindProject, Has: true, NeedsDescription: true}},
		{"too deep", "---\nname: x\ndescription: d\nmetadata:\n  more:\n    type: user\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject, Has: true}},
		{"aliases are not followed", "---\nname: &n x\ndescription: *n\nmetadata:\n  type: !t y\n---\nText.\n", Frontmatter{Name: "&n x", Description: "*n", Kind: KindProject, Type: "!t y", Has: true, Repaired: true}},
		{"tags are text", "---\nname: x\ndescription: d\nmetadata:\n  type: !t y\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject, Type: "!t y", Has: true, Repaired: true}},
		{"number of an issue", "---\nname: x #1\ndescription: fixes #12, and #13\ntype: user # not #14\n---\n", Frontmatter{Name: "x #1", Description: "fixes #12, and #13", Kind: KindUser, Type: "user", Has: true}},
		{"comments", "---\n# a\nname: \"x\" # b\n# c\ndescription: d\n# e\n---\n", Frontmatter{Name: "x", Description: "d", Kind: KindProject, Has: true}},
		{"not a mapping", "---\njust words\n---\nText.\n", Frontmatter{Name: "db", Description: "Text.", Kind: KindProject, Has: true, NeedsDescription: true}},
		{"folded", "---\nname: x\ndescription: >\n  one\n  two\n\n  three\n---\n", Frontmatter{Name: "x", Description: "one two three", Kind: KindProject, Has: true}},

		{"repaired, folded", "---\nname: a: b\ndescription: >-\n  one: 1\n  two\n  # no\ntype: user\n---\n", Frontmatter{Name: "a: b", Description: "two", Kind: KindUser, Type: "user", Has: true, Repaired: true}},
		{"repaired, goes on", "---\nname: x\ndescription: a: b\n  c d\nmetadata:\n  type: user\n  plain\nwords\n---\n", Frontmatter{Name: "x", Description: "a: b c d", Kind: KindUser, Type: "user", Has: true, Repaired: true}},
		{"repaired, twice", "---\nname: a: b\nname: c\n  d\nmetadata:\n  type: user\nmetadata:\n  type: project\ndescription: d\n---\n", Frontmatter{Name: "a: b", Description: "d", Kind: KindUser, Type: "user", Has: true, Repaired: true}},
		{"repaired, quoted", "---\nname: 'it''s': x\ndescription: \"a \"b\" c\"\nurl:http://x\n---\n", Frontmatter{Name: "'it''s': x", Description: "a \"b\" c", Kind: KindProject, Has: true, Repaired: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, ReadFrontmatter(path1(t, "testing/db.md"), tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An index is described by what it lists.
func TestReadFrontmatter_Index(t *testing.T) {
	t.Parallel()
	if m := ReadFrontmatter(path1(t, "MEMORY.md"), "# Memory\n"); m.NeedsDescription || m.Description != "Memory" {
		t.Errorf("got %+v", m)
	}
}

// The first heading or sentence is one that says something.
func TestReadFrontmatter_Summary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"banner", "<!--\n═══\n  Created by somebody\n-->\n# DB\n", "DB"},
		{"comment in a line", "<!-- banner -->\nText.\n", "Text."},
		{"comment that never closes", "<!-- oops\nText.\n", "<!-- oops"},
		{"code", "```sh\nmake test\n```\nRun it.\n", "Run it."},
		{"nested fences", "````\n```\nx\n```\n````\nAfter.\n", "After."},
		{"code that never closes", "~~~\nmake test\n", ""},
		{"a line of code", "```make test``` runs it.\n", "```make test``` runs it."},
		{"rules", "═══\n***\n| --- |\n1 thing\n", "1 thing"},
		{"bold", "**Rule:** never push. Why not?\n", "Rule: never push."},
		{"CRLF", "\r\n# DB\r\n", "DB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ReadFrontmatter(path1(t, "x.md"), tt.text).Description; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What is hidden in a name or description does not come out of it, neither
// from YAML, where escapes could make it, nor from a block that is repaired.
func TestReadFrontmatter_Hidden(t *testing.T) {
	t.Parallel()
	const escaped = `a\u202eb\u200b\U000E0041\x1b[0m\nc\td\0`
	raw := "a\u202eb\u200b\U000e0041\x1b[0m\tc\td\x00"
	for _, text := range []string{
		"---\nname: \"" + escaped + "\"\ndescription: \"" + escaped + "\"\ntype: \"" + escaped + "\"\n---\n",
		"---\nname: " + raw + "\ndescription: " + raw + "\ntype: " + raw + "\n---\n",
	} {
		m := ReadFrontmatter(path1(t, "x.md"), text)
		if m.Name != "ab [0m c d" || m.Description != m.Name || m.Type != m.Name {
			t.Errorf("got %+v", m)
		}
	}
	if m := ReadFrontmatter(path1(t, "x.md"), "---\nname: \u200b\n---\n# a\u202eb\n"); m.Name != "x" || m.Description != "ab" {
		t.Errorf("got %+v", m)
	}
}

// bombs are blocks that were made to take a reader of YAML apart, most of them
// as large as one that is still read as YAML.
func bombs() map[string]string {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9))
	}
	indented := ""
	for i := range 85 {
		indented += strings.Repeat(" ", i) + "a:\n"
	}
	return map[string]string{
		"laughs":     laughs,
		"itself":     "a: &a\n  b: *a\n",
		"brackets":   "a: " + strings.Repeat("[", 4000) + "\n",
		"braces":     "a: " + strings.Repeat("{a: ", 1000) + "\n",
		"indented":   indented,
		"keys":       "? " + strings.Repeat("? ", 2000) + "\n",
		"dashes":     strings.Repeat("- ", 2000) + "\n",
		"many keys":  strings.Repeat("a: b\n", 190),
		"long block": "a: " + strings.Repeat("[", 1<<20) + "\n",
		"quotes":     "a: \"" + strings.Repeat(`\x`, 2000) + "\n",
		"tags":       "a: " + strings.Repeat("!!a ", 1000) + "\n",
		"anchors":    "a: " + strings.Repeat("&a ", 1300) + "\n",
		"directive":  "%YAML 9.9\n",
	}
}

// A bomb costs no more than its bytes, and what stands around it is still read.
func TestReadFrontmatter_Bombs(t *testing.T) {
	t.Parallel()
	for name, bomb := range bombs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := ReadFrontmatter(path1(t, "x.md"), "---\nname: n\n"+bomb+"type: user\n---\nText.\n")
			if !m.Has || m.Name != "n" || m.Kind != KindUser || utf8.RuneCountInString(m.Description) > longestDescription {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// Whatever a file says, the answer is short, visible, one-line text of a known
// kind, line ends do not matter, valid UTF-8 comes out of broken bytes, and what
// is below the head is all that was below it.
func FuzzReadFrontmatter(f *testing.F) {
	for _, seed := range []string{
		"---\nname: x\n---\n", "---\n:\n---", "---\n :\n", "\ufeff---\r\nmetadata: \r\n  type: user\r\n---\r\n", "# a. b", "---\n\"\n---",
		"---\nname: &a [*a]\n---\n", "---\nname: \"\\u202e\"\n---\n", "---\nname: >-\n  a: b: c\n---\n", "---\n\xff: \xfe\n---\n<!--\n```\n",
		"---\n? a\n: b\n---\n", "---\n!!binary name: x\n---\n", "---\n{name: x, type: user}\n---\n",
	} {
		f.Add(seed)
	}
	for _, bomb := range bombs() {
		f.Add("---\n" + bomb + "---\n")
	}
	path := StoredPath("db.md")
	f.Fuzz(func(t *testing.T, text string) {
		if h, plain := readHead(text), strings.TrimPrefix(text, byteOrderMark); !strings.HasSuffix(plain, h.body) ||
			strings.Count(plain[:len(plain)-len(h.body)], "\n") > h.end || h.end == 0 && h.body != plain {
			t.Errorf("%q ends in line %d, and below is %q", text, h.end, h.body)
		}
		m := ReadFrontmatter(path, text)
		if m.Name == "" || !slices.Contains(Kinds(), m.Kind) || m.Repaired && !m.Has {
			t.Errorf("got %+v", m)
		}
		for _, shown := range []struct {
			text string
			most int
		}{{m.Name, longestName}, {m.Description, longestDescription}, {m.Type, longestType}} {
			if utf8.RuneCountInString(shown.text) > shown.most || sanitize.Inline(shown.text) != shown.text || !utf8.ValidString(shown.text) {
				t.Errorf("got %q", shown.text)
			}
		}
		if lf := strings.ReplaceAll(text, "\r", ""); !strings.HasPrefix(lf, byteOrderMark) {
			windows := byteOrderMark + strings.ReplaceAll(lf, "\n", "\r\n")
			if diff := cmp.Diff(ReadFrontmatter(path, lf), ReadFrontmatter(path, windows)); diff != "" {
				t.Errorf("with CRLF (-LF +CRLF):\n%s", diff)
			}
		}
	})
}

// What is read as plain is read as YAML reads it.
func FuzzReadPlain(f *testing.F) {
	for _, seed := range []string{
		"name: db-tests\ndescription: How tests get one, and (why): see a:b\nmetadata: \n  type: user\n  x: 2026-11-30\nlast: 1e3\n",
		"name: \"a: b # c\"\nname: second\nempty: \"\"\nnothing:\nnothing:\n  at: all\n", "a: Größe – “klein”\nb: true\n", "a: nUll\n", "a: b\n  c: d\n",
		"a: b \n", "a: b:\n", "a: b #c\n", "a: b#c\n", "a:\n  b: c\n   d: e\n", "a: \u2028b\n", "a: \xff\n", "a: b\n---\n", "a: \"\\n\"\n", "a: x", "y: n\n",
		"a: =\n", "a: <<\n", "a: 1:2\n", "a:   \n  b: c\n", "a: b  c\n", "a: x, [y] {z}\n", "a: \U0001F600\n", "a: x - y\n", "a: \" x \"\n", "a: null\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, block string) {
		got, plain := readPlain(block)
		if !plain {
			return
		}
		want, err := readYAML(block)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("error %v (-YAML +plain):\n%s", err, diff)
		}
	})
}

// The blocks that agents write are plain, or it saves nothing.
func TestReadPlain_Ordinary(t *testing.T) {
	t.Parallel()
	for _, block := range []string{
		"name: db-tests\ndescription: \"How tests get a database, and why\"\nmetadata: \n  node_type: memory\n  type: feedback\n",
		"name: db-tests\ndescription: How tests get a database – and why\ntype: feedback\n",
	} {
		if _, plain := readPlain(block); !plain {
			t.Errorf("not plain:\n%s", block)
		}
	}
}

func BenchmarkReadFrontmatter(b *testing.B) {
	body := strings.Repeat("A line of ordinary text, as agents write it.\n", 50)
	cases := map[string]string{
		"ordinary": "---\nname: db-tests\ndescription: \"How tests get a database, and why\"\nmetadata: \n  node_type: memory\n  type: feedback\n  originSessionId: 334ab2b5\n---\n" + body,
		"repaired": "---\nname: db-tests\ndescription: Rule: tests get a database\nmetadata: \n  type: feedback\n---\n" + body,
		"none":     "# DB\n" + body,
	}
	for name, bomb := range bombs() {
		cases["bomb "+name] = "---\n" + bomb + "---\n"
	}
	path := StoredPath("testing/db.md")
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(cases[name])))
			b.ReportAllocs()
			for b.Loop() {
				ReadFrontmatter(path, cases[name])
			}
		})
	}
}

// Real memory files: each has a name, nearly all a description, and of those
// that state a kind none loses it.
func TestReadFrontmatter_Corpus(t *testing.T) {
	t.Parallel()
	root := corpus(t)
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
