package claude

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
)

// note writes a file into the agent's store for a path, or one with that name.
func (p *place) note(store, file, text string) string {
	p.t.Helper()
	if filepath.IsAbs(store) {
		store = slugOf(store)
	}
	p.file(text, append([]string{configFolder, projectsFolder, store, memoryFolder}, strings.Split(file, "/")...)...)
	return p.at(configFolder, projectsFolder, store, memoryFolder)
}

func (p *place) dirs() client.Dirs {
	p.t.Helper()
	d, err := client.UserDirs(p.getenv)
	must(p.t, err)
	return d
}

// siblings looks from a folder of the repository whose memory the agent's rules
// find.
func (p *place) siblings(folder string) []Sibling {
	p.t.Helper()
	found, err := Locate(folder, "", p.getenv)
	must(p.t, err)
	all, err := Siblings(p.dirs(), client.Link{Folder: found.Folder, MemoryDir: found.MemoryDir}, folder, p.getenv)
	must(p.t, err)
	return all
}

func (p *place) wantSiblings(folder string, want ...Sibling) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.siblings(folder)); diff != "" {
		p.t.Errorf("siblings of %s (-want +got):\n%s", folder, diff)
	}
}

// Each folder of a repository may have given its name to a store of its own.
func TestSiblings_OfOneRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("w", "app")
	p.git(app, "worktree", "add", "-q", p.at("w", "app-fix"))
	p.git(app, "worktree", "add", "-q", p.at("w", "app", ".worktrees", "a"))
	p.dir("w", "app", "agents", "x_y")
	p.dir("w", "app-fix", "sub")
	p.repo("w", "app", "vendored")
	p.note(app, "team/same.md", "same\n")
	p.note(app, "team/other.md", "here\n")
	p.note(app, "team/deep/nfc-é.md", "x\n")
	p.wantSiblings(app)

	fix := p.note(p.at("w", "app-fix"), "team/same.md", "same\n")
	p.note(p.at("w", "app-fix"), "team/only.md", "only there\n")
	p.note(p.at("w", "app-fix"), "team/other.md", "tere\n")
	p.note(p.at("w", "app-fix"), "team/deep/nfc-é.md", "x\n")
	p.note(p.at("w", "app-fix"), "team/.hidden.md", "no note\n")
	p.note(p.at("w", "app-fix"), "team/list.txt", "no note\n")
	p.note(p.at("w", "app-fix"), "MEMORY.md", "private\n")
	a := p.note(p.at("w", "app", ".worktrees", "a"), "MEMORY.md", "private\n")
	x := p.note(p.at("w", "app", "agents", "x_y"), "team/x.md", "x\n")
	sub := p.note(p.at("w", "app-fix", "sub"), "sub.md", "x\n")
	p.note(p.at("w", "app", "vendored"), "team/x.md", "a repository of its own\n")
	p.note(p.at("w", "apple"), "team/x.md", "another\n")
	p.dir(configFolder, projectsFolder, slugOf(p.at("w", "app", "agents"))) // sessions, and no memory
	for _, from := range []string{app, p.at("w", "app-fix"), p.at("w", "app", "agents", "x_y")} {
		p.wantSiblings(from,
			Sibling{Dir: a, Why: "worktree " + p.at("w", "app", ".worktrees", "a"), Files: 1},
			Sibling{Dir: x, Why: "sub-folder " + p.at("w", "app", "agents", "x_y"), Files: 1, Unsent: []string{"x.md"}},
			Sibling{Dir: fix, Why: "worktree " + p.at("w", "app-fix"), Files: 5, Unsent: []string{"only.md", "other.md"}},
			Sibling{Dir: sub, Why: "sub-folder " + p.at("w", "app-fix", "sub"), Files: 1},
		)
	}
}

// What is left of a worktree that was removed is named if it has something to
// send, and another repository's store never is.
func TestSiblings_OfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("w", "app")
	p.repo("w", "app-fix")
	p.note(app, "team/x.md", "x\n")
	p.note(p.at("w", "app-fix"), "team/a.md", "another repository's\n")
	p.note(p.at("w", "app-private"), "a.md", "nothing to send\n")
	gone := p.note(p.at("w", "app-gone"), "team/a.md", "unsent\n")
	p.note(p.at("w", "app-theirs"), "team/a.md", "of another project\n")
	p.note(p.at("w", "app-theirs"), "team/"+markerFile, "instance i\nproject prj_other\nroot r\n")
	p.wantSiblings(app, Sibling{
		Dir: gone, Twin: true, Why: "perhaps of a folder that is gone: its name starts with " + slugOf(app), Files: 1, Unsent: []string{"a.md"},
	})
}

// Versions of the agent have spelled one path in several ways.
func TestSiblings_NearTwins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		root string // below home
		twin func(slug string) string
		want bool
	}{
		{"repeated segment", "acme/acme-ios", func(s string) string { return strings.Replace(s, "-acme-acme-", "-acme-", 1) }, true},
		{"underscore", "new_dir/My_App", func(s string) string { return strings.Replace(s, "new-dir", "new_dir", 1) }, true},
		{"dot", "my.app", func(s string) string { return strings.Replace(s, "my-app", "my.app", 1) }, true},
		{"blank", "my app", func(s string) string { return strings.Replace(s, "my-app", "my app", 1) }, true},
		{"case", "App", strings.ToLower, true},
		{"letters beyond ASCII", "プロ/app", func(s string) string { return strings.Replace(s, "----app", "-プロ-app", 1) }, true},
		{"another name", "app", func(s string) string { return s + "s" }, false},
		{"nothing but marks", "app", func(string) string { return "-_-" }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			root := p.dir(strings.Split(tt.root, "/")...)
			name := tt.twin(slugOf(root))
			if name == slugOf(root) {
				t.Fatalf("%s is no twin", name)
			}
			p.note(root, "team/x.md", "here\n")
			twin := p.note(name, "team/x.md", "there\n")
			if !tt.want {
				p.wantSiblings(root)
				return
			}
			p.wantSiblings(root, Sibling{Dir: twin, Twin: true, Why: "its name is nearly " + slugOf(root), Files: 1, Unsent: []string{"x.md"}})
		})
	}
}

// A name that stands exactly for another folder resembles ours by chance.
func TestSiblings_TwinOfAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("acme", "acme-ios")
	p.repo("acme-ios")
	p.note(app, "team/x.md", "x\n")
	p.note(p.at("acme-ios"), "team/y.md", "another's\n")
	p.wantSiblings(app)

	// And so does one that is linked for another repository.
	twin := p.note(strings.Replace(slugOf(app), "-acme-ios", "_acme_ios", 1), "team/y.md", "another's\n")
	must(t, p.dirs().SaveLink(client.Link{Folder: p.at("far"), Repository: "git.example/far", MemoryDir: twin, MemoryReal: twin, Slug: "acme/far"}))
	p.wantSiblings(app)
}

// A link among the stores is named and not followed; one to the very memory is
// what people make so that there is only one.
func TestSiblings_Links(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("app")
	for _, name := range []string{"one", "two", "three"} {
		p.git(app, "worktree", "add", "-q", p.at(name))
	}
	p.note(app, "team/x.md", "x\n")
	secret := p.dir("elsewhere", "memory", "team")
	p.file("not ours\n", "elsewhere", "memory", "team", "secret.md")
	must(t, os.Symlink(p.store(app), p.at(configFolder, projectsFolder, "link-to-own")))
	must(t, os.Symlink(filepath.Dir(p.store(app)), p.at(configFolder, projectsFolder, slugOf(p.at("one")))))
	must(t, os.Symlink(p.at("elsewhere"), p.at(configFolder, projectsFolder, slugOf(p.at("two")))))
	three := p.note(p.at("three"), "x.md", "x\n")
	must(t, os.Symlink(secret, filepath.Join(three, teamFolder)))
	must(t, os.Symlink(filepath.Join(secret, "secret.md"), filepath.Join(three, "linked.md")))
	p.wantSiblings(app,
		Sibling{Dir: three, Why: "worktree " + p.at("three"), Files: 1},
		Sibling{Dir: p.store(p.at("two")), Why: "worktree " + p.at("two"), Unseen: "it is a link, which is not followed"},
	)
}

// The store of the typed path, and the agent's own choice beside a folder that
// the member chose, are siblings, too.
func TestSiblings_OtherNamesOfOneRoot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("disk", "app")
	must(t, os.Symlink(p.at("disk"), p.at("link")))
	typed := p.at("link", "app")
	p.note(app, "team/x.md", "x\n")
	p.note(typed, "team/y.md", "y\n")
	p.wantSiblings(typed, Sibling{Dir: p.store(typed), Why: "the agent's own choice for " + typed, Files: 1, Unsent: []string{"y.md"}})

	custom := client.Link{Folder: app, MemoryDir: p.dir("custom"), Project: "prj_1"}
	p.note(app, "team/"+markerFile, "instance i\nproject prj_1\nroot r\n") // linked once
	got, err := Siblings(p.dirs(), custom, app, p.getenv)
	must(t, err)
	want := []Sibling{{Dir: p.store(app), Why: "the agent's own choice for " + app, Files: 1, Unsent: []string{"x.md"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	must(t, p.dirs().SaveLink(client.Link{Folder: app, Repository: "dir:x", MemoryDir: p.store(app), MemoryReal: p.store(app), Slug: "acme/app"}))
	got, err = Siblings(p.dirs(), custom, app, p.getenv)
	must(t, err)
	if len(got) != 1 || got[0].Linked != "acme/app" || got[0].notice(custom) != "" {
		t.Errorf("got %+v; want one that is linked, and no word about it", got)
	}
}

// Nothing to warn of costs little, however many projects the member has.
func BenchmarkNotices_None(b *testing.B) {
	home := b.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	app := filepath.Join(home, "src", "app")
	for _, dir := range []string{filepath.Join(app, ".git", "worktrees"), filepath.Join(home, configFolder, projectsFolder, slugOf(app), memoryFolder)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 500 {
		if err := os.Mkdir(filepath.Join(home, configFolder, projectsFolder, slugOf(filepath.Join(home, "src", "other"+strconv.Itoa(i)))), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	dirs, err := client.UserDirs(getenv)
	if err != nil {
		b.Fatal(err)
	}
	found, err := Locate(app, "", getenv)
	if err != nil {
		b.Fatal(err)
	}
	l := client.Link{Folder: found.Folder, MemoryDir: found.MemoryDir}
	for b.Loop() {
		if n, err := Notices(dirs, l, app, getenv); err != nil || len(n) > 0 {
			b.Fatal(n, err)
		}
	}
}
