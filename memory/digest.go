package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Digest is a 256-bit set hash over the live entries of a project: the sum
// modulo 2^256 of sha256(path ‖ 0x00 ‖ sha256 of the content), big-endian.
// Equal digests prove equal trees; one change costs O(1). It detects drift and
// is no defence against a hostile server.
type Digest [sha256.Size]byte

// Add puts an entry into the set.
func (d *Digest) Add(p Path, content Hash) { d.combine(element(p, content), bits.Add64) }

// Remove takes an entry out of the set.
func (d *Digest) Remove(p Path, content Hash) { d.combine(element(p, content), bits.Sub64) }

// ParseDigest reads the 64 hexadecimal digits of [Digest.String].
func ParseDigest(s string) (Digest, error) {
	h, err := ParseHash(s)
	return Digest(h), err
}

// String returns 64 lower-case hexadecimal digits.
func (d Digest) String() string { return Hash(d).String() }

func element(p Path, content Hash) Digest {
	buf := make([]byte, 0, 256)
	buf = append(buf, p.key...)
	buf = append(buf, 0)
	buf = append(buf, content[:]...)
	return sha256.Sum256(buf)
}

// combine runs a 64-bit operation with carry from the low word to the high.
func (d *Digest) combine(e Digest, op func(x, y, carry uint64) (uint64, uint64)) {
	var carry uint64
	for i := len(d) - 8; i >= 0; i -= 8 {
		var word uint64
		word, carry = op(binary.BigEndian.Uint64(d[i:]), binary.BigEndian.Uint64(e[i:]), carry)
		binary.BigEndian.PutUint64(d[i:], word)
	}
}
