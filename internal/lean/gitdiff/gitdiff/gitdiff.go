// Package gitdiff stands in for the library of that name. The secret scanner's
// library links it for reading patches of git's history, which teammem never
// gives it, and its patterns would be compiled at every start of the program.
package gitdiff

import (
	"errors"
	"io"
	"time"
)

// File would be one file of a patch.
type File struct {
	NewName            string
	IsDelete, IsBinary bool
	PatchHeader        *PatchHeader
	TextFragments      []*TextFragment
}

// PatchHeader would be the commit of a patch.
type PatchHeader struct {
	SHA        string
	Author     *PatchIdentity
	AuthorDate time.Time
}

// Message would be the text of the commit.
func (*PatchHeader) Message() string { return "" }

// PatchIdentity would be who made a commit.
type PatchIdentity struct{ Name, Email string }

// TextFragment would be a run of changed lines.
type TextFragment struct{ NewPosition int64 }

// Raw would be the lines of one kind.
func (*TextFragment) Raw(LineOp) string { return "" }

// LineOp is a kind of line.
type LineOp int

// OpAdd is a line that a patch adds.
const OpAdd LineOp = '+'

// Parse fails, so that a patch is never taken for scanned.
func Parse(io.Reader) (<-chan *File, error) { return nil, errors.ErrUnsupported }
