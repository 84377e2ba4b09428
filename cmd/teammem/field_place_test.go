package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// F08: a folder without git was taken for "/". It works by its own path; "/"
// and the home folder are a project only if the member names one.
func TestField_F08_NoRepository(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.settle(t, "mara")
	plain, below := mara.at("plain"), mara.at("plain", "below")
	mkdir(t, below)
	for _, dir := range []string{"/", mara.home} {
		says(t, mara.in(t, dir, 2, nil, "link").stderr, "name one with --project SLUG")
		says(t, mara.in(t, dir, 2, nil, "sync").stderr, "not linked")
	}
	mara.in(t, plain, 0, nil, "link", "--project", "acme/app")
	note(t, "text\n", mara.store(plain), "team", "x.md")
	says(t, mara.in(t, plain, 0, nil, "sync").stdout, "sent x.md")
	says(t, mara.in(t, below, 0, nil, "sync").stderr, "sessions in "+below+" have a memory of their own")

	tm.must(t, append(tm.admin, "project", "add", "acme/home")...)
	other := mara.at("other")
	mkdir(t, other)
	for _, dir := range []string{mara.home, "/"} {
		r := mara.in(t, dir, 0, nil, "link", "--project", "acme/home")
		says(t, r.stdout, "linked "+dir+" with acme/home", mara.store(dir))
		mara.in(t, dir, 0, nil, "sync")
		says(t, mara.in(t, other, 2, nil, "sync").stderr, other+" is not linked") // it covers nothing below
	}
	says(t, mara.in(t, plain, 0, nil, "sync").stdout, "in sync with acme/app: 1 entry")
}

// F09: a configured directory was ignored. The first source that says something
// decides, it is named, and the member's word is above all.
func TestField_F09_ConfiguredDirectory(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	dirs := map[string]string{}
	for _, name := range []string{"user", "local", "config", "variable", "named"} {
		dirs[name] = mara.at("memories", name)
		mkdir(t, dirs[name])
	}
	user, local := mara.at(".claude", "settings.json"), filepath.Join(root, ".claude", "settings.local.json")
	link := []string{"link", "--project", "acme/app"}
	decides := func(dir, source string, env []string, flags ...string) {
		t.Helper()
		r := mara.in(t, root, 0, env, append(link, flags...)...)
		says(t, r.stdout, "mirrors "+filepath.Join(dir, "team")+" ("+source+")")
		note(t, "in "+source+"\n", dir, "team", fmt.Sprintf("%s.md", filepath.Base(dir)))
		says(t, mara.in(t, root, 0, env, "sync").stdout, "in sync with acme/app")
		says(t, mara.in(t, root, 0, env, "status").stdout, "memory    "+dir+" ("+source+")")
		says(t, mara.in(t, root, 1, env, "doctor").stdout, dir+" ("+source+")")
	}
	config := []string{"CLAUDE_CONFIG_DIR=" + dirs["config"]}
	decides(filepath.Join(dirs["config"], "projects", filepath.Base(filepath.Dir(mara.store(root))), "memory"), "CLAUDE_CONFIG_DIR", config)

	note(t, `{"autoMemoryDirectory": "~/memories/user"}`, user)
	says(t, mara.in(t, root, 4, nil, "sync").stderr, "is now "+dirs["user"], user) // no silent switch
	decides(dirs["user"], user, nil)

	// What lies in the repository needs the member's consent to that very path.
	note(t, `{"autoMemoryDirectory": "`+dirs["local"]+`"}`, local)
	says(t, mara.in(t, root, 1, nil, link...).stderr, local, "--memory-dir "+dirs["local"])
	says(t, mara.in(t, root, 4, nil, "sync").stderr, local)
	decides(dirs["local"], "--memory-dir", nil, "--memory-dir", dirs["local"])

	variable := append(config, "TEAMMEM_MEMORY_DIR="+dirs["variable"])
	decides(dirs["variable"], "TEAMMEM_MEMORY_DIR", variable)
	decides(dirs["named"], "--memory-dir", variable, "--memory-dir", dirs["named"])
}

// F11: the memory folder is a link to a disk somewhere else. That is resolved
// once and shown; links inside team/ are refused.
func TestField_F11_MemoryIsALink(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	cloud := mara.at("mnt", "cloud", "mem")
	note(t, "in the cloud folder\n", cloud, "team", "x.md")
	note(t, "not to be shared\n", mara.at("private.md"))
	mkdir(t, filepath.Dir(mara.store(root)))
	symlink(t, cloud, mara.store(root))
	symlink(t, mara.at("private.md"), filepath.Join(cloud, "team", "out.md"))
	symlink(t, mara.home, filepath.Join(cloud, "team", "folder"))

	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	r := mara.in(t, root, 7, nil, "sync") // the first time that something is refused
	says(t, r.stdout, "sent x.md")
	says(t, r.stderr, "not shared: out.md (symlink)", "not shared: folder (symlink)")
	says(t, mara.in(t, root, 1, nil, "doctor").stdout, mara.store(root)+", which leads to "+cloud)
	jo.sync(t, 0)
	wantFiles(t, jo.tree(), "x.md")
	jo.write(t, "from-jo.md", "by jo\n")
	jo.sync(t, 0)
	mara.in(t, root, 0, nil, "sync")
	if b, err := os.ReadFile(filepath.Join(cloud, "team", "from-jo.md")); err != nil || string(b) != "by jo\n" {
		t.Errorf("the cloud folder got %q, %v", b, err)
	}

	// Led elsewhere, nothing moves and the link is named.
	elsewhere := mara.at("mnt", "elsewhere")
	mkdir(t, elsewhere)
	if err := os.Remove(mara.store(root)); err != nil {
		t.Fatal(err)
	}
	symlink(t, elsewhere, mara.store(root))
	says(t, mara.in(t, root, 4, nil, "sync").stderr, mara.store(root)+" now leads to "+elsewhere, "led to "+cloud)
	wantFiles(t, elsewhere)
}

// F12: with ~/.claude linked into a folder of dotfiles every write was refused,
// for a reason that misled. It works; containment is judged by where it leads.
func TestField_F12_ConfigFolderIsALink(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	mkdir(t, mara.at("dotfiles", "claude"))
	symlink(t, mara.at("dotfiles", "claude"), mara.at(".claude"))
	note(t, "by mara\n", mara.store(root), "team", "x.md")
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	says(t, mara.in(t, root, 0, nil, "sync").stdout, "sent x.md")
	jo.sync(t, 0)
	jo.write(t, "x.md", "by jo\n")
	jo.write(t, "deep/y.md", "by jo\n")
	jo.sync(t, 0)
	says(t, mara.in(t, root, 0, nil, "sync").stdout, "received x.md", "received deep/y.md")
	real := mara.at("dotfiles", "claude", "projects", filepath.Base(filepath.Dir(mara.store(root))), "memory")
	wantFiles(t, filepath.Join(real, "team"), "deep/y.md", "x.md")
	says(t, mara.in(t, root, 1, nil, "doctor").stdout, mara.store(root)+", which leads to "+real)

	// A team/ that leads out is refused, and the refusal names the link.
	if err := os.Rename(filepath.Join(real, "team"), mara.at("taken")); err != nil {
		t.Fatal(err)
	}
	symlink(t, mara.at("taken"), filepath.Join(real, "team"))
	says(t, mara.in(t, root, 4, nil, "sync").stderr, "team is a link")
	wantFiles(t, mara.at("taken"), "deep/y.md", "x.md")
}

// F13: the agent makes its default folder again, empty, in each session. Beside
// the folder that was linked it says nothing, and nothing is deleted.
func TestField_F13_PhantomEmptyDirectory(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	custom := mara.at("notes")
	for i := range 30 {
		note(t, fmt.Sprintf("text %d\n", i), custom, "team", fmt.Sprintf("note-%02d.md", i))
	}
	note(t, `{"autoMemoryDirectory": "`+custom+`"}`, mara.at(".claude", "settings.json"))
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	mara.in(t, root, 0, nil, "sync")
	jo.sync(t, 0)
	for _, phantom := range []string{mara.store(root), filepath.Join(mara.store(root), "team")} {
		mkdir(t, phantom)
		for _, settings := range []bool{true, false} { // the agent may forget about its setting, too
			if !settings {
				if err := os.Rename(mara.at(".claude", "settings.json"), mara.at(".claude", "settings.old")); err != nil {
					t.Fatal(err)
				}
			}
			r := mara.in(t, root, 0, nil, "sync")
			says(t, r.stdout, "in sync with acme/app: 30 entries")
			silentOn(t, r.stdout+r.stderr, "deleted", "trash")
			says(t, mara.in(t, root, 0, nil, "status").stdout, "memory    "+custom)
		}
		if err := os.Rename(mara.at(".claude", "settings.old"), mara.at(".claude", "settings.json")); err != nil {
			t.Fatal(err)
		}
	}
	jo.sync(t, 0)
	if n := len(jo.files(t)); n != 30 {
		t.Errorf("jo has %d files, want 30", n)
	}
	wantFiles(t, mara.store(root))
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}
