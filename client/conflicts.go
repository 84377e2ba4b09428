package client

import (
	"strings"

	"github.com/teammem/teammem/memory"
)

// baseSuffix marks the text that both sides of a conflict started from.
const baseSuffix = ".base.md"

// Conflict is a local text that could not be merged. It waits outside the tree,
// because agents read every Markdown file in the tree.
type Conflict struct {
	Path memory.Path
	File string // absolute; the local text
}

// conflictMeta lies beside the text and tells where it came from.
type conflictMeta struct {
	Path      string          `json:"path"`
	EntryID   memory.EntryID  `json:"entry_id"`
	Device    memory.DeviceID `json:"device"`
	BaseRev   int64           `json:"base_rev"`
	ServerRev int64           `json:"server_rev"`
	Reason    string          `json:"reason"`
}

// keepConflict stores a local text, the text it started from if that is known,
// and where both came from. It is done before the tree is touched.
func (v vault) keepConflict(p memory.Path, text, base []byte, meta conflictMeta) (Conflict, error) {
	file, err := v.keep(p, text)
	if err != nil {
		return Conflict{}, err
	}
	stem := strings.TrimSuffix(file, ".md")
	if base != nil {
		if err := v.write(stem+baseSuffix, base); err != nil {
			return Conflict{}, err
		}
	}
	meta.Path, meta.Device = p.String(), v.device
	return Conflict{Path: p, File: file}, putJSON(v.write, stem+".meta.json", meta)
}

// conflicts returns the open conflicts, oldest first. One is closed by removing
// its file.
func (v vault) conflicts() ([]Conflict, error) {
	all, err := v.list()
	if err != nil {
		return nil, err
	}
	var open []Conflict
	for _, k := range all {
		open = append(open, Conflict{Path: k.Path, File: k.File})
	}
	return open, nil
}
