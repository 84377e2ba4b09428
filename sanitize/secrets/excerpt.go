package secrets

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

const (
	// ExcerptMost is the length of the longest excerpt, in characters.
	ExcerptMost = 160
	// mask takes the place of a secret, whose length it does not tell.
	mask = "********"
)

// Excerpt returns the line of text that f lies in, or the part of it around f,
// with a mask of the same width in the place of everything that any rule found.
// It is empty if the rules find something in it still, as may be the case where
// a mask joined what belongs apart, and if they do not find f there: it may come
// from what the text says in other words.
func (s *Scanner) Excerpt(ctx context.Context, text string, f sanitize.Finding) (string, error) {
	found, err := s.matches(ctx, text)
	if err != nil || len(found) >= maxFindings {
		return "", err // more may be hidden than was found
	}
	is := func(g sanitize.Finding) bool { return g.Rule == f.Rule && g.Line == f.Line && g.Column == f.Column }
	if !slices.ContainsFunc(findings(text, slices.Clone(found), nil), is) {
		return "", nil
	}
	excerpt := masked(text, found, f)
	left, err := s.matches(ctx, excerpt)
	if err != nil || len(left) > 0 {
		return "", err
	}
	return excerpt, nil
}

// Mask returns text with a mask in the place of everything that any rule found.
// It is empty where [Scanner.Excerpt] would be.
func (s *Scanner) Mask(ctx context.Context, text string) (string, error) {
	found, err := s.matches(ctx, text)
	if err != nil || len(found) >= maxFindings {
		return "", err // more may be hidden than was found
	}
	var out strings.Builder
	for start := 0; start <= len(text); {
		line := span{start, len(text)}
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			line.end = start + n
		}
		for _, h := range hiddenIn(text, line, found) {
			out.WriteString(text[start:h.start] + mask)
			start = h.end
		}
		end := min(line.end+1, len(text))
		out.WriteString(text[start:end])
		start = line.end + 1
	}
	left, err := s.matches(ctx, out.String())
	if err != nil || len(left) > 0 {
		return "", err
	}
	return out.String(), nil
}

// masked cuts the excerpt after everything has its mask, so that no cut leaves
// half a secret.
func masked(text string, found []match, f sanitize.Finding) string {
	line := lineOf(text, f.Line)
	at := line.start
	for n := f.Column; n > 1 && at < line.end; n-- {
		_, size := utf8.DecodeRuneInString(text[at:line.end])
		at += size
	}
	var out strings.Builder
	kept, middle := line.start, -1
	for _, h := range append(hiddenIn(text, line, found), span{line.end, line.end}) {
		if middle < 0 && at <= h.end {
			middle = out.Len() + max(0, min(at, h.start)-kept)
		}
		out.WriteString(text[kept:h.start])
		if h.size() > 0 {
			out.WriteString(mask)
		}
		kept = h.end
	}
	return clip(out.String(), middle)
}

// clip returns the part of line around middle that an excerpt may have.
func clip(line string, middle int) string {
	before, after := []rune(line[:middle]), []rune(line[middle:])
	left := min(len(before), max(ExcerptMost/3, ExcerptMost-len(after)))
	right := min(len(after), ExcerptMost-left)
	return strings.TrimSpace(string(before[len(before)-left:]) + string(after[:right]))
}

// lineOf returns line number n without its break, empty if there is none.
func lineOf(text string, n int) span {
	start := 0
	for ; n > 1; n-- {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return span{len(text), len(text)}
		}
		start += i + 1
	}
	end := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	return span{start, end}
}

// hiddenIn returns what has to be masked in line, in order and apart.
func hiddenIn(text string, line span, found []match) []span {
	var hidden []span
	for _, m := range found {
		if w := m.wordIn(text, line); w.overlaps(line) {
			hidden = append(hidden, span{max(w.start, line.start), min(w.end, line.end)})
		}
	}
	slices.SortFunc(hidden, func(a, b span) int { return a.start - b.start })
	return merge(hidden)
}

// wordIn is the match up to the ends of what it lies in, as a rule may have read a
// part of a password and taken the next sign for its end: what is in quotes, the
// password of a URL, or all between two blanks.
func (m match) wordIn(text string, line span) span {
	w := m.span
	if !w.overlaps(line) {
		return w
	}
	for w.start > line.start && isToken(text[w.start-1]) {
		w.start--
	}
	for w.end < line.end && isToken(text[w.end]) {
		w.end++
	}
	before, after := text[line.start:max(line.start, w.start)], text[min(w.end, line.end):line.end]
	if m.rule.id == urlRule {
		rest, _, _ := strings.Cut(after, " ")
		w.end += max(0, strings.LastIndexByte(rest, '@'))
		return w
	}
	if n := closing(before, after); n >= 0 {
		w.end += n
		return w
	}
	const blanks = " \t\r"
	w.start -= len(before) - 1 - strings.LastIndexAny(before, blanks)
	if n := strings.IndexAny(after, blanks); n >= 0 {
		after = after[:n]
	}
	w.end += len(after)
	return w
}

// closing returns where the quote ends that begins right before a match, -1 if
// none does.
func closing(before, after string) int {
	if before == "" || strings.IndexByte("\"'`", before[len(before)-1]) < 0 {
		return -1
	}
	quote := before[len(before)-1]
	for i := 0; i < len(after); i++ {
		switch after[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}
