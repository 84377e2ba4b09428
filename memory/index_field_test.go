package memory

import (
	"fmt"
	"strings"
	"testing"
)

// team is a team's memory of so many entries, with names and descriptions of
// the length that real ones have.
func team(t *testing.T, n int) IndexInput {
	t.Helper()
	in := IndexInput{Project: "acme/app", Folder: "/home/mara/.claude/projects/-home-mara-app/memory/team", Total: n, AsOf: start(), Now: start()}
	for i := range n {
		in.Entries = append(in.Entries, IndexLine{
			Path: path1(t, fmt.Sprintf("topic-%02d/what-we-learned-about-%03d.md", i%20, i)), Author: "Mara Lind", At: ago(i % 90),
			Kind: Kinds()[i%4], Description: strings.Repeat("words that tell something ", 5),
		})
	}
	return in
}

// A team has more entries than fit: the newest of each kind are listed, and the
// agent is told how many are not. Nothing is written into the member's own
// index, and what is told beside it stays within what an agent loads.
func TestField_F14_IndexTwiceTheBudget(t *testing.T) {
	t.Parallel()
	text := TeamIndex(team(t, 400), MaxTeamIndex)
	entries := strings.Count(text, "\n- ")
	if b := IndexBudget(text); utf16Len(text) > MaxTeamIndex || b.Over() || entries < 40 {
		t.Errorf("%d entries in %d units, %s", entries, utf16Len(text), b.Usage())
	}
	if want := fmt.Sprintf("\n%d of 400 entries are not listed here; each is a file in that folder.", 400-entries); !strings.HasSuffix(text, want) {
		t.Errorf("got %q", text[strings.LastIndexByte(text, '\n'):])
	}
	first := strings.Index(text, "feedback (")
	if next := text[first:]; !strings.Contains(strings.SplitN(next, "\n", 3)[1], "Mara Lind, today") {
		t.Errorf("the newest does not come first: %.300s", next)
	}
}

// A member's own index has 24,900 bytes. The line that the agent adds fits: the
// generated index is told beside it and takes nothing of its budget.
func TestField_F16_WriteOverTheLimit(t *testing.T) {
	t.Parallel()
	own := strings.Repeat(strings.Repeat("x", 248)+"\n", 100)
	if b := IndexBudget(own); b.Bytes != 24_900 || b.Over() || !b.Near() {
		t.Fatalf("got %s", b.Usage())
	}
	own += "- [Deploys](deploys.md) — how we deploy\n"
	if b := IndexBudget(own); b.Over() {
		t.Errorf("got %s", b.Usage())
	}
}

// A corrected entry replaces what stood in its place: one line, with the new
// words. So does the line of an index that lists it.
func TestField_F20_CorrectionReplaces(t *testing.T) {
	t.Parallel()
	in := team(t, 12)
	before := TeamIndex(in, MaxTeamIndex)
	corrected := &in.Entries[7]
	corrected.Description, corrected.Author, corrected.At = "deploy with tool B", "Ben", ago(0)
	after := TeamIndex(in, MaxTeamIndex)
	line := "\n- " + corrected.Path.String() + " · Ben, today · deploy with tool B\n"
	if strings.Count(after, corrected.Path.String()) != 1 || !strings.Contains(after, line) {
		t.Errorf("got %s", after)
	}
	if strings.Count(before, "\n") != strings.Count(after, "\n") {
		t.Errorf("before %s\nafter %s", before, after)
	}
	twice := "- [Deploy](deploy.md) — tool A\n- [How to deploy](deploy.md) — tool B\n"
	if got := said(LintIndex(twice, []Path{path1(t, "deploy.md")})); len(got) != 1 || got[0] != "duplicate 2" {
		t.Errorf("got %v", got)
	}
}

func BenchmarkTeamIndex(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := IndexInput{Project: "acme/app", Folder: "/m/team", Total: n, AsOf: start(), Now: start()}
			for i := range n {
				in.Entries = append(in.Entries, IndexLine{
					Path: StoredPath(fmt.Sprintf("topic/what-we-learned-about-%05d.md", i)), Author: "Mara Lind", At: ago(i % 900),
					Kind: Kinds()[i%4], Description: strings.Repeat("words that tell something ", 5),
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				TeamIndex(in, MaxTeamIndex)
			}
		})
	}
}
