package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// generator makes secrets at run time: no test holds one.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 7))} }

const (
	lowers  = "abcdefghijklmnopqrstuvwxyz"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	letters = lowers + uppers
	base62  = letters + digits
)

// alphabet returns the characters of the class c of a template.
func alphabet(c string) string {
	return map[string]string{
		"b": base62, "u": base62 + "_-", "B": base62 + "+/", "h": digits + "abcdef", "d": digits, "L": letters,
		"l": lowers + digits, "U": uppers + digits, "t": uppers + "234567", "a": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
		"p": base62 + base62 + "!@#%^&*+?~",
	}[c]
}

func (g generator) random(class string, n int) string {
	from := alphabet(class)
	out := make([]byte, n)
	for i := range out {
		out[i] = from[g.IntN(len(from))]
	}
	return string(out)
}

// fill replaces each <class length> of a template, such as <b36>, by random
// characters.
func (g generator) fill(template string) string {
	return regexp.MustCompile(`<([a-zA-Z])(\d+)>`).ReplaceAllStringFunc(template, func(field string) string {
		n, err := strconv.Atoi(field[2 : len(field)-1])
		if err != nil {
			panic(err)
		}
		return g.random(field[1:2], n)
	})
}

// pem builds a block whose header stands nowhere in the source.
func (g generator) pem(kind string, lines int) string {
	rule := strings.Repeat("-", 5)
	var b strings.Builder
	b.WriteString(rule + "BEGIN " + kind + rule + "\n")
	for range lines {
		b.WriteString(g.random("B", 64) + "\n")
	}
	b.WriteString(g.random("B", 30) + "==\n" + rule + "END " + kind + rule)
	return b.String()
}

func toBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func toHex(s string) string { return hex.EncodeToString([]byte(s)) }
