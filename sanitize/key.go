package sanitize

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of a key, so that each file system can store it.
const (
	maxRawBytes      = 2048 // before any Unicode work
	maxKeyBytes      = 512
	maxSegments      = 8
	maxSegmentBytes  = 255  // ext4, APFS
	maxSegmentUnits  = 255  // UTF-16 in NFD: HFS+
	maxMarks         = 8    // in a row
	maxSkeletonBytes = 2048 // a ligature can fold to eighteen letters, and databases index the skeleton
)

// ParseKey checks an untrusted key with every layer that needs only the key
// itself, and returns its canonical spelling. The error is a [*PathError].
//
// The result is a fixed point: parsing it again returns it unchanged.
func ParseKey(raw string) (canonical string, err error) {
	return parse(raw, isKnown)
}

// ParseServedKey checks a key that a server sent. It differs from [ParseKey]
// in one point: code points that our Unicode tables do not know yet pass, so
// that a new emoji does not stop an older client. The server knew them.
func ParseServedKey(raw string) (canonical string, err error) {
	return parse(raw, isKnownOrNewer)
}

func parse(raw string, known func(rune) bool) (string, error) {
	for _, refuse := range [...]func(string) *PathError{
		refuseEncoding,
		refuseNullByte,
		refuseRawLength,
		refuseControl,
		refuseBackslash,
		refuseAbsolute,
		refuseURLEncoded,
	} {
		if err := refuse(raw); err != nil {
			return "", err
		}
	}
	if err := refuseUnicode(raw, known); err != nil {
		return "", err
	}
	k := newKey(raw)
	for _, refuse := range [...]func(key) *PathError{
		refuseJoiner,
		refuseFoldedEscape,
		refuseTraversal,
		refuseLength,
		refuseSegments,
		refuseExtension,
	} {
		if err := refuse(k); err != nil {
			err.Offset = rawOffset(raw, k.canonical, err.Offset)
			return "", err
		}
	}
	return k.canonical, nil
}

// A key is what the later layers judge: the canonical spelling, and its
// skeleton, in which nothing can hide behind another script's letters.
type key struct{ canonical, skeleton string }

func newKey(raw string) key {
	if isASCII(raw) {
		return key{raw, Skeleton(raw)}
	}
	canonical := norm.NFC.String(raw)
	return key{canonical, Skeleton(canonical)}
}

// rawOffset translates an offset in the canonical key to one in the raw key:
// within a sequence that composing changed, to the start of the sequence.
func rawOffset(raw, canonical string, offset int) int {
	if raw == canonical {
		return offset
	}
	var it norm.Iter
	it.InitString(norm.NFC, raw)
	for !it.Done() {
		start := it.Pos()
		composed := it.Next()
		if offset < len(composed) {
			if strings.HasPrefix(raw[start:], string(composed[:offset])) {
				return start + offset
			}
			return start
		}
		offset -= len(composed)
	}
	return len(raw)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
