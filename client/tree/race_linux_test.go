package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/memory"
)

// meanwhile runs disturb over and over while test runs.
func meanwhile(t *testing.T, disturb func(n int), test func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				disturb(n)
			}
		}
	}()
	defer func() {
		close(stop)
		<-done
	}()
	test()
}

// A folder that flips between itself and a link to the outside never leads there.
func TestRace_FolderFlipsToLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	outside := filepath.Join(b.home, "outside")
	must(t, os.Mkdir(outside, 0o700))
	must(t, os.WriteFile(filepath.Join(outside, "victim.md"), []byte("outside"), 0o600))
	b.write("a/victim.md", "inside")
	dir := filepath.Join(b.dir, "a")
	link := filepath.Join(b.home, "link")
	must(t, os.Symlink(outside, link))
	flip := func(int) {
		if err := unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
		}
	}
	var done, refused int
	meanwhile(t, flip, func() {
		for n := range 1_500 {
			if text, _, err := b.Read(t.Context(), "a/victim.md", Stamp{}); err == nil && string(text) != "inside" {
				t.Fatalf("read %q", text)
			}
			for _, f := range b.list().Files {
				if f.Stamp.Size == int64(len("outside")) {
					t.Fatalf("listed %+v", f)
				}
			}
			disk := fmt.Sprintf("a/n%d.md", n)
			batch := b.Begin()
			batch.Put(mustPath(t, disk), disk, nil, time.Time{}, memory.Hash{})
			if n%2 == 0 {
				batch.Put(mustPath(t, "a/victim.md"), "a/victim.md", []byte("inside"), time.Time{}, sum("inside"))
			} else {
				batch.Delete(mustPath(t, "a/victim.md"), "a/victim.md", sum("outside"))
			}
			if n%50 != 0 { // a commit is durable, which takes its time
				batch.Discard()
				continue
			}
			results, err := batch.Commit(t.Context())
			must(t, err)
			if results[0].Err == nil {
				done++
			} else {
				refused++
			}
		}
	})
	t.Logf("%d writes, %d refusals", done, refused)
	entries, err := os.ReadDir(outside)
	must(t, err)
	text, err := os.ReadFile(filepath.Join(outside, "victim.md"))
	must(t, err)
	if len(entries) != 1 || string(text) != "outside" {
		t.Errorf("the outside was touched: %v, %q", entries, text)
	}
}

// The file itself flips between a file and a link to the outside.
func TestRace_FileFlipsToLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	victim, link, name := filepath.Join(b.home, "key"), filepath.Join(b.home, "link"), filepath.Join(b.dir, "a.md")
	must(t, os.WriteFile(victim, []byte("secret"), 0o600))
	must(t, os.Symlink(victim, link))
	b.write("a.md", "inside")
	flip := func(int) {
		if err := unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	meanwhile(t, flip, func() {
		for n := range 1_500 {
			if text, _, err := b.Read(t.Context(), "a.md", Stamp{}); err == nil && string(text) != "inside" {
				t.Fatalf("read %q", text)
			}
			if n%50 == 0 {
				b.put("a.md", "inside", sum("inside"))
			}
		}
	})
	for _, text := range b.keptTexts() {
		if text != "inside" {
			t.Errorf("kept %q", text)
		}
	}
	text, err := os.ReadFile(victim)
	must(t, err)
	if string(text) != "secret" {
		t.Errorf("the outside has text %q", text)
	}
}

// A file that turns into a FIFO after it was looked at holds up no reader: there
// is nobody who writes.
func TestRace_FileFlipsToFIFO(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fifo, name := filepath.Join(b.home, "fifo"), filepath.Join(b.dir, "a.md")
	must(t, unix.Mkfifo(fifo, 0o600))
	b.write("a.md", "inside")
	flip := func(int) {
		if err := unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, fifo, unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
		}
	}
	meanwhile(t, flip, func() {
		for range 500 {
			if text, _, err := b.Read(t.Context(), "a.md", Stamp{}); err == nil && string(text) != "inside" {
				t.Fatalf("read %q", text)
			}
		}
	})
}

// team/ itself flips between itself and a link to the outside: what is done goes
// to the folder that was opened, or is not done.
func TestRace_TeamFlipsToLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	outside, link := filepath.Join(b.home, "outside"), filepath.Join(b.home, "link")
	must(t, os.Mkdir(outside, 0o700))
	must(t, os.WriteFile(filepath.Join(outside, "victim.md"), []byte("outside"), 0o600))
	must(t, os.Symlink(outside, link))
	b.write("victim.md", "inside")
	flip := func(int) {
		if err := unix.Renameat2(unix.AT_FDCWD, b.dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
		}
	}
	meanwhile(t, flip, func() {
		for n := range 200 {
			again, err := Open(filepath.Dir(b.dir), b.options)
			if err == nil {
				attackVictim(t, again, n)
				must(t, again.Close())
			} else if !errors.Is(err, ErrUnsafe) {
				if _, ok := errors.AsType[*Blocked](err); !ok {
					t.Fatal(err)
				}
			}
			attackVictim(t, b.Tree, n)
		}
	})
	entries, err := os.ReadDir(outside)
	must(t, err)
	text, err := os.ReadFile(filepath.Join(outside, "victim.md"))
	must(t, err)
	if len(entries) != 1 || string(text) != "outside" {
		t.Errorf("the outside was touched: %v, %q", entries, text)
	}
}

// attackVictim does all that a run does with a text, as if it were the one outside.
func attackVictim(t *testing.T, tr *Tree, n int) {
	t.Helper()
	if text, _, err := tr.Read(t.Context(), "victim.md", Stamp{}); err == nil && string(text) != "inside" {
		t.Fatalf("read %q", text)
	}
	l, err := tr.List(t.Context())
	for _, f := range l.Files {
		if f.Stamp.Size == int64(len("outside")) {
			t.Fatalf("listed %+v, error %v", f, err)
		}
	}
	batch := tr.Begin()
	batch.Delete(mustPath(t, "victim.md"), "victim.md", sum("outside"))
	batch.Put(mustPath(t, "f/n.md"), "f/n.md", nil, time.Time{}, memory.Hash{})
	if n%50 != 0 { // a commit is durable, which takes its time
		batch.Discard()
		return
	}
	_, _ = batch.Commit(t.Context()) // that it is refused is as good
	batch = tr.Begin()
	batch.Delete(mustPath(t, "f/n.md"), "f/n.md", sum(""))
	_, _ = batch.Commit(t.Context())
}

// replaceWhatIsThere puts a new text over whatever is there, as a cycle would.
func replaceWhatIsThere(t *testing.T, b *bundle, rounds int) {
	t.Helper()
	for n := range rounds {
		expect := memory.Hash{}
		text, _, err := b.Read(t.Context(), "a.md", Stamp{})
		switch {
		case err == nil:
			expect = memory.Sum(text)
		case !errors.Is(err, fs.ErrNotExist):
			continue
		}
		switch n % 4 {
		case 3:
			b.one(func(batch *Batch) { batch.Delete(mustPath(t, "a.md"), "a.md", expect) })
		default:
			b.put("a.md", fmt.Sprintf("server %d\n", n), expect)
		}
	}
	must(t, b.Sweep(t.Context(), b.list(), nil))
}

// settle puts a last text over what is there once nobody writes any more, and
// waits until no leftover is in use: a process that another test starts holds
// all that is open here until it has become its program.
func settle(t *testing.T, b *bundle) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(time.Millisecond) {
		replaceWhatIsThere(t, b, 2)
		l := b.list()
		if len(l.Leftovers) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("leftovers %q", l.Leftovers)
		}
	}
}

// Another program appends lines in place: each is in the file or was kept.
func TestRace_NoLineIsLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	name := filepath.Join(b.dir, "a.md")
	var lines []string
	write := func(n int) {
		for range 100 { // or the file is never found closed
			if fi, err := os.Stat(name); err == nil && fi.Size() > memory.MaxEntryBytes/2 {
				return
			}
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		must(t, err)
		line := fmt.Sprintf("line %d;", n)
		for _, part := range []string{line[:3], line[3:]} {
			_, err := f.WriteString(part)
			must(t, err)
		}
		must(t, f.Close())
		lines = append(lines, line)
	}
	meanwhile(t, write, func() {
		for len(b.keptTexts()) < 40 {
			replaceWhatIsThere(t, b, 1)
		}
	})
	settle(t, b)
	texts := strings.Join(b.keptTexts(), "\n") + "\n" + current(t, name)
	for _, line := range lines {
		if !strings.Contains(texts, line) {
			t.Fatalf("%q of %d lines is lost", line, len(lines))
		}
	}
	t.Logf("%d lines, %d texts kept", len(lines), len(b.keptTexts()))
}

// Another program saves whole files over ours, and tells what it replaced.
func TestRace_NoSavedFileIsLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	name, save := filepath.Join(b.dir, "a.md"), filepath.Join(b.home, "save")
	var saved, displaced []string
	write := func(n int) {
		text := fmt.Sprintf("saved %d;", n)
		must(t, os.WriteFile(save, []byte(text), 0o600))
		err := unix.Renameat2(unix.AT_FDCWD, save, unix.AT_FDCWD, name, unix.RENAME_EXCHANGE)
		if errors.Is(err, fs.ErrNotExist) {
			err = unix.Renameat2(unix.AT_FDCWD, save, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE)
		} else if err == nil {
			displaced = append(displaced, current(t, save))
		}
		if err == nil {
			saved = append(saved, text)
		}
	}
	meanwhile(t, write, func() {
		for len(b.keptTexts()) < 40 {
			replaceWhatIsThere(t, b, 1)
		}
	})
	settle(t, b)
	texts := strings.Join(append(b.keptTexts(), displaced...), "\n") + "\n" + current(t, name)
	for _, text := range saved {
		if !strings.Contains(texts, text) {
			t.Fatalf("%q of %d saved files is lost", text, len(saved))
		}
	}
	t.Logf("%d saves, %d texts kept", len(saved), len(b.keptTexts()))
}

func current(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
	}
	return string(text)
}
