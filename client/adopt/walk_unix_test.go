//go:build linux || darwin

package adopt_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// A source is foreign: whatever lies in it, nothing outside of it is read,
// nothing hangs, and every name is in the plan.
func TestPlan_HostileSource(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	outside := t.TempDir()
	write(t, outside, map[string]string{"key.md": "private\n", "more/notes.md": "private, too\n"})
	at := func(name string) string { return filepath.Join(d.source, name) }
	write(t, d.source, map[string]string{"good.md": "good\n", "dir/inner.md": "inner\n"})
	must(t, os.Symlink(filepath.Join(outside, "key.md"), at("link.md")))
	must(t, os.Symlink(filepath.Join(outside, "more"), at("linked")))
	must(t, os.Symlink("../../../../../etc", at("climb")))
	must(t, os.Symlink("good.md", at("inside.md")))
	must(t, os.Symlink("loop.md", at("loop.md")))
	must(t, os.Link(filepath.Join(outside, "key.md"), at("hard.md")))
	must(t, syscall.Mkfifo(at("pipe.md"), 0o600))
	write(t, d.source, map[string]string{"bell\a\x1b[31m.md": "red\n", "new\nline.md": "two\n", "bad\xff.md": "bytes\n", "win\\..\\x.md": "w\n"})
	must(t, os.Truncate(createFile(t, at("huge.md")), 1<<40))

	p := d.plan(t, nil, adopt.PlanOptions{})
	want := map[string]adopt.Verdict{
		"good.md": adopt.New, "dir/inner.md": adopt.New, "link.md": adopt.Skipped, "linked": adopt.Skipped, "climb": adopt.Skipped,
		"inside.md": adopt.Skipped, "loop.md": adopt.Skipped, "hard.md": adopt.Refused, "pipe.md": adopt.Skipped,
		"bell\a\x1b[31m.md": adopt.Refused, "new\nline.md": adopt.Refused, "bad\xff.md": adopt.Refused, "win\\..\\x.md": adopt.Refused, "huge.md": adopt.Refused,
	}
	got := verdicts(p)
	for name, verdict := range want {
		if got[name] != verdict {
			t.Errorf("%q is %q, want %q", name, got[name], verdict)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d names in the plan, want %d: %v", len(got), len(want), got)
	}
	if code := itemOf(t, p, "hard.md", 0).Problem.Code; code != memory.Code(tree.KindHardlink) {
		t.Errorf("a hard link is refused as %s", code)
	}
	d.take(t, p)
	for name, text := range below(t, d.team("")) {
		if strings.Contains(text, "private") {
			t.Errorf("%s came in from outside", name)
		}
	}
}

func createFile(t testing.TB, name string) string {
	t.Helper()
	write(t, filepath.Dir(name), map[string]string{filepath.Base(name): ""})
	return name
}

// asNobody makes the test binary give up root's rights, for which modes do not
// count.
const asNobody = "TEAMMEM_ADOPT_TEST_AS_NOBODY"

func TestPlan_UnreadableSource(t *testing.T) {
	t.Parallel()
	switch {
	case os.Getenv(asNobody) != "":
		const nobody = 65534
		must(t, errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)))
	case os.Geteuid() == 0:
		self, err := os.Executable()
		must(t, err)
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), asNobody+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	d := newDesk(t)
	write(t, d.source, map[string]string{"good.md": "good\n", "locked.md": "no\n", "closed/x.md": "no\n"})
	must(t, os.Chmod(filepath.Join(d.source, "locked.md"), 0))
	must(t, os.Chmod(filepath.Join(d.source, "closed"), 0))
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(d.source, "closed"), 0o700)) })
	p := d.plan(t, nil, adopt.PlanOptions{})
	got := verdicts(p)
	if got["good.md"] != adopt.New || got["locked.md"] != adopt.Refused || got["closed"] != adopt.Refused || len(got) != 3 {
		t.Errorf("got %v", got)
	}
	for _, file := range []string{"locked.md", "closed"} {
		if i := itemOf(t, p, file, 0); i.Problem == nil || i.Problem.Code != memory.Code(tree.KindUnreadable) {
			t.Errorf("%s: %v", file, i.Problem)
		}
	}
}

func TestPlan_TooMuch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mkdir(t, filepath.Join(d.source, "many"))
	for i := range 100_000 {
		f, err := os.Create(filepath.Join(d.source, "many", fmt.Sprintf("%06d.md", i)))
		must(t, err)
		must(t, f.Close())
	}
	_, err := d.Plan(t.Context(), d.notes(t, nil), adopt.PlanOptions{})
	if memory.CodeOf(err) != memory.CodeInvalid || !strings.Contains(err.Error(), "more than 20000 names") {
		t.Errorf("got %v", err)
	}
}

func TestPlan_DeepSource(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	dir := d.source
	var names []string
	for depth := range 40 {
		dir = filepath.Join(dir, "d")
		mkdir(t, dir)
		name := fmt.Sprintf("n%02d.md", depth)
		write(t, dir, map[string]string{name: fmt.Sprintf("note %d\n", depth)})
		names = append(names, name)
	}
	p := d.plan(t, nil, adopt.PlanOptions{Rename: true})
	got := verdicts(p)
	deepest := strings.Repeat("d/", 16)
	for depth, name := range names {
		file := strings.Repeat("d/", depth+1) + name
		if _, listed := got[file]; listed != (depth < 16) {
			t.Errorf("%s: listed %t", file, listed)
		}
		if depth < 16 && got[file] != adopt.New {
			t.Errorf("%s is %s", file, got[file])
		}
	}
	if got[deepest+"d"] != adopt.Refused {
		t.Errorf("the folder that is too deep is %q in %v", got[deepest+"d"], got)
	}
	if i := itemOf(t, p, strings.Repeat("d/", 12)+"n11.md", 0); !i.Renamed || i.Path.String() != "d/d/d/d/d/d/d/d-d-d-d-d-n11.md" {
		t.Errorf("a deep note goes to %q", i.Path)
	}
}

// The member's own tree is no source, by whatever name it is reached.
func TestPlan_OwnTree(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.memoryDir, map[string]string{"private.md": "mine\n", "team/a.md": "shared\n", "team/topic/b.md": "shared\n"})
	link := filepath.Join(t.TempDir(), "other-name")
	must(t, os.Symlink(d.memoryDir, link))
	for _, dir := range []string{d.memoryDir, d.team(""), d.team("topic"), link, filepath.Join(link, "team")} {
		_, err := d.Plan(t.Context(), adopt.Source{Layout: adopt.LayoutFolder, Dir: dir}, adopt.PlanOptions{})
		if memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: got %v", dir, err)
		}
	}
	above := filepath.Dir(d.memoryDir)
	p, err := d.Plan(t.Context(), adopt.Source{Layout: adopt.LayoutFolder, Dir: above}, adopt.PlanOptions{})
	must(t, err)
	if got := verdicts(p); got["memory"] != adopt.Skipped || len(got) != 1 {
		t.Errorf("a folder above: %v", got)
	}
}

func TestPlan_SingleFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.memoryDir, map[string]string{"mine.md": "mine\n", "team/a.md": "shared\n", "me.md": "---\ntype: user\n---\n", "list.txt": "x"})
	must(t, os.Symlink("mine.md", filepath.Join(d.memoryDir, "link.md")))
	var files []string
	for _, name := range []string{"mine.md", "team/a.md", "me.md", "list.txt", "link.md"} {
		files = append(files, filepath.Join(d.memoryDir, name))
	}
	s, err := adopt.FileSource(files)
	must(t, err)
	p, err := d.Plan(t.Context(), s, adopt.PlanOptions{To: "from-mara"})
	must(t, err)
	got := map[string]adopt.Verdict{}
	for _, i := range p.Items {
		rel, err := filepath.Rel(d.memoryDir, i.File)
		must(t, err)
		got[rel] = i.Verdict
	}
	want := map[string]adopt.Verdict{
		"mine.md": adopt.New, "team/a.md": adopt.Skipped, "me.md": adopt.Skipped, "list.txt": adopt.Skipped, "link.md": adopt.Refused,
	}
	for name, verdict := range want {
		if got[name] != verdict {
			t.Errorf("%s is %s, want %s", name, got[name], verdict)
		}
	}
	d.take(t, p)
	if text := below(t, d.team(""))["from-mara/mine.md"]; text != "mine\n" {
		t.Errorf("shared: %q", text)
	}
	if text := below(t, d.memoryDir)["mine.md"]; text != "mine\n" {
		t.Errorf("the original: %q", text)
	}
	if _, err := adopt.FileSource([]string{filepath.Join(d.memoryDir, "nothing.md")}); memory.CodeOf(err) != memory.CodeInvalid {
		t.Errorf("a missing file: %v", err)
	}
}
