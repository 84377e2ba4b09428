package secrets

import "strings"

// windowFunc returns the part of text that decides whether a rule matches at
// the keyword found at hit, and false if a look at the bytes around it already
// shows that it cannot. The rule's window for an earlier hit is in seen: what
// that covers need not be covered again.
type windowFunc func(text string, hit, seen span) (span, bool)

const (
	// margin is what boundaries, anchors and terminators of an expression may
	// read beyond the bytes they belong to, and a byte more, so that a match which
	// ends with a rune of four bytes does not end where its window does.
	margin = 12
	// nearReach is the furthest a rule of the near matcher reads to either side
	// of its keyword.
	nearReach = 640
	// farReach limits the words a rule of the far matcher reads.
	farReach = 16 << 10
)

// word reads the run of bytes around the keyword of which a match can consist,
// if it is as long as the shortest match. A run full of keywords is read once.
func word(m measures) windowFunc {
	reach := min(m.max, farReach)
	return func(text string, hit, seen span) (span, bool) {
		for i := hit.start; i < hit.end; i++ {
			if !m.set[text[i]] {
				return span{}, false
			}
		}
		w := hit
		known := seen.start <= hit.start && hit.end <= seen.end
		if known {
			w.end = max(hit.end, seen.end-margin)
		}
		for !known && w.start > 0 && hit.start-w.start < reach && m.set[text[w.start-1]] {
			w.start--
		}
		for w.end < len(text) && w.end-hit.end < reach && m.set[text[w.end]] {
			w.end++
		}
		if !known && w.size() < m.min {
			return span{}, false
		}
		return around(w, margin, margin, text), true
	}
}

// assignment reads from a label on, if an operator and the beginning of a value
// follow it. It answers for expressions with the library's usual middle part:
// up to 20 characters of label, quotes, an operator, quotes, a value. The
// shortest beginning is the digits of a Telegram token, before its colon.
func assignment(m measures) windowFunc { return labelled(m, margin, 5, isValue) }

// password is assignment for values of any visible characters, under labels of
// several words.
func password(m measures) windowFunc {
	return labelled(m, 24, 8, func(b byte) bool { return b > ' ' })
}

// labelMost is how much of a label is passed over behind its keyword.
const labelMost = 48

func labelled(m measures, before, shortest int, isValue func(byte) bool) windowFunc {
	reach := min(m.max+margin, nearReach)
	return func(text string, hit, _ span) (span, bool) {
		at := hit.end
		for at < len(text) && at-hit.end < labelMost && isLabel(text[at]) {
			at++
		}
		if at == len(text) || strings.IndexByte("=>:|,?", text[at]) < 0 {
			return span{}, false
		}
		for n := 0; n < 12 && at < len(text) && strings.IndexByte("=>:|,?`'\" \t\r\n*", text[at]) >= 0; n++ {
			at++
		}
		value := at
		for at < len(text) && at-value < shortest && isValue(text[at]) {
			at++
		}
		if at-value < shortest {
			return span{}, false
		}
		// No value has a blank; but what was taken for one may be a part of the label.
		limit := min(len(text), hit.end+reach)
		end := wordEnds(text, at, limit)
		end = wordEnds(text, min(end+labelMost, limit), limit)
		// A little more on the left, so that no match begins where the window does.
		return around(span{hit.start, end}, before, margin, text), true
	}
}

// wordEnds returns where the next blank is, or the limit.
func wordEnds(text string, at, limit int) int {
	for at < limit && text[at] > ' ' {
		at++
	}
	return at
}

func isLabel(b byte) bool {
	return isWord(b) || strings.IndexByte(" \t.-\r\n'\"`*", b) >= 0
}

func isValue(b byte) bool { return isWord(b) || strings.IndexByte(".=-+/", b) >= 0 }

// stretch reads as far as a match can reach to either side.
func stretch(m measures) windowFunc {
	reach := min(m.max+margin, nearReach)
	return func(text string, hit, _ span) (span, bool) { return around(hit, reach, reach, text), true }
}

// lines reads the keyword's line and the given number of lines after it, if
// they hold one of the marks.
func lines(after int, marks ...string) windowFunc {
	return func(text string, hit, _ span) (span, bool) {
		limit := around(hit, manifestReach, 2*manifestReach, text)
		w := hit
		if n := strings.LastIndexByte(text[limit.start:hit.start], '\n'); n >= 0 {
			limit.start += n + 1
		}
		w.start = limit.start
		for range after + 1 {
			n := strings.IndexByte(text[w.end:limit.end], '\n')
			if n < 0 {
				w.end = limit.end
				break
			}
			w.end += n + 1
		}
		for _, mark := range marks {
			if strings.Contains(text[w.start:w.end], mark) {
				return w, true
			}
		}
		return span{}, false
	}
}

// block reads on from the header of a private key.
func block(text string, hit, _ span) (span, bool) {
	title := text[hit.end:min(hit.end+128, len(text))]
	if !strings.Contains(strings.ToUpper(title), "PRIVATE KEY") {
		return span{}, false
	}
	return span{hit.start, min(hit.start+farReach, len(text))}, true
}

// manifestReach is how far from its kind the values of a manifest are looked for.
const manifestReach = 1536

// manifest reads around the "secret" of a Kubernetes manifest.
func manifest(text string, hit, _ span) (span, bool) {
	before := strings.TrimRight(text[max(0, hit.start-32):hit.start], " \t\"'")
	if n := len(before) - len("kind:"); n < 0 || !strings.EqualFold(before[n:], "kind:") {
		return span{}, false
	}
	return around(hit, manifestReach, manifestReach, text), true
}

// everything is for the rules whose keyword may stand far from the match.
func everything(text string, _, _ span) (span, bool) { return span{0, len(text)}, true }

func around(s span, before, after int, text string) span {
	return span{max(0, s.start-before), min(len(text), s.end+after)}
}

// within reads up to reach bytes to either side, in the keyword's line.
func within(reach int) func(measures) windowFunc {
	return func(measures) windowFunc {
		return func(text string, hit, _ span) (span, bool) { return onLine(text, hit, reach), true }
	}
}

// whole reads up to reach bytes to either side, if the keyword is no part of a
// longer word.
func whole(reach int) func(measures) windowFunc {
	return func(measures) windowFunc {
		return func(text string, hit, _ span) (span, bool) {
			if hit.end < len(text) && isWord(text[hit.end]) {
				return span{}, false
			}
			return onLine(text, hit, reach), true
		}
	}
}

// tableRow reads the keyword's line, if it is a row of a Markdown table.
func tableRow(measures) windowFunc {
	return func(text string, hit, _ span) (span, bool) {
		w := onLine(text, hit, 400)
		row := text[w.start:w.end]
		return w, strings.HasPrefix(strings.TrimLeft(row, " \t>"), "|")
	}
}

// authority reads a URL, if it names a user or a password.
func authority(measures) windowFunc {
	return func(text string, hit, _ span) (span, bool) {
		w := around(hit, 32, 256, text)
		for at := hit.end; at < w.end && text[at] > ' ' && text[at] != '/'; at++ {
			if text[at] == '@' {
				return w, at > hit.end
			}
		}
		return span{}, false
	}
}

// besideRun reads the keyword's line, if a run of base64 of the given length
// stands on it.
func besideRun(size int) func(measures) windowFunc {
	return func(measures) windowFunc {
		return func(text string, hit, _ span) (span, bool) {
			w := onLine(text, hit, 240)
			run := 0
			for at := w.start; at < w.end; at++ {
				if isWord(text[at]) && text[at] != '_' || text[at] == '+' || text[at] == '/' {
					run++
					continue
				}
				if run == size {
					return w, true
				}
				run = 0
			}
			return w, run == size
		}
	}
}

// onLine is hit with up to reach bytes to either side, within its line.
func onLine(text string, hit span, reach int) span {
	w := around(hit, reach, reach, text)
	if n := strings.LastIndexByte(text[w.start:hit.start], '\n'); n >= 0 {
		w.start += n + 1
	}
	if n := strings.IndexByte(text[hit.end:w.end], '\n'); n >= 0 {
		w.end = hit.end + n + 1 // with the break, which ends a token
	}
	return w
}
