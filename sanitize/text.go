package sanitize

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The reasons of a [TextError]. They are rule names: a reason can be reported
// as the Rule of a [Finding].
const (
	ReasonUTF16 = "utf_16"
	ReasonUTF8  = "invalid_utf8"
	ReasonNUL   = "null_byte"
)

// A TextError is the refusal of content that is not UTF-8 text. It names the
// first bad byte and never repeats it.
type TextError struct {
	Reason string // one of the Reason constants
	Offset int    // bytes, from 0
	Line   int    // from 1
	Column int    // from 1, in code points
}

// Error names reason and position, for people.
func (e *TextError) Error() string {
	what := e.Reason
	switch e.Reason {
	case ReasonUTF16:
		what = "UTF-16 instead of UTF-8"
	case ReasonUTF8:
		what = "invalid UTF-8"
	case ReasonNUL:
		what = "NUL character"
	}
	return fmt.Sprintf("%s at byte %d (line %d, column %d)", what, e.Offset, e.Line, e.Column)
}

// CheckText returns a [*TextError] unless content is text in UTF-8. A byte
// order mark at the start and CRLF line ends are legal.
func CheckText(content []byte) error {
	if bytes.HasPrefix(content, []byte{0xFF, 0xFE}) || bytes.HasPrefix(content, []byte{0xFE, 0xFF}) {
		return newTextError(ReasonUTF16, content, 0)
	}
	head, _, hasNUL := bytes.Cut(content, []byte{0})
	if !utf8.Valid(head) {
		return newTextError(ReasonUTF8, content, validPrefix(head))
	}
	if hasNUL {
		return newTextError(ReasonNUL, content, len(head))
	}
	return nil
}

func newTextError(reason string, content []byte, offset int) *TextError {
	line, column := Position(string(content[:offset]), offset)
	return &TextError{reason, offset, line, column}
}

// validPrefix returns how many bytes at the start of b are valid UTF-8.
func validPrefix(b []byte) int {
	for n := 0; ; {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size < utf8.RuneLen(utf8.RuneError) { // one bad byte, or the end
			return n
		}
		n += size
	}
}

// Position returns the line and column of the byte at offset, as a [Finding]
// counts them: both from 1, lines by line feed, columns in code points.
func Position(text string, offset int) (line, column int) {
	before := text[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[lineStart:]) + 1
}
