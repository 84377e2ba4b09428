package sanitize

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// SpellOut returns text with the number of each code point that [CheckText]
// refuses in its place, such as "[U+202E]": nothing is lost, and everybody sees
// it. Bytes that are no text are spelled as U+FFFD, which stands for such.
func SpellOut(text string) string {
	for {
		e, refused := errors.AsType[*TextError](CheckText([]byte(text)))
		if !refused {
			return text
		}
		var out strings.Builder
		done := 0
		for _, f := range e.Faults {
			r, size := utf8.DecodeRuneInString(text[f.Offset:])
			fmt.Fprintf(&out, "%s[%U]", text[done:f.Offset], r)
			done = f.Offset + size
		}
		text = out.String() + text[done:] // not all faults are told at once
	}
}
