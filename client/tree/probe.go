package tree

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// probe finds out whether the file system takes two spellings for one name, by
// making a file and looking for it under others.
func (t *Tree) probe() (folding bool, err error) {
	name := strings.TrimSuffix(newTmpName(), tmpSuffix) + "\u00e9" + tmpSuffix // é, in one code point
	f, err := t.team.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close(), t.team.unlink(name)) }()
	for _, spelling := range []string{strings.ToUpper(name), norm.NFD.String(name)} {
		_, err := t.team.lstat(spelling)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}
