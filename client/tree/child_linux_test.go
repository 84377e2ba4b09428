package tree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/memory"
)

// Some attacks need another process: one that is killed, one with other
// mounts, one without root's rights. The test binary starts itself for that, and
// never beside other tests: until a new process has become its program, it has
// what this one has open, and a file that it has open for writing counts as one
// that somebody writes to.
const (
	roleVar = "TEAMMEM_TREE_TEST_ROLE"
	homeVar = "TEAMMEM_TREE_TEST_HOME"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) != "" {
		if err := play(os.Getenv(roleVar), os.Getenv(homeVar)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child is the test binary in a role.
func child(t *testing.T, role, home string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVar+"="+role, homeVar+"="+home, "GORACE=atexit_sleep_ms=10")
	return cmd
}

// withMounts gives the process mounts of its own, and the right to make them.
func withMounts(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// play is what the other process does. It reports a failure as an error.
func play(role, home string) error {
	dir := filepath.Join(home, "memory", FolderName)
	if role == "full disk" {
		if err := mount("tmpfs", dir, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
			return err
		}
		return playFullDisk(home, dir)
	}
	if role == "read-only folder" {
		a := filepath.Join(dir, "a")
		if err := mount(a, a, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		if err := mount("", a, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			return err
		}
		return playReadOnly(home)
	}
	if role == "no rights" {
		return playNoRights(home, dir)
	}
	return playKilled(role, home)
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}

func openIn(home string, keep func(context.Context, Old) error) (*Tree, error) {
	return Open(filepath.Join(home, "memory"), Options{Clock: time.Now, Keep: keep, Home: home})
}

func keepNothing(context.Context, Old) error { return nil }

func commitOne(t *Tree, plan func(*Batch)) (Result, error) {
	b := t.Begin()
	plan(b)
	results, err := b.Commit(context.Background())
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAttack_FullDisk(t *testing.T) { //nolint:paralleltest // see child
	run(t, withMounts(child(t, "full disk", setup(t).home)))
}

func playFullDisk(home, dir string) error {
	text := []byte("old\n")
	if err := os.WriteFile(filepath.Join(dir, "a.md"), text, 0o600); err != nil {
		return err
	}
	t, err := openIn(home, keepNothing)
	if err != nil {
		return err
	}
	big := bytes.Repeat([]byte("x"), memory.MaxEntryBytes) // as much as the disk has, and a file is on it
	p := memory.StoredPath("a.md")
	r, err := commitOne(t, func(b *Batch) { b.Put(p, "a.md", big, time.Time{}, memory.Sum(text)) })
	if err != nil {
		return err
	}
	if !errors.Is(r.Err, unix.ENOSPC) {
		return fmt.Errorf("put: got error %w, want ENOSPC", r.Err)
	}
	r, err = commitOne(t, func(b *Batch) { b.Put(p, "a.md", []byte("new\n"), time.Time{}, memory.Sum(text)) })
	if err = errors.Join(err, r.Err); err != nil {
		return fmt.Errorf("put that fits: %w", err)
	}
	if err := wantNames(dir, "a.md"); err != nil {
		return err
	}
	return playFullFolder(t, dir)
}

// playFullFolder fills the disk with the texts of new folders. Those that fit
// come, and nothing stays of the others.
func playFullFolder(t *Tree, dir string) error {
	b := t.Begin()
	for i := range 60 {
		disk := fmt.Sprintf("f%d/%02d.md", i/20, i)
		b.Put(memory.StoredPath(disk), disk, bytes.Repeat([]byte("x"), 8<<10), time.Unix(1, 0), memory.Hash{})
	}
	results, err := b.Commit(context.Background())
	if err != nil {
		return err
	}
	names, full := map[string]bool{"a.md": true}, 0
	for _, r := range results {
		i, statErr := os.Stat(filepath.Join(dir, r.Disk))
		switch {
		case r.Err == nil && statErr == nil && i.Size() == 8<<10:
			folder, _ := split(r.Disk)
			names[folder] = true
		case errors.Is(r.Err, unix.ENOSPC) && errors.Is(statErr, fs.ErrNotExist):
			full++
		default:
			return fmt.Errorf("%s: got error %w", r.Disk, errors.Join(r.Err, statErr))
		}
	}
	if full == 0 || full == len(results) {
		return fmt.Errorf("%d of %d found the disk full", full, len(results))
	}
	return wantNames(dir, slices.Sorted(maps.Keys(names))...)
}

func wantNames(dir string, want ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		return fmt.Errorf("got names %q, want %q", got, want)
	}
	return nil
}

func TestAttack_ReadOnlyFolder(t *testing.T) { //nolint:paralleltest // see child
	b := setup(t)
	b.write("a/a.md", "a\n")
	b.write("b.md", "b\n")
	run(t, withMounts(child(t, "read-only folder", b.home)))
	b.wantOnDisk("a", "a/a.md", "b.md")
	b.wantText("b.md", "new b\n")
}

func playReadOnly(home string) error {
	t, err := openIn(home, keepNothing)
	if err != nil {
		return err
	}
	if text, _, err := t.Read(context.Background(), "a/a.md", Stamp{}); err != nil || string(text) != "a\n" {
		return fmt.Errorf("read: got %q: %w", text, err)
	}
	a, sum := memory.StoredPath("a/a.md"), memory.Sum([]byte("a\n"))
	b := t.Begin()
	b.Put(a, "a/a.md", []byte("new a\n"), time.Time{}, sum)
	b.Delete(a, "a/a.md", sum)
	b.Move("a/a.md", memory.StoredPath("c.md"), "c.md", sum)
	b.Put(memory.StoredPath("a/n/n.md"), "a/n/n.md", nil, time.Time{}, memory.Hash{})
	b.Put(memory.StoredPath("b.md"), "b.md", []byte("new b\n"), time.Time{}, memory.Sum([]byte("b\n")))
	results, err := b.Commit(context.Background())
	if err != nil {
		return err
	}
	for i, r := range results[:4] {
		bl, ok := errors.AsType[*Blocked](r.Err)
		// A bind mount is a device of its own, across which no file moves.
		if moved := i == 2 && errors.Is(r.Err, unix.EXDEV); !moved && (!ok || bl.Kind != KindUnreadable) {
			return fmt.Errorf("operation %d: got error %w, want an unreadable block", i, r.Err)
		}
	}
	return results[4].Err
}

func TestAttack_NoRights(t *testing.T) { //nolint:paralleltest // see child
	home, err := os.MkdirTemp("", "tree") //nolint:usetesting // t.TempDir is not for other users
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(home)) })
	b := setupIn(t, home)
	b.write("closed/a.md", "a\n")
	b.write("secret.md", "s\n")
	must(t, os.Chmod(filepath.Join(b.dir, "secret.md"), 0))
	must(t, os.Chmod(filepath.Join(b.dir, "closed"), 0))
	if os.Geteuid() == 0 {
		must(t, filepath.WalkDir(home, func(name string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chown(name, nobody, nobody))
		}))
	}
	run(t, child(t, "no rights", home))
	must(t, os.Chmod(filepath.Join(b.dir, "closed"), 0o700))
	b.wantOnDisk("closed", "closed/a.md", "secret.md")
}

const nobody = 65534

// playNoRights gives up root's rights, for which modes do not count.
func playNoRights(home, dir string) error {
	if os.Geteuid() == 0 {
		err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody),
			syscall.Setresuid(nobody, nobody, nobody))
		if err != nil {
			return err
		}
	}
	t, err := openIn(home, keepNothing)
	if err != nil {
		return err
	}
	l, err := t.List(context.Background())
	if err != nil {
		return err
	}
	p := memory.StoredPath("closed/a.md")
	if len(l.Blocked) != 1 || l.Blocked[0].Kind != KindUnreadable || !l.Blocked[0].Folder || l.Covers(p) {
		return fmt.Errorf("got blocks %v, covered %t, want the closed folder unreadable", l.Blocked, l.Covers(p))
	}
	_, statErr := t.Stat("closed/a.md")
	_, _, readErr := t.Read(context.Background(), "secret.md", Stamp{})
	r, err := commitOne(t, func(b *Batch) { b.Delete(p, "closed/a.md", memory.Sum([]byte("a\n"))) })
	if err != nil {
		return err
	}
	for what, err := range map[string]error{"stat": statErr, "read": readErr, "delete": r.Err} {
		if b, ok := errors.AsType[*Blocked](err); !ok || b.Kind != KindUnreadable {
			return fmt.Errorf("%s: got error %w, want an unreadable block", what, err)
		}
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		return err
	}
	defer os.Chmod(dir, 0o700) //nolint:errcheck // the parent process removes it as root, or fails
	r, err = commitOne(t, func(b *Batch) { b.Put(memory.StoredPath("n.md"), "n.md", nil, time.Time{}, memory.Hash{}) })
	if b, ok := errors.AsType[*Blocked](r.Err); err != nil || !ok || b.Kind != KindUnreadable {
		return fmt.Errorf("put: got error %w, want an unreadable block", errors.Join(err, r.Err))
	}
	return nil
}

// killed runs the role until it says that it is where it should die.
func killed(t *testing.T, role, home string) {
	t.Helper()
	cmd := child(t, role, home)
	out, err := cmd.StdoutPipe()
	must(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "now\n" {
		t.Errorf("got %q: %v: %s", line, err, stderr.String())
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
}

// playKilled stops in the middle of an operation, to be killed there.
func playKilled(role, home string) error {
	stop := func(context.Context, Old) error {
		fmt.Println("now")
		select {}
	}
	t, err := openIn(home, stop)
	if err != nil {
		return err
	}
	b, p, sum := t.Begin(), memory.StoredPath("f/a.md"), memory.Sum([]byte("old\n"))
	switch role {
	case "put", "put, new folder":
		b.Put(p, "f/a.md", []byte("new\n"), time.Time{}, sum)
		if role != "put" {
			b.Put(memory.StoredPath("g/h/n.md"), "g/h/n.md", []byte("new\n"), time.Unix(1, 0), memory.Hash{})
			b.writers.wait()
		}
		return stop(context.Background(), Old{}) // written, and not yet in its place
	case "put, kept":
		b.Put(p, "f/a.md", []byte("new\n"), time.Time{}, sum)
	case "put, kept, in steps":
		t.noExchange = true
		b.Put(p, "f/a.md", []byte("new\n"), time.Time{}, sum)
	case "delete, kept":
		b.Delete(p, "f/a.md", sum)
	}
	_, err = b.Commit(context.Background())
	return errors.Join(err, errors.New("nothing was kept"))
}

func TestCrash_KillNine(t *testing.T) { //nolint:paralleltest // see child
	tests := []struct {
		role     string
		known    []string // what the index has
		text     string   // of the file after the sweep
		kept     []string
		keptPath string
	}{
		{role: "put", known: []string{"f/a.md"}, text: "old\n"},
		{role: "put, new folder", known: []string{"f/a.md"}, text: "old\n", kept: []string{"new\n"}},
		{role: "put, kept", known: []string{"f/a.md"}, text: "new\n", kept: []string{"old\n"}, keptPath: "f/a.md"},
		{role: "put, kept, in steps", text: "new\n", kept: []string{"old\n"}, keptPath: "f/a.md"},
		{role: "delete, kept", known: []string{"f/b.md", "f/a.md"}, text: "old\n"},
		{role: "delete, kept", known: []string{"f/b.md"}, kept: []string{"old\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			b := setup(t)
			b.write("f/a.md", "old\n")
			killed(t, tt.role, b.home)
			l := b.list()
			if want := 1 + strings.Count(tt.role, "new folder"); len(l.Leftovers) != want {
				t.Fatalf("got leftovers %q, want %d", l.Leftovers, want)
			}
			var known []memory.Path
			for _, p := range tt.known {
				known = append(known, mustPath(t, p))
			}
			must(t, b.Sweep(t.Context(), l, known))
			b.wantKept(tt.kept...)
			if len(b.kept) > 0 && b.kept[0].Path.String() != tt.keptPath {
				t.Errorf("got path %q, want %q", b.kept[0].Path, tt.keptPath)
			}
			if tt.text == "" {
				b.wantOnDisk()
				return
			}
			b.wantText("f/a.md", tt.text)
			b.wantOnDisk("f", "f/a.md")
		})
	}
}
