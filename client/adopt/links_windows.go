package adopt

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// links returns how many names an open file has.
func links(f *os.File, _ fs.FileInfo) uint64 {
	var i windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &i); err != nil {
		return 1 // not a file that has names, and refused for that
	}
	return uint64(i.NumberOfLinks)
}
