package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// stateDir is where hooks keep what the next one has to know.
func stateDir(d client.Dirs) string { return filepath.Join(d.State, "hook") }

// state is what one hook leaves to the next. Each piece is a file of its own,
// so hooks that run beside each other undo nothing.
type state struct {
	dir   string
	clock memory.Clock
}

const (
	keepState = 14 * 24 * time.Hour // of sessions that ended long ago
	twins     = 3 * time.Second     // hooks of two installations start within
)

// once reports whether this is the first hook for an event. With two
// installations, in the settings and as a plugin, each event has two hooks at
// the same time, and the second one stays silent. An event without an id of its
// own is told from a later one by the time.
func (s state) once(in input) bool {
	name := short(in.Session, in.Event, in.Source, in.ToolUse, string(in.ToolInput))
	if in.ToolUse != "" {
		return s.claim(name)
	}
	now := s.clock()
	slot := now.UnixNano() / twins.Nanoseconds()
	before := filepath.Join(s.dir, "seen", name+"-"+strconv.FormatInt(slot-1, 10))
	if info, err := os.Stat(before); err == nil && now.Sub(info.ModTime()).Abs() < twins {
		return false
	}
	return s.claim(name + "-" + strconv.FormatInt(slot, 10))
}

// claim makes a file that only one can make. Where none can be made, every hook
// is the first: better twice than never.
func (s state) claim(name string) bool {
	file := filepath.Join(s.dir, "seen", name)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.MkdirAll(filepath.Dir(file), 0o700) // the next try tells
		f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_ = f.Close()
	}
	return !errors.Is(err, fs.ErrExist)
}

// tidy removes what belongs to sessions that ended long ago.
func (s state) tidy() error {
	root, err := os.OpenRoot(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("tidy what hooks left: %w", err)
	}
	defer root.Close()
	limit := s.clock().Add(-keepState)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == linksDir:
			return fs.SkipDir // what was told of a link stays
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().Before(limit) {
			err = root.Remove(name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another hook tidies, too
		return fmt.Errorf("tidy what hooks left: %w", err)
	}
	return nil
}

// linksDir holds what was told of each link.
const linksDir = "links"

// toldOf is what was told of a link last: to any session, or to one.
type toldOf struct {
	Epoch   string               `json:"epoch"`
	Seq     int64                `json:"seq"`
	Entries map[string]toldEntry `json:"entries,omitzero"` // by path; of a link only
}

func (s state) linkFile(l client.Link) string {
	return filepath.Join(s.dir, linksDir, short(l.Instance, string(l.Project), l.RootID)+".json")
}

func (s state) sessionFile(session string, l client.Link) string {
	return filepath.Join(s.dir, "sessions", short(session, l.Instance, string(l.Project), l.RootID)+".json")
}

// load reads what was told; nothing if it is missing or damaged, so that all is
// told anew.
func load(file string) (t toldOf, ok bool) {
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return toldOf{}, false
	}
	return t, true
}

// save keeps what was told, if that is news.
func save(file string, t toldOf) error {
	b, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("remember what was told: %w", err)
	}
	if old, err := os.ReadFile(file); err == nil && string(old) == string(b) {
		return nil
	}
	return client.WriteFile(file, b)
}

// pending is a text that was handed over, and whose verdict is not known yet.
type pending struct {
	Disk string    `json:"disk"` // below team/
	Link string    `json:"link"` // the linked folder
	At   time.Time `json:"at"`

	file string
}

func (s state) pendingDir(session string) string {
	return filepath.Join(s.dir, "pending", short(session))
}

// owe remembers that a session waits for a verdict.
func (s state) owe(session string, at spot) error {
	b, err := json.Marshal(pending{Disk: at.disk, Link: at.link.Folder, At: s.clock()}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("remember a verdict that is owed: %w", err)
	}
	return client.WriteFile(filepath.Join(s.pendingDir(session), short(at.link.Folder, at.disk)+".json"), b)
}

// owed returns the verdicts that a session waits for.
func (s state) owed(session string) (all []pending) {
	names, err := os.ReadDir(s.pendingDir(session))
	if err != nil {
		return nil // none: most sessions never wait
	}
	for _, name := range names {
		p := pending{file: filepath.Join(s.pendingDir(session), name.Name())}
		if b, err := os.ReadFile(p.file); err == nil && json.Unmarshal(b, &p) == nil {
			all = append(all, p)
		}
	}
	return all
}

// settle forgets verdicts that were told. One of a later text at the same place
// is owed still.
func (s state) settle(all []pending) {
	for _, p := range all {
		var now pending
		if b, err := os.ReadFile(p.file); err == nil && json.Unmarshal(b, &now) == nil && now.At.Equal(p.At) {
			_ = os.Remove(p.file) // else it is told once more
		}
	}
}
