//go:build unix

package tree

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teammem/teammem/memory"
)

func TestTree_Read(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"text":  "# Title\n",
		"empty": "",
		"bytes": "\x00\xff\r\n",
		"max":   strings.Repeat("x", memory.MaxEntryBytes),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("a/b.md", content)
			got, stamp, err := b.Read(t.Context(), "a/b.md", Stamp{})
			must(t, err)
			if !bytes.Equal(got, []byte(content)) {
				t.Errorf("got %d bytes, want %d others", len(got), len(content))
			}
			if want := b.list().Files[0].Stamp; stamp != want {
				t.Errorf("got stamp %+v, want that of the listing, %+v", stamp, want)
			}
		})
	}
}

// A series of readings finds each text in its own folder, whatever went before.
func TestReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, disk := range []string{"a.md", "x/a.md", "x/y/a.md", "x/b.md"} {
		b.write(disk, disk)
	}
	must(t, os.Symlink("x", filepath.Join(b.dir, "link")))
	r := b.Reader()
	defer r.Close()
	for _, disk := range []string{"a.md", "x/a.md", "x/b.md", "x/y/a.md", "x/a.md", "a.md"} {
		got, _, err := r.Read(t.Context(), disk, Stamp{})
		if string(got) != disk || err != nil {
			t.Errorf("%s says %q, error %v", disk, got, err)
		}
	}
	for _, disk := range []string{"x/", "x/../a.md", "x//a.md", "link/a.md", "../a.md", "."} {
		_, _, err := r.Read(t.Context(), disk, Stamp{})
		if blocked, ok := errors.AsType[*Blocked](err); !ok {
			t.Errorf("%s is not blocked: %v, %v", disk, blocked, err)
		}
	}
	if _, _, err := r.Read(t.Context(), "none/a.md", Stamp{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	r.Close()
	if _, _, err := r.Read(t.Context(), "x/b.md", Stamp{}); err != nil {
		t.Errorf("after an error and Close: %v", err)
	}
}

func TestTree_ReadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T, b *bundle, name string)
		want Kind
	}{
		{"link to a file outside", func(t *testing.T, b *bundle, name string) {
			must(t, os.WriteFile(filepath.Join(b.home, "key"), []byte("key"), 0o600))
			must(t, os.Symlink(filepath.Join(b.home, "key"), name))
		}, KindSymlink},
		{"link to a file inside", func(t *testing.T, b *bundle, name string) {
			b.write("other.md", "x")
			must(t, os.Symlink("other.md", name))
		}, KindSymlink},
		{"link loop", func(t *testing.T, _ *bundle, name string) { must(t, os.Symlink(name, name)) }, KindSymlink},
		{"FIFO", func(t *testing.T, _ *bundle, name string) { must(t, syscall.Mkfifo(name, 0o600)) }, KindIrregular},
		{"folder", func(t *testing.T, _ *bundle, name string) { must(t, os.Mkdir(name, 0o700)) }, KindIrregular},
		{"hard link to a file outside", func(t *testing.T, b *bundle, name string) {
			must(t, os.WriteFile(filepath.Join(b.home, "key"), []byte("key"), 0o600))
			must(t, os.Link(filepath.Join(b.home, "key"), name))
		}, KindHardlink},
		{"too large", func(t *testing.T, _ *bundle, name string) {
			must(t, os.WriteFile(name, make([]byte, memory.MaxEntryBytes+1), 0o600))
		}, KindTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.make(t, b, filepath.Join(b.dir, "a.md"))
			content, _, err := b.Read(t.Context(), "a.md", Stamp{})
			bl := blockedBy(t, err, tt.want)
			if bl.Path != mustPath(t, "a.md") {
				t.Errorf("got path %q, want a.md", bl.Path)
			}
			if content != nil {
				t.Errorf("got %d bytes of it", len(content))
			}
		})
	}
}

func TestTree_ReadMissing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, disk := range []string{"a.md", "a/b.md"} {
		if _, _, err := b.Read(t.Context(), disk, Stamp{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got error %v, want not exist", disk, err)
		}
	}
	for _, disk := range []string{"..", ".", "", "/etc/passwd", "a/../../b.md"} {
		_, _, err := b.Read(t.Context(), disk, Stamp{})
		wantKind(t, err, KindPathRejected)
	}
}

// slowWriter writes first into the open file, and rest after a while.
func slowWriter(t *testing.T, name, first, rest string, pause time.Duration) (done chan struct{}) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0o600)
	must(t, err)
	_, err = f.WriteString(first)
	must(t, err)
	done = make(chan struct{})
	go func() {
		defer close(done)
		time.Sleep(pause) // in the bubble's time
		_, err := f.WriteString(rest)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Error(err)
		}
	}()
	return done
}

func TestTree_ReadWaitsForWriter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		noLease     bool
		first, rest string
		pause       time.Duration
		was         Stamp
	}{
		{"half a line, lease", false, "half", " and the rest\n", 3 * time.Second, Stamp{}},
		{"nothing yet, lease", false, "", "all\n", 9 * time.Second, Stamp{}},
		{"half a line, no lease", true, "half", " and the rest\n", 900 * time.Millisecond, Stamp{}},
		{"half the lines, no lease", true, "half\n", "and the rest\n", 40 * time.Millisecond, Stamp{}},
		{"shrank, no lease", true, "half\n", "and the rest\n", 900 * time.Millisecond, Stamp{Size: 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.noLease = tt.noLease
			b.write("a.md", "before\n")
			synctest.Test(t, func(t *testing.T) {
				// The bubble's clock is years behind the disk's, so every text is young.
				b.options.Clock = time.Now
				done := slowWriter(t, filepath.Join(b.dir, "a.md"), tt.first, tt.rest, tt.pause)
				got, _, err := b.Read(t.Context(), "a.md", tt.was)
				must(t, err)
				if want := tt.first + tt.rest; string(got) != want {
					t.Errorf("got %q, want %q", got, want)
				}
				<-done
			})
		})
	}
}

func TestTree_ReadGivesUpOnSteadyWriter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "before\n")
	synctest.Test(t, func(t *testing.T) {
		done := slowWriter(t, filepath.Join(b.dir, "a.md"), "half", "rest\n", time.Minute)
		_, _, err := b.Read(t.Context(), "a.md", Stamp{})
		wantKind(t, err, KindUnstable)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := b.Read(ctx, "a.md", Stamp{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want the deadline's", err)
		}
		<-done
	})
}

// A text that nobody touched lately is read once even where no lease tells.
func TestTree_ReadDoesNotWaitForOldText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.noLease = true
	later := time.Now().Add(time.Hour)
	b.options.Clock = func() time.Time { return later }
	b.write("a.md", "no final newline")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, _, err := b.Read(t.Context(), "a.md", Stamp{})
		must(t, err)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v for a text that is at rest", waited)
		}
	})
}

// A lease makes writers wait, so no reading is ever torn.
func TestTree_ReadIsNeverTorn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	name := filepath.Join(b.dir, "a.md")
	text := func(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%26)}, 64<<10) }
	b.write("a.md", string(text(0)))
	const rounds = 100
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			f, err := os.OpenFile(name, os.O_WRONLY, 0o600)
			if err != nil {
				t.Error(err)
				return
			}
			whole := text(n)
			for at := 0; at < len(whole); at += 8 << 10 {
				if _, err := f.WriteAt(whole[at:at+8<<10], int64(at)); err != nil {
					t.Error(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			for range 200 { // or the reader never finds it closed
				_, _ = os.Stat(name)
			}
		}
	}()
	for range rounds {
		got, _, err := b.Read(t.Context(), "a.md", Stamp{})
		must(t, err)
		if len(got) != 64<<10 || bytes.Count(got, got[:1]) != len(got) {
			t.Fatal("got parts of two texts")
		}
	}
	close(stop)
	<-done
}
