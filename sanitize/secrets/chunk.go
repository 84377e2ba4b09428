package secrets

import (
	"context"
	"strings"
)

const (
	chunkLeast = 2 << 10
	chunkMost  = 4 << 10
	// chunkContext is what the rules of the near matcher may read beyond the
	// chunk that holds their keyword.
	chunkContext = nearReach + 64
)

// chunks cuts text into pieces of 2 to 4 KB. A cut is made behind a line that
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

// singled picks one line in eight by its content (FNV-1a).
func singled(line string) bool {
	sum := uint32(2166136261)
	for i := range len(line) {
		sum = (sum ^ uint32(line[i])) * 16777619
	}
	return sum>>13&7 == 0
}

// readChunks applies the near matcher to all chunks but those known as clean.
// The verdict on a chunk depends on the chunk and its context alone.
func (s *Scanner) readChunks(ctx context.Context, v view) ([]match, error) {
	var found []match
	for _, core := range chunks(v.text) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !v.live(around(core, chunkContext, chunkContext, v.text)) {
			continue
		}
		key := keyOf(v, core)
		if s.clean.has(key) {
			continue
		}
		m, err := s.near.find(ctx, v, core)
		if err != nil {
			return nil, err
		}
		if len(m) == 0 {
			s.clean.add(key)
		}
		if found = append(found, m...); len(found) >= maxFindings {
			break
		}
	}
	return found, nil
}
