package memory

import "strings"

// Budget is how much of an index an agent takes in: lines and bytes.
// Frontmatter and HTML comments in lines of their own are free.
type Budget struct{ Lines, Bytes int }

// IndexLimit is what an agent loads of a MEMORY.md: what lies behind it is cut
// off at the last newline before.
func IndexLimit() Budget { return Budget{Lines: 200, Bytes: 25_000} }

// IndexWarning is where warnings start: four fifths of the limit.
func IndexWarning() Budget { return Budget{Lines: 160, Bytes: 20_000} }

// IndexBudget measures an index.
func IndexBudget(content string) Budget {
	return Budget{Lines: strings.Count(content, "\n"), Bytes: len(content)}
}

// Exceeds reports whether b is more than limit in lines or in bytes.
func (b Budget) Exceeds(limit Budget) bool { return b.Lines > limit.Lines || b.Bytes > limit.Bytes }

// Near reports whether b has reached the warning.
func (b Budget) Near() bool {
	w := IndexWarning()
	return b.Lines >= w.Lines || b.Bytes >= w.Bytes
}

// Over reports whether an agent does not see all of it.
func (b Budget) Over() bool { return b.Exceeds(IndexLimit()) }
