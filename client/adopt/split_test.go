package adopt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/adopt"
)

// A file that agents load as instructions is taken in parts: each part has the
// bytes of its section, and no part has such a name again.
func TestSplit(t *testing.T) {
	t.Parallel()
	const agents = "# App\n\n## Build\r\nmake\n\n## Agents\nsame name\n\n## Build\nanother text\n\n## 🚀\nship\n## ???\nwhat\n"
	d := newDesk(t)
	p := d.plan(t, map[string]string{
		"AGENTS.md": agents, "sub/CLAUDE.md": "Intro without a title.\n## Build\nin sub\n", "copy/agents.md": "## Build\r\nmake\n\n",
		".github/copilot-instructions.md": "## Hidden\nx\n", "copilot-instructions.md": "be brief\n",
	}, adopt.PlanOptions{To: "docs"})
	d.take(t, p)
	want := map[string]string{
		"docs/imported/build.md": "## Build\r\nmake\n\n", "docs/imported/agents-note.md": "## Agents\nsame name\n\n",
		"docs/imported/build-2.md": "## Build\nanother text\n\n", "docs/imported/agents-notes.md": "## 🚀\nship\n",
		"docs/imported/agents-notes-2.md": "## ???\nwhat\n", "docs/imported/copilot-instructions-notes.md": "be brief\n",
		"docs/imported/sub/claude-notes.md": "Intro without a title.\n", "docs/imported/sub/build.md": "## Build\nin sub\n",
	}
	if diff := cmp.Diff(want, below(t, d.team(""))); diff != "" {
		t.Errorf("team/ (-want +got):\n%s", diff)
	}
	if i := itemOf(t, p, "AGENTS.md", 0); i.Verdict != adopt.Split {
		t.Errorf("AGENTS.md is %s", i.Verdict)
	}
	if i := itemOf(t, p, "AGENTS.md", 1); i.Verdict != adopt.Skipped || !strings.Contains(i.Reason, "title") {
		t.Errorf("the title is %s: %s", i.Verdict, i.Reason)
	}
	if i := itemOf(t, p, "copy/agents.md", 1); i.Verdict != adopt.Skipped || !strings.Contains(i.Reason, "same text") {
		t.Errorf("the copy is %s: %s", i.Verdict, i.Reason)
	}
	if again := d.plan(t, nil, adopt.PlanOptions{To: "docs"}); again.Takes() != 0 {
		t.Errorf("a second import takes %d parts once more", again.Takes())
	}
	d.undo(t, "")
	if left := below(t, d.team("")); len(left) != 0 {
		t.Errorf("after the undo: %v", left)
	}
}

// What a part is called is made of its text, so a secret in a heading must not
// come out by that.
func TestSplit_SecretInAHeading(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.plan(t, map[string]string{"AGENTS.md": "## The key " + mark + "\nuse it\n## Build\nmake\n"}, adopt.PlanOptions{})
	i := itemOf(t, p, "AGENTS.md", 1)
	if i.Verdict != adopt.Refused || !i.Path.IsZero() || i.Problem.Findings[0].Line != 1 {
		t.Errorf("the part is %s at %q", i.Verdict, i.Path)
	}
	if i := itemOf(t, p, "AGENTS.md", 2); i.Verdict != adopt.New {
		t.Errorf("the other part is %s", i.Verdict)
	}
}
