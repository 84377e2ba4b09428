//go:build linux || darwin

package embedded

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// ordinary is an unprivileged account of this machine.
func ordinary(t *testing.T) owner {
	t.Helper()
	for _, name := range []string{"nobody", "daemon"} {
		if acc, ok := lookupAccount(name); ok {
			return acc
		}
	}
	t.Fatal("neither nobody nor daemon is an account here")
	return owner{}
}

func credential(o owner) *syscall.Credential {
	return &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	t.Run("own folder", ownFolder)
	if os.Geteuid() != 0 {
		return // only root can set up the others; for this account they do not exist
	}
	t.Run("root, new folder", rootNewFolder)
	t.Run("root, no namespaces", rootNoNamespaces)
	t.Run("root, no namespaces, closed folder", rootNoWay)
	t.Run("root, no namespaces, its own cluster", rootLostNamespaces)
	t.Run("root, folder below another account's", rootBelowOther)
	t.Run("root, empty data folder of another account", rootEmptyOfOther)
	t.Run("ordinary account, then root, then again", ordinaryAndRoot)
	t.Run("ordinary account, root's cluster", ordinaryRefused)
}

// dataOwner is the account a data folder belongs to.
func dataOwner(t *testing.T, dir string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, dataName))
	must(t, err)
	uid, _ := idsOf(info)
	return uid
}

func ownFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "instance")
	start(t, dir, Options{Throwaway: true})
	if got := dataOwner(t, dir); got != os.Geteuid() {
		t.Errorf("belongs to %d", got)
	}
}

func rootNewFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "instance")
	c := start(t, dir, Options{Throwaway: true})
	status, err := os.ReadFile("/proc/" + itoa(postmasterPID(t, dir)) + "/status")
	must(t, err)
	if !strings.Contains(string(status), "Uid:\t0\t0\t0\t0") || !strings.Contains(string(status), "CapEff:\t0000000000000000") {
		t.Errorf("runs as\n%s", status)
	}
	query(t, c.URL(), "select 'works'")
}

func rootNoNamespaces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openTempDir(t), "instance")
	c := start(t, dir, Options{Throwaway: true, noNamespaces: true})
	uid := dataOwner(t, dir)
	if uid == 0 {
		t.Error("belongs to root")
	}
	query(t, c.URL(), "select 'works'")
	// Its owner may pass through the instance's folder, and nobody may list it.
	info, err := os.Stat(dir)
	must(t, err)
	if info.Mode().Perm() != 0o711 {
		t.Errorf("the instance's folder has mode %v", info.Mode())
	}
	stop(t, c)
	// With namespaces back, the folder's owner still decides.
	start(t, dir, Options{})
	status, err := os.Stat("/proc/" + itoa(postmasterPID(t, dir)))
	must(t, err)
	if got, _ := idsOf(status); got != uid {
		t.Errorf("runs as %d, and the folder belongs to %d", got, uid)
	}
}

func rootNoWay(t *testing.T) {
	t.Parallel()
	closed := t.TempDir()
	must(t, os.Chmod(closed, 0o700))
	dir := filepath.Join(closed, "instance")
	must(t, os.Mkdir(dir, 0o700))
	_, err := Start(t.Context(), dir, Options{noNamespaces: true})
	if err == nil {
		t.Fatal("started")
	}
	for _, want := range []string{"nobody", "cannot enter " + dir, "chmod o+x", "/var/lib/teammem"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder was opened: %v, %v", info.Mode(), err)
	}
}

func rootLostNamespaces(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	_, err := Start(t.Context(), dir, Options{noNamespaces: true})
	if err == nil || !strings.Contains(err.Error(), "chown -R postgres "+filepath.Join(dir, dataName)) {
		t.Errorf("got %v", err)
	}
}

func rootBelowOther(t *testing.T) {
	t.Parallel()
	acc := ordinary(t)
	for _, mode := range []fs.FileMode{0o700, 0o755} { // where root in a namespace could not enter, and where it could
		home := filepath.Join(openTempDir(t), "home")
		must(t, os.Mkdir(home, mode))
		must(t, os.Chown(home, acc.uid, acc.gid))
		c := start(t, home, Options{Throwaway: true})
		if got := dataOwner(t, home); got != acc.uid {
			t.Errorf("mode %v: belongs to %d, not to the account %s whose folder it is in", mode, got, acc)
		}
		query(t, c.URL(), "select 'works'")
	}
}

func rootEmptyOfOther(t *testing.T) {
	t.Parallel()
	acc := ordinary(t)
	dir := openTempDir(t)
	must(t, os.Mkdir(filepath.Join(dir, dataName), 0o700))
	must(t, os.Chown(filepath.Join(dir, dataName), acc.uid, acc.gid))
	c := start(t, dir, Options{Throwaway: true})
	if got := dataOwner(t, dir); got != acc.uid {
		t.Errorf("belongs to %d, not to the owner %s of the empty folder", got, acc)
	}
	query(t, c.URL(), "select 'works'")
}

func ordinaryAndRoot(t *testing.T) {
	t.Parallel()
	acc := ordinary(t)
	home := filepath.Join(openTempDir(t), "home")
	must(t, os.Mkdir(home, 0o700))
	must(t, os.Chown(home, acc.uid, acc.gid))
	dir := filepath.Join(home, "instance")

	first := spawned(t, helperCall{Dir: dir}, credential(acc))
	if first.Err != "" {
		t.Fatal(first.Err)
	}
	query(t, first.URL, "create table kept as select 'something'::text as what")
	beside, err := Open(t.Context(), dir, Options{})
	must(t, err)
	if got := query(t, beside.URL(), "select what from kept"); got != "something" || beside.Owned() {
		t.Errorf("root beside it: %q, owned %v", got, beside.Owned())
	}
	first.stop(t)

	c := start(t, dir, Options{})
	pid := postmasterPID(t, dir)
	info, err := os.Stat("/proc/" + itoa(pid))
	must(t, err)
	if got, _ := idsOf(info); got != acc.uid {
		t.Errorf("started by root, it runs as %d", got)
	}
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	<-c.Done()
	stop(t, c)

	killed := spawned(t, helperCall{Dir: dir}, nil) // by root again
	killed.kill(t)

	again := spawned(t, helperCall{Dir: dir}, credential(acc))
	if again.Err != "" {
		t.Fatal(again.Err)
	}
	if got := query(t, again.URL, "select what from kept"); got != "something" {
		t.Errorf("in the end %q", got)
	}
	again.stop(t)
}

func ordinaryRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openTempDir(t), "instance")
	c := start(t, dir, Options{Throwaway: true})
	stop(t, c)
	must(t, os.Chmod(dir, 0o777))
	must(t, os.Remove(filepath.Join(dir, LockName)))
	acc := ordinary(t)
	p := spawned(t, helperCall{Dir: dir}, credential(acc))
	if !strings.Contains(p.Err, "belongs to root") || !strings.Contains(p.Err, "run teammem as root") {
		t.Errorf("got %q", p.Err)
	}
}
