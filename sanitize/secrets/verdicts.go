package secrets

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// verdictsKept bounds the memory of the verdicts: two generations of 32 bytes
// each, about 50 MB of text.
const verdictsKept = 8192

type verdictKey [sha256.Size]byte

// keyOf names a chunk together with all that decides about it: its context,
// where it lies in that, and whether the text ends there.
func keyOf(text string, core span) verdictKey {
	all := around(core, chunkContext, chunkContext, text)
	h := sha256.New()
	var head [18]byte
	binary.LittleEndian.PutUint64(head[0:], uint64(core.start-all.start)) //nolint:gosec // core lies in all
	binary.LittleEndian.PutUint64(head[8:], uint64(core.end-all.start))   //nolint:gosec // core lies in all
	if all.start == 0 {
		head[16] = 1
	}
	if all.end == len(text) {
		head[17] = 1
	}
	h.Write(head[:])
	h.Write([]byte(text[all.start:all.end]))
	return verdictKey(h.Sum(nil))
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
