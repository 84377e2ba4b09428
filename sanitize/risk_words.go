package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a folded text, without apostrophes.
type word struct {
	text       string
	start, end int // in the folded text
	sentence   int // that it belongs to
}

// wordsOf splits a folded text into words. Letters that stand apart, as in
// "i g n o r e", are one word.
func wordsOf(text string) []word {
	words := make([]word, 0, len(text)/5)
	sentence, from, quoted := 0, -1, false
	flush := func(end int) {
		if from < 0 {
			return
		}
		w := word{text: text[from:end], start: from, end: end, sentence: sentence}
		if quoted {
			w.text = strings.ReplaceAll(w.text, "'", "")
		}
		words = append(words, w)
		from, quoted = -1, false
	}
	for i, c := range text {
		switch {
		case isWordRune(c):
			if from < 0 {
				from = i
			}
			continue
		case c == '\'' && from >= 0:
			quoted = true
			continue
		}
		flush(i)
		if endsSentence(text, i, c) {
			sentence++
		}
	}
	flush(len(text))
	return joinLetters(words)
}

func isWordRune(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	return unicode.IsLetter(c)
}

// endsSentence reports whether a sentence ends at i: with its mark and a blank,
// or with a blank line.
func endsSentence(text string, i int, c rune) bool {
	switch c {
	case '.', '!', '?', ';':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' || text[i+1] == '\r'
	case '\n':
		rest := strings.TrimLeft(text[i+1:min(len(text), i+9)], " \t\r")
		return rest == "" || strings.ContainsRune("\n#-*|>", rune(rest[0]))
	}
	return false
}

// joinLetters makes one word of each row of at least three single letters that
// stand equally close.
func joinLetters(words []word) []word {
	single := func(i int) bool { return i < len(words) && len(words[i].text) == 1 }
	out := words[:0]
	for i := 0; i < len(words); {
		n := i
		for single(n) && (n == i || words[n].start-words[n-1].end <= 1) {
			n++
		}
		if n-i < 3 {
			out = append(out, words[i])
			i++
			continue
		}
		var letters strings.Builder
		for _, w := range words[i:n] {
			letters.WriteString(w.text)
		}
		out = append(out, word{text: letters.String(), start: words[i].start, end: words[n-1].end, sentence: words[i].sentence})
		i = n
	}
	return out
}

// words finds the phrases.
func (r *riskSearch) words(f folded, book phraseBook) {
	words := book.split(wordsOf(f.text))
	for i := range words {
		for _, p := range book.byFirst[words[i].text] {
			last, ok := p.match(words, i)
			if !ok || p.needsURL && !strings.Contains(restOfSentence(f.text, words, last), "://") {
				continue
			}
			from, to := f.span(words[i].start, words[last].end)
			r.add(p.cause, from, to)
		}
	}
}

// restOfSentence is what follows a word in its line.
func restOfSentence(text string, words []word, last int) string {
	const most = 300
	rest := text[words[last].end:min(len(text), words[last].end+most)]
	line, _, _ := strings.Cut(rest, "\n")
	for _, local := range []string{"://localhost", "://127.0.0.1", "://[::1]"} {
		line = strings.ReplaceAll(line, local, "")
	}
	return line
}

// phrase is a row of words, each one of several, with a few others between.
type phrase struct {
	cause    Cause
	slots    []slot
	needsURL bool // an address must follow in the line
}

// slot is one place of a phrase.
type slot struct {
	gap   int      // how many other words may be before it
	words []string // any of them; "*" at the end of one stands for any ending
}

func (s slot) has(w string) bool {
	for _, one := range s.words {
		if stem, open := strings.CutSuffix(one, "*"); one == w || open && strings.HasPrefix(w, stem) {
			return true
		}
	}
	return false
}

// match reports whether the phrase stands at word i, and where it ends. What
// is next to each other may belong to two sentences.
func (p phrase) match(words []word, i int) (last int, ok bool) {
	last = i
	for _, s := range p.slots[1:] {
		next := -1
		for k := last + 1; k < len(words) && k <= last+1+s.gap; k++ {
			if k > last+1 && words[k].sentence != words[last].sentence {
				break
			}
			if s.has(words[k].text) {
				next = k
				break
			}
		}
		if next < 0 {
			return 0, false
		}
		last = next
	}
	return last, true
}

// phraseBook holds all phrases by their first words.
type phraseBook struct {
	byFirst map[string][]phrase
	known   map[string]bool // every word of a phrase
	longest int             // of them
}

func newPhraseBook() phraseBook {
	b := phraseBook{byFirst: map[string][]phrase{}, known: map[string]bool{}}
	for _, p := range phrases() {
		parsed := parsePhrase(p)
		for _, first := range parsed.slots[0].words {
			b.byFirst[first] = append(b.byFirst[first], parsed)
		}
		for _, s := range parsed.slots {
			for _, w := range s.words {
				stem, open := strings.CutSuffix(w, "*")
				b.known[stem], b.longest = true, max(b.longest, len(stem)+1)
				if open {
					b.known[stem+"s"] = true
				}
			}
		}
	}
	for _, filler := range strings.Fields("the a an of to and or in on is be with by this that please now") {
		b.known[filler] = true
	}
	return b
}

// parsePhrase reads "ignore|disregard 3 previous|prior 2 rules": words of a
// slot with bars between, and before it how many other words may come.
func parsePhrase(p phraseText) phrase {
	out := phrase{cause: p.cause, needsURL: p.needsURL}
	gap := 0
	for field := range strings.FieldsSeq(p.text) {
		if len(field) == 1 && '0' <= field[0] && field[0] <= '9' {
			gap = int(field[0] - '0')
			continue
		}
		out.slots, gap = append(out.slots, slot{gap, strings.Split(field, "|")}), 0
	}
	return out
}

// split takes long words apart that are nothing but words of phrases, as in
// "ignoreallpreviousinstructions".
func (b phraseBook) split(words []word) []word {
	const least, most = 12, 120
	var out []word
	for i, w := range words {
		var parts []string
		if len(w.text) >= least && len(w.text) <= most && !b.known[w.text] {
			parts = b.parts(w.text)
		}
		if parts == nil && out == nil {
			continue
		}
		if out == nil {
			out = append(out, words[:i]...)
		}
		if parts == nil {
			out = append(out, w)
			continue
		}
		for _, p := range parts {
			out = append(out, word{text: p, start: w.start, end: w.end, sentence: w.sentence})
		}
	}
	if out == nil {
		return words
	}
	return out
}

// parts writes s as known words, or returns nil. It goes from the end, so that
// each place is looked at once.
func (b phraseBook) parts(s string) []string {
	next := make([]int, len(s)+1) // where the word ends that starts here; 0: none does
	next[len(s)] = len(s)
	for i := len(s) - 1; i >= 0; i-- {
		for n := min(len(s), i+b.longest); n > i; n-- {
			if next[n] != 0 && b.known[s[i:n]] {
				next[i] = n
				break
			}
		}
	}
	if next[0] == 0 {
		return nil
	}
	var parts []string
	for i := 0; i < len(s); i = next[i] {
		parts = append(parts, s[i:next[i]])
	}
	return parts
}
