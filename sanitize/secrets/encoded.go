package secrets

import (
	"context"
	"strings"

	"github.com/zricethezav/gitleaks/v8/detect/codec"
)

const (
	// decodeDepth is how many encodings may lie on top of each other.
	decodeDepth = 5
	// pieceMost limits what is decoded at once: the library compares all
	// encoded segments of a piece with each other.
	pieceMost = 16 << 10
	// pieceOverlap is read twice where a piece had to be cut. It is a multiple
	// of 4, as cuts are, so that base64 stays in step.
	pieceOverlap = 1 << 10
	// pieceContext is what a rule may need around an encoded value: its label.
	pieceContext = 256
)

// readEncoded decodes what is encoded in v and applies the rules to it. The
// library does the decoding, but sees only the lines that hold something to
// decode: its own search costs a fifth of a scan.
func (s *Scanner) readEncoded(ctx context.Context, v view, parts []span) ([]match, error) {
	var found []match
	for _, p := range pieces(v, parts) {
		key := keyOfPiece(v.text[p.start:p.end], v.joined)
		if s.known.of(key)&clean != 0 {
			continue
		}
		m, err := s.readPiece(ctx, v, p)
		if err != nil {
			return nil, err
		}
		if len(m) == 0 {
			s.known.add(key, clean)
		}
		if found = append(found, m...); enough(found) {
			break
		}
	}
	return found, nil
}

func (s *Scanner) readPiece(ctx context.Context, v view, p span) ([]match, error) {
	var found []match
	decoder := codec.NewDecoder()
	text, segments := v.text[p.start:p.end], []*codec.EncodedSegment{}
	for range decodeDepth {
		text, segments = decoder.Decode(text, segments)
		if len(segments) == 0 {
			break
		}
		d := decoded{segments, p}
		m, err := s.readDecoded(ctx, view{text: text, news: d.touch, origin: d.below, joined: v.joined})
		if err != nil {
			return nil, err
		}
		found = append(found, m...)
	}
	return found, nil
}

func (s *Scanner) readDecoded(ctx context.Context, v view) ([]match, error) {
	var found []match
	for _, m := range []*matcher{s.near, s.far} {
		hits, err := m.find(ctx, v, span{0, len(v.text)})
		if err != nil {
			return nil, err
		}
		found = append(found, v.toOriginal(hits)...)
	}
	return found, nil
}

// decoded knows where the decoded parts of a piece come from.
type decoded struct {
	segments []*codec.EncodedSegment
	piece    span
}

func (d decoded) touch(s span) bool {
	return len(codec.SegmentsWithDecodedOverlap(d.segments, s.start, s.end)) > 0
}

// below moves a match to the view that the piece was cut from.
func (d decoded) below(s span) span {
	over := codec.SegmentsWithDecodedOverlap(d.segments, s.start, s.end)
	at := codec.AdjustMatchIndex(over, []int{s.start, s.end})
	start := d.piece.start + min(max(at[0], 0), d.piece.size())
	return span{start, max(start, d.piece.start+min(at[1], d.piece.size()))}
}

// pieces returns what there is to decode in and around the given parts of the
// view, each with the lines around it.
func pieces(v view, parts []span) []span {
	var around, whole []span
	for _, part := range parts {
		whole = append(whole, encodedAround(v.text, part))
	}
	for _, part := range merge(whole) {
		encodedRuns(v.text, part, func(run span) {
			if v.live(run) {
				around = append(around, withLines(v.text, run))
			}
		})
	}
	var out []span
	for _, p := range merge(around) {
		out = append(out, cutPiece(v.text, p)...)
	}
	return out
}

// withLines extends run by pieceContext, and from there to ends of lines if
// they are near.
func withLines(text string, run span) span {
	w := around(run, pieceContext, pieceContext, text)
	if n := strings.IndexByte(text[w.start:run.start], '\n'); n >= 0 && w.start > 0 {
		w.start += n + 1
	}
	if n := strings.LastIndexByte(text[run.end:w.end], '\n'); n >= 0 && w.end < len(text) {
		w.end = run.end + n + 1
	}
	return w
}

// cutPiece cuts p into pieces of at most pieceMost: at the end of a line if one
// is near, else at a multiple of 4 from the beginning of the encoded run.
func cutPiece(text string, p span) []span {
	var out []span
	for p.size() > pieceMost {
		end := p.start + pieceMost
		if n := strings.LastIndexByte(text[end-pieceMost/2:end], '\n'); n >= 0 {
			end += n + 1 - pieceMost/2
		} else {
			run := end
			for run > p.start && isEncoded(text[run-1]) {
				run--
			}
			end = run + (end-run)/4*4
		}
		out = append(out, span{p.start, end})
		p.start = end - pieceOverlap
	}
	return append(out, p)
}
