package client_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func TestUserDirs(t *testing.T) {
	t.Parallel()
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	got, err := client.UserDirs(env(map[string]string{
		"HOME": "/home/x", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_DATA_HOME": "/d",
	}))
	must(t, err)
	if want := (client.Dirs{Config: "/c/teammem", State: "/s/teammem", Data: "/d/teammem"}); runtime.GOOS != "windows" && got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got, err = client.UserDirs(env(map[string]string{"HOME": "/home/x", "XDG_CONFIG_HOME": "relative"}))
	must(t, err)
	if runtime.GOOS == "linux" && got.Config != "/home/x/.config/teammem" {
		t.Errorf("got %+v, want a relative variable to be ignored", got)
	}
	if _, err := client.UserDirs(env(nil)); err == nil {
		t.Error("no home at all is accepted")
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	d := client.Dirs{Config: filepath.Join(t.TempDir(), "a", "teammem")}
	if _, err := d.Login("https://a"); !errors.Is(err, client.ErrNotLoggedIn) {
		t.Errorf("got %v, want not logged in", err)
	}
	for _, l := range []client.Login{
		{Server: "https://a", Token: "token-1"}, {Server: "https://b", Token: "token-2"}, {Server: "https://a", Token: "token-3"},
	} {
		must(t, d.SaveLogin(l))
	}
	got, err := d.Login("https://a")
	if err != nil || got.Token != "token-3" {
		t.Errorf("got %+v, %v", got, err)
	}
	if all, err := d.Logins(); err != nil || len(all) != 2 {
		t.Errorf("%d logins, %v; want 2", len(all), err)
	}
	file := filepath.Join(d.Config, "credentials.json")
	if runtime.GOOS != "windows" {
		for name, want := range map[string]fs.FileMode{file: 0o600, d.Config: 0o700} {
			info, err := os.Stat(name)
			must(t, err)
			if info.Mode().Perm() != want {
				t.Errorf("%s has mode %#o, want %#o", filepath.Base(name), info.Mode().Perm(), want)
			}
		}
		for _, mode := range []fs.FileMode{0o640, 0o604, 0o620} {
			must(t, os.Chmod(file, mode))
			if _, err := d.Login("https://a"); err == nil || strings.Contains(err.Error(), "token-") {
				t.Errorf("mode %#o: got %v, want a refusal without the token", mode, err)
			}
			if err := d.SaveLogin(client.Login{Server: "https://c"}); err == nil {
				t.Errorf("mode %#o: a login is added to a file that others can read", mode)
			}
		}
		must(t, os.Chmod(file, 0o600))
	}
	must(t, os.WriteFile(file, []byte(`{"logins":[{"server":"https://a","token":"token-4"`), 0o600))
	if _, err := d.Login("https://a"); err == nil || strings.Contains(err.Error(), "token-") {
		t.Errorf("got %v, want an error without the token", err)
	}
}

// A token is not shown by accident.
func TestLogin_Prints(t *testing.T) {
	t.Parallel()
	l := client.Login{Server: "https://a", Token: "token-1"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, l); strings.Contains(got, "token-1") {
			t.Errorf("%s prints the token: %s", format, got)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	d := client.Dirs{Config: filepath.Join(home, "config")}
	outer, inner, deep := filepath.Join(home, "src"), filepath.Join(home, "src", "app"), filepath.Join(home, "src", "app", "pkg")
	mkdir(t, deep)
	mkdir(t, outer+"-other")
	if _, err := d.LinkOf(deep); !errors.Is(err, client.ErrNotLinked) {
		t.Errorf("got %v, want not linked", err)
	}
	for _, folder := range []string{outer, inner} {
		must(t, d.SaveLink(client.Link{Folder: folder, Slug: filepath.Base(folder)}))
	}
	if got, err := d.LinkOf(deep); err != nil || got.Folder != inner {
		t.Errorf("got %q, %v; want the nearest link", got.Folder, err)
	}
	if _, err := d.LinkOf(outer + "-other"); !errors.Is(err, client.ErrNotLinked) {
		t.Errorf("got %v: a name that only starts alike is linked", err)
	}
	shortcut := filepath.Join(home, "shortcut")
	must(t, os.Symlink(deep, shortcut))
	if got, err := d.LinkOf(shortcut); err != nil || got.Folder != inner {
		t.Errorf("got %q, %v through a symbolic link", got.Folder, err)
	}
	must(t, d.RemoveLink(client.Link{Folder: inner}))
	if got, err := d.LinkOf(deep); err != nil || got.Folder != outer {
		t.Errorf("got %q, %v; want the outer link once the inner is gone", got.Folder, err)
	}
	all, err := d.Links()
	if diff := cmp.Diff([]client.Link{{Folder: outer, Slug: "src"}}, all); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	must(t, os.WriteFile(filepath.Join(d.Config, "links.json"), []byte("{"), 0o600))
	if _, err := d.LinkOf(deep); err == nil || errors.Is(err, client.ErrNotLinked) {
		t.Errorf("got %v, want an error for a damaged file", err)
	}
}

// Links that are saved at the same time are all there.
func TestLinks_AtOnce(t *testing.T) {
	t.Parallel()
	d := client.Dirs{Config: filepath.Join(t.TempDir(), "config")}
	const n = 20
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := d.SaveLink(client.Link{Folder: fmt.Sprintf("/src/%02d", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := d.Links(); err != nil || len(got) != n {
		t.Errorf("%d links, %v; want %d", len(got), err, n)
	}
}

// Every way to link a folder again.
func TestLinkTo(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", "a\n")
	a.sync(t)
	if linked, err := a.tryLink(t, false); err != nil || !linked.Already || linked.Link != a.link {
		t.Errorf("linking again: %+v, %v", linked, err)
	}

	must(t, os.Rename(a.tree(), a.tree()+"-away")) // an unmounted disk
	mkdir(t, a.tree())
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrMarker) {
		t.Errorf("sync without a marker: %v", err)
	}
	if _, err := a.tryLink(t, false); !errors.Is(err, client.ErrMarker) {
		t.Errorf("linking without a marker: %v, want it to need --rebuild", err)
	}
	must(t, os.Remove(a.tree()))
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrMarker) {
		t.Errorf("sync without team/: %v", err)
	}
	a.relink(t, true)
	a.sync(t)
	tm.equal(t, a)

	must(t, os.RemoveAll(a.tree())) // the disk is back, with its old marker
	must(t, os.Rename(a.tree()+"-away", a.tree()))
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrMarker) {
		t.Errorf("sync with an older marker: %v", err)
	}
	if len(tm.served(t)) != 1 {
		t.Errorf("the server has %q", tm.served(t))
	}

	other := client.Link{Folder: filepath.Join(a.home, "other"), Repository: "dir:other", MemoryReal: a.link.MemoryReal}
	must(t, a.dirs.RemoveLink(a.link))
	must(t, a.dirs.SaveLink(other))
	if _, err := a.tryLink(t, true); err == nil || !strings.Contains(err.Error(), "dir:other") {
		t.Errorf("got %v, want the memory of another repository to be refused with its name", err)
	}
}

// Whoever waits for the lock gives up after a while and names the holder.
func TestLock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := client.Dirs{State: home, Config: home, Data: home}
	l := client.Link{Instance: "ins_a", Project: "prj_a", RootID: "0123456789abcdef", MemoryDir: home}
	file := filepath.Join(home, "ins_a", "prj_a-01234567", "lock")
	mkdir(t, filepath.Dir(file))
	must(t, os.WriteFile(file, []byte("4711"), 0o600))
	holder := flock.New(file)
	if ok, err := holder.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := client.NewSyncer(d, l, nil, client.SyncerOptions{Clock: time.Now}).Sync(t.Context(), syncOnce)
		if !errors.Is(err, client.ErrLocked) || !strings.Contains(err.Error(), "4711") {
			t.Errorf("got %v, want the lock's holder", err)
		}
	})
	must(t, holder.Unlock())
	if _, err := client.NewSyncer(d, l, nil, client.SyncerOptions{Clock: time.Now}).Sync(t.Context(), syncOnce); errors.Is(err, client.ErrLocked) {
		t.Errorf("got %v after the lock was free", err)
	}
}
