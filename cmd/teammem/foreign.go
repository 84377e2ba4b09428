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
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// inOneLine leaves out what could move the cursor: some words are a server's.
func inOneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
