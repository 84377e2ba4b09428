package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Failure is something that went wrong in a hook, and that the member has not
// been told yet.
type Failure struct {
	Event string    `json:"event"`
	Text  string    `json:"text"`
	Times int       `json:"times"`
	At    time.Time `json:"at"` // the last time
}

// String is the failure in a sentence.
func (f Failure) String() string {
	times := ""
	if f.Times > 1 {
		times = fmt.Sprintf(", %d times", f.Times)
	}
	return fmt.Sprintf("the hook for %s did not work%s (last on %s): %s", f.Event, times, f.At.UTC().Format("2006-01-02 15:04 UTC"), f.Text)
}

// Failures returns what hooks noted and no session has told yet, oldest first.
func Failures(d client.Dirs) ([]Failure, error) {
	kept, err := failures{dir: stateDir(d)}.list()
	var all []Failure
	for _, k := range kept {
		all = append(all, k.Failure)
	}
	return all, err
}

// failures keeps each kind of failure in a file of its own: hooks run beside
// each other, and none waits for another.
type failures struct {
	dir   string
	clock memory.Clock
}

// maxFailures bounds the kinds of failures that are kept.
const maxFailures = 50

type keptFailure struct {
	Failure

	file string
}

func (n failures) folder() string { return filepath.Join(n.dir, "failures") }

// add notes a failure. If not even that works, there is nobody to tell.
func (n failures) add(e Event, err error) {
	f := Failure{Event: e.Name, Text: told(err.Error()), At: n.clock()}
	file := filepath.Join(n.folder(), short(f.Event, f.Text)+".json")
	if old, err := readFailure(file); err == nil {
		f.Times = old.Times
	} else if names, err := os.ReadDir(n.folder()); err == nil && len(names) >= maxFailures {
		return
	}
	f.Times++
	if b, err := json.Marshal(f); err == nil {
		_ = client.WriteFile(file, b)
	}
}

// list returns all failures. One that cannot be read is none.
func (n failures) list() ([]keptFailure, error) {
	names, err := os.ReadDir(n.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what hooks noted: %w", err)
	}
	var all []keptFailure
	for _, name := range names {
		file := filepath.Join(n.folder(), name.Name())
		if f, err := readFailure(file); err == nil {
			all = append(all, keptFailure{f, file})
		}
	}
	slices.SortFunc(all, func(a, b keptFailure) int { return a.At.Compare(b.At) })
	return all, nil
}

// forget drops failures that were told. One that happened again meanwhile
// stays.
func (n failures) forget(all []keptFailure) {
	for _, f := range all {
		if now, err := readFailure(f.file); err == nil && now.Times == f.Times {
			_ = os.Remove(f.file) // else it is told once more
		}
	}
}

func readFailure(file string) (Failure, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Failure{}, err
	}
	var f Failure
	return f, json.Unmarshal(b, &f)
}

// short names a file after words that are not fit for a name.
func short(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:16])
}
