package view

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/teammem/teammem/web/view/diff"
	"github.com/teammem/teammem/web/view/foreign"
)

// section is a part of a diff: the frontmatter, or the body.
type section struct {
	name string
	diff diff.Diff
}

// sections compares two texts, the frontmatter apart from the body.
func sections(from, to string) []section {
	oldBlock, oldBody := frontmatter(from)
	newBlock, newBody := frontmatter(to)
	var list []section
	if oldBlock+newBlock != "" {
		list = append(list, section{"frontmatter", diff.Compare(diff.Side{Text: oldBlock}, diff.Side{Text: newBlock})})
	}
	if oldBody+newBody != "" {
		list = append(list, section{"body", diff.Compare(
			diff.Side{Text: oldBody, Before: strings.Count(oldBlock, "\n")},
			diff.Side{Text: newBody, Before: strings.Count(newBlock, "\n")},
		)})
	}
	return list
}

// shown reports whether the sections show all that changed.
func shown(list []section) bool {
	chips := 0
	for _, s := range list {
		if s.diff.Large {
			return false
		}
		for _, r := range s.diff.Rows {
			for _, part := range r.Spans {
				if chips += foreign.Chips(part.Text, mostChips); chips > mostChips {
					return false
				}
			}
		}
	}
	return true
}

// changed sums up how many lines were added and removed.
func changed(list []section) (added, removed int) {
	for _, s := range list {
		added += s.diff.Added
		removed += s.diff.Removed
	}
	return added, removed
}

// render shows the body of an entry as a page. Its relative links lead to
// entries of the same project, counted from the entry's own folder.
func render(slug, entry, body string) foreign.Rendered {
	return foreign.Markdown(body, func(target string) (string, bool) {
		target, err := url.PathUnescape(target)
		if err != nil {
			return "", false
		}
		to := path.Join(path.Dir(entry), target)
		if !strings.HasSuffix(to, ".md") || to == ".." || strings.HasPrefix(to, "../") {
			return "", false
		}
		return PathURL(slug, to), true
	})
}

func rowClass(op diff.Op) string { return [...]string{"same", "del", "ins", "skip"}[op] }

// sign says what happened to a line without a colour.
func sign(op diff.Op) string { return [...]string{"", "−", "+", ""}[op] }

func lineNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// side names the text that a row is of.
func side(op diff.Op) string {
	switch op {
	case diff.Delete:
		return "old text"
	case diff.Insert:
		return "new text"
	case diff.Equal, diff.Skip:
	}
	return "text"
}
