package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnsafe means that somebody else could exchange or write to the tree.
var ErrUnsafe = errors.New("the folder is not safe to sync")

// checkChain looks at every folder from home, which is not looked at itself, to
// dir. Only what the member owns, or the system, may be on the way. Links of
// the member's own are fine there: many keep such folders in a dotfiles
// repository. A tree outside of home is checked by itself.
func checkChain(home, dir string) (warnings []string, err error) {
	for _, name := range chain(home, dir) {
		link, err := inspect(name, os.Lstat)
		if err != nil {
			return nil, err
		}
		if link.mode&fs.ModeSymlink != 0 && !link.trusted() {
			return nil, fmt.Errorf("%s is a link of another user: %w", name, ErrUnsafe)
		}
		target, err := inspect(name, os.Stat)
		if err != nil {
			return nil, err
		}
		if !target.trusted() {
			return nil, fmt.Errorf("%s belongs to another user: %w", name, ErrUnsafe)
		}
		if target.mode&0o002 != 0 && target.mode&fs.ModeSticky == 0 {
			return nil, fmt.Errorf("everybody may write to %s: %w", name, ErrUnsafe)
		}
		if link.mode&fs.ModeSymlink != 0 {
			warnings = append(warnings, name+" is a link")
		}
	}
	return warnings, nil
}

// chain returns the names from below home down to dir.
func chain(home, dir string) []string {
	rel, err := filepath.Rel(home, dir)
	if home == "" || err != nil || !filepath.IsLocal(rel) {
		return []string{dir}
	}
	if rel == "." {
		return nil
	}
	var names []string
	for i, c := range rel {
		if c == filepath.Separator {
			names = append(names, filepath.Join(home, rel[:i]))
		}
	}
	return append(names, filepath.Join(home, rel))
}

// checkFolder judges team/ itself.
func checkFolder(name string, i info) (warnings []string, err error) {
	switch {
	case i.mode&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a link: %w", name, ErrUnsafe)
	case !i.dir():
		return nil, fmt.Errorf("%s is no folder: %w", name, ErrUnsafe)
	case !i.owned():
		return nil, fmt.Errorf("%s belongs to another user: %w", name, ErrUnsafe)
	case i.mode&0o002 != 0:
		return nil, fmt.Errorf("everybody may write to %s: %w", name, ErrUnsafe)
	case i.mode&0o020 != 0:
		warnings = append(warnings, "the group may write to "+name)
	}
	return warnings, nil
}

// Owned reports whether a name is a folder, and no link, of the user's own: what
// is in a folder of somebody else's may be exchanged for something else.
func Owned(name string) (bool, error) {
	i, err := inspect(name, os.Lstat)
	return err == nil && i.dir() && i.owned(), err
}
