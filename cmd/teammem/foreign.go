package main

import (
	"strconv"
	"strings"
	"unicode"
)

// What others wrote could move the cursor, hide what follows, or look like a line
// of ours. There are three ways to show it: a name in a sentence is [shown], a text
// of many lines [visible], and a label that is nobody's text [inOneLine].

// shown quotes a foreign name unless all of it can be seen: it could hold
// anything, and move the cursor or hide what follows.
func shown(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// visible replaces what would do something to a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if acts(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// inOneLine is [visible] for what is no text of several lines: some words are a
// server's.
func inOneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, visible(s))
}

// acts reports whether a terminal does something at the rune, instead of showing
// it: moves, starts a line, or turns the direction of what follows.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
