package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/teammem/teammem/memory"
)

// What lies beside the text of a conflict: what both sides started from, and
// where it came from.
const (
	baseSuffix = ".base.md"
	metaSuffix = ".meta.json"
)

// Conflict is a local text that could not be merged. It waits outside the tree,
// because agents read every Markdown file in the tree, and it waits for ever.
type Conflict = Kept

// conflictMeta lies beside the text and tells where it came from.
type conflictMeta struct {
	Path      string          `json:"path"`
	EntryID   memory.EntryID  `json:"entry_id"`
	Device    memory.DeviceID `json:"device"`
	BaseRev   int64           `json:"base_rev"`
	ServerRev int64           `json:"server_rev"`
	Reason    string          `json:"reason"`
}

// Conflicts returns the open conflicts of the project of a link, oldest first.
// Every tree of the project on this computer has part in them.
func (d Dirs) Conflicts(l Link) ([]Conflict, error) { return vault{dir: d.conflictsDir(l)}.conflicts() }

// keepConflict stores a local text, the text it started from if that is known,
// and where both came from. It is done before the tree is touched.
func (v vault) keepConflict(p memory.Path, text, base []byte, meta conflictMeta) (Conflict, error) {
	file, err := v.keep(p, text)
	if err != nil {
		return Conflict{}, err
	}
	k, _ := keptOf(p, file) // we gave it the name
	stem := strings.TrimSuffix(file, ".md")
	switch {
	case base == nil && exists(stem+baseSuffix):
		return k, nil // more is known of that text than now
	case base != nil:
		if err := v.write(stem+baseSuffix, base); err != nil {
			return Conflict{}, err
		}
	}
	meta.Path, meta.Device = p.String(), v.device
	return k, putJSON(v.write, stem+metaSuffix, meta)
}

// conflicts returns the open conflicts, oldest first. One is closed by removing
// its file.
func (v vault) conflicts() ([]Conflict, error) { return v.list() }

// sides are the texts of a conflict as they were kept. The base is nil, and so
// is what the meta file says, where that is not known.
func sides(k Conflict) (ours, base []byte, meta conflictMeta, err error) {
	ours, err = os.ReadFile(k.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, meta, memory.NotFound("the conflict " + k.ID)
	}
	if err != nil {
		return nil, nil, meta, fmt.Errorf("read the kept text: %w", err)
	}
	stem := strings.TrimSuffix(k.File, ".md")
	base, err = os.ReadFile(stem + baseSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, meta, fmt.Errorf("read the base: %w", err)
	}
	if err := readJSON(stem+metaSuffix, &meta); err != nil {
		meta = conflictMeta{} // the path says enough
	}
	return ours, base, meta, nil
}

// closeConflict takes the files of a conflict out of the store, the text last:
// as long as it is there, the conflict is open.
func closeConflict(k Conflict) error {
	stem := strings.TrimSuffix(k.File, ".md")
	for _, file := range []string{stem + metaSuffix, stem + baseSuffix, k.File} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("close the conflict: %w", err)
		}
	}
	return nil
}
