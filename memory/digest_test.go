package memory

import (
	"bytes"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// The vectors were computed by another program from the formula in the
// protocol: the sum modulo 2^256 of sha256(path ‖ 0x00 ‖ sha256 of the text).
func TestDigest_Vectors(t *testing.T) {
	t.Parallel()
	entries := []struct{ path, text, after string }{
		{"a.md", "one\n", "e3f8d417ab772f557f8310870a02e99bc53ffbdff67b17fbbedb520c5b040939"},
		{"testing/db.md", "two\n", "cfb660c66e93caf5ce6eeb9ede1a93dfbd0352567e89a801fccd0390e01b69f6"}, // the sum wraps
		{"über.md", "", "b28fc592c627259b5069ded059ccf7b9e448c4aa23f940668f5781e976396071"},            // and once more
	}
	var d Digest
	for _, e := range entries {
		d.Add(path1(t, e.path), Sum([]byte(e.text)))
		if d.String() != e.after {
			t.Errorf("after %s: got %s, want %s", e.path, d, e.after)
		}
		if parsed, err := ParseDigest(e.after); err != nil || parsed != d {
			t.Errorf("parse %s: got %s, %v", e.after, parsed, err)
		}
	}
}

func TestDigest_CarryAndBorrow(t *testing.T) {
	t.Parallel()
	number := func(words ...byte) (d Digest) { // the value of each 64-bit word, from the high one
		for i, w := range words {
			copy(d[8*i:], bytes.Repeat([]byte{w}, 8))
		}
		return d
	}
	one := Digest{31: 1}
	for _, tt := range []struct {
		name        string
		d, one, sum Digest
	}{
		{"within a word", Digest{}, one, one},
		{"into the next word", number(0, 0, 0, 0xff), one, Digest{23: 1}},
		{"through all words", number(0, 0xff, 0xff, 0xff), one, Digest{7: 1}},
		{"out of the top", number(0xff, 0xff, 0xff, 0xff), one, Digest{}},
		{"a full word and its carry", number(0, 0, 0xff, 0xff), number(0, 0, 0xff, 1), func() Digest {
			d := number(0, 0, 0xff, 0)
			d[15] = 1
			copy(d[24:], []byte{1, 1, 1, 1, 1, 1, 1, 0})
			return d
		}()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := tt.d
			d.combine(tt.one, bits.Add64)
			if d != tt.sum {
				t.Errorf("sum: got %s, want %s", d, tt.sum)
			}
			d.combine(tt.one, bits.Sub64)
			if d != tt.d {
				t.Errorf("back: got %s, want %s", d, tt.d)
			}
		})
	}
}

// The order in which entries come and go never shows, and removing is the
// inverse of adding.
func TestDigest_IsASet(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		type element struct {
			path Path
			sum  Hash
		}
		draw := rapid.Custom(func(t *rapid.T) element {
			return element{rapid.SampledFrom(paths).Draw(t, "path"), Sum([]byte{byte(rapid.IntRange(0, 3).Draw(t, "text"))})}
		})
		in := rapid.SliceOf(draw).Draw(t, "in")
		var d, other Digest
		for _, e := range in {
			d.Add(e.path, e.sum)
		}
		for _, e := range rapid.Permutation(in).Draw(t, "other order") {
			other.Add(e.path, e.sum)
		}
		if d != other {
			t.Fatalf("%s and %s in another order", d, other)
		}
		for _, e := range rapid.Permutation(in).Draw(t, "out") {
			d.Remove(e.path, e.sum)
		}
		if d != (Digest{}) {
			t.Fatalf("%s is left when all are gone", d)
		}
	})
}

// Neither half of an element can be taken for the other.
func TestDigest_TellsPathFromText(t *testing.T) {
	t.Parallel()
	seen := map[Digest]string{}
	for _, path := range []string{"a.md", "A.md", "a/b.md", "b.md"} {
		for _, text := range []string{"", "x", "y"} {
			var d Digest
			d.Add(path1(t, path), Sum([]byte(text)))
			if other, ok := seen[d]; ok {
				t.Errorf("%s with %q has the digest of %s", path, text, other)
			}
			seen[d] = path
		}
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	h, err := ParseHash(empty)
	if err != nil || h != Sum(nil) || h.String() != empty || h.IsZero() {
		t.Errorf("got %s, %v", h, err)
	}
	if !(Hash{}).IsZero() {
		t.Error("the zero hash is stated")
	}
	for _, bad := range []string{"", empty[1:], empty + "0", "x" + empty[1:], " " + empty[1:]} {
		if h, err := ParseHash(bad); CodeOf(err) != CodeInvalid || !h.IsZero() {
			t.Errorf("%q: got %s, %v", bad, h, err)
		}
		if _, err := ParseDigest(bad); CodeOf(err) != CodeInvalid {
			t.Errorf("digest %q: got %v", bad, err)
		}
	}
}
