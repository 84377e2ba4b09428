package sanitize

import "fmt"

// A Layer names one of the checks that a key passes, in the order of the
// constants. Users meet these names in messages, so they never change.
type Layer string

// The layers, in the order in which they are applied. Segment and length
// appear at several points, each as early as it is needed.
const (
	LayerEncoding   Layer = "encoding"    // invalid UTF-8, or U+FFFD, which stands for it
	LayerNullByte   Layer = "null_byte"   // U+0000, which ends a path in C
	LayerSegment    Layer = "segment"     // an empty key, or a segment that some system cannot store as it is
	LayerLength     Layer = "length"      // longer or deeper than some system can store
	LayerControl    Layer = "control"     // other control characters
	LayerBackslash  Layer = "backslash"   // a separator on Windows
	LayerAbsolute   Layer = "absolute"    // a root, home folder, drive or URL
	LayerURLEncoded Layer = "url_encoded" // a percent escape: a key is a literal name
	LayerUnicode    Layer = "unicode"     // invisible or unstable characters, and those that fold to structure
	LayerTraversal  Layer = "traversal"   // a ".." segment
	LayerReserved   Layer = "reserved"    // names that an agent, git or Windows gives a meaning
	LayerExtension  Layer = "extension"   // anything but ".md"
	LayerCase       Layer = "case"        // another spelling of a name that is already there
)

// A PathError is the refusal of a key by its first failing layer. It can be
// shown as it is: it never repeats the key.
type PathError struct {
	Layer  Layer
	Offset int    // bytes from the start of the raw key, from 0
	Hint   string // what is wrong and what to do, for people
}

// Error names layer, position and hint.
func (e *PathError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Layer, e.Offset, e.Hint)
}
