package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ownMounts makes the test binary run one test with mounts of its own.
const ownMounts = "TEAMMEM_TEST_OWN_MOUNTS"

// withOwnMounts runs the calling test again in a process that may mount, and
// reports whether this is that process.
func withOwnMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownMounts) != "" {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.timeout=5m")
	c.Env = append(os.Environ(), ownMounts+"=1", releasedPath+"="+released.path())
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// disk is a small file system of its own.
type disk string

func mountDisk(t *testing.T, dir, options string) disk {
	t.Helper()
	mkdir(t, dir)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // it ends with the process, too
	return disk(dir)
}

const ballast = "ballast"

// fill leaves not a byte free.
func (d disk) fill(t *testing.T) {
	t.Helper()
	f, err := os.Create(filepath.Join(string(d), ballast))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

func (d disk) free(t *testing.T) {
	t.Helper()
	if err := os.Remove(filepath.Join(string(d), ballast)); err != nil {
		t.Fatal(err)
	}
}

func (d disk) remount(t *testing.T, flags uintptr) {
	t.Helper()
	if err := unix.Mount("", string(d), "", unix.MS_REMOUNT|flags, ""); err != nil {
		t.Fatal(err)
	}
}

func (d disk) lock(t *testing.T)   { t.Helper(); d.remount(t, unix.MS_RDONLY) }
func (d disk) unlock(t *testing.T) { t.Helper(); d.remount(t, 0) }

// F59: whichever disk is full or read-only, the error says where and why,
// every file has its old or its new text, and the next run after it ends in sync.
func TestFault_Disk(t *testing.T) { //nolint:tparallel // each begins where the one before ended
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	tm := newTeam(t)
	a := tm.join(t, "mara")
	home := filepath.Join(tm.dir, "jo")
	const small = "size=512k,mode=0700"
	disks := map[string]disk{
		"tree": mountDisk(t, filepath.Join(home, "memory"), small), "state": mountDisk(t, filepath.Join(home, ".local", "state"), small),
		"data": mountDisk(t, filepath.Join(home, ".local", "share"), small), "config": mountDisk(t, filepath.Join(home, ".config"), small),
	}
	b := tm.join(t, "jo")
	a.write(t, "shared.md", "first\n")
	a.sync(t, 0)
	b.sync(t, 0)
	full, locked := "no space left on device", "read-only file system"
	for _, tt := range []struct {
		place, why string
		exit       int
		untouched  bool // nothing of the tree may be replaced
	}{
		{"tree", full, exitRetry, true},
		{"state", full, exitRetry, false},
		{"data", full, exitRetry, true}, // what is replaced goes there first
		{"config", full, exitOK, false},
		{"tree", locked, exitRetry, true},
		{"state", locked, exitRetry, true},
		{"data", locked, exitRetry, true},
		{"config", locked, exitOK, false},
	} {
		t.Run(tt.place+", "+tt.why, func(t *testing.T) {
			d := disks[tt.place]
			after := tt.place + tt.why + "\n"
			b.write(t, "local.md", after)
			before := b.files(t)
			a.write(t, "shared.md", after)
			a.write(t, "added/"+tt.place+".md", strings.Repeat(after, 100))
			a.sync(t, 0)
			end := d.unlock
			if tt.why == full {
				d.fill(t)
				end = d.free
			} else {
				d.lock(t)
			}
			r := b.run(t, "sync", b.work())
			end(t)
			// What cannot be written is listed, by its name in the tree.
			reason := tt.exit == exitOK || strings.Contains(r.stderr, tt.why) && strings.Contains(r.stderr, "/")
			if reads := tt.place == "tree" && tt.why == locked; reads {
				reason = strings.Contains(r.stderr, "shared.md") && strings.Contains(r.stderr, "check its permissions and the disk")
			}
			if r.code != tt.exit || !reason {
				t.Errorf("exit %d, want %d with the reason and the file\n%s%s", r.code, tt.exit, r.stdout, r.stderr)
			}
			if got := b.read(t, "shared.md"); got != before["shared.md"] && (got != after || tt.untouched) {
				t.Errorf("the tree has %q, before %q", got, before["shared.md"])
			}
			b.nothingHalf(t, before, a.files(t))
			b.sync(t, 0)
			a.sync(t, 0)
			equalTrees(t, a, b)
		})
	}
	t.Run("subfolder", func(t *testing.T) { b.syncLockedFolder(t, a) })
	t.Run("login", func(t *testing.T) { b.loginOnFullDisk(t, disks["config"]) })
	t.Run("conflict", func(t *testing.T) { b.conflictOnFullDisk(t, a, disks["data"]) })
}

// nothingHalf looks for texts that nobody wrote, and for temp files.
func (m *member) nothingHalf(t *testing.T, before, theirs map[string]string) {
	t.Helper()
	for name, text := range m.files(t) {
		if text != before[name] && text != theirs[name] || strings.Contains(name, ".teammem-") {
			t.Errorf("%s was left with %d bytes", name, len(text))
		}
	}
	for name := range filesBelow(t, filepath.Join(m.home, ".local")) {
		if strings.Contains(filepath.Base(name), ".teammem-") {
			t.Errorf("%s was left behind", name)
		}
	}
}

// syncLockedFolder: what is in a folder that cannot be written to stays as it
// is, with the reason, and everything else flows.
func (m *member) syncLockedFolder(t *testing.T, other *member) {
	t.Helper()
	for _, name := range []string{"edited", "removed", "own"} {
		other.write(t, "fixed/"+name+".md", "before\n")
	}
	other.sync(t, 0)
	m.sync(t, 0)
	m.write(t, "fixed/own.md", "by the owner of the folder\n")
	fixed := filepath.Join(m.tree(), "fixed")
	if err := unix.Mount(fixed, fixed, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(fixed, unix.MNT_DETACH) //nolint:errcheck // a test that failed before it was done on purpose
	disk(fixed).remount(t, unix.MS_BIND|unix.MS_RDONLY)
	before := m.files(t)
	other.write(t, "fixed/edited.md", "after\n")
	other.write(t, "fixed/added/one.md", "new\n")
	other.remove(t, "fixed/removed.md")
	other.write(t, "shared.md", "not in the folder\n")
	other.write(t, "elsewhere/one.md", "not in the folder\n")
	m.write(t, "local.md", "not in the folder\n")
	other.sync(t, 0)
	r := m.sync(t, exitRetry)
	for _, name := range []string{"fixed/edited.md", "fixed/removed.md", "fixed/added/one.md"} {
		if !strings.Contains(r.stderr, name+" (unreadable): the file cannot be read or written\nteammem:   check its permissions and the disk") {
			t.Errorf("%s is not named\n%s", name, r.stderr)
		}
		if got, was := m.files(t)[name], before[name]; got != was {
			t.Errorf("%s has %q, before %q", name, got, was)
		}
	}
	for _, name := range []string{"shared.md", "elsewhere/one.md"} {
		if got := m.files(t)[name]; got != "not in the folder\n" {
			t.Errorf("%s did not come, there is %q", name, got)
		}
	}
	other.sync(t, 0)
	if other.read(t, "local.md") != "not in the folder\n" || other.read(t, "fixed/own.md") != "by the owner of the folder\n" {
		t.Error("what was written beside the folder, or in it before, was not sent")
	}
	if err := unix.Unmount(fixed, 0); err != nil {
		t.Fatal(err)
	}
	m.sync(t, 0)
	equalTrees(t, m, other)
}

// loginOnFullDisk: the login that there is stays good.
func (m *member) loginOnFullDisk(t *testing.T, d disk) {
	t.Helper()
	file := filepath.Join(m.home, ".config", "teammem", "credentials.json")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d.fill(t)
	r := m.run(t, "login", m.team.url, "--token", m.token)
	d.free(t)
	if r.code == exitOK || !strings.Contains(r.stderr, "no space left on device") || !strings.Contains(r.stderr, filepath.Dir(file)) {
		t.Errorf("login: exit %d\n%s", r.code, r.stderr)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the credentials changed: %v", err)
	}
	m.sync(t, 0)
}

// conflictOnFullDisk: a text that cannot be kept is not replaced.
func (m *member) conflictOnFullDisk(t *testing.T, other *member, d disk) {
	t.Helper()
	other.write(t, "shared.md", "theirs, after all\n")
	other.sync(t, 0)
	m.write(t, "shared.md", "mine, and only here\n")
	d.fill(t)
	r := m.run(t, "sync", m.work())
	if r.code == exitOK || !strings.Contains(r.stderr, "no space left on device") {
		t.Errorf("exit %d\n%s", r.code, r.stderr)
	}
	if got := m.read(t, "shared.md"); got != "mine, and only here\n" {
		t.Errorf("the tree has %q", got)
	}
	d.free(t)
	m.sync(t, exitConflicts)
	kept := false
	for _, text := range filesBelow(t, filepath.Join(m.home, ".local", "share")) {
		kept = kept || text == "mine, and only here\n"
	}
	if !kept {
		t.Error("the text is not in the conflict store")
	}
	equalTrees(t, m, other)
}
