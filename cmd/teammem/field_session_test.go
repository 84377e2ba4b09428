package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
)

// session starts a session of the agent in a folder, and returns what it is
// told of the team's memory.
func (m *member) session(t *testing.T, folder, id string) string {
	t.Helper()
	event, err := json.Marshal(map[string]string{"session_id": id, "cwd": folder, "hook_event_name": "SessionStart", "source": "startup"})
	if err != nil {
		t.Fatal(err)
	}
	c := program(t.Context(), m.home, "hook", "SessionStart")
	c.Dir, c.Stdin = folder, strings.NewReader(string(event))
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("the hook answered %q: %v", out, err)
	}
	return answer.Specific.Context
}

// F14: an index of twice the budget is cut, and nobody knows. Of a team's 400
// entries a session is told as many as fit, and how many those are not; the
// member's own index keeps all of its budget.
func TestField_F14_IndexTwiceTheBudget(t *testing.T) {
	t.Parallel()
	const entries = 400
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	for i := range entries {
		jo.write(t, fmt.Sprintf("topic-%02d/lesson-%03d.md", i%20, i), fmt.Sprintf(
			"---\nname: lesson %d\ndescription: what we learned when the build of part %d broke for the third time in a week\ntype: %s\n---\ntext\n",
			i, i, memory.Kinds()[1+i%3]))
	}
	jo.sync(t, 0)
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	private := "# Mine\n" + strings.Repeat("- [a note](a-note.md) — one of my own\n", 149)
	note(t, private, mara.store(root), "MEMORY.md")
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	mara.in(t, root, 0, nil, "sync")

	index := mara.session(t, root, "first")
	listed := strings.Count(index, "lesson-")
	if n := len(utf16.Encode([]rune(index))); n > 9000 || memory.IndexBudget(index).Over() || listed < 30 || listed >= entries {
		t.Errorf("%d entries in %d units:\n%s", listed, n, index)
	}
	says(t, index, fmt.Sprintf("%d of %d entries are not listed", entries-listed, entries), "jo, today")
	for _, kind := range memory.Kinds()[1:4] {
		says(t, index, string(kind))
	}
	files := filesBelow(t, mara.store(root))
	if files["MEMORY.md"] != private || len(files) != entries+1 || files["team/MEMORY.md"] != "" {
		t.Errorf("of the memory's %d files, the member's own index is %d bytes", len(files), len(files["MEMORY.md"]))
	}
}

// F15: at the limit an index is cut without a word. status and doctor tell the
// size of both indexes, and warn before.
func TestField_F15_NobodySeesTheCut(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	mara.write(t, "x.md", "text\n")
	line := "- [x](x.md) — one of many\n"
	lines := func(n int) string { return "# Index\n" + strings.Repeat("\n", n-2) + line }
	sized := func(n int) string { // with letters of two bytes up to the end
		text := strings.Repeat(strings.Repeat("é", 99)+"\n", n/199)
		rest := n - len(text) - 1
		return text + strings.Repeat("x", rest%2) + strings.Repeat("é", rest/2) + "\n"
	}
	for _, tt := range []struct {
		name, text  string
		size        string
		near, above bool
	}{
		{"159 lines", lines(159), "159 lines", false, false},
		{"160 lines", lines(160), "160 lines", true, false},
		{"199 lines", lines(199), "199 lines", true, false},
		{"200 lines", lines(200), "200 lines", true, false},
		{"201 lines", lines(201), "201 lines", true, true},
		{"24999 bytes", sized(24_999), "24999 bytes", true, false},
		{"25000 bytes", sized(25_000), "25000 bytes", true, false},
		{"25001 bytes", sized(25_001), "25001 bytes", true, true},
	} {
		t.Log(tt.name)
		mara.write(t, "MEMORY.md", tt.text)
		note(t, tt.text, filepath.Dir(mara.tree()), "MEMORY.md")
		status := mara.run(t, "status", mara.work())
		says(t, status.stdout, tt.size, "limit: 200 lines, 25000 bytes")
		for rule, want := range map[string]bool{memory.LintNearBudget: tt.near && !tt.above, memory.LintOverBudget: tt.above} {
			if got := strings.Contains(status.stdout, rule); got != want {
				t.Errorf("status warns of %s: %t, want %t\n%s", rule, got, want, status.stdout)
			}
		}
		doctor := mara.run(t, "doctor", mara.work()).stdout
		for _, name := range []string{"private index", "team index"} {
			grade := "✓ ok     "
			if tt.near {
				grade = "! look   "
			}
			size := strings.NewReplacer(" lines", " of 200 lines", " bytes", " of 25000 bytes").Replace(tt.size)
			if !strings.Contains(doctor, grade+fmt.Sprintf("%-13s", name)) || strings.Count(doctor, size) != 2 {
				t.Errorf("doctor says of the %s:\n%s", name, doctor)
			}
		}
	}
}

// F20: a correction was added beside what it corrects. It replaces the entry,
// in its place and with its identity, and a session sees one line of it; a
// member's private copy under another name is nobody else's.
func TestField_F20_CorrectionReplaces(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo, theo := tm.join(t, "jo"), tm.join(t, "theo")
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	text := func(tool string) string {
		return "---\nname: deploying\ndescription: deploy with tool " + tool + "\ntype: reference\n---\nuse tool " + tool + "\n"
	}
	jo.write(t, "deploy.md", text("A"))
	jo.sync(t, 0)
	theo.sync(t, 0)
	mara.in(t, root, 0, nil, "sync")
	note(t, text("A"), mara.store(root), "my-deploy.md")
	says(t, mara.session(t, root, "first"), "deploy with tool A")
	id := jo.entryOf(t, "deploy.md").EntryID

	theo.write(t, "deploy.md", text("B"))
	theo.sync(t, 0)
	for _, m := range []*member{jo, theo} {
		m.sync(t, 0)
		if got := m.files(t); len(got) != 1 || got["deploy.md"] != text("B") {
			t.Errorf("%s has %q", filepath.Base(m.home), got)
		}
	}
	index := mara.session(t, root, "second") // which pulls as well
	says(t, index, "deploy with tool B", "theo, today", ": 1 entry ")
	silentOn(t, index, "tool A", "my-deploy")
	if e := jo.entryOf(t, "deploy.md"); e.EntryID != id || e.Description != "deploy with tool B" {
		t.Errorf("the server has %+v, and %s before", e, id)
	}
	if b, err := os.ReadFile(filepath.Join(mara.store(root), "my-deploy.md")); err != nil || string(b) != text("A") {
		t.Errorf("the private copy is %q, %v", b, err)
	}
}
