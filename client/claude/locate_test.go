package claude

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, path, want string }{
		{"worktree", "/Users/me/proj/.worktrees/x", "-Users-me-proj--worktrees-x"},
		{"repeated segment", "/home/dev/acme/acme-ios", "-home-dev-acme-acme-ios"},
		{"underscore, dot, blank", "/c/a_b.c d", "-c-a-b-c-d"},
		{"letters beyond ASCII", "/c/é", "-c--"},
		{"beyond 16 bits", "/c/😀", "-c---"},
		{"case stays", "/new_dir/My_App", "-new-dir-My-App"},
		{"drive", `C:\git\app`, "C--git-app"},
		{"200 characters", "/" + strings.Repeat("a", 199), "-" + strings.Repeat("a", 199)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, cut := Slug(tc.path); got != tc.want || cut {
				t.Errorf("got %q, cut %t; want %q", got, cut, tc.want)
			}
		})
	}
	if got, cut := Slug("/" + strings.Repeat("a", 200)); len(got) != 200 || !cut {
		t.Errorf("got %d characters, cut %t; want 200, cut", len(got), cut)
	}
}

// place is a home folder with everything that decides where memory is.
type place struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return &place{t, home, map[string]string{"HOME": home}}
}

func (p *place) at(parts ...string) string {
	return filepath.Join(append([]string{p.home}, parts...)...)
}

func (p *place) dir(parts ...string) string {
	dir := p.at(parts...)
	must(p.t, os.MkdirAll(dir, 0o700))
	return dir
}

func (p *place) file(text string, parts ...string) string {
	name := p.at(parts...)
	must(p.t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(p.t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func (p *place) git(dir string, args ...string) {
	p.t.Helper()
	c := exec.CommandContext(p.t.Context(), "git", append([]string{
		"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always",
	}, args...)...)
	c.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repo makes a repository with one commit.
func (p *place) repo(parts ...string) string {
	dir := p.dir(parts...)
	p.git(dir, "init", "-q")
	p.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

// store is the agent's default memory folder for a path.
func (p *place) store(path string) string {
	slug, _ := Slug(path)
	return p.at(configFolder, projectsFolder, slug, memoryFolder)
}

func (p *place) getenv(name string) string { return p.env[name] }

func (p *place) want(folder, override, memoryDir, source string) {
	p.t.Helper()
	got, err := Locate(folder, override, p.getenv)
	if err != nil || got.MemoryDir != memoryDir || got.Source != source {
		p.t.Errorf("Locate(%s, %q) = %s by %s, %v; want %s by %s", folder, override, got.MemoryDir, got.Source, err, memoryDir, source)
	}
}

func (p *place) fails(folder, because string) {
	p.t.Helper()
	got, err := Locate(folder, "", p.getenv)
	if err == nil || !strings.Contains(err.Error(), because) {
		p.t.Errorf("Locate(%s) = %s by %s, %v; want an error about %q", folder, got.MemoryDir, got.Source, err, because)
	}
}

// F01, F02, F07: worktrees and sub-folders share the memory of the repository.
func TestLocate_Worktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("w", "app")
	p.git(app, "worktree", "add", "-q", p.at("w", "app-fix"))
	p.git(app, "worktree", "add", "-q", p.at("w", "app", ".worktrees", "a"))
	p.dir("w", "app", "agents", "x")
	p.dir("w", "app-fix", "sub")
	for _, folder := range []string{
		app, p.at("w", "app", "agents", "x"), p.at("w", "app-fix"), p.at("w", "app-fix", "sub"), p.at("w", "app", ".worktrees", "a"),
	} {
		p.want(folder, "", p.store(app), "default")
		got, err := Locate(folder, "", p.getenv)
		if err != nil || got.Folder != app || got.Repository != "dir:"+filepath.Join(app, ".git") {
			t.Errorf("%s belongs to %s (%s), %v", folder, got.Folder, got.Repository, err)
		}
	}
}

func TestLocate_BareWithWorktrees(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("app")
	p.git(p.home, "clone", "-q", "--bare", app, p.at("bare.git"))
	p.git(p.at("bare.git"), "worktree", "add", "-q", p.at("one"))
	p.want(p.at("one"), "", p.store(p.at("one")), "default")
	got, err := Locate(p.at("one"), "", p.getenv)
	if err != nil || got.Folder != p.at("one") || got.Remote == "" && got.Repository != "dir:"+p.at("bare.git") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// F10: a submodule is a project of its own.
func TestLocate_Submodule(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app, lib := p.repo("app"), p.repo("lib")
	p.git(app, "submodule", "add", "-q", lib, "vendored")
	sub := filepath.Join(app, "vendored")
	p.want(sub, "", p.store(sub), "default")
	got, err := Locate(sub, "", p.getenv)
	if err != nil || got.Folder != sub {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A .git file that claims to be a worktree of somebody else's repository does
// not get at its memory.
func TestLocate_Forged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	victim := p.repo("victim")
	p.git(victim, "worktree", "add", "-q", p.at("real"))
	for name, target := range map[string]string{
		"the git folder":      filepath.Join(victim, ".git"),
		"another's worktree":  filepath.Join(victim, ".git", "worktrees", "real"),
		"nothing":             filepath.Join(victim, ".git", "worktrees", "none"),
		"a folder of its own": p.at("forged", "a folder of its own", "fake"),
	} {
		dir := p.dir("forged", name)
		p.file("gitdir: "+target+"\n", "forged", name, ".git")
		p.file(filepath.Join(victim, ".git")+"\n", "forged", name, "fake", "commondir")
		p.file(filepath.Join(dir, ".git")+"\n", "forged", name, "fake", "gitdir")
		got, err := Locate(dir, "", p.getenv)
		if err != nil || got.Folder != dir || got.MemoryDir != p.store(dir) || strings.Contains(got.Repository, "victim") {
			t.Errorf("%s: got %+v, %v; want a root of its own", name, got, err)
		}
	}
}

// A plain folder works. So do the root and the home folder, but nothing except
// the member says which project they are.
func TestField_F08_NoRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	plain := p.dir("plain")
	p.want(plain, "", p.store(plain), "default")
	p.want(p.home, "", p.store(p.home), "default")
	p.want("/", "", p.at(configFolder, projectsFolder, "-", memoryFolder), "default")
	for folder, needs := range map[string]bool{plain: false, p.home: true, "/": true} {
		if got := NeedsProject(folder, p.getenv); got != needs {
			t.Errorf("%s needs a named project: %t, want %t", folder, got, needs)
		}
	}
	p.fails(p.at("missing"), "no folder")
	p.fails(p.file("", "a-file"), "not a folder")
	p.want(p.home, p.at("mem"), p.at("mem"), "--memory-dir")
	delete(p.env, "HOME")
	p.fails(plain, "HOME")
}

// F12: a linked home is followed; of both paths the one with a memory counts.
func TestLocate_SymlinkedHome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("disk", "app")
	must(t, os.Symlink(p.at("disk"), p.at("link")))
	typed := p.at("link", "app")
	p.want(typed, "", p.store(app), "default")
	must(t, os.MkdirAll(p.store(typed), 0o700))
	p.want(typed, "", p.store(typed), "default")
	p.dir("disk", "app", "sub")
	p.want(filepath.Join(typed, "sub"), "", p.store(typed), "default")
	p.want(app, "", p.store(app), "default")
	must(t, os.MkdirAll(p.store(app), 0o700))
	p.want(typed, "", p.store(app), "default")

	must(t, os.Rename(p.at(configFolder), p.at("dotfiles")))
	must(t, os.Symlink(p.at("dotfiles"), p.at(configFolder)))
	p.want(app, "", p.store(app), "default")
}

func TestLocate_Environment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("app")
	slug, _ := Slug(app)
	set := func(vars map[string]string) {
		p.env = map[string]string{"HOME": p.home}
		for name, value := range vars {
			p.env[name] = value
		}
	}
	set(map[string]string{envConfigDir: p.at("cfg")})
	p.want(app, "", p.at("cfg", projectsFolder, slug, memoryFolder), envConfigDir)
	set(map[string]string{envConfigDir: p.at("cfg"), envRemoteDir: p.at("remote")})
	p.want(app, "", p.at("remote", projectsFolder, slug, memoryFolder), envRemoteDir)
	set(map[string]string{envConfigDir: p.at("cfg"), envProjectFolder: "my_app-1"})
	p.want(app, "", p.at("cfg", projectsFolder, "my_app-1", memoryFolder), envProjectFolder)
	for _, bad := range []string{"../../elsewhere", "a/b", "a.b", strings.Repeat("x", 65)} {
		set(map[string]string{envConfigDir: p.at("cfg"), envProjectFolder: bad})
		p.want(app, "", p.at("cfg", projectsFolder, slug, memoryFolder), envConfigDir)
	}
	set(map[string]string{envProjectFolder: "my_app"}) // only counts beside the config folder
	p.want(app, "", p.store(app), "default")
	set(map[string]string{envCowork: p.at("cowork"), envConfigDir: p.at("cfg")})
	p.want(app, "", p.at("cowork"), envCowork)
	set(map[string]string{envCowork: p.at("cowork"), envMemoryDir: "~/mem"})
	p.want(app, "", p.at("mem"), envMemoryDir)
	p.want(app, p.at("named"), p.at("named"), "--memory-dir")
}

// F09 and F13: a member's setting decides; a repository's never does.
func TestLocate_Settings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	app := p.repo("app")
	set := func(dir string) string { return `{"other":[1],"autoMemoryDirectory":"` + dir + `"}` }
	user := p.file(set("~/custom"), configFolder, "settings.json")
	p.want(app, "", p.at("custom"), user)
	must(t, os.MkdirAll(p.store(app), 0o700)) // a phantom default changes nothing
	p.want(app, "", p.at("custom"), user)

	for _, name := range []string{"settings.json", "settings.local.json"} {
		file := p.file(set(p.at("theirs")), "app", configFolder, name)
		p.fails(app, "--memory-dir "+p.at("theirs"))
		p.want(app, p.at("theirs"), p.at("theirs"), "--memory-dir")
		must(t, os.Remove(file))
	}

	for _, bad := range []string{"relative", "~", "~/", "~/.", "~/..", "C:", "/x", "//host/share/x", `\\\\host\\share`, `/a\u0000b`} {
		p.file(set(bad), configFolder, "settings.json")
		p.fails(app, "not one")
	}
	p.file("{", configFolder, "settings.json")
	p.fails(app, "cannot be read")
	p.file(`{"autoMemoryDirectory":""}`, configFolder, "settings.json")
	p.want(app, "", p.store(app), "default")
}

// A path that is too long for the agent's rule is the member's to decide.
func TestLocate_LongSlug(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	long := p.dir(strings.Repeat("a", 100), strings.Repeat("b", 120))
	slug, cut := Slug(long)
	if !cut {
		t.Fatal("the path is too short for this test")
	}
	must(t, os.MkdirAll(p.at(configFolder, projectsFolder, slug+"-k3x9"), 0o700))
	p.fails(long, slug+"-k3x9")
	p.want(long, p.at("mem"), p.at("mem"), "--memory-dir")
}

// F05: paths that share a slug are still told apart.
func TestLocate_SharedSlug(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one, err := Locate(p.repo("a-b"), "", p.getenv)
	must(t, err)
	two, err := Locate(p.repo("a_b"), "", p.getenv)
	must(t, err)
	if one.MemoryDir != two.MemoryDir || one.Repository == two.Repository {
		t.Errorf("got %+v and %+v; want one memory folder and two repositories", one, two)
	}
}

// All ways to write one remote name one repository.
func TestLocate_Remote(t *testing.T) {
	t.Parallel()
	const want = "github.com/acme/app"
	for _, url := range []string{
		"https://github.com/acme/app.git", "https://github.com/acme/app", "https://user@github.com/Acme/App/", "git@github.com:acme/app.git",
		"ssh://git@github.com/acme/app.git", "ssh://git@github.com:22/acme/app", "git://github.com/acme/app.git", "HTTPS://GitHub.com:443/acme/app.git",
	} {
		p := newPlace(t)
		app := p.repo("app")
		p.git(app, "remote", "add", "other", "https://example.com/other.git")
		p.git(app, "remote", "add", "origin", url)
		got, err := Locate(app, "", p.getenv)
		if err != nil || got.Remote != want || got.Repository != want {
			t.Errorf("%s: got %q, %v; want %q", url, got.Remote, err, want)
		}
	}
}

// Git's configuration has more forms than the one that git itself writes.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"comment":    "[remote \"origin\"] ; mine\n\turl = https://github.com/acme/app.git # the url\n",
		"case":       "[REMOTE \"origin\"]\n\tURL=https://github.com/acme/app.git\n",
		"quoted":     "[remote \"origin\"]\n\turl = \"https://github.com/acme/app.git\"\n",
		"blanks":     "[ remote   \"origin\" ]\n  url   =   https://github.com/acme/app.git  \n",
		"CRLF":       "[remote \"origin\"]\r\n\turl = https://github.com/acme/app.git\r\n",
		"one line":   "[remote \"origin\"] url = https://github.com/acme/app.git\n",
		"two in all": "[remote \"origin\"]\n\tfetch = x\n[remote \"fork\"]\n\turl = https://x/y\n[remote \"origin\"]\n\turl = https://github.com/acme/app.git\n",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
		if got := originOf(dir); got != "github.com/acme/app" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for name, config := range map[string]string{
		"none": "", "other": "[remote \"upstream\"]\n\turl = https://github.com/acme/app.git\n",
		"other case": "[remote \"Origin\"]\n\turl = https://github.com/acme/app.git\n", "pushurl": "[remote \"origin\"]\n\tpushurl = https://x/y\n",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
		if got := originOf(dir); got != "" {
			t.Errorf("%s: got %q, want none", name, got)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
