package watch_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/watch"
)

// A file is sent when whoever writes it has closed it: one text for one save.
func TestScenario_S20_HalfWritten(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	ada.write(t, "kept-open.md", "before\n")
	ada.write(t, "opened-anew.md", "before\n")
	w := ada.watching(t)

	f, err := os.OpenFile(ada.path("kept-open.md"), os.O_WRONLY|os.O_TRUNC, 0)
	must(t, err)
	want := ""
	for i := range 3 {
		part := fmt.Sprintf("part %d\n", i)
		want += part
		_, err := f.WriteString(part)
		must(t, err)
		ada.settled(t, w)
	}
	must(t, f.Close())
	ada.wait(t, "the upload", func() bool { return len(tm.history(t, ada, "kept-open.md")) > 1 })
	if diff := cmp.Diff([]string{"before\n", want}, tm.history(t, ada, "kept-open.md")); diff != "" {
		t.Errorf("one file that stayed open (-want +got):\n%s", diff)
	}

	must(t, os.Truncate(ada.path("opened-anew.md"), 0))
	ada.settled(t, w)
	for i := range 3 {
		f, err := os.OpenFile(ada.path("opened-anew.md"), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = fmt.Fprintf(f, "part %d\n", i)
		must(t, err)
		must(t, f.Close())
	}
	ada.wait(t, "the upload", func() bool {
		texts := tm.history(t, ada, "opened-anew.md")
		return texts[len(texts)-1] == want
	})
	for _, text := range tm.history(t, ada, "opened-anew.md") {
		if text == "" {
			t.Error("an empty text was sent of a file in the middle of a save")
		}
	}
}

// A lost event is found: the kernel says that some are, and all is looked at.
func TestScenario_S34_Overflow(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	w := ada.watching(t)
	bob.watching(t)
	want := map[string]string{}
	for i := range 50 {
		name := fmt.Sprintf("%02d.md", i)
		want[name] = name + "\n"
		ada.write(t, name, want[name])
		if i == 25 {
			w.Overflow()
		}
	}
	bob.becomes(t, want)
	ada.wait(t, "watching again", func() bool { return ada.state(w).Mode == watch.Watching })
	ada.write(t, "after.md", "heard of by the new watcher\n")
	want["after.md"] = "heard of by the new watcher\n"
	bob.becomes(t, want)
}

// S35, F35 and F36: without events, whether none come, no more folders can be
// watched or the file system has none, names are looked at, and that is said.
func TestScenario_S35_F35_F36_NoEvents(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	for name, c := range map[string]struct {
		why   string
		spoil func(*watch.Watcher)
	}{
		"deaf":      {"no events come from the file system", (*watch.Watcher).Deafen},
		"F35":       {"this user's limit of watchers or open files is reached; raise it with sysctl fs.inotify.max_user_instances, or ulimit -n", func(w *watch.Watcher) { w.Without(syscall.EMFILE) }},
		"F35 space": {"this user's limit of watched folders is reached; raise it with sysctl fs.inotify.max_user_watches", func(w *watch.Watcher) { w.Without(syscall.ENOSPC) }},
		"F36":       {"the folder is on 9p, which does not tell of what others write", func(w *watch.Watcher) { w.Eventless("9p") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := tm.join(t, name[:3]+fmt.Sprint(len(name)))
			w := m.watcher()
			c.spoil(w)
			m.start(t, w, watch.Polling)
			told, err := watch.Ask(t.Context(), m.dirs.WatchSocket(m.link)) // as status does
			must(t, err)
			if s := told.Projects[0]; s.Mode != watch.Polling || s.Why != c.why {
				t.Errorf("status says %s: %q, want polling: %q", s.Mode, s.Why, c.why)
			}
			file := m.link.RootID + ".md"
			m.write(t, file, "found by looking\n")
			m.wait(t, "the upload", func() bool { return len(tm.history(t, m, file)) == 1 })
		})
	}
}

// F28 under watch: a tree that is an empty folder all of a sudden, as a disk
// leaves it that went away, stops what is done for it, with the reason, and
// deletes nothing. Once it is back everything goes on.
func TestField_F28_EmptiedUnderWatch(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	want := map[string]string{}
	for i := range 8 {
		name := fmt.Sprintf("%d.md", i)
		want[name] = name + "\n"
		ada.write(t, name, want[name])
	}
	w := ada.watching(t)
	bob.watching(t)
	bob.becomes(t, want)
	aside := ada.tree() + "-aside"
	must(t, os.Rename(ada.tree(), aside))
	must(t, os.Mkdir(ada.tree(), 0o700))
	w.Slept()
	ada.wait(t, "the reason", func() bool { return strings.Contains(ada.state(w).Failure, "marker team/.teammem is missing") })
	bob.write(t, "new.md", "new\n")
	want["new.md"] = "new\n"
	bob.becomes(t, want)
	ada.wait(t, "another look", func() bool { return w.Quiet() })
	if files := ada.files(t); len(files) > 0 || tm.deletes(t, ada) > 0 {
		t.Errorf("the empty folder has %q, and there were %d deletes", files, tm.deletes(t, ada))
	}

	must(t, os.Remove(ada.tree()))
	must(t, os.Rename(aside, ada.tree()))
	w.Slept()
	ada.becomes(t, want)
	ada.wait(t, "order", func() bool { return ada.state(w).Failure == "" })
	if n := tm.deletes(t, ada); n > 0 {
		t.Errorf("there were %d deletes", n)
	}
}

// A rename keeps the history, however it looks while it happens.
func TestScenario_S36_Move(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	ada.write(t, "a.md", "first\n")
	w := ada.watching(t)
	bob.watching(t)
	bob.becomes(t, map[string]string{"a.md": "first\n"})
	must(t, os.Rename(ada.path("a.md"), ada.path("b.md")))
	bob.becomes(t, map[string]string{"b.md": "first\n"})
	w.Slept() // a while later
	ada.settled(t, w)
	bob.becomes(t, map[string]string{"b.md": "first\n"})
	if diff := cmp.Diff([]string{"first\n", "-> b.md"}, tm.history(t, ada, "b.md")); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// Only one watches, others sync beside it, and the dead hold nothing.
func TestScenario_S39_TwoWatchers(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	lock, err := ada.dirs.LockWatchOf(ada.link)
	must(t, err)
	must(t, lock.Release()) // what a process leaves behind that is dead
	ada.watching(t)
	err = ada.watcher().Run(t.Context())
	if want := fmt.Sprintf("another teammem process is at work: process %d watches already", os.Getpid()); err == nil || err.Error()[:len(want)] != want {
		t.Errorf("a second watcher: got %v, want %q", err, want)
	}
	login, err := ada.dirs.Login(tm.url)
	must(t, err)
	s, err := ada.dirs.Connect(login, client.ServerOptions{Clock: time.Now})
	must(t, err)
	r, err := client.NewSyncer(ada.dirs, ada.link, s, client.SyncerOptions{Clock: time.Now, Home: ada.home}).Sync(t.Context(), client.SyncOptions{})
	if err != nil || !r.Proven {
		t.Errorf("a sync beside it: proven %t, %v", r.Proven, err)
	}
}

// What an editor does to save a file is no delete, and each save arrives.
func TestField_F34_AtomicSave(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada := tm.join(t, "ada")
	ada.write(t, "a.md", "0\n")
	w := ada.watcher()
	w.Hurry(time.Minute)
	ada.start(t, w, watch.Watching)
	want := []string{"0\n"}
	for i := range 3 {
		text := fmt.Sprintf("save %d\n", i)
		want = append(want, text)
		ada.save(t, "a.md", text)
		ada.wait(t, text, func() bool { return len(tm.history(t, ada, "a.md")) == len(want) })
	}
	must(t, os.Remove(ada.path("a.md")))
	ada.wait(t, "the delete to wait", func() bool { return ada.state(w).Queue == 1 })
	ada.write(t, "a.md", "made anew\n")
	ada.wait(t, "the new text", func() bool { return len(tm.history(t, ada, "a.md")) > len(want) })
	if diff := cmp.Diff(append(want, "made anew\n"), tm.history(t, ada, "a.md")); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// Files that programs make for themselves are not shared, and nobody is told.
func TestField_F37_Temps(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	ada.watching(t)
	bob.watching(t)
	for _, name := range []string{".a.md.swp", "a.md~", "a.md.tmp", ".#a.md", "4913", "a.sync-conflict-20260101.md"} {
		ada.write(t, name, "for a moment\n")
		must(t, os.Remove(ada.path(name)))
	}
	ada.write(t, "z.md", "shared\n")
	bob.becomes(t, map[string]string{"z.md": "shared\n"})
	ada.mu.Lock()
	defer ada.mu.Unlock()
	if diff := cmp.Diff([]string{"watching"}, ada.told); diff != "" {
		t.Errorf("what it said (-want +got):\n%s", diff)
	}
}

// settled waits until a watcher has looked at everything that happened before.
func (m *member) settled(t testing.TB, w *watch.Watcher) {
	t.Helper()
	m.wait(t, "quiet", func() bool { return w.Quiet() })
}
