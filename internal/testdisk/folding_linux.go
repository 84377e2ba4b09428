package testdisk

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Folding is a disk that takes spellings for one name if they differ in case
// or composition only, as macOS' and, for case, Windows' disks do.
type Folding struct {
	Root string // what is on it: this folder and all below
	// Decompose stores each new name decomposed, as HFS+ does, whatever it was
	// called when it was made.
	Decompose bool
}

// Judge is a [Judge].
func (f Folding) Judge(c Call) Verdict {
	path, to := f.spelling(c.Path), ""
	if c.To != "" {
		if to = f.spelling(c.To); to == path { // another spelling of itself
			to = f.stored(c.To)
		}
	}
	return Elsewhere(path, to)
}

// spelling is how the disk spells a name: as the file there is called that it
// stands for, else as a new one would be.
func (f Folding) spelling(path string) string {
	if !strings.HasPrefix(path, f.Root+"/") {
		return path
	}
	dir := f.spelling(filepath.Dir(path))
	base := filepath.Base(path)
	names, _ := os.ReadDir(dir) // what cannot be read has no other spellings
	for _, n := range names {
		if fold(n.Name()) == fold(base) {
			return filepath.Join(dir, n.Name())
		}
	}
	return filepath.Join(dir, filepath.Base(f.stored(path)))
}

func (f Folding) stored(path string) string {
	if f.Decompose && strings.HasPrefix(path, f.Root+"/") {
		return filepath.Join(filepath.Dir(path), norm.NFD.String(filepath.Base(path)))
	}
	return path
}

func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }
