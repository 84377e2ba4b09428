package tree

import (
	"os"

	"golang.org/x/sys/unix"
)

// canFlush says whether one call can make a whole file system durable and
// report errors of the files written since f was opened.
const canFlush = true

func flush(f *os.File) error {
	return onFD(f, unix.Syncfs)
}
