package adopt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/memory"
)

// privateTree writes what agents keep, with notes around it that are nobody's
// secret.
func privateTree(t *testing.T, root string) {
	t.Helper()
	write(t, root, map[string]string{
		"projects/-other/memory/MEMORY.md":    "- [private](private.md)\n",
		"projects/-other/memory/private.md":   "private\n",
		"projects/-other/memory/team/team.md": "shared\n",
		"projects/-other/notes.md":            "plain\n",
		"projects/-bare/memory/private.md":    "private\n", // before it was linked
		"store/memory/private.md":             "private\n",
		"store/memory/team/team.md":           "shared\n",
		"store/con.md":                        "device\n",
		"plain/memory/note.md":                "note\n",
	})
}

// A folder above an agent's memory folder brings none of its notes, by
// whatever layout or name it is imported, and says so.
func TestPlan_PrivateMemoryBelow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		layout, below string // "" for a folder that is known by its shape
		want          map[string]adopt.Verdict
	}{
		"above all": {"", "", map[string]adopt.Verdict{
			"projects/-other/memory": adopt.Skipped, "projects/-other/notes.md": adopt.New, "projects/-bare/memory": adopt.Skipped,
			"store/memory": adopt.Skipped, "store/con.md": adopt.New, "plain/memory/note.md": adopt.New,
		}},
		"the projects": {"", "projects", map[string]adopt.Verdict{
			"-other/memory": adopt.Skipped, "-other/notes.md": adopt.New, "-bare/memory": adopt.Skipped,
		}},
		"one project":    {"", "projects/-other", map[string]adopt.Verdict{"memory": adopt.Skipped, "notes.md": adopt.New}},
		"one store":      {"", "store", map[string]adopt.Verdict{"memory": adopt.Skipped, "con.md": adopt.New}},
		"as claude":      {"claude", "projects/-other", map[string]adopt.Verdict{"memory": adopt.Skipped, "notes.md": adopt.New}},
		"as a bank":      {"memory-bank", "store", map[string]adopt.Verdict{"memory": adopt.Skipped, "con.md": adopt.New}},
		"as agents":      {"agent-memory", "projects", map[string]adopt.Verdict{"-other/memory": adopt.Skipped, "-other/notes.md": adopt.New, "-bare/memory": adopt.Skipped}},
		"as a workspace": {"openclaw", "projects/-other", map[string]adopt.Verdict{"memory": adopt.Skipped, "notes.md": adopt.Skipped}},
		"its team":       {"", "projects/-other/memory/team", map[string]adopt.Verdict{"team.md": adopt.New}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, root := newDesk(t), t.TempDir()
			privateTree(t, root)
			dir := filepath.Join(root, filepath.FromSlash(tt.below))
			source, dirOfLayout := dir, ""
			if tt.layout != "" {
				source, dirOfLayout = tt.layout, dir
			}
			s, err := adopt.FindSource(source, dirOfLayout, adopt.Places{Repository: root, Getenv: os.Getenv})
			must(t, err)
			p, err := d.Plan(t.Context(), s, adopt.PlanOptions{Rename: true, IncludeUser: true})
			must(t, err)
			if diff := cmp.Diff(tt.want, verdicts(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, i := range p.Items {
				if i.Verdict == adopt.Skipped && i.Folder && i.Reason != "an agent's memory folder: private; import its team/ folder by name" {
					t.Errorf("%s is skipped as %q", i.File, i.Reason)
				}
			}
			d.take(t, p)
			for file, text := range below(t, d.team("")) {
				if strings.Contains(text, "private") {
					t.Errorf("%s is shared: %q", file, text)
				}
			}
		})
	}
}

// A memory folder is private as a source of any layout, and the one that a
// repository holds under .claude is not.
func TestFindSource_PrivateMemoryByLayout(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	privateTree(t, root)
	places := adopt.Places{Repository: root, Getenv: os.Getenv}
	for _, layout := range []string{"claude", "agent-memory", "memory-bank", "openclaw"} {
		for _, dir := range []string{"projects/-other/memory", "projects/-bare/memory", "store/memory"} {
			if _, err := adopt.FindSource(layout, filepath.Join(root, dir), places); memory.CodeOf(err) != memory.CodeInvalid {
				t.Errorf("%s %s: %v", layout, dir, err)
			}
		}
	}
	write(t, root, map[string]string{".claude/memory/a.md": "A\n", ".claude/memory/team/b.md": "B\n", ".claude/agent-memory/x/c.md": "C\n"})
	for layout, want := range map[string]map[string]adopt.Verdict{
		"claude": {"a.md": adopt.New, "team/b.md": adopt.New}, "agent-memory": {"x/c.md": adopt.New},
	} {
		d := newDesk(t)
		s, err := adopt.FindSource(layout, "", places)
		must(t, err)
		p, err := d.Plan(t.Context(), s, adopt.PlanOptions{})
		must(t, err)
		if diff := cmp.Diff(want, verdicts(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", layout, diff)
		}
	}
}

// A link to it, or to a folder above it, makes nothing less private.
func TestPlan_PrivateMemoryByLink(t *testing.T) {
	t.Parallel()
	d, root := newDesk(t), t.TempDir()
	privateTree(t, root)
	link := func(name, to string) string {
		file := filepath.Join(root, name)
		must(t, os.Symlink(filepath.Join(root, filepath.FromSlash(to)), file))
		return file
	}
	places := adopt.Places{Repository: root, Getenv: os.Getenv}
	for _, dir := range []string{link("one", "projects/-bare/memory"), link("two", "store/memory")} {
		if _, err := adopt.FindSource(dir, "", places); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: %v", dir, err)
		}
	}
	s, err := adopt.FindSource(link("three", "projects/-bare"), "", places)
	must(t, err)
	p, err := d.Plan(t.Context(), s, adopt.PlanOptions{})
	must(t, err)
	if diff := cmp.Diff(map[string]adopt.Verdict{"memory": adopt.Skipped}, verdicts(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
