package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// A file in a linked tree is judged by its key there and by what is around it.
func TestTreeNames_Judge(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	memoryDir, team := filepath.Join(home, "memory"), filepath.Join(home, "memory", tree.FolderName)
	d := client.Dirs{Config: filepath.Join(home, "config")}
	must(t, d.SaveLink(client.Link{Folder: home, MemoryDir: memoryDir, MemoryReal: memoryDir}))
	for _, name := range []string{
		"memory/team/a.md", "memory/team/sub/.git/x.md", "memory/team/x.sync-conflict-1.md", "memory/team/drafts/x.md",
		"memory/team/stra\u00dfe/a.md", "memory/team/strasse/b.md", "memory/team/n\ufb01.md", "memory/team/nfi.md", "memory/own.md", "else/.git/x.md",
	} {
		must(t, os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o700))
		must(t, os.WriteFile(filepath.Join(home, name), []byte("text\n"), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(team, ".teammemignore"), []byte("drafts/\n"), 0o600))
	must(t, os.Symlink(filepath.Join(home, "else"), filepath.Join(team, "link")))
	must(t, os.Symlink(team, filepath.Join(home, "way in")))
	names, err := d.TreeNames(tree.Options{Clock: time.Now, Home: home})
	must(t, err)
	for _, tt := range []struct{ file, key, why string }{
		{"memory/team/a.md", "a.md", ""},
		{"way in/a.md", "a.md", ""},
		{"memory/team/not-there-yet.md", "not-there-yet.md", ""},
		{"memory/own.md", "", ""},
		{"else/.git/x.md", "", ""},
		{"memory/team", "", ""},
		{"memory/team/../own.md", "", ""},
		{"memory/team/sub/.git/x.md", "sub/.git/x.md", "path_rejected reserved"},
		{"memory/team/link/.git/x.md", "link/.git/x.md", "path_rejected reserved"},
		{"memory/team/link/x.md", "link/x.md", "symlink "},
		{"memory/team/x.sync-conflict-1.md", "x.sync-conflict-1.md", "ignored "},
		{"memory/team/drafts/x.md", "drafts/x.md", "ignored "},
		{"memory/team/stra\u00dfe/a.md", "stra\u00dfe/a.md", "path_rejected case"},
		{"memory/team/strasse/b.md", "strasse/b.md", "path_rejected case"},
		{"memory/team/STRASSE/c.md", "STRASSE/c.md", "path_rejected case"},
		{"memory/team/n\ufb01.md", "n\ufb01.md", "clash "},
	} {
		key, _, err := names.Judge(t.Context(), home+"/"+tt.file)
		why := ""
		if e, ok := errors.AsType[*memory.Error](err); ok {
			why = string(e.Code) + " " + e.Layer
			if e.Hint == "" || !strings.ContainsAny(e.Message, "abc") {
				t.Errorf("%+q: the refusal does not say what to do: %+v", tt.file, e)
			}
		} else {
			must(t, err)
		}
		if key != tt.key || why != tt.why {
			t.Errorf("%+q: key %+q, %q; want %+q, %q", tt.file, key, why, tt.key, tt.why)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "config", "teammem")); err == nil {
		t.Error("judging wrote something")
	}
}
