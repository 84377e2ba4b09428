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

// namer names the chunks of a text. It keeps the memory that it needs for one.
type namer struct{ named []byte }

// key names a chunk together with all that decides about it: what is read with
// it, where it lies in that, whether the text ends there, and the head of the
// table that it goes on with.
func (n *namer) key(text string, core span) verdictKey {
	all := sight(text, core)
	b := binary.LittleEndian.AppendUint64(n.named[:0], uint64(core.start-all.start)) //nolint:gosec // core lies in all
	b = binary.LittleEndian.AppendUint64(b, uint64(core.end-all.start))              //nolint:gosec // core lies in all
	head := headAbove(text, all.start)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(head)))
	b = append(b, flag(all.start == 0), flag(all.end == len(text)))
	b = append(b, head...)
	n.named = append(b, text[all.start:all.end]...)
	return sha256.Sum256(n.named)
}

// keyOfPiece names a text with something to decode, all of which decides.
func keyOfPiece(text string, joined bool) verdictKey {
	h := sha256.New()
	h.Write([]byte{'p', flag(joined)})
	h.Write([]byte(text))
	return verdictKey(h.Sum(nil))
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// verdict is what is known of a chunk.
type verdict uint8

const (
	clean verdict = 1 << iota // the near matcher finds nothing in it
	quiet                     // there is nothing in it for the far matcher and the decoder
	open                      // nothing was found without its disguises
)

// verdicts remembers chunks in which nothing was found. Findings are never
// kept: they name no value, but their place is nobody's business later. The
// older generation goes when the younger is full.
type verdicts struct {
	mu           sync.Mutex
	young, older map[verdictKey]verdict
}

func newVerdicts() *verdicts { return &verdicts{young: map[verdictKey]verdict{}} }

func (v *verdicts) of(key verdictKey) verdict {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.young[key] | v.older[key]
}

func (v *verdicts) add(key verdictKey, what verdict) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.young) >= verdictsKept {
		v.older, v.young = v.young, map[verdictKey]verdict{}
	}
	v.young[key] |= what
}
