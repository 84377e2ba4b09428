package sanitize

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextRules names the rules of [CheckText]. The name is another one whenever
// they refuse something else, so that what passed other rules is looked at again.
const TextRules = "text1"

// The reasons of a [TextFault]. They are rule names: a reason can be reported
// as the Rule of a [Finding].
const (
	ReasonUTF16      = "utf_16"
	ReasonUTF8       = "invalid_utf8"
	ReasonNUL        = "null_byte"
	ReasonControl    = "control_character"
	ReasonNonchar    = "noncharacter"
	ReasonAnnotation = "annotation_mark"
	ReasonTag        = "tag_character"
	ReasonPrivate    = "private_use"
	ReasonSelector   = "variation_selector"
	ReasonBidi       = "bidi_control"
	ReasonDeprecated = "deprecated_format"
	ReasonUnassigned = "unassigned_invisible"
	ReasonInWord     = "hidden_in_word"
)

// maxTextFaults is how many faults of one text are told.
const maxTextFaults = 50

// A TextError is the refusal of content that is not UTF-8 text, or holds what
// nobody can see. It repeats nothing of the text but the code points that it is
// refused for.
type TextError struct {
	Faults []TextFault // in the order of the text, at least one and at most 50
	More   int         // how many further ones there are
}

// A TextFault is one place for which a text is refused.
type TextFault struct {
	Reason string // one of the Reason constants
	Rune   rune   // that is refused; 0 of bytes that are no text
	Offset int    // bytes, from 0
	Line   int    // from 1
	Column int    // from 1, in code points
}

// Error names the first faults, for people.
func (e *TextError) Error() string {
	const most = 3
	var all []string
	for _, f := range e.Faults[:min(most, len(e.Faults))] {
		all = append(all, f.String())
	}
	if more := len(e.Faults) - len(all) + e.More; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}

// Hint tells what to do about the first fault.
func (e *TextError) Hint() string {
	f := e.Faults[0]
	if f.Rune == 0 {
		return "save the file as UTF-8"
	}
	hint := fmt.Sprintf("remove %s at line %d, column %d", RuneName(f.Rune), f.Line, f.Column)
	if more := len(e.Faults) - 1 + e.More; more > 0 {
		hint += fmt.Sprintf(", and %d more like it", more)
	}
	return hint
}

// IsEncoding reports whether the content is no text at all.
func (e *TextError) IsEncoding() bool { return e.Faults[0].Rune == 0 }

// String names reason and position.
func (f TextFault) String() string {
	return fmt.Sprintf("%s at byte %d (line %d, column %d)", f.what(), f.Offset, f.Line, f.Column)
}

func (f TextFault) what() string {
	switch f.Reason {
	case ReasonUTF16:
		return "UTF-16 instead of UTF-8"
	case ReasonUTF8:
		return "invalid UTF-8"
	case ReasonNUL:
		return "NUL character"
	case ReasonInWord:
		return RuneName(f.Rune) + " inside a word"
	}
	return RuneName(f.Rune) + ", " + strings.ReplaceAll(f.Reason, "_", " ")
}

// CheckText returns a [*TextError] unless content is text in UTF-8 without
// hidden channels: no control characters but tab and line ends, nothing that
// reorders its neighbours, no tags, private use or other code points that
// nobody sees. What is invisible but has a use in some script is only refused
// inside a word or number in Latin letters. A byte order mark at the start and
// CRLF line ends are legal.
func CheckText(content []byte) error {
	if bytes.HasPrefix(content, []byte{0xFF, 0xFE}) || bytes.HasPrefix(content, []byte{0xFE, 0xFF}) {
		return &TextError{Faults: []TextFault{{Reason: ReasonUTF16, Line: 1, Column: 1}}}
	}
	c := textCheck{content: content, line: 1, column: 1}
	for c.at < len(content) {
		if n := plainASCII(content[c.at:]); n > 0 {
			c.pass(n)
			continue
		}
		c.step()
	}
	if c.found.Faults == nil {
		return nil
	}
	return &c.found
}

// textCheck goes through a text from one code point to the next.
type textCheck struct {
	content      []byte
	at           int  // the next byte
	line, column int  // of it
	last         rune // that is seen
	ahead        int  // up to here, nothing is seen
	goesOn       bool // and a Latin word follows there
	found        TextError
}

// plainASCII returns how many bytes at the start of b can be passed at once.
func plainASCII(b []byte) int {
	for i, c := range b {
		if c-' ' >= 0x7F-' ' && c != '\n' && c != '\r' && c != '\t' {
			return i
		}
	}
	return len(b)
}

// pass goes over n bytes of plain ASCII.
func (c *textCheck) pass(n int) {
	plain := c.content[c.at : c.at+n]
	c.at += n
	c.last = rune(plain[n-1])
	if lines := bytes.Count(plain, []byte{'\n'}); lines > 0 {
		c.line += lines
		c.column = n - bytes.LastIndexByte(plain, '\n')
		return
	}
	c.column += n
}

// step judges one code point that is not plain ASCII.
func (c *textCheck) step() {
	r, size := utf8.DecodeRune(c.content[c.at:])
	switch {
	case r == utf8.RuneError && size == 1:
		c.refuse(ReasonUTF8, 0)
	case r == 0:
		c.refuse(ReasonNUL, 0)
	case r < utf8.RuneSelf:
		c.refuse(ReasonControl, r)
	default:
		c.judge(r, size)
	}
	c.at += size
	c.column++
}

func (c *textCheck) judge(r rune, size int) {
	switch k := class(r); k {
	case classShown:
		if !isMark(r) { // which belongs to what it stands on
			c.last = r
		}
	case classBlank:
		if isLatinWord(c.last) && c.wordGoesOn(c.at+size) {
			c.refuse(ReasonInWord, r)
		}
	case classJoiner, classDirection:
	default:
		c.refuse(k.refused(), r)
	}
}

// wordGoesOn reports whether the next that is seen, from so many bytes on,
// belongs to a Latin word. A long row of what is not seen is read once.
func (c *textCheck) wordGoesOn(from int) bool {
	if from <= c.ahead {
		return c.goesOn
	}
	c.goesOn = false
	for c.ahead = from; c.ahead < len(c.content); {
		r, size := utf8.DecodeRune(c.content[c.ahead:])
		if r < utf8.RuneSelf || class(r) == classShown && !isMark(r) {
			c.goesOn = isLatinWord(r)
			break
		}
		c.ahead += size
	}
	return c.goesOn
}

func (c *textCheck) refuse(reason string, r rune) {
	if len(c.found.Faults) == maxTextFaults {
		c.found.More++
		return
	}
	c.found.Faults = append(c.found.Faults, TextFault{Reason: reason, Rune: r, Offset: c.at, Line: c.line, Column: c.column})
}

// Position returns the line and column of the byte at offset, as a [Finding]
// counts them: both from 1, lines by line feed, columns in code points.
func Position(text string, offset int) (line, column int) {
	before := text[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[lineStart:]) + 1
}
