package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
