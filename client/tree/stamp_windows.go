package tree

import (
	"io/fs"
	"os"
)

// identity tells two files apart where inode numbers are not at hand.
type identity struct{ file fs.FileInfo }

func (i info) same(o info) bool { return os.SameFile(i.file, o.file) }

// junction reports whether the name is a link to a folder that is no symbolic
// link, or something else that Go has no word for.
func (i info) junction() bool { return i.mode&fs.ModeIrregular != 0 }

// sameDevice does not matter here: no call makes a whole device durable.
func (i info) sameDevice(info) bool { return true }

// lstat looks at a name in the folder and follows nothing.
func (d *folder) lstat(name string) (info, error) { return infoOf(d.root.Lstat(name)) }

// fstat looks at an open file.
func fstat(f *os.File) (info, error) {
	i, err := infoOf(f.Stat())
	i.nlink = links(f)
	return i, err
}

func infoOf(fi fs.FileInfo, err error) (info, error) {
	if err != nil {
		return info{}, err
	}
	return info{
		Stamp:    Stamp{Size: fi.Size(), MTime: fi.ModTime().UnixNano()},
		mode:     fi.Mode(),
		nlink:    1, // a name does not tell; the open file does
		identity: identity{file: fi},
	}, nil
}
