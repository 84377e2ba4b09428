package memory

import (
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// Inert prepares words of a member for the eyes of an agent: one line of at
// most so many characters, without anything invisible (see [sanitize.Inline])
// and without angle brackets, so that no tag of an agent's own can be made of
// it. Angle quotation marks take their places.
func Inert(words string, most int) string { return clip(inert(words), most) }

func inert(words string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '<', '＜', '﹤': // the wide and the small form turn into brackets when normalised
			return '‹'
		case '>', '＞', '﹥':
			return '›'
		}
		return r
	}, sanitize.Inline(words))
}
