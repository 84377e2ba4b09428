package secrets

// span is a half-open range of byte offsets.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }

func (s span) contains(o span) bool { return s.start <= o.start && o.end <= s.end }

func (s span) size() int { return s.end - s.start }

// merge joins ranges that touch; they must be sorted by start.
func merge(spans []span) []span {
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// match is a secret that a rule found. Its span is that of the secret alone;
// whole is all that the rule read for it: the label and the quotes, too.
type match struct {
	rule *rule
	span
	whole span
	// value is the secret as the view shows it, which an encoding or a disguise
	// may hide in the text. It goes into fingerprints and nowhere else.
	value string
}
