package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/settings"
)

// receipt says what an installation did, so that it can be undone.
type receipt struct {
	Version  string        `json:"version"` // of teammem
	Settings string        `json:"settings"`
	Existed  bool          `json:"existed"`
	Before   string        `json:"before"` // hash of the settings
	After    string        `json:"after"`
	Original []byte        `json:"original"`
	Made     settings.Made `json:"made"`
	Skill    string        `json:"skill,omitzero"`
	SkillSum string        `json:"skill_sum,omitzero"`
	Folders  []string      `json:"folders,omitzero"` // that were made, outermost first
	Earlier  *receipt      `json:"earlier,omitzero"` // what it said before, until all files are written
}

// inForce returns the receipt for the settings as they are. One that was written
// first may be ahead of them: then what was installed earlier still stands
// there.
func (r receipt) inForce(content []byte) (receipt, error) {
	if r.Earlier == nil || hash(content) == r.After {
		return r, nil
	}
	earlier, err := r.Earlier.inForce(content)
	if err != nil {
		return receipt{}, err
	}
	replaced := slices.DeleteFunc(slices.Clone(earlier.Made.Items), func(i settings.Item) bool { return slices.Contains(r.Made.Items, i) })
	missing, err := settings.Missing(content, replaced)
	if err != nil {
		return receipt{}, err
	}
	if hash(content) != earlier.After && len(missing) == len(replaced) {
		return r, nil
	}
	earlier.Folders = r.Folders // also those that were made by then
	return earlier, nil
}

// skillSums are the hashes that the skill in a file can have by this receipt.
func (r receipt) skillSums(file string) (sums []string) {
	for at := &r; at != nil; at = at.Earlier {
		if at.Skill == file {
			sums = append(sums, at.SkillSum)
		}
	}
	return sums
}

func receiptFile(d client.Dirs, p Place) string {
	return filepath.Join(d.State, "install", "claude-"+hash([]byte(p.Settings))[:16]+".json")
}

// readReceipt returns the receipt of a place; ok is false if there is none.
func readReceipt(d client.Dirs, p Place) (r receipt, ok bool, err error) {
	file := receiptFile(d, p)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return receipt{}, false, nil
	}
	if err != nil {
		return receipt{}, false, fmt.Errorf("read receipt: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return receipt{}, false, fmt.Errorf("the receipt %s is damaged; move it away, and take the hooks out by hand (%v)", file, err) //nolint:errorlint // nobody branches on it
	}
	return r, true, nil
}

// neighbours returns the receipts of the other scopes that have their skill in
// the same file.
func neighbours(d client.Dirs, p Place) (all []receipt, err error) {
	for _, name := range []string{settingsFile, localSettingsFile} {
		other := p
		if other.Settings = filepath.Join(p.base, name); other.Settings == p.Settings {
			continue
		}
		r, ok, err := readReceipt(d, other)
		if err != nil {
			return nil, err
		}
		if ok && len(r.skillSums(p.Skill)) > 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

func (r receipt) bytes() ([]byte, error) {
	b, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("write receipt: %w", err)
	}
	return append(b, '\n'), nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
