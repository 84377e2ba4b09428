package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
)

// linked links the repository app to its store, as a link of the member would.
func (p *place) linked() client.Link {
	p.t.Helper()
	app := p.repo("app")
	p.note(app, "team/"+markerFile, "instance ins_1\nproject prj_1\nroot 0123456789abcdef\n")
	l := client.Link{
		Folder: app, Repository: "dir:" + filepath.Join(app, ".git"), Server: "http://127.0.0.1:1", Instance: "ins_1", Project: "prj_1", Slug: "acme/app",
		MemoryDir: p.store(app), MemoryReal: p.store(app), Source: fromDefault, RootID: "0123456789abcdef",
	}
	must(p.t, p.dirs().SaveLink(l))
	return l
}

func named(checks []client.Check, name string) client.Check {
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	return client.Check{}
}

func TestCase_Place(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		from   []string
		change func(p *place, l client.Link)
		check  string
		grade  client.Grade
		words  string
	}{
		{"all well: memory", []string{"app"}, nil, "memory", client.Well, "memory"},
		{"all well: root", []string{"app"}, nil, "root", client.Well, ", slug -"},
		{"all well: link", []string{"app"}, nil, "link", client.Well, "acme/app at http://127.0.0.1:1"},
		{"worktree", []string{"fix"}, func(p *place, l client.Link) { p.git(l.Folder, "worktree", "add", "-q", p.at("fix")) }, "root", client.Well, "fix is a worktree or submodule of it"},
		{"submodule", []string{"app", "sub"}, func(p *place, l client.Link) {
			p.git(l.Folder, "submodule", "add", "-q", p.repo("lib"), "sub")
		}, "root", client.Look, "sessions here have a memory of their own"},
		{"memory that is gone", []string{"app"}, func(p *place, l client.Link) { must(p.t, os.RemoveAll(l.MemoryDir)) }, "memory", client.Wrong, "is not there"},
		{"memory that moved", []string{"app"}, func(p *place, _ client.Link) { p.env[envMemoryDir] = p.dir("elsewhere") }, "link", client.Wrong, "is now "},
		{"settings that decide in the repository's name", []string{"app"}, func(p *place, _ client.Link) {
			p.file(`{"autoMemoryDirectory":"`+p.at("x")+`"}`, "app", configFolder, "settings.json")
		}, "link", client.Wrong, "--memory-dir"},
		{"no marker", []string{"app"}, func(p *place, l client.Link) {
			must(p.t, os.Remove(filepath.Join(l.MemoryDir, teamFolder, markerFile)))
		}, "link", client.Wrong, "team/.teammem is missing"},
		{"another's marker", []string{"app"}, func(p *place, _ client.Link) {
			p.note(p.at("app"), "team/"+markerFile, "instance ins_1\nproject prj_2\nroot 0123456789abcdef\n")
		}, "link", client.Wrong, "it was copied, or is another project's"},
		{"another repository: memory", []string{"other"}, func(p *place, _ client.Link) { p.dir("other") }, "memory", client.Look, "is not there yet"},
		{"another repository: link", []string{"other"}, func(p *place, _ client.Link) { p.dir("other") }, "link", client.Wrong, "not linked"},
		{"settings that cannot be read", []string{"other"}, func(p *place, _ client.Link) {
			p.file("{", "other", configFolder, "settings.json")
		}, "memory", client.Wrong, "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			l := p.linked()
			if tt.change != nil {
				tt.change(p, l)
			}
			c, err := NewCase(p.dirs(), p.at(tt.from...), p.getenv)
			must(t, err)
			checks := c.Place()
			got := named(checks, tt.check)
			if got.Grade != tt.grade || !strings.Contains(got.Detail, tt.words) {
				t.Errorf("got %+v; want %s, and words on %q", got, tt.grade, tt.words)
			}
			for _, check := range checks {
				if (check.Fix == "") != (check.Grade == client.Well) {
					t.Errorf("a fix belongs to what is not well, and to nothing else: %+v", check)
				}
			}
		})
	}
	if _, err := NewCase(newPlace(t).dirs(), "/nowhere/at/all", os.Getenv); err == nil {
		t.Error("a folder that is not there was examined")
	}
}

func TestCase_Stores(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.linked()
	fix, other := p.at("fix"), p.at("other")
	for _, dir := range []string{fix, other} {
		p.git(l.Folder, "worktree", "add", "-q", dir)
	}
	c, err := NewCase(p.dirs(), l.Folder, p.getenv)
	must(t, err)
	if got := c.Stores(); len(got) != 1 || got[0].Grade != client.Well || got[0].Detail != "no second memory of this repository" {
		t.Errorf("got %+v", got)
	}
	p.note(fix, "team/a\x1b[31m.md", "x\n")
	p.note(fix, "MEMORY.md", "x\n")
	p.note(other, "MEMORY.md", "x\n")
	must(t, os.Symlink(p.dir("away"), p.at(configFolder, projectsFolder, slugOf(p.at("app", "sub")))))
	p.dir("app", "sub")
	p.dir("away", memoryFolder)
	checks := c.Stores()
	if len(checks) != 3 {
		t.Fatalf("got %+v", checks)
	}
	for i, want := range []struct{ detail, source, fix string }{
		{"was not looked into: it is a link", "sub-folder " + p.at("app", "sub"), "look whether"},
		{`holds 2 files, of team/ not here: "a\x1b[31m.md"`, "worktree " + fix, "teammem import " + filepath.Join(p.store(fix), teamFolder)},
		{"holds 1 file", "worktree " + other, "move what you need to " + l.MemoryDir},
	} {
		if got := checks[i]; got.Grade != client.Look || !strings.Contains(got.Detail, want.detail) || got.Source != want.source || !strings.Contains(got.Fix, want.fix) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
}

func TestCase_Indexes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.linked()
	p.note(l.Folder, "MEMORY.md", strings.Repeat("line\n", 160))
	p.note(l.Folder, "team/there.md", "x\n")
	p.note(l.Folder, "team/unlisted.md", "x\n")
	p.note(l.Folder, "team/MEMORY.md", "- [a](there.md)\n- [a](there.md)\n- [b](gone.md)\n- [c](../private.md)\n")
	c, err := NewCase(p.dirs(), l.Folder, p.getenv)
	must(t, err)
	checks := c.checkIndexes()
	if got := named(checks, "private index"); got.Grade != client.Look || got.Detail != "160 of 200 lines, 800 of 25000 bytes" {
		t.Errorf("got %+v", got)
	}
	got := named(checks, "team index")
	if got.Grade != client.Look || !strings.HasSuffix(got.Detail, ", 1 dangling, 1 outside, 1 duplicate, 1 unlisted") || got.Fix != "correct or remove line 2, 3, 4" {
		t.Errorf("got %+v", got)
	}
	must(t, os.Remove(filepath.Join(l.MemoryDir, "MEMORY.md")))
	p.note(l.Folder, "team/MEMORY.md", "# Index\n")
	checks = c.checkIndexes()
	if got := named(checks, "private index"); got.Grade != client.Well || got.Detail != "none yet" {
		t.Errorf("got %+v", got)
	}
	if got := named(checks, "team index"); got.Grade != client.Well || !strings.HasSuffix(got.Detail, ", 2 unlisted") {
		t.Errorf("got %+v", got)
	}
}
