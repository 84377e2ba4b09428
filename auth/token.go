package auth

import (
	"crypto/rand"
	"hash/crc32"
	"strings"

	"github.com/teammem/teammem/memory"
)

// Every token says by its prefix what it is for.
const (
	apiPrefix     = "tmp_"
	refreshPrefix = "tmr_"
	linkPrefix    = "tmi_"
)

const (
	prefixLen  = 4
	randomLen  = 30 // 178 bits
	checkLen   = 6  // CRC-32 in base 62
	base62     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	tokenLen   = prefixLen + randomLen + checkLen
	last4Chars = 4
)

// MintAPIToken returns a new random API token. It is shown once; what is kept
// are its [HashToken] and [Last4].
func MintAPIToken() string { return mint(apiPrefix) }

// MintRefreshToken returns a new random token that continues a login once.
func MintRefreshToken() string { return mint(refreshPrefix) }

// MintLinkToken returns a new random token for a link that signs in to the
// console once.
func MintLinkToken() string { return mint(linkPrefix) }

func mint(prefix string) string {
	body := prefix + random62(randomLen)
	return body + checksum(body)
}

// random62 returns n random base-62 characters, all equally likely.
func random62(n int) string {
	const fair = 256 - 256%len(base62) // bytes from here on would favour some characters
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		rand.Read(buf) // never fails, see crypto/rand
		for _, b := range buf {
			if int(b) < fair && len(out) < n {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out)
}

// checksum returns the CRC-32 of s as base-62 characters.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	out := [checkLen]byte{}
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(out[:])
}

// IsAPIToken reports whether s has the form of an API token. It needs no
// database, so a mistyped token costs nothing.
func IsAPIToken(s string) bool { return isToken(apiPrefix, s) }

// IsRefreshToken reports whether s has the form of a refresh token.
func IsRefreshToken(s string) bool { return isToken(refreshPrefix, s) }

// IsLinkToken reports whether s has the form of a link's token.
func IsLinkToken(s string) bool { return isToken(linkPrefix, s) }

func isToken(prefix, s string) bool {
	if len(s) != tokenLen || !strings.HasPrefix(s, prefix) {
		return false
	}
	body, check := s[:tokenLen-checkLen], s[tokenLen-checkLen:]
	return strings.Trim(body[prefixLen:], base62) == "" && check == checksum(body)
}

// HashToken returns what is stored of a token. Tokens are random enough that a
// slow hash would only slow the server down.
func HashToken(token string) memory.Hash { return memory.Sum([]byte(token)) }

// Last4 returns the end of a token, for people to recognise it by.
func Last4(token string) string { return token[max(0, len(token)-last4Chars):] }
