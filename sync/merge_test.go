package sync_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	msync "github.com/teammem/teammem/sync"
)

// entry joins lines of frontmatter and a body.
func entry(head, body string) string { return "---\n" + head + "---\n" + body }

func TestMergeEntry(t *testing.T) {
	t.Parallel()
	const conflict = "conflict"
	tests := []struct{ name, base, server, local, want string }{
		{
			"different lines of the body",
			"a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n",
		},
		{"the same line", "a\nb\n", "A\nb\n", "AA\nb\n", conflict},
		{
			"one key each",
			entry("name: a\ndescription: d\n", "x\n"), entry("name: b\ndescription: d\n", "x\n"), entry("name: a\ndescription: e\n", "x\n"),
			entry("name: b\ndescription: e\n", "x\n"),
		},
		{"one key, two values", entry("name: a\n", "x\n"), entry("name: b\n", "x\n"), entry("name: c\n", "x\n"), conflict},
		{
			"a key and the line below it",
			entry("name: a\n", "x\n"), entry("name: b\n", "x\n"), entry("name: a\n", "y\n"),
			entry("name: b\n", "y\n"),
		},
		{
			"what agents rewrite stays the server's",
			entry("name: a\nmetadata:\n  type: user\n  modified: 1\n", "x\n"),
			entry("name: a\nmetadata:\n  type: user\n  modified: 2\n", "y\n"),
			entry("name: a\nmetadata:\n  type: feedback\n  modified: 3\n  originSessionId: s\n", "x\n"),
			entry("name: a\nmetadata:\n  type: feedback\n  modified: 2\n", "y\n"),
		},
		{
			"who only saved it again changed nothing",
			entry("name: a\nmodified: 1\n", "x\n"), entry("name: b\nmodified: 2\n", "y\n"), entry("name: a\nmodified: 3\n", "x\n"),
			entry("name: b\nmodified: 2\n", "y\n"),
		},
		{
			"a comment above what agents rewrite",
			entry("name: a\nmodified: 1\n", "x\n"), entry("name: a\nmodified: 2\n", "y\n"), entry("name: a\n# by ann\nmodified: 3\n", "x\n"),
			entry("name: a\n# by ann\nmodified: 2\n", "y\n"),
		},
		{
			"a comment below metadata, above what agents rewrite",
			entry("metadata:\n  modified: 1\n", "x\n"), entry("metadata:\n  modified: 2\n", "y\n"), entry("metadata:\n  # by ann\n  modified: 3\n", "x\n"),
			entry("metadata:\n  # by ann\n  modified: 2\n", "y\n"),
		},
		{
			"a comment above metadata",
			entry("metadata:\n  type: user\n", "x\n"), entry("metadata:\n  type: feedback\n", "x\n"), entry("# by ann\nmetadata:\n  type: user\n", "x\n"),
			entry("# by ann\nmetadata:\n  type: feedback\n", "x\n"),
		},
		{
			"two comments above what agents rewrite",
			entry("modified: 1\n", "x\n"), entry("# by ben\nmodified: 2\n", "x\n"), entry("# by ann\nmodified: 3\n", "x\n"), conflict,
		},
		{
			"metadata was removed by one and only saved by the other",
			entry("name: a\nmetadata:\n  modified: 1\n", "x\n"), entry("name: a\n", "x\n"), entry("name: a\nmetadata:\n  modified: 3\n", "y\n"),
			entry("name: a\n", "y\n"),
		},
		{
			"new keys keep their neighbours, comments their key",
			entry("name: a\ntype: user\n", ""), entry("name: a\nowner: ben\ntype: user\n", ""),
			entry("# first\ntags:\n- x\n\n- y\nname: a\ntype: user\n# for people\nnote: |\n  one\n\n  two\n# end\n", ""),
			entry("# first\ntags:\n- x\n\n- y\nname: a\nowner: ben\ntype: user\n# for people\nnote: |\n  one\n\n  two\n# end\n", ""),
		},
		{
			"a key that one removed and the other changed",
			entry("name: a\nnote: 1\n", ""), entry("name: a\n", ""), entry("name: a\nnote: 2\n", ""), conflict,
		},
		{
			"a key that one removed", entry("name: a\nnote: 1\n", "x\n"), entry("name: a\n", "x\n"), entry("name: a\nnote: 1\n", "y\n"),
			entry("name: a\n", "y\n"),
		},
		{
			"frontmatter that both gave it",
			"x\n", entry("name: a\n", "x\n"), entry("description: d\n", "x\ny\n"),
			entry("description: d\nname: a\n", "x\ny\n"),
		},
		{"frontmatter that one took away", entry("name: a\n", "x\n"), "x\n", entry("name: a\n", "x\ny\n"), "x\ny\n"},
		{
			"frontmatter that cannot be read",
			entry("name: a\nwhat\n", "x\ny\n"), entry("name: b\nwhat\n", "x\ny\n"), entry("name: a\nwhat\n", "x\nz\n"),
			entry("name: b\nwhat\n", "x\nz\n"),
		},
		{
			"frontmatter that one broke",
			entry("name: a\ntype: user\n", "x\n"), entry("name: a\ntype: user\n", "X\n"), "---\nname: a\ntype: user\nx\n", conflict,
		},
		{
			"a second block", "x\n", entry("name: a\n", "x\n"), "---\nname: b\n---\ny\n---\nx\n", conflict,
		},
		{
			"line ends, byte order mark and the last newline are the server's",
			"a\nb\nc\nd\n", "\ufeffA\r\nb\r\nc\r\nd", "a\nb\nc\nD\n", "\ufeffA\r\nb\r\nc\r\nD",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			merged, clean := msync.MergeEntry([]byte(tt.base), []byte(tt.server), []byte(tt.local))
			got := string(merged)
			if !clean {
				got = conflict
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("merge (-want +got):\n%s", diff)
			}
		})
	}
}

// note draws an entry with all that frontmatter may have.
func note(t *rapid.T) (head, body []string) {
	for _, key := range []string{"name", "description", "modified", "tags"} {
		if rapid.Bool().Draw(t, key) {
			head = append(head, fmt.Sprintf("%s: %d", key, rapid.IntRange(0, 2).Draw(t, "value")))
		}
	}
	if rapid.Bool().Draw(t, "metadata") {
		head = append(head, "metadata:", "  type: user", fmt.Sprintf("  modified: %d", rapid.IntRange(0, 2).Draw(t, "value")))
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
		body = append(body, fmt.Sprintf("line %d", i))
	}
	return head, body
}

// rewritten draws what a member makes of an entry, and returns the lines of the
// body that are new.
func rewritten(t *rapid.T, who string, head, body []string) (text string, added []string) {
	head, body = slices.Clone(head), slices.Clone(body)
	for i, line := range head {
		if key, _, found := strings.Cut(line, ": "); found && rapid.IntRange(0, 5).Draw(t, who+" rewrites") == 0 {
			head[i] = key + ": " + who
		}
	}
	for n := range rapid.IntRange(0, 3).Draw(t, who) {
		at := rapid.IntRange(0, len(body)).Draw(t, "at")
		switch op := rapid.IntRange(0, 2).Draw(t, "op"); {
		case op == 0 || at == len(body):
			line := fmt.Sprint("from ", who, n)
			body, added = slices.Insert(body, at, line), append(added, line)
		case op == 1:
			body = slices.Delete(body, at, at+1)
		default:
			line := fmt.Sprint("from ", who, n)
			body[at], added = line, append(added, line)
		}
	}
	text = strings.Join(body, "\n")
	if len(head) > 0 {
		text = entry(strings.Join(head, "\n")+"\n", text)
	}
	added = slices.DeleteFunc(added, func(l string) bool { return !strings.Contains(text, l) })
	return text, added
}

// TestMergeEntry_Laws holds what any order of merges relies on.
func TestMergeEntry_Laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head, body := note(t)
		o := strings.Join(body, "\n")
		if len(head) > 0 {
			o = entry(strings.Join(head, "\n")+"\n", o)
		}
		a, addedA := rewritten(t, "a", head, body)
		b, addedB := rewritten(t, "b", head, body)
		is := func(law, base, server, local, want string) {
			t.Helper()
			if got, clean := msync.MergeEntry([]byte(base), []byte(server), []byte(local)); !clean || string(got) != want {
				t.Fatalf("%s: merge(%q, %q, %q) = %q, %v; want %q", law, base, server, local, got, clean, want)
			}
		}
		is("only the member", o, o, b, b)
		is("only the server", o, a, o, a)
		is("both alike", o, a, a, a)
		merged, clean := msync.MergeEntry([]byte(o), []byte(a), []byte(b))
		if _, other := msync.MergeEntry([]byte(o), []byte(b), []byte(a)); other != clean {
			t.Fatalf("merge of %q and %q: clean is %v, and %v the other way round", a, b, clean, other)
		}
		if !clean {
			return
		}
		for _, sides := range [][2]string{{a, string(merged)}, {string(merged), b}} {
			// Blank lines may have come to another place, and repeat.
			again, clean := msync.MergeEntry([]byte(o), []byte(sides[0]), []byte(sides[1]))
			if diff := cmp.Diff(textLines(string(merged)), textLines(string(again))); clean && diff != "" {
				t.Fatalf("merge(%q, %q, %q) again (-want +got):\n%s", o, a, b, diff)
			}
		}
		for _, line := range slices.Concat(addedA, addedB) {
			if !bytes.Contains(merged, []byte(line)) {
				t.Fatalf("merge(%q, %q, %q) = %q lost %q", o, a, b, merged, line)
			}
		}
		for _, line := range body {
			if in := strings.Contains; (!in(a, line) || !in(b, line)) && bytes.Contains(merged, []byte(line)) {
				t.Fatalf("merge(%q, %q, %q) = %q brought %q back", o, a, b, merged, line)
			}
		}
	})
}

var telling = regexp.MustCompile(`[\pL\p{Nd}]`)

// repeated returns a new line with some words that one text has more often than
// another one.
func repeated(text, than []byte, base string) string {
	lines := func(b []byte) []string { return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n") }
	count := func(all []string, line string) (n int) {
		for _, l := range all {
			if l == line {
				n++
			}
		}
		return n
	}
	for _, line := range lines(text) {
		if len(telling.FindAllString(line, -1)) >= 8 && !strings.Contains(base, line) && count(lines(text), line) > count(lines(than), line) {
			return line
		}
	}
	return ""
}

func FuzzMergeEntry(f *testing.F) {
	f.Add("a\n", "b\n", "c\n")
	f.Add(entry("name: a\n", "x\n"), entry("name: b\nmetadata:\n  type: user\n", "x\n"), "\ufeff---\r\nname: a\r\n---\r\ny")
	f.Add("---\n", "---\n---\n---\n", entry("- a\n\t b\n:\n", ""))
	f.Fuzz(func(t *testing.T, base, server, local string) {
		merged, clean := msync.MergeEntry([]byte(base), []byte(server), []byte(local))
		if !clean {
			if merged != nil {
				t.Errorf("a conflict with a result: %q", merged)
			}
			return
		}
		for _, sides := range [][2]string{{server, string(merged)}, {string(merged), local}} {
			again, ok := msync.MergeEntry([]byte(base), []byte(sides[0]), []byte(sides[1]))
			if line := repeated(again, merged, base); ok && line != "" {
				t.Errorf("merged again: %q has %q more often than %q", again, line, merged)
			}
		}
	})
}

// Where one side changed the head alone and the other the body alone, a clean
// merge has the one's head and the other's body, byte for byte.
func FuzzMergeEntry_Head(f *testing.F) {
	f.Add("name: a\n", "name: b\n", "x\n", "y\n")
	f.Add("name: a\nmetadata:\n  type: user\n  modified: 1\n", "# why\nname: a\nmetadata: \n  type: project\n", "", "# T\n\n- a\n")
	f.Add("a: |\n  b\n\n  c\n", "a: [\n", "x\n---\n", "x\n")
	f.Add("", "a: b\na: c\n", "\n\n", "\n")
	f.Add("\tx\n", "? y\n: z\n", "<!-- ---\n", "a: b\n")
	f.Fuzz(func(t *testing.T, head, otherHead, body, otherBody string) {
		for _, part := range []string{head, otherHead, body, otherBody} {
			if strings.ContainsAny(part, "\r\x00") || part != "" && part[len(part)-1] != '\n' {
				return // line ends are told of elsewhere
			}
		}
		if strings.Contains("\n"+head+otherHead, "\n---") {
			return // it ends earlier then
		}
		base, ours, theirs := entry(head, body), entry(otherHead, body), entry(head, otherBody)
		merged, clean := msync.MergeEntry([]byte(base), []byte(ours), []byte(theirs))
		if want := entry(otherHead, otherBody); clean && string(merged) != want {
			t.Errorf("%q is merged with %q over %q to %q, want %q", ours, theirs, base, merged, want)
		}
	})
}
