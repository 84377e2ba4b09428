package client

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	ID        memory.ConflictID `json:"conflict,omitzero"` // by which the server knows it, or will
	Path      string            `json:"path"`
	EntryID   memory.EntryID    `json:"entry_id"`
	Device    memory.DeviceID   `json:"device"`
	BaseRev   int64             `json:"base_rev"`
	ServerRev int64             `json:"server_rev"`
	Reason    string            `json:"reason"`
	Mirrored  bool              `json:"mirrored,omitzero"`  // the server has it, too
	Again     bool              `json:"again,omitzero"`     // the text lost once more since it got its identity
	Refused   *unshared         `json:"refused,omitzero"`   // why it never will, by itself
	Withdrawn bool              `json:"withdrawn,omitzero"` // a maintainer took back what it was written over
}

// unshared says why a text is on this computer only.
type unshared struct {
	Code    memory.Code `json:"code"`
	Message string      `json:"message"`
	RuleSet string      `json:"rule_set"` // of this program, when it was refused
}

// recorded is a conflict with what is known of it.
type recorded struct {
	Kept

	meta conflictMeta
}

// metaOf reads what is known of a conflict; nothing, if that is damaged: the
// path says enough.
func metaOf(k Kept) (meta conflictMeta) {
	if err := readJSON(metaFile(k.File), &meta); err != nil {
		return conflictMeta{}
	}
	return meta
}

func metaFile(text string) string { return strings.TrimSuffix(text, ".md") + metaSuffix }

// note writes down what is known of a conflict. If it was closed meanwhile, by a
// run in another tree of the project, that is told by what is left here.
func (v vault) note(k recorded) error { return putJSON(v.write, metaFile(k.File), k.meta) }

// forget removes what is left of a conflict that was closed, and of its folder.
func (k recorded) forget() error {
	if err := os.Remove(metaFile(k.File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a conflict: %w", err)
	}
	_ = os.Remove(filepath.Dir(k.File)) // if that was the last
	return nil
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
	known, stem := metaOf(k), strings.TrimSuffix(file, ".md")
	again := known.ID != "" && (meta.ServerRev == 0 || meta.ServerRev != known.ServerRev)
	switch {
	case base == nil && exists(stem+baseSuffix):
		meta = known // more is known of that text than now
	case base != nil:
		if err := v.write(stem+baseSuffix, base); err != nil {
			return Conflict{}, err
		}
	}
	meta.ID, meta.Mirrored, meta.Refused = cmp.Or(known.ID, memory.NewConflictID()), known.Mirrored, known.Refused
	meta.Path, meta.Device, meta.Again = p.String(), v.device, known.Again || again
	return k, v.note(recorded{k, meta})
}

// conflicts returns the open conflicts, oldest first. One is closed by removing
// its file.
func (v vault) conflicts() ([]Conflict, error) {
	all, err := v.list()
	for i, k := range all {
		meta := metaOf(k)
		all[i].Mirrored = meta.Mirrored
		if meta.Refused != nil && !meta.Mirrored {
			all[i].Alone = meta.Refused.Message
		}
	}
	return all, err
}

// closed returns what is left of conflicts that were closed, until the server
// knows: what is known of them, without the texts.
func (v vault) closed() ([]recorded, error) {
	var left []recorded
	err := v.walk(func(file string) error {
		stem, ok := strings.CutSuffix(file, metaSuffix)
		if !ok || exists(stem+".md") {
			return nil
		}
		k := Kept{File: stem + ".md"}
		if meta := metaOf(k); meta.ID != "" {
			left = append(left, recorded{k, meta})
		}
		return nil
	})
	return left, err
}

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
	return ours, base, metaOf(k), nil
}

// closeConflict takes the texts of a conflict out of the store, its own last: as
// long as that is there, the conflict is open. What is known of it stays if the
// server may have it, too, until that was told.
func closeConflict(k Conflict) error {
	for _, file := range []string{strings.TrimSuffix(k.File, ".md") + baseSuffix, k.File} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("close the conflict: %w", err)
		}
	}
	if known := metaOf(k); known.ID == "" || known.Refused != nil && !known.Mirrored {
		return recorded{k, known}.forget()
	}
	return nil
}
