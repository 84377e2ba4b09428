package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A folder that is moved out of the tree, and gone before its watch is ended, is
// an error to the watcher, which is in the middle of it when it tells so.
func TestWatch_FolderMovedOut(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	ada.watching(t)
	bob.watching(t)
	for i := range 5 {
		file := fmt.Sprintf("folder/%d.md", i)
		ada.write(t, file, "made\n")
		bob.becomes(t, map[string]string{file: "made\n"})
		outside := filepath.Join(ada.home, fmt.Sprintf("outside-%d", i))
		must(t, os.Rename(ada.path("folder"), outside))
		must(t, os.RemoveAll(outside))
		bob.becomes(t, map[string]string{})
	}
	ada.write(t, "after.md", "still heard of\n")
	bob.becomes(t, map[string]string{"after.md": "still heard of\n"})
}

func TestWatch_EditsTravel(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	ada.write(t, "old.md", "was there\n")
	ada.watching(t)
	bob.watching(t)
	want := map[string]string{"old.md": "was there\n"}
	bob.becomes(t, want)

	ada.write(t, "a.md", "made\n")
	want["a.md"] = "made\n"
	bob.becomes(t, want)
	bob.save(t, "a.md", "edited\n")
	want["a.md"] = "edited\n"
	ada.becomes(t, want)
	ada.write(t, "deep/er/b.md", "in new folders\n")
	want["deep/er/b.md"] = "in new folders\n"
	bob.becomes(t, want)
	bob.write(t, "deep/er/b.md", "in watched folders\n")
	want["deep/er/b.md"] = "in watched folders\n"
	ada.becomes(t, want)
	must(t, os.Rename(bob.path("deep"), bob.path("other")))
	delete(want, "deep/er/b.md")
	want["other/er/b.md"] = "in watched folders\n"
	ada.becomes(t, want)
	bob.write(t, "other/er/b.md", "in moved folders\n")
	want["other/er/b.md"] = "in moved folders\n"
	ada.becomes(t, want)
	must(t, os.Remove(ada.path("a.md")))
	delete(want, "a.md")
	bob.becomes(t, want)

	for i := range 200 {
		name := fmt.Sprintf("topic-%d/%03d.md", i%7, i)
		want[name] = fmt.Sprintf("text %d\n", i)
		ada.write(t, name, want[name])
	}
	bob.becomes(t, want)
	ada.becomes(t, want)
}
