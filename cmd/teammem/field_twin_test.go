package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// F03: for /acme/acme-ios one key keeps both "acme" and another drops one. The
// exact one is used, and the other is named.
func TestField_F03_RepeatedSegment(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "acme", "acme-ios")
	note(t, "here\n", mara.store(root), "team", "here.md")
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	twin := strings.Replace(mara.store(root), "-acme-acme-ios", "-acme-ios", 1)
	note(t, "one file\n", twin, "MEMORY.md")

	r := mara.in(t, root, 0, nil, "sync")
	says(t, r.stdout, "sent here.md")
	silentOn(t, r.stderr, twin) // it has nothing to send
	says(t, mara.in(t, root, 0, nil, "status").stdout, "memory    "+mara.store(root)+" (default)")
	says(t, mara.in(t, root, 1, nil, "doctor").stdout, twin+" holds 1 file", "its name is nearly "+filepath.Base(filepath.Dir(mara.store(root))))

	// A repository that really has that name is no twin.
	mara.repo(t, "acme-ios")
	silentOn(t, mara.in(t, root, 1, nil, "doctor").stdout, twin)
}

// F04: versions of the agent have spelled "_" and "." differently, and entries
// drift apart. Both stores are named, and neither is picked or changed.
func TestField_F04_UnderscoreDotBlank(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "new_dir", "My_App")
	twin := strings.Replace(mara.store(root), "-new-dir-My-App", "-new_dir-My_App", 1)
	note(t, "of one\n", mara.store(root), "team", "one.md")
	note(t, "of the other\n", twin, "team", "other.md")
	note(t, "text of one\n", mara.store(root), "team", "both.md")
	note(t, "text of the other\n", twin, "team", "both.md")

	for _, args := range [][]string{{"link", "--project", "acme/app"}, {"sync"}, {"status"}, {"sync"}} {
		r := mara.in(t, root, 0, nil, args...)
		if args[0] != "status" {
			says(t, r.stderr, mara.store(root), twin, "both.md, other.md", "teammem import "+filepath.Join(twin, "team"))
		}
	}
	wantFiles(t, filepath.Join(mara.store(root), "team"), "both.md", "one.md")
	if got := filesBelow(t, twin); got["team/both.md"] != "text of the other\n" || len(got) != 2 {
		t.Errorf("the twin holds %q now", got)
	}
	jo.sync(t, 0)
	if got := jo.files(t); got["both.md"] != "text of one\n" || len(got) != 2 {
		t.Errorf("jo has %q", got)
	}

	// The union: what is missing is taken over, and of the two texts none is
	// picked. It is named in each run until somebody decides.
	r := mara.in(t, root, 0, nil, "import", filepath.Join(twin, "team"), "--yes")
	says(t, r.stdout+r.stderr, "other.md", "both.md", "another text has this name, and stays")
	says(t, mara.in(t, root, 0, nil, "sync").stderr, twin, "not shared: both.md;")
	wantFiles(t, filepath.Join(mara.store(root), "team"), "both.md", "one.md", "other.md")
	jo.sync(t, 0)
	if got := jo.files(t); got["both.md"] != "text of one\n" || got["other.md"] != "of the other\n" || len(got) != 3 {
		t.Errorf("jo has %q", got)
	}
	if got := filesBelow(t, twin); got["team/both.md"] != "text of the other\n" || len(got) != 2 {
		t.Errorf("the twin holds %q now", got)
	}
}

// F05: /c/a-b, /c/a_b and /c/a.b share one store. It belongs to the repository
// that was linked first, and no entry of one project reaches the other.
func TestField_F05_TwoProjectsOneSlug(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.must(t, append(tm.admin, "project", "add", "acme/other")...)
	mara := tm.settle(t, "mara")
	first := mara.repo(t, "c", "a-b")
	note(t, "of the first\n", mara.store(first), "team", "first.md")
	mara.in(t, first, 0, nil, "link", "--project", "acme/app")
	mara.in(t, first, 0, nil, "sync")
	for _, name := range []string{"a_b", "a.b", "aéb"} {
		second := mara.repo(t, "c", name)
		if mara.store(second) != mara.store(first) {
			t.Fatalf("%s has a store of its own", second)
		}
		r := mara.in(t, second, 2, nil, "link", "--project", "acme/other")
		says(t, r.stderr, mara.store(first)+" is already the memory of", first, "--memory-dir")
		says(t, mara.in(t, second, 2, nil, "sync").stderr, "not linked")
		says(t, mara.in(t, second, 1, nil, "doctor").stdout, "not linked")
	}
	wantFiles(t, filepath.Join(mara.store(first), "team"), "first.md")
	third := tm.settle(t, "theo")
	dir := third.repo(t, "x")
	third.in(t, dir, 0, nil, "link", "--project", "acme/other")
	says(t, third.in(t, dir, 0, nil, "sync").stdout, "in sync with acme/other: 0 entries")

	// The very place as well: another repository where the linked one was.
	mara.git(t, first, "remote", "add", "origin", "https://git.example/another/app.git")
	mara.in(t, first, 2, nil, "link", "--project", "acme/other")
}

// F06: the same path with "C:" and "c:". Where case counts, there are two
// stores; the second is named, and not used in silence.
func TestField_F06_DriveLetter(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	env := []string{"CLAUDE_CONFIG_DIR=" + mara.at("cfg"), "CLAUDE_CODE_PROJECT_DIR_NAME=C--git-app"}
	one, other := mara.at("cfg", "projects", "C--git-app", "memory"), mara.at("cfg", "projects", "c--git-app", "memory")
	note(t, "of one\n", one, "team", "one.md")
	note(t, "of the other\n", other, "team", "other.md")
	mara.in(t, root, 0, env, "link", "--project", "acme/app")
	r := mara.in(t, root, 0, env, "sync")
	says(t, r.stdout, "sent one.md")
	says(t, r.stderr, one, other, "other.md")
	says(t, mara.in(t, root, 1, env, "doctor").stdout, "its name is nearly C--git-app", other)
	wantFiles(t, filepath.Join(one, "team"), "one.md")
	wantFiles(t, filepath.Join(other, "team"), "other.md")
}
