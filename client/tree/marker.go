package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// Touch writes the marker's first byte once more, so that whoever watches the
// folder can see whether events still arrive.
func (t *Tree) Touch() error {
	i, err := t.team.lstat(markerName)
	if err != nil {
		return fmt.Errorf("touch root marker: %w", err)
	}
	if b := t.team.judge(markerName, i, nil); b != nil {
		return fmt.Errorf("touch root marker: %w", b)
	}
	f, err := t.team.root.OpenFile(markerName, os.O_WRONLY|nonBlocking, 0)
	if err != nil {
		return fmt.Errorf("touch root marker: %w", err)
	}
	now, err := fstat(f)
	if err == nil && !now.same(i) {
		err = ErrChanged
	}
	if err == nil {
		_, err = f.WriteAt([]byte(markerTitle[:1]), 0)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("touch root marker: %w", err)
	}
	return nil
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

// IgnoreFile returns the text of team/.teammemignore; nil if there is none.
func (t *Tree) IgnoreFile(ctx context.Context) ([]byte, error) {
	content, _, err := t.settled(ctx, t.team, ignoreName, Stamp{}, patience)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ignore file: %w", err)
	}
	return content, nil
}
