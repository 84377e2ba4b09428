package memory

import (
	"fmt"
	"strings"
)

// Budget is a size of an index: lines and bytes.
type Budget struct{ Lines, Bytes int }

// IndexLimit is what an agent loads of a MEMORY.md when its session starts.
// The rest is cut off, behind the last line that fits.
func IndexLimit() Budget { return Budget{Lines: 200, Bytes: 25_000} }

// IndexWarning is where warnings start: four fifths of the limit.
func IndexWarning() Budget { return Budget{Lines: 160, Bytes: 20_000} }

// IndexBudget measures an index as the limit counts it: without a byte order
// mark, frontmatter, and comments that have their lines to themselves.
func IndexBudget(index string) Budget {
	var b Budget
	for l := range indexLines(index) {
		b.add(l)
	}
	return b
}

// Usage tells the size and the limit, for people.
func (b Budget) Usage() string {
	limit := IndexLimit()
	return fmt.Sprintf("%d lines, %d bytes (limit: %d lines, %d bytes)", b.Lines, b.Bytes, limit.Lines, limit.Bytes)
}

// Near reports whether it is time to shorten the index.
func (b Budget) Near() bool {
	w := IndexWarning()
	return b.Lines >= w.Lines || b.Bytes >= w.Bytes
}

// Over reports whether an agent does not see all of the index.
func (b Budget) Over() bool {
	limit := IndexLimit()
	return b.Lines > limit.Lines || b.Bytes > limit.Bytes
}

func (b *Budget) add(l mdLine) {
	b.Lines++
	b.Bytes += l.size
}

// indexLines goes through the lines of an index that count, numbered as they
// are in the file.
func indexLines(index string) func(yield func(mdLine) bool) {
	return func(yield func(mdLine) bool) {
		_, end, body := cutBlock(strings.TrimPrefix(index, byteOrderMark))
		for l := range mdLines(body) {
			l.number += end
			if l.part != partComment && !yield(l) {
				return
			}
		}
	}
}
