package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/teammem/teammem/memory"
)

// Kind says why a name under team/ is left alone.
type Kind string

// The kinds that a disk can tell; those that need the text are the engine's.
const (
	KindUnreadable   Kind = "unreadable"    // no right to read or write, or an I/O error
	KindSymlink      Kind = "symlink"       // never followed
	KindIrregular    Kind = "irregular"     // FIFO, device, socket, folder named *.md, junction
	KindHardlink     Kind = "hardlink"      // another name elsewhere: could publish an outside file
	KindPathRejected Kind = "path_rejected" // not a path key; Err is the *memory.Error with the layer
	KindClash        Kind = "clash"         // two spellings of one path key
	KindTooLarge     Kind = "too_large"     // above memory.MaxEntryBytes
	KindUnstable     Kind = "unstable"      // was written to as long as we waited
	KindIgnored      Kind = "ignored"       // a name that is never looked at, or left out by the member
)

// Blocked is a name that must be neither taken for absent nor overwritten. It
// is an entry of a [Listing], and the error of an operation on one path.
type Blocked struct {
	Disk   string      // below team/, slash-separated, as spelled on disk
	Path   memory.Path // zero if the name is no path key
	Kind   Kind
	Folder bool  // all that may be below Disk is unknown as well
	Err    error // the cause; nil if Kind says it all
}

// Error names the file and the reason.
func (b *Blocked) Error() string {
	if b.Err == nil {
		return fmt.Sprintf("%+q: %s", b.Disk, b.Kind)
	}
	return fmt.Sprintf("%+q: %s: %v", b.Disk, b.Kind, b.Err)
}

// hides reports whether an entry may be behind the name, or below it.
func (b Blocked) hides() bool { return b.Folder || strings.HasSuffix(b.Disk, extension) }

// Unwrap returns the cause.
func (b *Blocked) Unwrap() error { return b.Err }

// ErrChanged is the result of an operation that was dropped because the tree
// is not what it was planned for. Nothing was changed: look and plan again.
var ErrChanged = errors.New("the file changed after it was looked at")

// ErrReplaced means that team/ or the memory folder is not the folder any more
// that was opened. Nothing was changed: open the tree again.
var ErrReplaced = errors.New("the folder was replaced by another one")

// denied reports whether the system refused an operation on one name for a
// reason that only somebody else can remove.
func denied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG)
}
