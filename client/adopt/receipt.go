package adopt

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// State is how far an import has come.
type State string

// The states.
const (
	Begun   State = "begun"   // files may be in team/
	Written State = "written" // all of them are, and the server may not know
	Sent    State = "sent"    // the server has ruled on all of them
	Undone  State = "undone"
)

// Receipt is what one import added to the tree. It is written before the first
// file is, so that an import which was cut off can be undone as well.
type Receipt struct {
	ID        string         `json:"id"`
	At        time.Time      `json:"at"`
	State     State          `json:"state"`
	MemoryDir string         `json:"memory_dir"`
	Layout    Layout         `json:"layout"`
	Source    string         `json:"source"` // folder, or what the files have in common
	To        string         `json:"to,omitzero"`
	Files     []ReceiptFile  `json:"files"`
	Indexes   []ReceiptIndex `json:"indexes,omitzero"`
}

// ReceiptFile is one file that an import made.
type ReceiptFile struct {
	File    string  `json:"file"` // of the source
	Part    int     `json:"part,omitzero"`
	Path    string  `json:"path"`
	SHA256  string  `json:"sha256"`
	Outcome Outcome `json:"outcome,omitzero"`
}

// ReceiptIndex is one index that gained lines.
type ReceiptIndex struct {
	File    string        `json:"file"`
	Path    string        `json:"path"`
	SHA256  string        `json:"sha256"` // of the index with the lines
	Lead    string        `json:"lead,omitzero"`
	Lines   []ReceiptLine `json:"lines"`
	Outcome Outcome       `json:"outcome,omitzero"`
}

// ReceiptLine is a line that an index gained, with its end, and the path of the
// entry that it leads to.
type ReceiptLine struct {
	Text   string `json:"text"`
	Target string `json:"target"`
}

// newReceipt says what a plan is about to add.
func newReceipt(p *Plan, memoryDir string, at time.Time) *Receipt {
	r := &Receipt{
		ID: "imp_" + at.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4]), At: at.UTC(), State: Begun,
		MemoryDir: memoryDir, Layout: p.Source.Layout, Source: p.Source.place(), To: p.To,
	}
	for i := range p.Items {
		item := &p.Items[i]
		switch item.Verdict {
		case New:
			r.Files = append(r.Files, ReceiptFile{File: item.File, Part: item.Part, Path: item.Path.String(), SHA256: item.Sum.String()})
		case Merged:
			x := ReceiptIndex{File: item.File, Path: item.Path.String(), SHA256: memory.Sum(item.content).String(), Lead: item.lead}
			for _, l := range item.Lines {
				x.Lines = append(x.Lines, ReceiptLine{l.Text, l.Target.String()})
			}
			r.Indexes = append(r.Indexes, x)
		case Same, Differs, Split, Skipped, Refused:
		}
	}
	return r
}

// place is what a source is told apart by.
func (s Source) place() string {
	if s.Layout == LayoutFiles {
		return strings.Join(s.Files, string(os.PathListSeparator))
	}
	return s.Dir
}

// absorb takes over what an import of the same source, which was cut off, had
// added by then: the two are one act.
func (r *Receipt) absorb(cut Receipt, p *Plan) {
	for i := range p.Items {
		item := &p.Items[i]
		if item.Verdict != Same {
			continue
		}
		for _, f := range cut.Files {
			if f.Path == item.Path.String() && f.SHA256 == item.Sum.String() {
				r.Files = append(r.Files, f)
			}
		}
	}
	r.Indexes = append(cut.Indexes, r.Indexes...)
}

// empty reports whether the import added nothing.
func (r *Receipt) empty() bool {
	added := slices.ContainsFunc(r.Files, func(f ReceiptFile) bool { return f.Outcome != Theirs }) ||
		slices.ContainsFunc(r.Indexes, func(x ReceiptIndex) bool { return x.Outcome != Theirs })
	return !added
}

// Receipts returns those of the tree, oldest first.
func (im *Importer) Receipts() ([]Receipt, error) {
	names, err := os.ReadDir(im.o.Receipts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list imports: %w", err)
	}
	var all []Receipt
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), "imp_") || filepath.Ext(n.Name()) != ".json" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(im.o.Receipts, n.Name()))
		if err != nil {
			return nil, fmt.Errorf("read import: %w", err)
		}
		var r Receipt
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, fmt.Errorf("read import %s: %w", n.Name(), err)
		}
		if r.MemoryDir == im.o.MemoryDir {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Receipt) int { return a.At.Compare(b.At) })
	return all, nil
}

// receipt returns the one with the id, or the last that was not undone.
func (im *Importer) receipt(id string) (Receipt, error) {
	all, err := im.Receipts()
	if err != nil {
		return Receipt{}, err
	}
	var ids []string
	for _, r := range slices.Backward(all) {
		if r.ID == id || id == "" && r.State != Undone {
			return r, nil
		}
		ids = append(ids, r.ID)
	}
	if id == "" {
		return Receipt{}, memory.Invalid("undo", "nothing was imported here that is not undone already")
	}
	return Receipt{}, &memory.Error{
		Code: memory.CodeInvalid, Field: "undo", Message: fmt.Sprintf("there is no import %+q here", id),
		Hint: "the imports are: " + strings.Join(ids, ", "),
	}
}

// save writes a receipt as it is now.
func (im *Importer) save(r *Receipt) error {
	// The names of the source are for people, and may be no UTF-8.
	b, err := json.Marshal(r, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("keep import %s: %w", r.ID, err)
	}
	if err := client.WriteFile(im.file(r.ID), append(b, '\n')); err != nil {
		return fmt.Errorf("keep import %s: %w", r.ID, err)
	}
	return nil
}

// forget removes a receipt.
func (im *Importer) forget(r *Receipt) error {
	if err := os.Remove(im.file(r.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget import %s: %w", r.ID, err)
	}
	return nil
}

func (im *Importer) file(id string) string { return filepath.Join(im.o.Receipts, id+".json") }
