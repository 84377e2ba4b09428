package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A crash between the two steps of a replacement leaves a second name.
func TestSweep_UnlinksSecondName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "text\n")
	must(t, os.Link(filepath.Join(b.dir, "a.md"), filepath.Join(b.dir, newOldName("a.md"))))
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantOnDisk("a.md")
	b.wantKept()
}

func TestSweep_LeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	victim := filepath.Join(b.home, "victim")
	must(t, os.WriteFile(victim, []byte("outside"), 0o600))
	must(t, os.Symlink(victim, filepath.Join(b.dir, ".teammem-0000000000000000.old")))
	b.write(".teammem-0000000000000000.tmp/a.md", "a folder of this name")
	before := b.onDisk()
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantOnDisk(before...)
	b.wantKept()
}

// A text that somebody still has open is left for the next time, with what was
// written into it meanwhile.
func TestSweep_WaitsForOpenFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "old\n")
	keep := b.options.Keep
	b.options.Keep = nil // a text in use is not even offered
	old := newOldName("a.md")
	must(t, os.Rename(filepath.Join(b.dir, "a.md"), filepath.Join(b.dir, old)))
	b.write("a.md", "new\n")
	f, err := os.OpenFile(filepath.Join(b.dir, old), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantOnDisk(old, "a.md")

	_, err = f.WriteString("late\n")
	must(t, errors.Join(err, f.Close()))
	b.options.Keep = keep
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantKept("old\nlate\n")
	b.wantOnDisk("a.md")
}

// A file that is in use hides no failure of another in its folder.
func TestSweep_TellsOfNeighbours(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, 3)
	batch.close() // as a crash would
	f, err := os.OpenFile(filepath.Join(b.hidden("b"), "b", "01.md"), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	b.keepErr = errors.New("no room")
	if err := b.Sweep(t.Context(), b.list(), nil); !errors.Is(err, b.keepErr) {
		t.Errorf("got error %v, want %v", err, b.keepErr)
	}
	b.keepErr = nil
	must(t, b.Sweep(t.Context(), b.list(), nil))
	if n := len(b.keptTexts()); n != 5 || len(b.list().Leftovers) != 1 {
		t.Errorf("%d texts were kept, want all but the one that is in use", n)
	}
	must(t, f.Close())
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantOnDisk()
}

// Somebody looked the file up before it was replaced, and writes to it while
// its text is being kept.
func TestBatch_LeavesOpenFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "old\n")
	held, err := os.Open(filepath.Join(b.dir, "a.md"))
	must(t, err)
	defer held.Close()
	keep := b.options.Keep
	b.options.Keep = func(ctx context.Context, o Old) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", held.Fd()), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = f.WriteString("late\n")
		must(t, errors.Join(err, f.Close()))
		b.options.Keep = keep
		return keep(ctx, o)
	}
	r := b.put("a.md", "new\n", sum("old\n"))
	if r.Err != nil || !errors.Is(r.Left, errMoving) {
		t.Errorf("got %v and left %v, want it done and %v", r.Err, r.Left, errMoving)
	}
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantKept("old\n", "old\nlate\n")
	b.wantText("a.md", "new\n")
	b.wantOnDisk("a.md")
}

func TestSweep_KnowsTheName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.md", nfc} {
		if !wasNamed(newOldName(name), name) || wasNamed(newOldName(name), "b.md") {
			t.Errorf("the name of %q is not found again", name)
		}
	}
	if !wasNamed(newOldName(nfd), nfc) {
		t.Error("a name is not found again in another Unicode form")
	}
}
