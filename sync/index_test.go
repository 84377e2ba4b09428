package sync_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

func ExampleMergeIndex() {
	base := "# Index\n\n- [Database](db.md)\n"
	server := "# Index\n\n- [Database](db.md)\n- [Queues](queue.md)\n"
	local := "# Index\n\n- [Database](db.md)\n- [Locks](lock.md)\n"

	merged, _ := msync.MergeIndex([]byte(base), []byte(server), []byte(local), nil)
	fmt.Print(string(merged))
	// Output:
	// # Index
	//
	// - [Database](db.md)
	// - [Locks](lock.md)
	// - [Queues](queue.md)
}

// doc joins lines; "- x" is short for an item that links to x.md.
func doc(lines ...string) string {
	text := ""
	for _, line := range lines {
		if name, item := strings.CutPrefix(line, "- "); item && !strings.ContainsAny(name, " (") {
			line = "- [" + name + "](" + name + ".md)"
		}
		text += line + "\n"
	}
	return text
}

func TestMergeIndex(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		base, server, local string
		gone                []string
		want                string
		lost                []string
	}{
		{
			name: "both add at the end: sorted",
			base: doc("# I", "- m"), server: doc("# I", "- m", "- z", "- b"), local: doc("# I", "- m", "- y", "- a"),
			want: doc("# I", "- m", "- a", "- b", "- y", "- z"),
		},
		{
			name: "both add at the top",
			base: doc("# I", "", "- m"), server: doc("# I", "", "- b", "- m"), local: doc("# I", "", "- a", "- m"),
			want: doc("# I", "", "- a", "- b", "- m"),
		},
		{
			name: "an item stays where it was put",
			base: doc("- a", "- m", "- z"), server: doc("- a", "- m", "- z", "- k"), local: doc("- a", "- q", "- m", "- z"),
			want: doc("- a", "- q", "- m", "- z", "- k"),
		},
		{
			name: "both add one link with the same words",
			base: doc("- m"), server: doc("- m", "- x", "- b"), local: doc("- m", "- a", "- x"),
			want: doc("- m", "- a", "- b", "- x"),
		},
		{
			name: "both add one link with other words",
			base: doc("- m"), server: doc("- m", "- [X](x.md) server's"), local: doc("- m", "- [X](x.md) mine"),
			want: doc("- m", "- [X](x.md) server's"), lost: []string{"- [X](x.md) mine"},
		},
		{
			name: "removed on either side",
			base: doc("- a", "- b", "- c", "- d"), server: doc("- a", "- c", "- d"), local: doc("- a", "- b", "- c"),
			want: doc("- a", "- c"),
		},
		{
			name: "removed on both sides, something else added",
			base: doc("- a", "- b", "- c"), server: doc("- a", "- c", "- y"), local: doc("- a", "- c", "- x"),
			want: doc("- a", "- c", "- x", "- y"),
		},
		{
			name: "the neighbour of a new item was removed",
			base: doc("- a", "- b"), server: doc("- a"), local: doc("- a", "- b", "- c"),
			want: doc("- a", "- c"),
		},
		{
			name: "the neighbour was removed there, another came",
			base: doc("- a", "- b"), server: doc("- a", "- z"), local: doc("- a", "- b", "- c"),
			want: doc("- a", "- c", "- z"),
		},
		{
			name: "reworded on one side each",
			base: doc("- a", "- b"), server: doc("- [a](a.md) new", "- b"), local: doc("- a", "- [b](b.md) new"),
			want: doc("- [a](a.md) new", "- [b](b.md) new"),
		},
		{
			name: "reworded by both",
			base: doc("- a", "- b"), server: doc("- [a](a.md) server's", "- b"), local: doc("- [a](a.md) mine", "- b", "- c"),
			want: doc("- [a](a.md) server's", "- b", "- c"), lost: []string{"- [a](a.md) mine"},
		},
		{
			name: "removed there, reworded here",
			base: doc("- a", "- b", "- c"), server: doc("- a", "- c", "- d"), local: doc("- a", "- [b](b.md) new", "- c"),
			want: doc("- a", "- [b](b.md) new", "- c", "- d"),
		},
		{
			name: "reworded there, removed here",
			base: doc("- a", "- b", "- c"), server: doc("- a", "- [b](b.md) new", "- c"), local: doc("- a", "- c", "- d"),
			want: doc("- a", "- [b](b.md) new", "- c", "- d"),
		},
		{
			name: "moved there, reworded here",
			base: doc("- a", "- b", "- c"), server: doc("- b", "- c", "- a"), local: doc("- [a](a.md) new", "- b", "- c"),
			want: doc("- b", "- c", "- [a](a.md) new"),
		},
		{
			name: "duplicate targets keep their places",
			base: doc("- a", "- [again](a.md)"), server: doc("- a", "- [again](a.md)", "- b"), local: doc("- a", "- [again](a.md) new"),
			want: doc("- a", "- [again](a.md) new", "- b"),
		},
		{
			name: "items without a link go by their words",
			base: doc("* one"), server: doc("* one", "*  two   words"), local: doc("* one", "* two words", "* three"),
			want: doc("* one", "* three", "*  two   words"),
		},
		{
			name: "a new number is no new wording",
			base: doc("1. one", "2. two"), server: doc("1. zero", "2. one", "3. two"), local: doc("1. null", "3. one", "4. two"),
			want: doc("1. null", "1. zero", "2. one", "3. two"),
		},
		{
			name: "sections",
			base: doc("# I", "", "## A", "", "- a", "", "## B", "", "- b"), server: doc("# I", "", "## A", "", "- a", "- a2", "", "## B", "", "- b"),
			local: doc("# I", "", "## A", "", "- a", "- a1", "", "## B", "", "- b", "- b1"),
			want:  doc("# I", "", "## A", "", "- a", "- a1", "- a2", "", "## B", "", "- b", "- b1"),
		},
		{
			name: "the section went elsewhere",
			base: doc("## A", "- a", "## B", "- b", "## C", "- c"), server: doc("## B", "- b", "## C", "- c", "## A", "- a"),
			local: doc("## A", "- a", "- a1", "## B", "- b", "## C", "- c"),
			want:  doc("## B", "- b", "## C", "- c", "## A", "- a", "- a1"),
		},
		{
			name: "the first items of a section",
			base: doc("## A", "", "## B", "- b"), server: doc("## A", "- a2", "", "## B", "- b"),
			local: doc("## A", "", "text", "", "- a1", "", "## B", "- b"),
			want:  doc("## A", "", "text", "", "- a1", "- a2", "", "## B", "- b"),
		},
		{
			name: "the section was removed",
			base: doc("- m", "## A", "- a", "## B", "- b"), server: doc("- m", "## B", "- b"),
			local: doc("- m", "## A", "- a", "- a1", "## B", "- b"),
			want:  doc("- m", "## B", "- b", "- a1"),
		},
		{
			name: "both write a new section",
			base: doc("- m"), server: doc("- m", "- x", "", "## X", "", "- x1"), local: doc("- m", "- k", "", "## Y", "", "- y1"),
			want: doc("- m", "- k", "- x", "", "## X", "", "- x1", "", "## Y", "", "- y1"),
		},
		{
			name: "the server's new section holds the member's",
			base: doc("- m"), server: doc("- m", "## X", "- x1", "## Y", "- y1"), local: doc("- m", "## X", "- x2"),
			want: doc("- m", "## X", "- x1", "- x2", "## Y", "- y1"),
		},
		{
			name: "the member's new section holds the server's",
			base: doc("- m"), server: doc("- m", "## X", "- x1"), local: doc("- m", "## X", "- x2", "## Y", "- y1"),
			want: doc("- m", "## X", "- x1", "- x2", "## Y", "- y1"),
		},
		{
			name: "prose there, items here",
			base: doc("intro", "- a"), server: doc("new intro", "- a"), local: doc("intro", "- b"),
			want: doc("new intro", "- b"),
		},
		{
			name: "items there, prose here",
			base: doc("intro", "- a"), server: doc("intro", "- b"), local: doc("new intro", "- a"),
			want: doc("new intro", "- b"),
		},
		{
			name: "prose by both",
			base: doc("intro", "", "- a"), server: doc("server's intro", "", "- a"), local: doc("my intro", "", "- a", "- b"),
			want: doc("server's intro", "", "- a", "- b"), lost: []string{"my intro"},
		},
		{
			name: "prose removed here, edited there",
			base: doc("intro", "- a"), server: doc("server's intro", "- a"), local: doc("- a", "- b"),
			want: doc("server's intro", "- a", "- b"),
		},
		{
			name: "an item is all that is indented below it",
			base: doc("- a", "  one", "  two", "  three"), server: doc("- a", "  1", "  two", "  three"), local: doc("- a", "  one", "  two", "\t- 3"),
			want: doc("- a", "  1", "  two", "\t- 3"),
		},
		{
			name: "item bodies changed by both",
			base: doc("- a", "  one"), server: doc("- a", "  1"), local: doc("- a", "  I", "", "end"),
			want: doc("- a", "  1", "", "end"), lost: []string{"  I"},
		},
		{
			name:   "code, comments and frontmatter are prose",
			base:   doc("---", "- x", "---", "```", "- x", "```", "<!--", "- x", "-->", "<!-- one line -->", "- a"),
			server: doc("---", "- x", "---", "```", "- x", "```", "<!--", "- x", "-->", "<!-- one line -->", "- a", "- b"),
			local:  doc("---", "- x", "---", "```", "- x", "- y", "```", "<!--", "- x", "-->", "<!-- one line -->", "- a"),
			want:   doc("---", "- x", "---", "```", "- x", "- y", "```", "<!--", "- x", "-->", "<!-- one line -->", "- a", "- b"),
		},
		{
			name: "thematic breaks and words with a dash are prose",
			base: doc("- - -", "-x", "1) one", "1990s"), server: doc("- - -", "-x", "1) one", "2) two", "1990s"), local: doc("- - -", "-x", "1) one", "1990s", "***"),
			want: doc("- - -", "-x", "1) one", "2) two", "1990s", "***"),
		},
		{
			name:   "the index is new on both sides",
			server: doc("# I", "- b"), local: doc("# I", "- a"),
			want: doc("# I", "- a", "- b"),
		},
		{
			name: "the list is new on both sides",
			base: doc("# I"), server: doc("# I", "", "- b"), local: doc("# I", "- a"),
			want: doc("# I", "", "- a", "- b"),
		},
		{
			name: "no list is left",
			base: doc("text", "", "- b", ""), server: doc("text", "", ""), local: doc("text", "", "- b", "", "- a"),
			want: doc("text", "", "", "- a"),
		},
		{
			name: "items of deleted entries go",
			base: doc("- a", "- b"), server: doc("- a", "- b", "- c"), local: doc("- a", "- b", "- d", "* no link"),
			gone: []string{"b.md", "c.md"}, want: doc("- a", "- d", "* no link"),
		},
		{
			name: "but what the member wrote about them is kept",
			base: doc("- a", "- b"), server: doc("- a", "- b", "- c"), local: doc("- a", "- [b](b.md) news"),
			gone: []string{"b.md"}, want: doc("- a", "- c"), lost: []string{"- [b](b.md) news"},
		},
		{
			name: "nothing was changed here: nothing goes",
			base: doc("- a"), server: doc("- a", "- b"), local: doc("- a"),
			gone: []string{"b.md"}, want: doc("- a", "- b"),
		},
		{
			name: "the server's line ends, mark and final newline",
			base: "- a\n- b\n", server: "\ufeff- a\r\n- b\r\n- c", local: "- z\n- a\n- b\n",
			want: "\ufeff- z\r\n- a\r\n- b\r\n- c",
		},
		{
			name: "only the line ends differ here", base: "- a\n", server: "- a\n- b\n", local: "\ufeff- a\r\n", want: "- a\n- b\n",
		},
		{
			name: "the server's file was emptied: the member's line ends",
			base: "- a\n", server: "", local: "- a\r\n- b\r\n", want: "- b\r\n",
		},
		{
			name: "all ways to write a link",
			base: doc("x"), server: doc("x", "- [a](<a b.md> \"t\")", "- [c](./c.md \"t\")", "- [d](d"), local: doc("x", "- [A](<a b.md>)", "- [C]( c.md )", "- [d](d e"),
			want: doc("x", "- [a](<a b.md> \"t\")", "- [c](./c.md \"t\")", "- [d](d", "- [d](d e"), lost: []string{"- [A](<a b.md>)", "- [C]( c.md )"},
		},
		{
			name: "the server's file is empty", base: "", server: "\r\n", local: "- a\r\n", want: "- a\r\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var gone func(string) bool
			if tt.gone != nil {
				gone = func(target string) bool { return slices.Contains(tt.gone, target) }
			}
			merged, lost := msync.MergeIndex([]byte(tt.base), []byte(tt.server), []byte(tt.local), gone)
			if diff := cmp.Diff(tt.want, string(merged)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.lost, lost); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	gone := msync.Gone(key("x/MEMORY.md"), []memory.Path{key("x/a b.md"), key("top.md"), key("x/y/%zz.md")})
	for target, want := range map[string]bool{
		"a%20b.md": true, "a b.md": true, "../top.md": true, "./y/../a b.md#part": true, "y/%zz.md": true,
		"top.md": false, "https://example.com/a.md": false, "": false,
	} {
		if got := gone(target); got != want {
			t.Errorf("gone(%q) = %v, want %v", target, got, want)
		}
	}
}
