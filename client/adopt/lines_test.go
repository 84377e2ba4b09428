package adopt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/memory"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		there, source string // indexes
		want          string
		notTaken      []int
	}{
		{
			"lines join", "# Team\n\n- [x](x.md) — there\n", "# Mine\n\n- [a](a.md) — first\n- [b](./b.md) — second\n",
			"# Team\n\n- [x](x.md) — there\n- [a](a.md) — first\n- [b](./b.md) — second\n",
			[]int{1},
		},
		{"listed already", "- [A](a.md)\n", "- [a](a.md) — mine\n- [b](b.md)\n", "- [A](a.md)\n- [b](b.md)\n", []int{1}},
		{"no final newline", "- [x](x.md)", "- [a](a.md)\n", "- [x](x.md)\n- [a](a.md)\n", nil},
		{"prose at the end", "Words.\n", "- [a](a.md)\n", "Words.\n\n- [a](a.md)\n", nil},
		{"prose without an end", "Words.", "- [a](a.md)\n", "Words.\n\n- [a](a.md)\n", nil},
		{"blank at the end", "Words.\n\n", "- [a](a.md)\n", "Words.\n\n- [a](a.md)\n", nil},
		{"an item with more lines", "- [x](x.md)\n  and more\n", "- [a](a.md)\n", "- [x](x.md)\n  and more\n- [a](a.md)\n", nil},
		{"empty", "", "# I\n- [a](a.md)\n", "- [a](a.md)\n", []int{1}},
		{"CRLF", "# T\r\n- [x](x.md)\r\n", "- [a](a.md)\n  more\n", "# T\r\n- [x](x.md)\r\n- [a](a.md)\r\n  more\r\n", nil},
		{"CRLF and BOM there, LF here", "- [x](x.md)\n", "\ufeff- [a](a.md)\r\n", "- [x](x.md)\n- [a](a.md)\n", nil},
		{"indented", "- [x](x.md)\n", "Text:\n  - [a](a.md)\n    deeper\n", "- [x](x.md)\n- [a](a.md)\n  deeper\n", []int{1}},
		{
			"what leads elsewhere", "- [x](x.md)\n", "- [no](nothing.md)\n- [web](https://a.example/a.md)\n- [up](../a.md)\n- plain\n- [a](a.md#part)\n",
			"- [x](x.md)\n- [a](a.md#part)\n",
			[]int{1, 2, 3, 4},
		},
		{"escaped", "- [x](x.md)\n", "- [c](with%20space.md)\n", "- [x](x.md)\n- [c](with%20space.md)\n", nil},
		{
			"code and comments", "- [x](x.md)\n", "```\n- [a](a.md)\n```\n<!--\n- [b](b.md)\n-->\n- [c](<with space.md>)\n",
			"- [x](x.md)\n- [c](<with space.md>)\n",
			[]int{1, 2, 3, 4, 5, 6},
		},
		{"twice", "- [x](x.md)\n", "- [a](a.md)\n- [again](a.md)\n", "- [x](x.md)\n- [a](a.md)\n", []int{2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			write(t, d.team(""), map[string]string{"MEMORY.md": tt.there})
			before := below(t, d.team(""))
			p := d.plan(t, map[string]string{"MEMORY.md": tt.source, "a.md": "A\n", "b.md": "B\n", "with space.md": "C\n"}, adopt.PlanOptions{})
			i := itemOf(t, p, "MEMORY.md", 0)
			if i.Verdict != adopt.Merged {
				t.Fatalf("the index is %s: %s", i.Verdict, i.Reason)
			}
			if diff := cmp.Diff(tt.notTaken, i.NotTaken); diff != "" {
				t.Errorf("lines not taken (-want +got):\n%s", diff)
			}
			d.take(t, p)
			if diff := cmp.Diff(tt.want, below(t, d.team(""))["MEMORY.md"]); diff != "" {
				t.Errorf("the index (-want +got):\n%s", diff)
			}
			if d.kept["MEMORY.md"] != tt.there {
				t.Errorf("kept %q of the old index", d.kept["MEMORY.md"])
			}
			d.undo(t, "")
			if diff := cmp.Diff(before, below(t, d.team(""))); diff != "" {
				t.Errorf("after the undo (-want +got):\n%s", diff)
			}
		})
	}
}

// An index that can gain nothing stays, and so does one whose end is no place
// for a list.
func TestJoin_NothingToGain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, there, source string }{
		{"nothing leads here", "# Team\n", "# Mine\n- [x](x.md)\n"},
		{"open fence", "# Team\n```\ncode\n", "- [a](a.md)\n"},
		{"open comment", "# Team\n<!-- draft\n", "- [a](a.md)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			write(t, d.team(""), map[string]string{"MEMORY.md": tt.there})
			p := d.plan(t, map[string]string{"MEMORY.md": tt.source, "a.md": "A\n"}, adopt.PlanOptions{})
			if i := itemOf(t, p, "MEMORY.md", 0); i.Verdict != adopt.Differs || len(i.NotTaken) == 0 {
				t.Errorf("the index is %s, lines %v", i.Verdict, i.NotTaken)
			}
			d.take(t, p)
			if got := below(t, d.team(""))["MEMORY.md"]; got != tt.there {
				t.Errorf("the index is now %q", got)
			}
		})
	}
}

func TestJoin_FollowsNewNamesAndFolders(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.team(""), map[string]string{"old/MEMORY.md": "- [x](x.md)\n"})
	p := d.plan(t, map[string]string{
		"MEMORY.md": "- [a:b.md](a:b.md) — was a:b.md\n- [c](topic/c.md)\n", "a:b.md": "A\n", "topic/c.md": "C\n", "gone.md": mark + "\n",
	}, adopt.PlanOptions{To: "old", Rename: true})
	d.take(t, p)
	const want = "- [x](x.md)\n- [a:b.md](a-b.md) — was a:b.md\n- [c](topic/c.md)\n"
	if diff := cmp.Diff(want, below(t, d.team(""))["old/MEMORY.md"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A line with a secret keeps the whole index out, and is never repeated.
func TestJoin_SecretInALine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.team(""), map[string]string{"MEMORY.md": "- [x](x.md)\n"})
	p := d.plan(t, map[string]string{"MEMORY.md": "- [a](a.md) " + mark + "\n", "a.md": "A\n"}, adopt.PlanOptions{})
	i := itemOf(t, p, "MEMORY.md", 0)
	if i.Verdict != adopt.Refused || i.Problem.Code != memory.CodeSecretFound {
		t.Fatalf("the index is %s", i.Verdict)
	}
	d.take(t, p)
	for name, text := range below(t, d.memoryDir) {
		if strings.Contains(text, mark) {
			t.Errorf("%s has the secret", name)
		}
	}
}
