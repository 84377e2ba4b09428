package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// entryOf asks the server for an entry as it shows it.
func (m *member) entryOf(t *testing.T, path string) (e struct {
	EntryID     string  `json:"entry_id"`
	Path        string  `json:"path"`
	Kind        string  `json:"kind"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Rev         int64   `json:"rev"`
	Content     *string `json:"content"`
},
) {
	t.Helper()
	status := m.get(t, "/api/v1/projects/"+string(m.link(t).Project)+"/entry", url.Values{"path": {path}}, &e)
	if status != http.StatusOK {
		t.Fatalf("entry %s: status %d", path, status)
	}
	return e
}

const (
	byteOrderMark = "\ufeff"
	plainEntry    = "---\nname: Deploying\ndescription: how we deploy\nmetadata:\n  type: reference\n---\n\nask first\n"
)

// F38: a byte order mark hid the frontmatter. It is read, and the bytes come
// back as they were written.
func TestField_F38_BOMHidesFrontmatter(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	text := byteOrderMark + strings.ReplaceAll(plainEntry, "\n", "\r\n")
	a.write(t, "deploy.md", text)
	r := a.sync(t, 0)
	silentOn(t, r.stdout+r.stderr, "frontmatter")
	e := b.entryOf(t, "deploy.md")
	if e.Name != "Deploying" || e.Description != "how we deploy" || e.Kind != "reference" || e.Content == nil || *e.Content != text {
		t.Errorf("the server has %+v", e)
	}
	b.sync(t, 0)
	if got := b.read(t, "deploy.md"); got != text {
		t.Errorf("jo has %q, want %q", got, text)
	}
	a.sync(t, 0)
	if got := a.read(t, "deploy.md"); got != text {
		t.Errorf("mara has %q, want %q", got, text)
	}
}

// F39: one member's tool turns line ends into CRLF on each write. Ten rounds of
// that without an edit send nothing, and teammem's own file is still known.
func TestField_F39_CRLFChurn(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	a.tree40(t)
	a.sync(t, 0)
	b.sync(t, 0)
	before := a.files(t)
	for round := range 10 {
		for path, text := range b.files(t) {
			text = strings.ReplaceAll(text, "\r\n", "\n")
			if round%3 != 2 { // and sometimes back
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			b.write(t, path, text)
		}
		rewriteMarker(t, b)
		r := b.sync(t, 0)
		silentOn(t, r.stdout, "sent", "deleted", "renamed", "merged")
		silentOn(t, a.sync(t, 0).stdout, "received", "sent")
	}
	if after := a.files(t); len(after) != len(before) {
		t.Errorf("mara has %d files, and had %d", len(after), len(before))
	}
	for path, text := range before {
		if got := a.read(t, path); got != text {
			t.Errorf("%s came back as %q", path, got)
		}
	}
	// An edit still travels, with the line ends of whoever made it.
	b.write(t, "topic0/note-00.md", "edited\r\nby jo\r\n")
	says(t, b.sync(t, 0).stdout, "sent topic0/note-00.md")
	a.sync(t, 0)
	if got := a.read(t, "topic0/note-00.md"); got != "edited\r\nby jo\r\n" {
		t.Errorf("mara got %q", got)
	}
}

// rewriteMarker gives teammem's own file the other line ends, in place.
func rewriteMarker(t *testing.T, m *member) {
	t.Helper()
	marker := filepath.Join(m.tree(), ".teammem")
	text, err := os.ReadFile(marker)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n"))
	if err := os.WriteFile(marker, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// F40: the server has a name composed, and a Mac lists it decomposed. It is the
// same entry: nothing is deleted, sent again or doubled.
func TestField_F40_ComposedAndDecomposed(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	const composed = "café/Übersicht.md"
	decomposed := norm.NFD.String(composed)
	a.write(t, composed, "first\n")
	a.sync(t, 0)
	b.sync(t, 0)
	id := a.entryOf(t, composed).EntryID
	b.rename(t, composed, decomposed)
	if err := os.Remove(filepath.Join(b.tree(), "café")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := b.sync(t, 0)
		silentOn(t, r.stdout, "sent", "deleted", "received", "renamed", "trash")
	}
	wantFiles(t, b.tree(), decomposed)

	// Edits go both ways, each into the spelling that is there.
	b.write(t, decomposed, "by jo\n")
	b.sync(t, 0)
	a.sync(t, 0)
	if got := a.files(t); len(got) != 1 || got[composed] != "by jo\n" {
		t.Errorf("mara has %q", got)
	}
	a.write(t, composed, "by mara\n")
	a.sync(t, 0)
	b.sync(t, 0)
	if got := b.files(t); len(got) != 1 || got[decomposed] != "by mara\n" {
		t.Errorf("jo has %q", got)
	}
	if got := a.history(t, composed); got != "put put put" || a.entryOf(t, composed).EntryID != id {
		t.Errorf("the history is %q", got)
	}

	// Created decomposed, it is the same name as well.
	b.write(t, norm.NFD.String("größe.md"), "new\n")
	b.sync(t, 0)
	a.sync(t, 0)
	wantFiles(t, a.tree(), composed, "größe.md")
}

// F41: frontmatter that strict YAML refuses is read, said to be repaired, and
// not touched.
func TestField_F41_UnquotedYAML(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	want := map[string]string{
		"colon.md":    "Rule: never push on Friday",
		"backtick.md": "`make test` before each push",
		"at.md":       "@mara knows more",
		"star.md":     "*always* ask first",
		"bracket.md":  "[draft] how to release",
		"quote.md":    `"two" quotes: closed too early`,
	}
	texts := map[string]string{}
	for path, description := range want {
		texts[path] = "---\nname: " + strings.TrimSuffix(path, ".md") + "\ndescription: " + description + "\ntype: feedback\n---\nbody\n"
		a.write(t, path, texts[path])
	}
	a.sync(t, 0)
	b.sync(t, 0)
	equalTrees(t, a, b)
	status := a.run(t, "status", a.work(), "--json").stdout
	for path, description := range want {
		e := b.entryOf(t, path)
		if e.Description != description || e.Kind != "feedback" || e.Name != strings.TrimSuffix(path, ".md") {
			t.Errorf("%s is read as %+v, want the description %q", path, e, description)
		}
		if e.Content == nil || *e.Content != texts[path] || b.read(t, path) != texts[path] {
			t.Errorf("%s was rewritten", path)
		}
		if !strings.Contains(status, `"path":"`+path+`","rule":"repaired"`) {
			t.Errorf("status does not say that %s was read with repairs:\n%s", path, status)
		}
	}
}
