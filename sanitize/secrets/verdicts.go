package secrets

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// verdictsKept bounds the memory of the verdicts: two generations of 32 bytes
// each, some 20 MB of text.
const verdictsKept = 16384

type verdictKey [sha256.Size]byte

// keyOf names a chunk of a view together with all that decides about it: its
// context, where it lies in that, whether the text ends there, what of it is
// new in the view, and which rules read it.
func keyOf(v view, core span) verdictKey {
	all := around(core, chunkContext, chunkContext, v.text)
	h := sha256.New()
	head := []byte{flag(all.start == 0), flag(all.end == len(v.text)), flag(v.joined), flag(v.news == nil)}
	head = appendOffset(head, core.start-all.start)
	head = appendOffset(head, core.end-all.start)
	near := v.edits.within(all)
	head = appendOffset(head, len(near))
	for _, e := range near {
		head = appendOffset(appendOffset(head, e.out.start-all.start), e.out.end-all.start)
	}
	h.Write(head)
	h.Write([]byte(v.text[all.start:all.end]))
	return verdictKey(h.Sum(nil))
}

// keyOfPiece names a text with something to decode, all of which decides.
func keyOfPiece(text string, joined bool) verdictKey {
	h := sha256.New()
	h.Write([]byte{2, flag(joined)})
	h.Write([]byte(text))
	return verdictKey(h.Sum(nil))
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

func appendOffset(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(n)) //nolint:gosec // an edit may begin before the context; all bits count
}

// verdicts remembers chunks in which nothing was found. Findings are never
// kept: they name no value, but their place is nobody's business later. The
// older generation goes when the younger is full.
type verdicts struct {
	mu           sync.Mutex
	young, older map[verdictKey]struct{}
}

func newVerdicts() *verdicts { return &verdicts{young: map[verdictKey]struct{}{}} }

func (v *verdicts) has(key verdictKey) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.young[key]; ok {
		return true
	}
	_, ok := v.older[key]
	return ok
}

func (v *verdicts) add(key verdictKey) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.young) >= verdictsKept {
		v.older, v.young = v.young, map[verdictKey]struct{}{}
	}
	v.young[key] = struct{}{}
}
