//go:build unix

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/memory"
)

// special makes names that are no files. Each make returns whether the name is
// there now: only root may make devices, and not everywhere.
func special() map[string]func(t *testing.T, name string) bool {
	device := func(mode uint32, major, minor uint32) func(*testing.T, string) bool {
		return func(t *testing.T, name string) bool {
			err := unix.Mknod(name, mode|0o600, int(unix.Mkdev(major, minor)))
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Fatalf("a device: got error %v, want it made or forbidden", err)
			}
			return err == nil
		}
	}
	return map[string]func(*testing.T, string) bool{
		"FIFO": func(t *testing.T, name string) bool {
			must(t, syscall.Mkfifo(name, 0o600))
			return true
		},
		"socket":           listening,
		"device of a tape": device(unix.S_IFCHR, 9, 0),
		"device of zeroes": device(unix.S_IFCHR, 1, 5), // read as a text it has no end
		"device of blocks": device(unix.S_IFBLK, 7, 0),
	}
}

// listening makes a socket that somebody listens at, and checks at the end that
// nobody called there.
func listening(t *testing.T, name string) bool {
	t.Helper()
	short, err := os.MkdirTemp("", "") //nolint:usetesting // the name of a socket has at most a hundred bytes
	must(t, err)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s")})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, errors.Join(os.Rename(filepath.Join(short, "s"), name), os.Remove(short)))
	t.Cleanup(func() {
		must(t, l.SetDeadline(time.Now()))
		if c, err := l.Accept(); err == nil {
			t.Errorf("%v called at the socket", c.RemoteAddr())
		}
		must(t, l.Close())
	})
	return true
}

// What is no file is neither opened, nor shared, nor taken for an empty or
// missing entry, nor replaced; it is told by name, and the rest goes on.
func TestAttack_NoFiles(t *testing.T) {
	t.Parallel()
	p := mustPath(t, "a/x.md")
	plans := map[string]func(*Batch){
		"put over nothing":      func(b *Batch) { b.Put(p, "a/x.md", []byte("new"), time.Time{}, memory.Hash{}) },
		"put over an empty one": func(b *Batch) { b.Put(p, "a/x.md", []byte("new"), time.Time{}, sum("")) },
		"delete":                func(b *Batch) { b.Delete(p, "a/x.md", sum("")) },
		"move away":             func(b *Batch) { b.Move("a/x.md", mustPath(t, "y.md"), "y.md", sum("")) },
		"move over":             func(b *Batch) { b.Move("good.md", p, "a/x.md", sum("good\n")) },
		"put below":             func(b *Batch) { b.Put(mustPath(t, "n/a.md"), "n/a.md", []byte("new"), time.Time{}, memory.Hash{}) },
	}
	for name, make := range special() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("good.md", "good\n")
			must(t, os.Mkdir(filepath.Join(b.dir, "a"), 0o700))
			if !make(t, filepath.Join(b.dir, "a", "x.md")) {
				b.wantOnDisk("a", "good.md")
				return // what it would have been judged by is in TestJudge_Modes
			}
			make(t, filepath.Join(b.dir, "n"))
			before := b.identities()
			l := b.list()
			if len(l.Files) != 1 || len(l.Blocked) != 1 || l.Blocked[0].Kind != KindIrregular || l.Blocked[0].Path != p || l.Covers(p) {
				t.Errorf("got %+v and blocked %+v", l.Files, l.Blocked)
			}
			content, _, err := b.Read(t.Context(), "a/x.md", Stamp{})
			wantKind(t, err, KindIrregular)
			if content != nil {
				t.Errorf("read %d bytes of it", len(content))
			}
			_, err = b.Stat("a/x.md")
			wantKind(t, err, KindIrregular)
			for name, plan := range plans {
				if r := b.one(plan); r.Err == nil {
					t.Errorf("%s: done", name)
				}
			}
			must(t, b.put("other.md", "other\n", memory.Hash{}).Err)
			must(t, os.Remove(filepath.Join(b.dir, "other.md")))
			if diff := cmp.Diff(before, b.identities()); diff != "" {
				t.Errorf("what is on disk (-before +after):\n%s", diff)
			}
			b.wantKept()
		})
	}
}

// The same under the names that a tree makes for itself.
func TestAttack_NoFilesOfOurNames(t *testing.T) {
	t.Parallel()
	for name, make := range special() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("good.md", "good\n")
			made := true
			for _, own := range []string{ownPrefix + "0123456789abcdef" + tmpSuffix, newOldName("good.md"), newFolderName(), markerName, ignoreName} {
				made = make(t, filepath.Join(b.dir, own)) && made
			}
			if !made {
				b.wantOnDisk("good.md")
				return
			}
			before := b.identities()
			l := b.list()
			must(t, b.Sweep(t.Context(), l, []memory.Path{mustPath(t, "good.md")}))
			_, err := b.Marker(t.Context())
			wantKind(t, err, KindIrregular)
			_, err = b.Rules(t.Context())
			wantKind(t, err, KindIrregular)
			if len(l.Files) != 1 {
				t.Errorf("listed %+v, want the good file", l.Files)
			}
			if diff := cmp.Diff(before, b.identities()); diff != "" {
				t.Errorf("what is on disk (-before +after):\n%s", diff)
			}
			b.wantKept()
		})
	}
}

// identities are names with what they are: inode and kind.
func (b *bundle) identities() map[string]string {
	b.Helper()
	all := map[string]string{}
	for _, name := range b.onDisk() {
		fi, err := os.Lstat(filepath.Join(b.dir, name))
		must(b, err)
		all[name] = fi.Mode().String()
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && !fi.IsDir() {
			all[name] += fmt.Sprintf(" %d, %d links", st.Ino, st.Nlink)
		}
	}
	return all
}

// Only a regular file is an entry, whatever else a system calls a file.
func TestJudge_Modes(t *testing.T) {
	t.Parallel()
	d := &folder{}
	for mode, want := range map[fs.FileMode]Kind{
		0:                                   "",
		fs.ModeSetuid | fs.ModeSticky:       "",
		fs.ModeSymlink:                      KindSymlink,
		fs.ModeSymlink | fs.ModeIrregular:   KindSymlink,
		fs.ModeDir:                          KindIrregular,
		fs.ModeNamedPipe:                    KindIrregular,
		fs.ModeSocket:                       KindIrregular,
		fs.ModeDevice:                       KindIrregular,
		fs.ModeDevice | fs.ModeCharDevice:   KindIrregular,
		fs.ModeCharDevice:                   KindIrregular,
		fs.ModeIrregular:                    KindIrregular,
		fs.ModeDir | fs.ModeIrregular:       KindIrregular,
		fs.ModeNamedPipe | fs.ModeIrregular: KindIrregular,
	} {
		got := Kind("")
		if b := d.judge("a.md", info{mode: mode | 0o644, nlink: 1}, nil); b != nil {
			got = b.Kind
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", mode, got, want)
		}
	}
	for kind := range uint32(16) {
		mode, kind := modeOf(kind<<12|0o644), kind<<12
		if regular, folder := kind == unix.S_IFREG, kind == unix.S_IFDIR; mode.IsRegular() != regular || mode.IsDir() != folder {
			t.Errorf("what the system calls %#o is %v", kind, mode)
		}
	}
}
