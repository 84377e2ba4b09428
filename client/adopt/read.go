package adopt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// readFile reads a note that was a regular file a moment ago, and no more than
// an entry may have. A FIFO in its place does not make it hang, and a file that
// has a second name elsewhere is not read: that may be anything.
func readFile(root *os.Root, base string, named fs.FileInfo) ([]byte, *memory.Error) {
	f, err := root.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable("the file cannot be read", err)
	}
	defer f.Close()
	before, err := f.Stat()
	switch {
	case err != nil:
		return nil, unreadable("the file cannot be read", err)
	case !before.Mode().IsRegular() || !os.SameFile(named, before):
		return nil, unstable()
	case links(f, before) > 1:
		return nil, &memory.Error{
			Code: memory.Code(tree.KindHardlink), Hint: "import a copy of it",
			Message: "the file has a second name elsewhere, so it could share more than you mean",
		}
	}
	content, err := io.ReadAll(io.LimitReader(f, memory.MaxEntryBytes+1))
	if err != nil {
		return nil, unreadable("the file cannot be read", err)
	}
	after, err := f.Stat()
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil, unstable()
	}
	if len(content) > memory.MaxEntryBytes {
		return nil, tooLarge()
	}
	return content, nil
}

func tooLarge() *memory.Error {
	return &memory.Error{
		Code: memory.CodeTooLarge, Message: "the file is larger than an entry may be (256 KiB)", Hint: "split it into several entries",
	}
}

func unstable() *memory.Error {
	return &memory.Error{
		Code: memory.Code(tree.KindUnstable), Message: "the file changed while it was read", Hint: "import again when it rests",
	}
}

// unreadable tells of the system's error only what is no name.
func unreadable(message string, err error) *memory.Error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		message += ": " + e.Err.Error()
	}
	return &memory.Error{Code: memory.Code(tree.KindUnreadable), Message: message, Hint: "check its permissions and the disk", Err: err}
}
