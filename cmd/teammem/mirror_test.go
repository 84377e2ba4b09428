package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
)

// tree fills a member's tree with some notes, or with a real tree if there is
// one beside the repository.
func (m *member) tree40(t *testing.T) {
	t.Helper()
	real := filepath.Join("..", "..", "..", "shared", "corpus", "compose-envkit", "agent-memory")
	if _, err := os.Stat(real); err == nil {
		if err := os.CopyFS(m.tree(), os.DirFS(real)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		m.write(t, fmt.Sprintf("topic%d/note-%02d.md", i%4, i), fmt.Sprintf("---\nname: note %d\n---\nfirst text of %d\n", i, i))
	}
	m.write(t, "MEMORY.md", "# Index\n\n- [note 0](topic0/note-00.md) — the first\n")
}

func TestMirror_BothSidesWork(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"mara first", "jo first"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t)
			a, b := tm.join(t, "mara"), tm.join(t, "jo")
			a.tree40(t)
			a.sync(t, 0)
			b.sync(t, 0)
			equalTrees(t, a, b)

			a.write(t, "topic0/note-00.md", "mara's edit\n")
			b.write(t, "topic1/note-01.md", "jo's edit\n")
			a.write(t, "new/of-mara.md", "new\n")
			b.write(t, "new/of-jo.md", "new as well\n")
			a.remove(t, "topic2/note-02.md")
			b.remove(t, "topic3/note-03.md")
			a.rename(t, "topic0/note-04.md", "moved/by-mara.md")
			b.rename(t, "topic1/note-05.md", "moved/by-jo.md")
			a.rename(t, "topic2/note-06.md", "topic2/swap.md") // two files swap names
			a.rename(t, "topic3/note-07.md", "topic2/note-06.md")
			a.rename(t, "topic2/swap.md", "topic3/note-07.md")
			b.rename(t, "topic0/note-08.md", "renamed-and-edited.md") // a rename here, an edit there
			a.write(t, "topic0/note-08.md", "edited under the old name\n")

			turns := []*member{a, b, a, b}
			if order == "jo first" {
				turns = []*member{b, a, b, a}
			}
			for _, m := range turns {
				m.sync(t, 0)
			}
			equalTrees(t, a, b)
			files := a.files(t)
			for path, want := range map[string]string{
				"topic0/note-00.md": "mara's edit\n", "topic1/note-01.md": "jo's edit\n", "new/of-mara.md": "new\n", "new/of-jo.md": "new as well\n",
				"topic2/note-06.md":     "---\nname: note 7\n---\nfirst text of 7\n",
				"topic3/note-07.md":     "---\nname: note 6\n---\nfirst text of 6\n",
				"moved/by-mara.md":      "---\nname: note 4\n---\nfirst text of 4\n",
				"moved/by-jo.md":        "---\nname: note 5\n---\nfirst text of 5\n",
				"renamed-and-edited.md": "edited under the old name\n",
			} {
				if files[path] != want {
					t.Errorf("%s: got %q, want %q", path, files[path], want)
				}
			}
			for _, path := range []string{"topic2/note-02.md", "topic3/note-03.md", "topic0/note-04.md", "topic1/note-05.md", "topic0/note-08.md"} {
				if _, there := files[path]; there {
					t.Errorf("%s is still there", path)
				}
			}
			digests(t, a, b)
			for path, actions := range map[string]string{
				"moved/by-mara.md": "move put", "topic0/note-00.md": "put put", "topic2/note-06.md": "move put", "renamed-and-edited.md": "",
			} {
				if got := a.history(t, path); actions != "" && got != actions {
					t.Errorf("history of %s: %q, want %q", path, got, actions)
				} else if len(strings.Fields(got)) < 2 {
					t.Errorf("history of %s is %q: the entry lost its past", path, got)
				}
			}
		})
	}
}

func digests(t *testing.T, members ...*member) {
	t.Helper()
	var all []string
	for _, m := range members {
		s := summaryOf(t, m.sync(t, 0, "--json").stdout)
		all = append(all, s.Cursor+" "+s.Digest)
	}
	if slices.Sort(all); len(slices.Compact(all)) != 1 {
		t.Errorf("the members' states differ: %v", all)
	}
}

// get asks the API as the member.
func (m *member) get(t *testing.T, path string, query url.Values, v any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.team.url+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusOK && v != nil {
		if err := json.Unmarshal(body, v); err != nil {
			t.Fatalf("GET %s: %v\n%s", path, err, body)
		}
	}
	return res.StatusCode
}

// link returns the member's link, with the ids that the API takes.
func (m *member) link(t *testing.T) client.Link {
	t.Helper()
	dirs, err := client.UserDirs(func(name string) string { return map[string]string{"HOME": m.home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	l, err := dirs.LinkOf(m.work())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// history returns what the revisions of the entry at the path did, newest
// first.
func (m *member) history(t *testing.T, path string) string {
	t.Helper()
	project := "/api/v1/projects/" + string(m.link(t).Project)
	var entry struct {
		EntryID string `json:"entry_id"`
	}
	if status := m.get(t, project+"/entry", url.Values{"path": {path}}, &entry); status != http.StatusOK {
		t.Fatalf("entry %s: status %d", path, status)
	}
	var page wire.Page[struct {
		Op string `json:"op"`
	}]
	if status := m.get(t, project+"/revisions", url.Values{"entry_id": {entry.EntryID}}, &page); status != http.StatusOK {
		t.Fatalf("revisions of %s: status %d", path, status)
	}
	var ops []string
	for _, r := range page.Items {
		ops = append(ops, r.Op)
	}
	return strings.Join(ops, " ")
}

// Both members add to MEMORY.md at the same time, ten times over: no conflict,
// no line lost, none twice.
func TestMirror_IndexNeverConflicts(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	a.tree40(t)
	a.sync(t, 0)
	b.sync(t, 0)
	want := map[string]int{}
	for line := range strings.Lines(a.read(t, "MEMORY.md")) {
		want[line] = 1
	}
	for round := range 10 {
		for _, m := range []*member{a, b} {
			line := fmt.Sprintf("- [round %d of %s](r%d-%s.md) — added at once\n", round, filepath.Base(m.home), round, filepath.Base(m.home))
			m.write(t, "MEMORY.md", m.read(t, "MEMORY.md")+line)
			want[line] = 1
		}
		first, second := a, b
		if round%2 == 1 {
			first, second = b, a
		}
		first.sync(t, 0)
		second.sync(t, 0)
		first.sync(t, 0)
	}
	equalTrees(t, a, b)
	got := map[string]int{}
	for line := range strings.Lines(a.read(t, "MEMORY.md")) {
		got[line]++
	}
	want["\n"] = got["\n"]
	if !maps.Equal(got, want) {
		t.Errorf("MEMORY.md:\n%s", a.read(t, "MEMORY.md"))
	}
	digests(t, a, b)
}

// Where both changed another file, nothing is overwritten: the server's text is
// in both trees, the other one in the conflict store, and the exit code says so
// until the person has taken care of it.
func TestMirror_BothChangedOneFile(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	a.write(t, "x.md", "base\n")
	a.sync(t, 0)
	b.sync(t, 0)
	a.write(t, "x.md", "mara's\n")
	b.write(t, "x.md", "jo's\n")
	a.write(t, "created.md", "by mara\n")
	b.write(t, "created.md", "by jo\n")
	a.sync(t, 0)
	r := b.sync(t, 3)
	a.sync(t, 0)
	equalTrees(t, a, b)
	if got := b.read(t, "created-2.md"); got != "by jo\n" {
		t.Errorf("created-2.md is %q, want the text of a name that was taken", got)
	}
	if got := b.read(t, "x.md"); got != "mara's\n" {
		t.Errorf("the tree has %q, want the server's text", got)
	}
	kept := filesBelow(t, filepath.Join(b.home, ".local", "share", "teammem", "conflicts"))
	var texts []string
	for name, text := range kept {
		if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".base.md") {
			texts = append(texts, text)
			if !strings.Contains(r.stderr, filepath.Base(name)) {
				t.Errorf("stderr does not name %s:\n%s", name, r.stderr)
			}
		}
	}
	if slices.Sort(texts); !slices.Equal(texts, []string{"jo's\n"}) {
		t.Errorf("the conflict store has %q", kept)
	}
	b.sync(t, 3) // still open
	if err := os.RemoveAll(filepath.Join(b.home, ".local", "share", "teammem", "conflicts")); err != nil {
		t.Fatal(err)
	}
	b.sync(t, 0)
}
