package memory

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// entry is an entry of a kind with this text below its frontmatter, which ends
// on line 5.
func entry(kind, text string) string {
	return "---\nname: x\ndescription: d\ntype: " + kind + "\n---\n" + text
}

func TestLints(t *testing.T) {
	t.Parallel()
	commits := "Merged in commit 1a2b3c4.\nAlso commits `abcdef0` and more.\nPushed 0123456789abcdef.\n"
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"all is well", entry("project", "# DB\n\nUse Postgres, decided on 2026-03-01.\n"), nil},
		{"well without top-level type", "---\ndescription: d\nmetadata: \n  type: reference\n---\nText.\n", nil},
		{"CRLF and byte order mark", "\ufeff" + strings.ReplaceAll(entry("project", "Text.\n"), "\n", "\r\n"), nil},

		{"user", entry("user", ""), []string{"kind-user 4"}},
		{"user below metadata", "---\ndescription: d\nmetadata:\n  type: user\n---\n", []string{"kind-user 4"}},
		{"unknown kind", entry("note", ""), []string{"unknown-kind 4"}},
		{"kind in capitals", entry("Reference", ""), nil},
		{"types differ", "---\ndescription: d\nmetadata:\n  type: project\ntype: reference\n---\n", []string{"type-differs 4"}},
		{"types differ in case only", "---\ndescription: d\ntype: Project\nmetadata:\n  type: project\n---\n", nil},
		{"closes on line 30", "---\ndescription: d\n" + strings.Repeat("a: b\n", 27) + "---\n", nil},
		{"closes on line 31", "---\ndescription: d\n" + strings.Repeat("a: b\n", 28) + "---\n", []string{"late-frontmatter 31"}},
		{"repaired", "---\nname: x\ndescription: Rule: never\n---\n", []string{"repaired 3"}},
		{
			"repaired in no single line", "---\nname: x\n description: d\n---\n",
			[]string{"repaired: this is not valid YAML, and was read line by line: put the value in quotes", "no-description 3"},
		},
		{
			"no frontmatter", "# DB\n",
			[]string{"no-description: there is no description, by which agents choose what to read: add one of at most 200 characters to the frontmatter"},
		},
		{"empty description", "---\nname: x\ndescription: \"\"\n---\n", []string{"no-description 3"}},
		{"description of 200 characters", "---\ndescription: " + strings.Repeat("数", 200) + "\n---\n", nil},
		{"description of 201 characters", "---\ndescription: " + strings.Repeat("数", 201) + "\n---\n", []string{"long-description 2"}},

		{"no why", entry("feedback", "Never push on Friday.\n"), []string{"no-why: a rule without its reason cannot be judged in a new case: add a line that starts with **Why:**"}},
		{"why", entry("feedback", "Never push on Friday.\n\n**Why:** nobody is there.\n"), nil},
		{"why in other words", entry("feedback", "Never push on Friday, because nobody is there.\n"), nil},
		{"why in Chinese", entry("feedback", "周五不要推送。\n原因：没有人。\n"), nil},

		{"tomorrow", entry("project", "\nWe ship tomorrow.\n"), []string{"relative-date 7"}},
		{"next week, last Thursday, two days ago", entry("project", "Freeze next week.\nSince last Thursday.\nTwo days ago.\n"), []string{"relative-date 6"}},
		{"Chinese", entry("project", "下周发布。\n"), []string{"relative-date 6"}},
		{"a date stands beside it", entry("project", "Freeze next week (2026-03-09).\n"), nil},
		{"a rule about dates", entry("project", "Write dates, not \"next week\" or `tomorrow` or “yesterday”.\n"), nil},
		{"a rule that comes again", entry("project", "Never deploy on the last Friday of a month. Wait for the next step.\n"), nil},
		{"an age that is none", entry("project", "Stale if older than 6h ago; long ago.\n"), nil},
		{"relative in code and comments", entry("project", "```\ntomorrow\n```\n<!-- tomorrow -->\n"), nil},

		{"one place in code", entry("project", "See `store/write.go:42`.\n"), nil},
		{"places in code", entry("project", "See `store/write.go:42`.\nAnd gate.go:7-9.\n"), []string{"code-structure 6"}},
		{"signatures", entry("project", "```go\nfunc (s *Service) Push(ctx context.Context) error\nfunc Open() *Store {\n```\n"), []string{"code-structure 7"}},
		{"signatures of others", entry("project", "- `export async function get(x)`\n- pub fn run()\n  def stop(self):\n"), []string{"code-structure 6"}},
		{"ports, times and versions", entry("project", "Port localhost:8080 at 12:30, file v1.2:3, x.com:80.\nRatio 1.go:x, .go:1, a.md: 5\n"), nil},
		{"words about functions", entry("project", "func is a word (see below)\nfunction names() matter, def\nfn ()\n"), nil},

		{"one commit", entry("project", "Since commit 1a2b3c4 it works.\n"), nil},
		{"commits", entry("project", commits), []string{"git-history 6"}},
		{"words in hexadecimal", entry("project", "commit defaced\ncommit effaced\ncommit accede 1234567\n"), nil},

		{"open box", entry("project", "- [ ] write tests\n"), []string{"task-state 6"}},
		{"ticked box", entry("project", "- [x] write tests\n"), nil},
		{"next steps", entry("project", "## 💡 Next Steps\n"), []string{"task-state 6"}},
		{"to-do", entry("project", "\n**TODO:** write tests\n"), []string{"task-state 7"}},
		{"next step in a sentence", entry("project", "Next step functions are slow.\nTodo lists are in the tracker.\n"), nil},

		{"fix recipe", entry("project", "**Root cause:** a race.\n\n**Fix (store.go):** a lock.\n"), []string{"fix-recipe 8"}},
		{"a fix without a cause", entry("project", "Fix: a lock.\nThe root cause is unknown.\n"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, said(Lints(path1(t, "db.md"), tt.text, start()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The lint tells which day was meant, if the words leave no doubt.
func TestLints_RelativeDate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		now  time.Time
		want string
	}{
		{"Tomorrow we ship.", start(), `"tomorrow" is another day for each reader: write the date itself, 2026-03-05`},
		{"Done yesterday.", start(), `"yesterday" is another day for each reader: write the date itself, 2026-03-03`},
		{"Tonight.", start(), `"tonight" is another day for each reader: write the date itself, 2026-03-04`},
		{"3 weeks ago", start(), `"3 weeks ago" is another day for each reader: write the date itself, 2026-02-11`},
		{"two months ago", start(), `"two months ago" is another day for each reader: write the date itself`},
		{"99999999999999999999 days ago", start(), `"99999999999999999999 days ago" is another day for each reader: write the date itself`},
		{"next Friday", start(), `"next friday" is another day for each reader: write the date itself`},
		{"Tomorrow we ship.", time.Time{}, `"tomorrow" is another day for each reader: write the date itself`},
	} {
		got := Lints(path1(t, "db.md"), entry("project", tt.text), tt.now)
		if diff := cmp.Diff([]Lint{{LintRelativeDate, 6, tt.want}}, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.text, diff)
		}
	}
}

// An index is not judged as an entry.
func TestLints_Index(t *testing.T) {
	t.Parallel()
	if got := Lints(path1(t, "a/MEMORY.md"), "- [ ] tomorrow\n", start()); got != nil {
		t.Errorf("got %v", got)
	}
}

// Whatever a lint repeats of an entry is one visible line without brackets.
func FuzzLints(f *testing.F) {
	for _, seed := range []string{
		"---\ntype: <x>\nmetadata:\n  type: \"\\u202e\"\n---\n", "tomorrow\nx.go:1\ny.go:2\n", "---\na: : b\n---\n- [ ]\ncommit 1234567",
		"`\"“`\n<!--\n```\n~~~\n", "2026-01-0", "ago ago ago\n1 days ago\nthis\nlast week of",
	} {
		f.Add(seed)
	}
	path := StoredPath("db.md")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range append(Lints(path, text, start()), LintIndex(text, []Path{path})...) {
			if l.Line < 0 || l.Line > strings.Count(text, "\n")+1 || l.Rule == "" {
				t.Errorf("got %+v", l)
			}
			hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '<' || r == '>' }
			if strings.ContainsFunc(l.Message, hidden) || len(l.Message) > 2000 {
				t.Errorf("got %q", l.Message)
			}
		}
	})
}

// Real entries: a lint that most of them earn would only teach agents to
// ignore lints. Without frontmatter there is no description; the rest is rare.
func TestLints_Corpus(t *testing.T) {
	t.Parallel()
	root := corpus(t)
	files, withHead := 0, 0
	share, headed := map[string]int{}, map[string]int{}
	must(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".md" || d.Name() == IndexName {
			return err
		}
		text, err := os.ReadFile(file)
		path := StoredPath(filepath.Base(file))
		has := ReadFrontmatter(path, string(text)).Has
		if files++; has {
			withHead++
		}
		seen := map[string]bool{}
		for _, l := range Lints(path, string(text), start()) {
			if !seen[l.Rule] {
				share[l.Rule]++
			}
			if has && !seen[l.Rule] {
				headed[l.Rule]++
			}
			seen[l.Rule] = true
		}
		return err
	}))
	t.Logf("of %d files %v; of %d with frontmatter %v", files, share, withHead, headed)
	if share[LintRepaired] != 5 {
		t.Errorf("%d files are no strict YAML, want 5", share[LintRepaired])
	}
	for rule, n := range headed {
		if n*100 > withHead*15 {
			t.Errorf("%s: %d of %d", rule, n, withHead)
		}
	}
	for rule, n := range share {
		if rule != LintNoDescription && n*100 > files*10 {
			t.Errorf("%s: %d of %d", rule, n, files)
		}
	}
}

func BenchmarkLints(b *testing.B) {
	text := entry("feedback", strings.Repeat("A line of `ordinary` text, as agents write it, about store/write.go and why.\n", 30))
	path := StoredPath("testing/db.md")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Lints(path, text, start())
	}
}

func BenchmarkLintIndex(b *testing.B) {
	var text strings.Builder
	var paths []Path
	for i := range 400 {
		p := StoredPath(strings.Repeat("n", i%30+1) + "/" + time.Duration(i).String() + ".md")
		paths = append(paths, p)
		text.WriteString("- [Name](" + p.String() + ") — how tests get a database\n")
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		LintIndex(text.String(), paths)
	}
}
