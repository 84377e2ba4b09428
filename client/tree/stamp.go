package tree

import "io/fs"

// Stamp is what decides whether a file is read again: if it did not move, the
// text did not either, but for what the caller's racy rule covers. Where a
// system has no change time or inode number they are 0.
type Stamp struct {
	Size  int64
	MTime int64 // ns since 1970
	CTime int64 // ns since 1970
	Inode uint64
}

// IsZero reports whether the stamp says nothing.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// sameText reports whether s and o can only be one file with one text. A
// rename moves the change time, so it is left out.
func (s Stamp) sameText(o Stamp) bool {
	return s.Inode == o.Inode && s.Size == o.Size && s.MTime == o.MTime
}

// info is what one stat call says about a name.
type info struct {
	Stamp
	ATime int64 // ns since 1970; 0 where nobody needs it
	mode  fs.FileMode
	nlink uint64
	identity
}

func (i info) regular() bool { return i.mode.IsRegular() }
func (i info) dir() bool     { return i.mode.IsDir() }
