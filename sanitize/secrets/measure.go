package secrets

import (
	"regexp/syntax"
	"unicode"
)

// unbounded is the length of a match that may go on for ever.
const unbounded = 1 << 30

// measures says how long the matches of an expression can be, and of which
// bytes they can consist. Letters that equal an ASCII letter only when case is
// ignored (the Kelvin sign, the long s) are left out: the view without
// disguises turns them into ASCII.
type measures struct {
	min, max int
	set      [256]bool
}

func measure(expr string) (measures, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return measures{}, err
	}
	var m measures
	m.min, m.max = m.walk(re)
	return m, nil
}

// walk adds the bytes of re to the set, and returns its shortest and longest
// match in bytes.
func (m *measures) walk(re *syntax.Regexp) (shortest, longest int) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			m.add(r, r)
			if re.Flags&syntax.FoldCase != 0 {
				m.add(unicode.ToUpper(r), unicode.ToUpper(r))
				m.add(unicode.ToLower(r), unicode.ToLower(r))
			}
		}
		return len(string(re.Rune)), len(string(re.Rune))
	case syntax.OpCharClass:
		longest = 1
		for i := 0; i < len(re.Rune); i += 2 {
			if m.add(re.Rune[i], re.Rune[i+1]) {
				longest = 4
			}
		}
		return 1, longest
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.add(0, unicode.MaxRune)
		return 1, 4
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			a, b := m.walk(sub)
			shortest, longest = shortest+a, min(longest+b, unbounded)
		}
		return shortest, longest
	case syntax.OpAlternate:
		shortest = unbounded
		for _, sub := range re.Sub {
			a, b := m.walk(sub)
			shortest, longest = min(shortest, a), max(longest, b)
		}
		return shortest, longest
	}
	return m.walkRepeat(re)
}

func (m *measures) walkRepeat(re *syntax.Regexp) (shortest, longest int) {
	least, most := 0, 0
	switch re.Op {
	case syntax.OpCapture:
		least, most = 1, 1
	case syntax.OpQuest:
		least, most = 0, 1
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	default: // anchors, boundaries and the empty match take no bytes
		return 0, 0
	}
	a, b := m.walk(re.Sub[0])
	if most < 0 {
		return a * least, unbounded
	}
	return a * least, min(b*most, unbounded)
}

// add puts the runes from lo to hi in the set and tells whether that brought in
// more than ASCII.
func (m *measures) add(lo, hi rune) (wide bool) {
	for r := lo; r <= min(hi, unicode.MaxASCII); r++ {
		m.set[r] = true
	}
	if hi <= unicode.MaxASCII || lo == hi && (lo == 'ſ' || lo == '\u212a') {
		return false
	}
	for b := 0x80; b < len(m.set); b++ {
		m.set[b] = true
	}
	return true
}

// compact tells whether no match holds white space, so that it lies within one
// word of the text.
func (m measures) compact() bool {
	return !m.set[' '] && !m.set['\t'] && !m.set['\n'] && !m.set['\r']
}
