package tree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/teammem/teammem/memory"
)

const markerTitle = "# teammem keeps this folder in sync. Leave this file where it is."

// Marker says which project a team/ folder belongs to. It is a file in the
// folder, so that a folder that was swapped or emptied is noticed.
type Marker struct {
	Instance string
	Project  memory.ProjectID
	Root     string // random, of this folder alone
	Inode    uint64 // of the marker's file: another one if a backup was restored, mostly
	CTime    int64  // of the marker's file, ns since 1970: a later one if a backup was restored
}

// Marker reads the marker; a missing one is fs.ErrNotExist.
func (t *Tree) Marker(ctx context.Context) (Marker, error) {
	content, i, err := t.settled(ctx, t.team, markerName, Stamp{}, patience)
	if err != nil {
		return Marker{}, fmt.Errorf("read root marker: %w", err)
	}
	m, err := parseMarker(string(content))
	if err != nil {
		return Marker{}, fmt.Errorf("read root marker: %w", err)
	}
	m.Inode, m.CTime = i.Inode, i.CTime
	return m, nil
}

// WriteMarker makes the folder the project's, under a new random name, and
// replaces a marker that is there.
func (t *Tree) WriteMarker(instance string, project memory.ProjectID) (Marker, error) {
	m := Marker{Instance: instance, Project: project, Root: randomHex(16)}
	if parsed, err := parseMarker(m.text()); err != nil || parsed != m {
		return Marker{}, fmt.Errorf("write root marker: %w", errors.Join(memory.Invalid("marker", "an id is missing or not one word"), err))
	}
	tmp := newTmpName()
	if err := t.team.writeNew(tmp, []byte(m.text())); err != nil {
		return Marker{}, fmt.Errorf("write root marker: %w", err)
	}
	err := t.rename(t.team, tmp, t.team, markerName)
	if err != nil {
		return Marker{}, fmt.Errorf("write root marker: %w", errors.Join(err, t.team.unlink(tmp)))
	}
	i, err := t.team.lstat(markerName)
	if err = errors.Join(err, t.team.sync()); err != nil {
		return Marker{}, fmt.Errorf("write root marker: %w", err)
	}
	m.Inode, m.CTime = i.Inode, i.CTime
	return m, nil
}

func (m Marker) text() string {
	return fmt.Sprintf("%s\ninstance %s\nproject %s\nroot %s\n", markerTitle, m.Instance, m.Project, m.Root)
}

// parseMarker is the inverse of text. Unknown lines are left to newer programs.
func parseMarker(s string) (Marker, error) {
	var m Marker
	for line := range strings.Lines(s) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch key {
		case "instance":
			m.Instance = value
		case "project":
			m.Project = memory.ProjectID(value)
		case "root":
			m.Root = value
		}
	}
	if m.Instance == "" || m.Project == "" || len(m.Root) < 16 {
		return Marker{}, memory.Invalid("marker", "this is no root marker")
	}
	return m, nil
}

// Touch sets when team/ was last read to now, and when it changed to what it
// was. Linux tells whoever watches the folder, if both are set; nothing else
// about it is another.
func (t *Tree) Touch() error {
	i, err := t.team.dir.Stat()
	if err != nil {
		return fmt.Errorf("touch tree: %w", err)
	}
	if err := t.team.root.Chtimes(".", t.options.Clock(), i.ModTime()); err != nil {
		return fmt.Errorf("touch tree: %w", err)
	}
	return nil
}
