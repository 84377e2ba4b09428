package client_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

const ignoreFile = ".teammemignore"

// teamFiles are the files below team/ without the ignore file.
func (m *member) teamFiles(t testing.TB) map[string]string {
	t.Helper()
	files := m.files(t)
	delete(files, ignoreFile)
	return files
}

// leavesOut runs one sync, which must leave out so many entries and do nothing
// else about them.
func (m *member) leavesOut(t testing.TB, n int) *client.Report {
	t.Helper()
	r := m.sync(t)
	if len(r.LeftOut) != n || len(r.Held) > 0 || r.NewRefusals() {
		t.Errorf("left out %v, held %v, refused %v; want %d left out", r.LeftOut, r.Held, refused(r), n)
	}
	return r
}

// S07: what is left out stays as it is on both sides, whatever happens to it,
// and comes back without a delete.
func TestScenario_S07_ScopeChanged(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 12)
	a.write(t, ignoreFile, "entry-00[0-4].md\n")
	if r := a.leavesOut(t, 5); len(r.Here) != 5 || len(r.Done) > 0 {
		t.Errorf("here %q, done %v", r.Here, r.Done)
	}
	a.write(t, entryName(0), "edited by ann\n")
	a.write(t, entryName(5), "edited by ann, too\n")
	a.remove(t, entryName(1))
	b.write(t, entryName(2), "edited by ben\n")
	b.remove(t, entryName(3))
	b.sync(t)
	a.leavesOut(t, 5)
	want := map[string]string{entryName(0): "edited by ann\n", entryName(2): "entry 2\n", entryName(3): "entry 3\n", entryName(5): "edited by ann, too\n"}
	for name, text := range want {
		if got := a.files(t)[name]; got != text {
			t.Errorf("here %s is %q, want %q", name, got, text)
		}
	}
	served := tm.served(t)
	if served[entryName(0)] != "entry 0\n" || served[entryName(1)] != "entry 1\n" || served[entryName(5)] != "edited by ann, too\n" {
		t.Errorf("the server has %q", served)
	}
	if _, ok := served[ignoreFile]; ok {
		t.Error("the ignore file was shared")
	}

	a.write(t, ignoreFile, "# nothing\n")
	r, err := a.try(t.Context())
	if err != nil || len(r.Held) != 2 || r.HeldDeletes() != 2 || r.Held[0].Why != msync.AfterJump || r.Held[1].Why != msync.AfterJump {
		t.Fatalf("held %v, %v; want a delete either way", r.Held, err)
	}
	if tm.served(t)[entryName(0)] != "edited by ann\n" || a.files(t)[entryName(2)] != "edited by ben\n" {
		t.Error("an edit did not go on from where it was frozen")
	}
	if r, err = a.try(t.Context()); err != nil || r.HeldDeletes() != 2 {
		t.Fatalf("the next run holds %v, %v", r.Held, err)
	}
	a.allow(t, 2)
	b.sync(t)
	must(t, os.Remove(filepath.Join(a.tree(), ignoreFile)))
	tm.equal(t, a, b)
}

// What is left out does not stand for what is gone: an emptied tree waits for a
// word, and so does one in which every file that is seen changed.
func TestScope_Guarded(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 6)
	a.write(t, ignoreFile, entryName(5)+"\n")
	a.leavesOut(t, 1)
	for n := range 5 {
		a.write(t, entryName(n), "garbled\n")
	}
	a.holds(t, syncOnce, msync.Upload, msync.AllChanged, 5)
	a.removeEntries(t, 0, 6)
	a.holds(t, syncOnce, msync.DeleteRemote, msync.EmptiedFolder, 5)
	if got := tm.served(t); len(got) != 6 || got[entryName(0)] != "entry 0\n" {
		t.Errorf("the server has %q", got)
	}
}

// What others create is left out as well, and is there once the rule is gone.
func TestScope_NewEntries(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 2)
	a.write(t, ignoreFile, "drafts/\n*-2.md\n")
	a.write(t, "drafts/mine.md", "mine\n")
	b.write(t, "drafts/theirs.md", "theirs\n")
	b.write(t, "same.md", "theirs\n")
	b.sync(t)
	a.write(t, "same.md", "mine\n") // its number may not be 2
	a.leavesOut(t, 1)
	want := map[string]string{"drafts/mine.md": "mine\n", "same.md": "theirs\n", "same-3.md": "mine\n"}
	for n := range 2 {
		want[entryName(n)] = tm.served(t)[entryName(n)]
	}
	got := a.teamFiles(t)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) || tm.served(t)["drafts/mine.md"] != "" {
		t.Errorf("the tree has %q", got)
	}

	c := tm.join(t, "cem") // a first sync leaves out, too
	c.write(t, ignoreFile, "drafts\n")
	c.leavesOut(t, 1)
	if got := c.files(t)["drafts/theirs.md"]; got != "" {
		t.Error("a new computer received what it leaves out")
	}
}

// An editor that saves the ignore file takes it away for a moment. In that moment
// nothing is sent.
func TestScope_FileGone(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 2)
	a.write(t, ignoreFile, "draft.md\n")
	a.write(t, "draft.md", "for nobody yet\n")
	a.sync(t)
	a.remove(t, ignoreFile)
	if r := a.sync(t); !slices.ContainsFunc(r.Notices, func(n string) bool { return strings.Contains(n, "is gone") }) || len(r.Done) > 0 {
		t.Errorf("done %v, notices %q", r.Done, r.Notices)
	}
	if tm.served(t)["draft.md"] != "" {
		t.Error("the draft was sent")
	}
	a.sync(t)
	tm.equal(t, a)
}

// Rules that cannot be read or understood stop everything, in both directions.
func TestScope_NotKnown(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 2)
	b.write(t, "new.md", "new\n")
	b.sync(t)
	a.write(t, "mine.md", "mine\n")
	for name, make := range map[string]func(){
		"no pattern": func() { a.write(t, ignoreFile, "a.md\n[b.md\n") },
		"a link": func() {
			a.remove(t, ignoreFile)
			must(t, os.Symlink(entryName(0), filepath.Join(a.tree(), ignoreFile)))
		},
	} {
		_ = os.Remove(filepath.Join(a.tree(), ignoreFile))
		a.write(t, ignoreFile, "")
		make()
		if _, err := a.try(t.Context()); !errors.Is(err, client.ErrScope) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = os.Remove(filepath.Join(a.tree(), ignoreFile))
	a.link.Mode = "read-only"
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrScope) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a mode by hand: %v", err)
	}
	if tm.served(t)["mine.md"] != "" || a.files(t)["new.md"] != "" {
		t.Error("something moved")
	}
}

// An ignore file without a text is what a full disk makes of one that had some.
func TestScope_Emptied(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 2)
	a.write(t, ignoreFile, "draft.md\n")
	a.write(t, "draft.md", "for nobody yet\n")
	_, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Mode: client.PushOnly}) // which takes note of it, too
	must(t, err)
	for _, text := range []string{"", " \n\t\n", "\ufeff\r\n", "\x00\x00\x00"} {
		a.write(t, ignoreFile, text)
		for range 2 {
			if _, err := a.try(t.Context()); !errors.Is(err, client.ErrScope) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	if tm.served(t)["draft.md"] != "" {
		t.Fatal("the draft was sent")
	}
	a.write(t, ignoreFile, "# nothing any more\n")
	a.sync(t)
	if tm.served(t)["draft.md"] == "" {
		t.Error("the draft was not sent")
	}
}

// What is named while a run is under way is not sent by it.
func TestScope_NamedMeanwhile(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 2)
	a.write(t, "draft.md", "for nobody yet\n")
	_, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Listed: func([]string, time.Duration) { a.write(t, ignoreFile, "draft.md\n") }})
	if err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v, want that the ignore file changed", err)
	}
	a.sync(t)
	if got := len(tm.served(t)); got != 2 {
		t.Errorf("the server has %d entries, want 2", got)
	}
}

// Names that others change to or from what is left out stop nothing else. All
// that stays behind because of that is named.
func TestScope_RenamedByOthers(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "private/c.md": "c\n"})
	a.write(t, ignoreFile, "private/\ndrafts/\n")
	a.leavesOut(t, 1)
	b.rename(t, "a.md", "drafts/a.md")
	b.sync(t)
	b.write(t, "a.md", "anew\n")
	b.rename(t, "private/c.md", "pub.md")
	b.sync(t)
	a.write(t, "pub.md", "mine\n")
	a.write(t, "b.md", "edited by ann\n")
	for n := range 2 {
		r := a.sync(t)
		if got := fmt.Sprint(r.LeftOut); got != "[a.md drafts/a.md private/c.md pub.md]" {
			t.Errorf("left out %s", got)
		}
		if got := fmt.Sprint(refused(r)); got != "map[a.md:clash pub.md:clash]" || r.NewRefusals() != (n == 0) {
			t.Errorf("refused %s", got)
		}
	}
	if tm.served(t)["b.md"] != "edited by ann\n" {
		t.Error("an edit was not sent")
	}
	a.write(t, ignoreFile, "# nothing\n")
	a.sync(t)
	a.remove(t, ignoreFile)
	b.sync(t)
	tm.equal(t, a, b)
	if got := tm.served(t); got["pub-2.md"] != "mine\n" || got["pub.md"] != "c\n" || got["drafts/a.md"] != "a\n" || got["a.md"] != "anew\n" {
		t.Errorf("the server has %q", got)
	}
}

// A tree that was put back keeps what is known of what nobody looked at.
func TestScope_TreePutBack(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 6)
	a.write(t, ignoreFile, entryName(0)+"\n")
	a.leavesOut(t, 1)
	backup := filepath.Join(a.home, "backup")
	must(t, os.CopyFS(backup, os.DirFS(a.tree())))
	must(t, os.RemoveAll(a.tree()))
	must(t, os.CopyFS(a.tree(), os.DirFS(backup)))
	a.leavesOut(t, 1)
	a.write(t, entryName(0), "edited by ann\n")
	a.write(t, ignoreFile, "# nothing\n")
	a.sync(t)
	a.remove(t, ignoreFile)
	b.sync(t)
	tm.equal(t, a, b)
	if got := tm.served(t); len(got) != 6 || got[entryName(0)] != "edited by ann\n" {
		t.Errorf("the server has %q", got)
	}
}

// relinked links the folder again with a mode, "" for the one it has.
func (m *member) relinked(t testing.TB, mode client.Mode) client.Linked {
	t.Helper()
	linked := m.linkedFrom(t, m.work(), mode)
	m.link = linked.Link
	return linked
}

// linkedFrom links a folder of the repository with the member's tree.
func (m *member) linkedFrom(t testing.TB, folder string, mode client.Mode) client.Linked {
	t.Helper()
	mkdir(t, folder)
	found, err := m.http.Projects(t.Context(), "acme/app", "")
	must(t, err)
	place := client.Place{Folder: folder, Repository: "dir:" + m.work(), MemoryDir: filepath.Join(m.home, "memory"), Source: "again", Mode: mode}
	linked, err := m.dirs.LinkTo(t.Context(), place, m.http, found[0], m.id.Instance, false, tree.Options{Clock: m.now, Home: m.home})
	must(t, err)
	return linked
}

// S08: a folder that only receives goes on doing so whatever else is set, and
// once it goes both ways again, deletes wait for a word.
func TestScenario_S08_SettingsKept(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 8)
	a.relinked(t, client.PullOnly)
	if l := a.relinked(t, ""); l.Mode != client.PullOnly || l.Source != "again" {
		t.Errorf("linked again: %+v", l.Link)
	}
	worktree := filepath.Join(a.home, "worktree")
	if l := a.linkedFrom(t, worktree, ""); l.Mode != client.PullOnly {
		t.Errorf("linked from a worktree: %+v", l.Link)
	}
	a.sync(t)
	before := tm.served(t)
	a.write(t, "new.md", "new\n")
	a.write(t, entryName(0), "edited by ann\n")
	a.remove(t, entryName(1))
	b.write(t, entryName(2), "edited by ben\n")
	b.remove(t, entryName(3))
	b.sync(t)
	r := a.sync(t)
	if len(r.Skipped) != 3 || a.files(t)[entryName(2)] != "edited by ben\n" || a.files(t)[entryName(3)] != "" {
		t.Errorf("skipped %v, tree %q", r.Skipped, a.files(t))
	}
	if got := tm.served(t); len(got) != len(before)-1 || got[entryName(0)] != before[entryName(0)] || got[entryName(1)] != before[entryName(1)] {
		t.Errorf("the server has %q", got)
	}

	if l := a.linkedFrom(t, worktree, client.BothWays); l.Already || l.Mode != "" {
		t.Errorf("linked both ways: %+v", l)
	}
	if l := a.relinked(t, ""); !l.Already || l.Mode != "" {
		t.Errorf("of the same tree: %+v", l)
	}
	a.holds(t, client.SyncOptions{DryRun: true}, msync.DeleteRemote, msync.AfterJump, 1)
	a.holds(t, syncOnce, msync.DeleteRemote, msync.AfterJump, 1)
	a.allow(t, 1)
	b.sync(t)
	tm.equal(t, a, b)
}

// A run that only sends leaves the tree alone, and says what it left.
func TestScope_PushOnly(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 8)
	b.write(t, entryName(0), "edited by ben\n")
	b.write(t, entryName(1), "edited by both: ben\n")
	b.remove(t, entryName(2))
	b.write(t, "theirs.md", "theirs\n")
	b.sync(t)
	a.write(t, entryName(1), "edited by both: ann\n")
	a.write(t, "mine.md", "mine\n")
	a.remove(t, entryName(3))
	was := a.files(t)
	for range 2 {
		r, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Mode: client.PushOnly})
		if err != nil || !r.Proven || len(r.Skipped) != 4 || len(r.Conflicts) > 0 {
			t.Fatalf("skipped %v, proven %t, %v", r.Skipped, r.Proven, err)
		}
	}
	has(t, a, was)
	if got := tm.served(t); got["mine.md"] != "mine\n" || got[entryName(3)] != "" || got[entryName(1)] != "edited by both: ben\n" {
		t.Errorf("the server has %q", got)
	}
	_, err := a.try(t.Context())
	must(t, err)
	b.sync(t)
	tm.equal(t, a, b)
}

// Nor does such a run wait for a name that nothing here will free.
func TestScope_PushOnlyNameReused(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 3)
	b.removeEntries(t, 0, 2)
	b.sync(t)
	b.write(t, entryName(0), "another\n")
	b.rename(t, entryName(2), entryName(1))
	b.write(t, "both.md", "by ben\n")
	b.sync(t)
	a.write(t, "both.md", "by ann\n")
	a.write(t, "mine.md", "mine\n")
	was := a.files(t)
	for range 2 {
		r, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Mode: client.PushOnly})
		if err != nil || !r.Proven || len(r.Skipped) == 0 {
			t.Fatalf("skipped %v, %v", r.Skipped, err)
		}
	}
	has(t, a, was)
	if tm.served(t)["mine.md"] != "mine\n" {
		t.Error("a new file was not sent")
	}
	a.sync(t)
	b.sync(t)
	tm.equal(t, a, b)
}

// What a run that only sends is told to delete stays, and is listed.
func TestScope_PushOnlyDeletesNothing(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 2)
	b.remove(t, entryName(0))
	b.sync(t)
	must(t, os.Remove(a.index()))
	for range 2 {
		r, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Mode: client.PushOnly})
		if err != nil || refused(r)[entryName(0)] != memory.CodeConflict {
			t.Fatalf("refused %v, %v", refused(r), err)
		}
	}
	if a.files(t)[entryName(0)] != "entry 0\n" || len(tm.served(t)) != 1 {
		t.Errorf("the tree has %q, the server %q", a.files(t), tm.served(t))
	}
}

// What was left out was not seen to be absent: an old copy of what the team has
// deleted since stays deleted.
func TestScope_NotSeenAbsent(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 2)
	c := tm.join(t, "cem")
	c.write(t, ignoreFile, entryName(0)+"\n")
	c.write(t, entryName(0), "entry 0\n") // by hand
	c.sync(t)
	a.remove(t, entryName(0))
	a.sync(t)
	c.sync(t)
	c.write(t, ignoreFile, "# nothing\n")
	c.sync(t)
	if len(tm.served(t)) != 1 || c.files(t)[entryName(0)] != "" || c.kept(t, "entry 0\n") != "trash" {
		t.Errorf("the tree has %q, the server %q", c.files(t), tm.served(t))
	}
	b.sync(t)
	tm.equal(t, a, b)
}

// A run that only receives sends nothing, not even once it was held.
func TestScope_PullOnlyKeepsHolds(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 12)
	a.removeEntries(t, 0, 6)
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 6)
	a.write(t, entryName(0), "entry 0\n")
	r, err := a.syncer("").Sync(t.Context(), client.SyncOptions{Mode: client.PullOnly})
	if err != nil || len(r.Held) > 0 || len(r.Skipped) != 5 {
		t.Fatalf("held %v, skipped %v, %v", r.Held, r.Skipped, err)
	}
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 5)
	if got := len(tm.served(t)); got != 12 {
		t.Errorf("the server has %d entries, want 12", got)
	}
}
