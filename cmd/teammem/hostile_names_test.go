package main

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/api/wire"
)

// The names by which a server and its projects go become names of folders and
// files: one that leads elsewhere, or that no header and no line can hold, ends
// the login or the link, and nothing is made under it.
func TestHostile_NamesOfFolders(t *testing.T) {
	t.Parallel()
	const away = "../../../../../planted"
	for name, h := range map[string]hostile{
		"instance":              {instance: away},
		"instance of this kind": {instance: "ins_x/" + away},
		"device":                {device: "dev_x/" + away},
		"member":                {member: "mem_x/" + away},
		"project":               {project: wire.Project{ID: away}},
		"project of this kind":  {project: wire.Project{ID: "prj_x/" + away}},
		"slug":                  {project: wire.Project{Slug: away}},
		"epoch":                 {project: wire.Project{Epoch: "e1\r\nplanted"}},
		"endless":               {project: wire.Project{ID: "prj_" + strings.Repeat("planted", 1000)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h.feed = offer([]string{"good.md"})
			server := httptest.NewServer(h)
			t.Cleanup(server.Close)
			root := t.TempDir()
			m := &member{home: filepath.Join(root, "1", "2", "3", "home")}
			mkdir(t, m.work())
			mkdir(t, m.tree())
			r := m.run(t, "login", server.URL, "--token", "any", "--keep-token")
			if r.code == exitOK {
				r = m.run(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"))
			}
			if r.code == exitOK || !strings.Contains(r.stderr, "breaks the protocol") || strings.Contains(r.stderr, "planted") {
				t.Errorf("exit %d with %q on stderr, want a refusal that is explained", r.code, r.stderr)
			}
			for file := range filesBelow(t, root) {
				if strings.Contains(file, "planted") {
					t.Errorf("%q was made", file)
				}
			}
		})
	}
}
