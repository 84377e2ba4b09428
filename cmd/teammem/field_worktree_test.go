package main

import (
	"os"
	"path/filepath"
	"testing"
)

// F01: an agent read memory by repository and wrote it by working folder. What
// is in the second store is named in every run, until somebody takes it over.
func TestField_F01_ReadKeyIsNotWriteKey(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	mara := tm.settle(t, "mara")
	app := mara.repo(t, "w", "app")
	fix := mara.at("w", "app-fix")
	mara.git(t, app, "worktree", "add", "-q", fix)
	note(t, "known\n", mara.store(app), "team", "known.md")
	note(t, "known\n", mara.store(fix), "team", "known.md")
	note(t, "only in the worktree's store\n", mara.store(fix), "team", "lost.md")

	r := mara.in(t, fix, 0, nil, "link", "--project", "acme/app")
	says(t, r.stdout, "linked "+app+" with acme/app", "mirrors "+filepath.Join(mara.store(app), "team")+" (default)")
	for _, r := range []result{r, mara.in(t, fix, 0, nil, "sync"), mara.in(t, fix, 0, nil, "sync"), mara.in(t, fix, 0, nil, "status")} {
		says(t, r.stderr, mara.store(fix), "worktree "+fix, "lost.md", "teammem import "+filepath.Join(mara.store(fix), "team"))
	}
	silentOn(t, mara.in(t, fix, 0, nil, "sync").stderr, "known.md")
	says(t, mara.in(t, fix, 0, nil, "status").stdout, "memory    "+mara.store(app)+" (default)")
	says(t, mara.in(t, fix, 0, nil, "sync", "--json").stdout, `"type":"notice"`, "lost.md")

	wantFiles(t, filepath.Join(mara.store(fix), "team"), "known.md", "lost.md") // nobody decided for the member
	jo.sync(t, 0)
	wantFiles(t, jo.tree(), "known.md")

	// Taken over, it is shared, and nothing is said any more.
	says(t, mara.in(t, fix, 0, nil, "import", filepath.Join(mara.store(fix), "team"), "--yes").stdout, "lost.md")
	if r := mara.in(t, fix, 0, nil, "sync"); r.stderr != "" {
		t.Errorf("there is nothing to warn of any more, and it says:\n%s", r.stderr)
	}
	wantFiles(t, filepath.Join(mara.store(fix), "team"), "known.md", "lost.md")
	jo.sync(t, 0)
	wantFiles(t, jo.tree(), "known.md", "lost.md")
}

// F02: a worktree inside its repository starts with an empty store of its own.
// The team's entries are in the store that its sessions load, and the empty one
// deletes nothing.
func TestField_F02_WorktreeStartsEmpty(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	jo.tree40(t)
	jo.sync(t, 0)
	mara := tm.settle(t, "mara")
	app := mara.repo(t, "w", "app")
	a := mara.at("w", "app", ".worktrees", "a")
	mara.git(t, app, "worktree", "add", "-q", a)
	mara.in(t, app, 0, nil, "link", "--project", "acme/app")
	mkdir(t, filepath.Join(mara.store(a), "team"))
	if filepath.Base(filepath.Dir(mara.store(a))) != filepath.Base(filepath.Dir(mara.store(app)))+"--worktrees-a" {
		t.Fatalf("the worktree's store is %s", mara.store(a))
	}

	for range 2 {
		r := mara.in(t, a, 0, nil, "sync")
		silentOn(t, r.stdout+r.stderr, "deleted", "trash", mara.store(a))
	}
	mine, theirs := filesBelow(t, filepath.Join(mara.store(app), "team")), jo.files(t)
	if len(mine) != len(theirs) || len(mine) < 40 {
		t.Errorf("the store that sessions load has %d files, jo has %d", len(mine), len(theirs))
	}
	wantFiles(t, mara.store(a))
	jo.sync(t, 0)
	if got := len(jo.files(t)); got != len(theirs) {
		t.Errorf("jo has %d files now, and had %d", got, len(theirs))
	}
}

// F07: a session in a sub-folder was told of a folder that does not exist, so
// that saving failed in silence. The order is fixed and shown, and what is
// missing is made.
func TestField_F07_SubfolderOfARepository(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		root, here bool // which stores there are
	}{
		{"only the store of the root", true, false},
		{"only the store of the working folder", false, true},
		{"both", true, true},
		{"none", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t)
			mara := tm.settle(t, "mara")
			root := mara.repo(t, "monorepo")
			here := mara.at("monorepo", "agents", "x")
			mkdir(t, here)
			if tt.root {
				note(t, "of the root\n", mara.store(root), "team", "root.md")
			}
			if tt.here {
				note(t, "of the folder\n", mara.store(here), "team", "here.md")
			}
			linked := mara.in(t, here, 0, nil, "link", "--project", "acme/app")
			synced := mara.in(t, here, 0, nil, "sync")
			status := mara.in(t, here, 0, nil, "status")
			says(t, status.stdout, "folder    "+root, "memory    "+mara.store(root)+" (default)")
			for _, r := range []result{linked, synced, status} {
				if tt.here {
					says(t, r.stderr, mara.store(here), "sub-folder "+here, "here.md")
				} else if r.stderr != "" {
					t.Errorf("there is nothing to warn of, and it says:\n%s", r.stderr)
				}
			}
			if info, err := os.Stat(filepath.Join(mara.store(root), "team")); err != nil || !info.IsDir() {
				t.Errorf("the store of the root was not made: %v", err)
			}
			note(t, "saved by a session\n", mara.store(root), "team", "saved.md")
			says(t, mara.in(t, here, 0, nil, "sync").stdout, "sent saved.md")
		})
	}
}

// F10: a submodule was taken for a new, empty project. It is one of its own if
// it is linked; else its sessions are told that the parent's memory is another.
func TestField_F10_Submodule(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.must(t, append(tm.admin, "project", "add", "acme/lib")...)
	mara := tm.settle(t, "mara")
	app, lib := mara.repo(t, "app"), mara.repo(t, "lib")
	mara.git(t, app, "submodule", "add", "-q", lib, "vendored")
	sub := filepath.Join(app, "vendored")
	note(t, "of the app\n", mara.store(app), "team", "app.md")
	mara.in(t, app, 0, nil, "link", "--project", "acme/app")

	r := mara.in(t, sub, 0, nil, "sync")
	says(t, r.stdout, "sent app.md", "in sync with acme/app")
	says(t, r.stderr, "sessions in "+sub+" have a memory of their own", app)
	silentOn(t, mara.in(t, app, 0, nil, "sync").stderr, "memory of their own")

	note(t, "of the library\n", mara.store(sub), "team", "lib.md")
	mara.in(t, sub, 0, nil, "link", "--project", "acme/lib")
	r = mara.in(t, sub, 0, nil, "sync")
	says(t, r.stdout, "sent lib.md", "in sync with acme/lib: 1 entry")
	if r.stderr != "" {
		t.Errorf("there is nothing to warn of, and it says:\n%s", r.stderr)
	}
	wantFiles(t, filepath.Join(mara.store(app), "team"), "app.md")
	wantFiles(t, filepath.Join(mara.store(sub), "team"), "lib.md")
}
