package secrets

import (
	"context"
	"strings"
)

const (
	chunkLeast = 3 << 9
	chunkMost  = 4 << 10
	// chunkContext is what the rules of the near matcher may read beyond the
	// chunk that holds their keyword.
	chunkContext = nearReach + 64
)

// chunks cuts text into pieces of 1.5 to 4 KB. A cut is made behind a line that
// its own content singles out, so that an edit moves only the cuts near it, and
// a text that was scanned before shares nearly all its chunks with its new
// version. A line without end is cut where it reaches the limit.
func chunks(text string) []span {
	var cut []span
	start, at := 0, 0
	for at < len(text) {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		for end-start > chunkMost {
			limit := start + chunkMost
			if at > start {
				limit = at // the line begins a chunk of its own
			}
			cut = append(cut, span{start, limit})
			start, at = limit, limit
		}
		if end-start >= chunkLeast && singled(text[at:end]) {
			cut = append(cut, span{start, end})
			start = end
		}
		at = end
	}
	if start < len(text) {
		cut = append(cut, span{start, len(text)})
	}
	return cut
}

// singled picks one line in eight by its end (FNV-1a).
func singled(line string) bool {
	sum := uint32(2166136261)
	for _, b := range []byte(line[max(0, len(line)-16):]) {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return sum>>13&7 == 0
}

// unread are the chunks of a text that a scan has to read still, by what is not
// known of them.
type unread struct {
	far       []span // something for the far matcher or the decoder lies in them
	disguised []span // they were never read without their disguises
	keys      []verdictKey
}

// readChunks applies the near matcher to all chunks but those known as clean.
// The verdict on a chunk depends on the chunk and its context alone.
func (s *Scanner) readChunks(ctx context.Context, plain view) (found []match, rest unread, err error) {
	var names namer
	for _, core := range chunks(plain.text) {
		if err := ctx.Err(); err != nil {
			return nil, unread{}, err
		}
		key := names.key(plain.text, core)
		known := s.known.of(key)
		if known&open == 0 {
			rest.disguised, rest.keys = append(rest.disguised, core), append(rest.keys, key)
		}
		if known&quiet == 0 && !s.isQuiet(plain.text, core) {
			rest.far = append(rest.far, core)
		} else if known&quiet == 0 {
			s.known.add(key, quiet)
		}
		if known&clean != 0 {
			continue
		}
		m, err := s.near.find(ctx, plain, core)
		if err != nil {
			return nil, unread{}, err
		}
		if len(m) == 0 {
			s.known.add(key, clean)
		}
		if found = append(found, m...); enough(found) {
			return found, unread{}, nil // enough to refuse the text
		}
	}
	return found, rest, nil
}

// regions returns what has to be read to know chunks without their disguises.
func regions(text string, chunks []span) []span {
	var out []span
	for _, c := range chunks {
		out = append(out, sight(text, c))
	}
	return merge(out)
}

// isQuiet tells whether nothing begins in core that the far matcher looks for,
// and nothing lies in it that could be decoded. It looks no further than what
// names a verdict.
func (s *Scanner) isQuiet(text string, core span) bool {
	all := encodedAround(text, core)
	if s.far.wakes(text, core) || !around(core, chunkContext, chunkContext, text).contains(all) {
		return false
	}
	is := true
	encodedRuns(text, all, func(span) { is = false })
	return is
}
