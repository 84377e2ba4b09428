package install_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/install"
	"github.com/teammem/teammem/client/claude/settings"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/plugins"
)

const program = "/opt/bin/teammem"

// home is a member's home folder with a repository in it.
type home struct {
	testing.TB

	dir  string
	dirs client.Dirs
	at   install.Place
}

func newHome(t testing.TB) *home {
	t.Helper()
	h := &home{TB: t, dir: t.TempDir()}
	h.dirs = client.Dirs{Config: filepath.Join(h.dir, "config"), State: filepath.Join(h.dir, "state"), Data: filepath.Join(h.dir, "data")}
	h.at = h.place(install.User, h.dir)
	return h
}

func (h *home) place(scope install.Scope, folder string) install.Place {
	h.Helper()
	at, err := install.PlaceOf(scope, folder, h.getenv)
	h.must(err)
	return at
}

func (h *home) getenv(name string) string {
	return map[string]string{"HOME": h.dir}[name]
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *home) write(path, text string, mode fs.FileMode) {
	h.Helper()
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	h.must(os.WriteFile(path, []byte(text), mode))
	h.must(os.Chmod(path, mode)) // whatever the umask is
}

func (h *home) read(path string) string {
	h.Helper()
	b, err := os.ReadFile(path)
	h.must(err)
	return string(b)
}

// install installs and returns the plan that was carried out.
func (h *home) install(program, version string) install.Plan {
	h.Helper()
	p, err := install.Install(h.dirs, h.at, program, version)
	h.must(err)
	h.must(p.Apply())
	return p
}

func (h *home) uninstall() install.Plan {
	h.Helper()
	p, err := install.Uninstall(h.dirs, h.at)
	h.must(err)
	h.must(p.Apply())
	return p
}

// files lists what is below the home folder, but for folders of teammem's own.
func (h *home) files() (all []string) {
	h.Helper()
	h.must(filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != h.dir && !strings.HasPrefix(path, h.dirs.State) {
			all = append(all, strings.TrimPrefix(path, h.dir))
		}
		return err
	}))
	return all
}

func (h *home) hooks() []settings.Hook {
	h.Helper()
	found, err := settings.Hooks([]byte(h.read(h.at.Settings)))
	h.must(err)
	return found
}

func TestInstall_Fresh(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	before := h.files()
	h.install(program, "1.0.0")
	if got := h.read(h.at.Skill); got != plugins.Skill {
		t.Errorf("the skill is %q", got)
	}
	var events []string
	for _, k := range h.hooks() {
		events = append(events, k.Event+" "+k.Matcher)
		if k.Command != program || !cmp.Equal(k.Args, []string{"hook", k.Event}) {
			t.Errorf("got %+v", k)
		}
	}
	if diff := cmp.Diff([]string{"SessionStart ", "PreToolUse Write|Edit", "PostToolUse Write|Edit", "Stop ", "SessionEnd "}, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, err := install.Install(h.dirs, h.at, program, "1.0.0"); err != nil || !again.Empty() || again.Notes != nil {
		t.Errorf("a second installation would change %+v, %v", again, err)
	}
	h.uninstall()
	if diff := cmp.Diff(before, h.files()); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if p, err := install.Uninstall(h.dirs, h.at); err != nil || !p.Empty() {
		t.Errorf("there is more to undo: %+v, %v", p, err)
	}
}

// Whatever the settings were: they come back byte for byte, with their mode.
func TestInstall_UninstallRestoresBytes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty file":  "",
		"blank file":  " \n",
		"only a mark": "\ufeff",
		"mark, blank": "\ufeff\r\n",
		"empty":       "{ }",
		"one line":    `{"model":"x","env":{"A":"b"}}`,
		"other hooks": "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [ ],\r\n\t\t\"PreToolUse\": [ {\"matcher\":\"Bash\",\"hooks\":[]} ]\r\n\t}\r\n}",
		"a mark":      "\ufeff{\n \"x\": 1e2,\n \"hooks\" : { }\n}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(h.at.Settings, text, 0o640)
			h.install(program, "1.0.0")
			if len(h.hooks()) != 5 {
				t.Errorf("got %d hooks:\n%s", len(h.hooks()), h.read(h.at.Settings))
			}
			checkMode(t, h.at.Settings, 0o640)
			h.uninstall()
			if diff := cmp.Diff(text, h.read(h.at.Settings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkMode(t, h.at.Settings, 0o640)
		})
	}
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != want {
		t.Errorf("mode %s, want %s", info.Mode(), want)
	}
}

func TestInstall_UninstallIsItsInverse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(r *rapid.T) {
		text := drawObject(r, 3)
		h.write(h.at.Settings, text, 0o600)
		for _, version := range []string{"1", "2"}[:rapid.IntRange(1, 2).Draw(r, "times")] {
			p, err := install.Install(h.dirs, h.at, "/opt/"+version, version)
			if err != nil {
				r.Fatal(err)
			}
			if err := p.Apply(); err != nil {
				r.Fatal(err)
			}
		}
		h.uninstall()
		if got := h.read(h.at.Settings); got != text {
			r.Fatalf("got %q, want %q", got, text)
		}
	})
}

// drawObject draws settings of any shape that the agent can read.
func drawObject(r *rapid.T, depth int) string {
	blank := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\r\n")), 0, 3, -1)
	var value func(depth int) string
	list := func(depth int, open, end string, name func(i int) string) string {
		s := open + blank.Draw(r, "blank")
		for i := range rapid.IntRange(0, 3).Draw(r, "n") {
			if i > 0 {
				s += "," + blank.Draw(r, "blank")
			}
			s += name(i) + value(depth-1) + blank.Draw(r, "blank")
		}
		return s + end
	}
	member := func(i int) string { return []string{`"a"`, `"model\n"`, `"Ünï"`}[i] + blank.Draw(r, "blank") + ":" }
	value = func(depth int) string {
		switch kind := rapid.IntRange(0, 5).Draw(r, "kind"); {
		case kind == 0 && depth > 0:
			return list(depth, "{", "}", member)
		case kind == 1 && depth > 0:
			return list(depth, "[", "]", func(int) string { return "" })
		default:
			return rapid.SampledFrom([]string{"null", "true", "-1.50e+3", `"\u00e9"`, `"x"`, "0"}).Draw(r, "scalar")
		}
	}
	return blank.Draw(r, "blank") + list(depth, "{", "}", member) + blank.Draw(r, "blank")
}

// What somebody changed in between is theirs.
func TestUninstall_EditedInBetween(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(h.at.Settings, "{\n  \"model\": \"x\"\n}\n", 0o600)
	h.install(program, "1.0.0")
	text := h.read(h.at.Settings)
	text = strings.Replace(text, `"model": "x"`, `"model": "y"`, 1)
	text = strings.Replace(text, `"timeout": 5`, `"timeout": 7`, 1) // of SessionStart
	h.write(h.at.Settings, text, 0o600)
	h.write(h.at.Skill, plugins.Skill+"\nOurs.\n", 0o600)
	p := h.uninstall()
	got := h.hooks()
	if len(got) != 1 || got[0].Event != "SessionStart" {
		t.Errorf("left %+v, want the hook that was changed", got)
	}
	if text := h.read(h.at.Settings); !strings.Contains(text, `"model": "y"`) {
		t.Errorf("the change is lost:\n%s", text)
	}
	if !strings.HasSuffix(h.read(h.at.Skill), "Ours.\n") {
		t.Error("a skill that was changed is gone")
	}
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{"the hook for SessionStart", "was changed since it was installed"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q do not say %q", notes, want)
		}
	}
	if again, err := install.Uninstall(h.dirs, h.at); err != nil || !again.Empty() || len(again.Notes) != 1 {
		t.Errorf("a second time: %+v, %v; want a note on the hook that is left", again, err)
	}
}

// A new version's hooks replace those of the old one, wherever they are by now.
func TestInstall_NewVersion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const text = "{\n  \"model\": \"x\"\n}\n"
	h.write(h.at.Settings, text, 0o600)
	h.install("/opt/one/teammem", "1.0.0")
	h.write(h.at.Settings, strings.Replace(h.read(h.at.Settings), `"x"`, `"y"`, 1), 0o600)
	h.install("/opt/two/teammem", "2.0.0")
	for _, k := range h.hooks() {
		if k.Command != "/opt/two/teammem" {
			t.Errorf("got %+v of the old version", k)
		}
	}
	if n := len(h.hooks()); n != 5 {
		t.Errorf("got %d hooks, want 5", n)
	}
	h.uninstall()
	if diff := cmp.Diff(strings.Replace(text, `"x"`, `"y"`, 1), h.read(h.at.Settings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What others put behind ours does not make a second installation move it.
func TestInstall_SecondAfterAnEdit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(h.at.Settings, "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", 0o600)
	h.install(program, "1.0.0")
	text := strings.Replace(h.read(h.at.Settings), `"hooks": {`, "\"model\": 1,\n  \"hooks\": {", 1)
	h.write(h.at.Settings, text, 0o600)
	if p := h.install(program, "1.0.0"); !p.Empty() {
		t.Errorf("it would change %s", p.Changes[0].After)
	}
}

// A hook that somebody wrote by hand is not doubled, and stays.
func TestInstall_ByHand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const text = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"teammem hook Stop"}]}]}}`
	h.write(h.at.Settings, text, 0o600)
	p := h.install(program, "1.0.0")
	if n := len(h.hooks()); n != 5 || len(p.Notes) != 1 {
		t.Errorf("got %d hooks and notes %q; want 5 and one", n, p.Notes)
	}
	h.uninstall()
	if got := h.read(h.at.Settings); got != text {
		t.Errorf("got %s", got)
	}
	p, err := install.Uninstall(h.dirs, h.at)
	if err != nil || !p.Empty() || len(p.Notes) != 1 {
		t.Errorf("got %+v, %v; want a note that something is there", p, err)
	}
}

// The receipt may be lost: what is there is known all the same.
func TestInstall_WithoutReceipt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.install(program, "1.0.0")
	h.must(os.RemoveAll(h.dirs.State))
	if p, err := install.Install(h.dirs, h.at, program, "1.0.0"); err != nil || !p.Empty() {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestInstall_Links(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	real := filepath.Join(h.dir, "dotfiles", "claude.json")
	h.write(real, "{}", 0o644)
	h.must(os.MkdirAll(filepath.Dir(h.at.Settings), 0o700))
	h.must(os.Symlink(filepath.Join("..", "dotfiles", "claude.json"), h.at.Settings))
	h.install(program, "1.0.0")
	if info, err := os.Lstat(h.at.Settings); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	checkMode(t, real, 0o644)
	h.uninstall()
	if got := h.read(real); got != "{}" {
		t.Errorf("got %q", got)
	}
	h.must(os.Remove(real))
	if _, err := install.Install(h.dirs, h.at, program, "1"); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("got %v, want a refusal to fill a link that leads nowhere", err)
	}
}

// Settings that cannot be edited are left alone.
func TestInstall_Unreadable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"comments": "{\n// mine\n}", "cut off": "{", "hooks": `{"hooks":[]}`} {
		h := newHome(t)
		h.write(h.at.Settings, text, 0o600)
		_, err := install.Install(h.dirs, h.at, program, "1.0.0")
		if broken, ok := errors.AsType[*install.UnreadableError](err); !ok || broken.File != h.at.Settings || !errors.Is(err, settings.ErrText) {
			t.Errorf("%s: got %v", name, err)
		}
		if h.read(h.at.Settings) != text {
			t.Errorf("%s: changed to %s", name, h.read(h.at.Settings))
		}
		if _, err := os.Stat(h.dirs.State); err == nil {
			t.Errorf("%s: a receipt was written", name)
		}
	}
	snippet, err := install.Snippet("teammem")
	if err != nil || !bytes.HasPrefix(snippet, []byte("{\n  \"hooks\": {\n")) {
		t.Errorf("got %s, %v", snippet, err)
	}
}

// Settings that change between the plan and the deed are not overwritten.
func TestApply_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(h.at.Settings, "{}", 0o600)
	p, err := install.Install(h.dirs, h.at, program, "1.0.0")
	h.must(err)
	h.write(h.at.Settings, `{"new":1}`, 0o600)
	if err := p.Apply(); err == nil || h.read(h.at.Settings) != `{"new":1}` {
		t.Errorf("got %v and %s", err, h.read(h.at.Settings))
	}
	// The receipt that was written first does no harm.
	h.install(program, "1.0.0")
	h.uninstall()
	if got := h.read(h.at.Settings); got != `{"new":1}` {
		t.Errorf("got %s", got)
	}
}

// A crash after each step leaves something that the next run puts in order.
func TestApply_CutOff(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"a\": 1\n}\n"
	for steps := range 3 {
		h := newHome(t)
		h.write(h.at.Settings, text, 0o600)
		p, err := install.Install(h.dirs, h.at, program, "1.0.0")
		h.must(err)
		cut := p
		cut.Changes = cut.Changes[:min(steps, len(cut.Changes))]
		h.must(cut.Apply())
		if steps == 1 { // first undone, then once more
			h.uninstall()
			if got := h.read(h.at.Settings); got != text {
				t.Errorf("after %d steps, uninstalled: %s", steps, got)
			}
		}
		h.install(program, "1.0.0")
		if len(h.hooks()) != 5 || h.read(h.at.Skill) != plugins.Skill {
			t.Errorf("after %d steps, installed again: %s", steps, h.read(h.at.Settings))
		}
		h.uninstall()
		if got := h.read(h.at.Settings); got != text {
			t.Errorf("after %d steps: %s", steps, got)
		}
		if _, err := os.Stat(h.at.Skill); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d steps the skill is left", steps)
		}
	}
}

// Hooks of an earlier installation are still known after another one wrote its
// receipt and could not write the settings: they are replaced, or taken out.
func TestApply_ReinstallFailed(t *testing.T) {
	t.Parallel()
	const text, model = "{\n  \"model\": \"x\",\n  \"hooks\": {}\n}\n", `"model": "x"`
	for _, edited := range []bool{false, true} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("edited %t, again %t", edited, again), func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				h.write(h.at.Settings, text, 0o600)
				h.install("/opt/one/teammem", "1.0.0")
				for _, program := range []string{"/opt/two/teammem", "/opt/three/teammem"} {
					h.failToInstall(program)
				}
				want := text
				if edited {
					want = strings.Replace(text, model, `"model": "y"`, 1)
					h.write(h.at.Settings, strings.Replace(h.read(h.at.Settings), model, `"model": "y"`, 1), 0o600)
				}
				if again {
					if p := h.install("/opt/four/teammem", "4.0.0"); len(p.Notes) > 0 {
						t.Errorf("notes %q", p.Notes)
					}
					for _, k := range h.hooks() {
						if k.Command != "/opt/four/teammem" {
							t.Errorf("got %+v of an earlier installation", k)
						}
					}
				}
				if n := len(h.hooks()); n != 5 {
					t.Errorf("got %d hooks, want 5", n)
				}
				if p := h.uninstall(); len(p.Notes) > 0 {
					t.Errorf("notes %q", p.Notes)
				}
				if got := h.read(h.at.Settings); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
	}
}

// failToInstall installs while a folder is in the place of the settings.
func (h *home) failToInstall(program string) {
	h.Helper()
	p, err := install.Install(h.dirs, h.at, program, "2.0.0")
	h.must(err)
	aside := h.at.Settings + ".aside"
	h.must(os.Rename(h.at.Settings, aside))
	h.must(os.Mkdir(h.at.Settings, 0o700))
	if err := p.Apply(); err == nil {
		h.Fatal("a folder was taken for settings")
	}
	h.must(os.Remove(h.at.Settings))
	h.must(os.Rename(aside, h.at.Settings))
}

// Scopes of one repository have one skill: it, and the folders above it, go with
// the last of them.
func TestUninstall_SharedSkill(t *testing.T) {
	t.Parallel()
	for _, order := range [][2]install.Scope{{install.Project, install.Local}, {install.Local, install.Project}} {
		for _, first := range order {
			t.Run(fmt.Sprintf("%s first, %s gone first", order[0], first), func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				repo := filepath.Join(h.dir, "repo")
				h.must(os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
				for _, scope := range order {
					h.at = h.place(scope, repo)
					h.install(program, "1.0.0")
				}
				h.at = h.place(first, repo)
				if p := h.uninstall(); len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "SKILL.md stays: ") {
					t.Errorf("notes %q", p.Notes)
				}
				if got := h.read(h.at.Skill); got != plugins.Skill {
					t.Errorf("the skill is %q", got)
				}
				h.at = h.place(map[install.Scope]install.Scope{install.Project: install.Local, install.Local: install.Project}[first], repo)
				if n := len(h.hooks()); n != 5 {
					t.Errorf("%d hooks of the other scope, want 5", n)
				}
				h.uninstall()
				if left, err := os.ReadDir(repo); err != nil || len(left) != 1 {
					t.Errorf("left %v, %v", left, err)
				}
			})
		}
	}
}

// A skill of the member's own under that name stays.
func TestInstall_OwnSkill(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(h.at.Skill, "mine\n", 0o600)
	p := h.install(program, "1.0.0")
	if len(p.Notes) != 1 || h.read(h.at.Skill) != "mine\n" {
		t.Errorf("notes %q, skill %q", p.Notes, h.read(h.at.Skill))
	}
	h.uninstall()
	if h.read(h.at.Skill) != "mine\n" {
		t.Error("the member's skill is gone")
	}
	if _, err := os.Stat(h.at.Settings); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("settings that were made are left: %v", err)
	}
}

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	repo, deep := filepath.Join(h.dir, "repo"), filepath.Join(h.dir, "repo", "a", "b")
	h.must(os.MkdirAll(deep, 0o700))
	h.write(filepath.Join(repo, ".git"), "gitdir: elsewhere\n", 0o600)
	plain := filepath.Join(h.dir, "plain")
	h.must(os.MkdirAll(plain, 0o700))
	for _, tt := range []struct {
		scope        install.Scope
		folder, want string
	}{
		{install.User, deep, filepath.Join(h.dir, ".claude", "settings.json")},
		{install.Project, deep, filepath.Join(repo, ".claude", "settings.json")},
		{install.Local, deep, filepath.Join(repo, ".claude", "settings.local.json")},
		{install.Project, plain, filepath.Join(plain, ".claude", "settings.json")},
	} {
		at := h.place(tt.scope, tt.folder)
		skill := filepath.Join(filepath.Dir(tt.want), "skills", "team-memory", "SKILL.md")
		if at.Settings != tt.want || at.Skill != skill {
			t.Errorf("%s: got %+v, want %s", tt.scope, at, tt.want)
		}
	}
	at, err := install.PlaceOf(install.User, "", func(name string) string {
		return map[string]string{"HOME": h.dir, "CLAUDE_CONFIG_DIR": filepath.Join(h.dir, "cfg")}[name]
	})
	if err != nil || at.Settings != filepath.Join(h.dir, "cfg", "settings.json") {
		t.Errorf("got %+v, %v", at, err)
	}
	for _, bad := range []struct{ scope, folder string }{{"everybody", deep}, {"project", filepath.Join(h.dir, "none")}} {
		if _, err := install.PlaceOf(install.Scope(bad.scope), bad.folder, h.getenv); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}

// A project's files can be read by everybody, like the others in it.
func TestInstall_Project(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	repo := filepath.Join(h.dir, "repo")
	h.must(os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
	h.at = h.place(install.Project, repo)
	h.install("teammem", "1.0.0")
	checkMode(t, h.at.Settings, 0o644)
	checkMode(t, h.at.Skill, 0o644)
	h.uninstall()
	if left, err := os.ReadDir(repo); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}
