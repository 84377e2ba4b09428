package secrets

import (
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// keyRules find private keys that have no header, or not the usual one.
func keyRules() []ownRule {
	// lines is base64 in lines, in a quotation or as a comment too.
	const lines = `(?:[0-9A-Za-z+/=]|\\n|[ \t\r\n>#*]){64,160}`
	rules := []ownRule{
		{
			id: "private-key-text", keywords: []string{"private key"}, group: 1,
			pattern: pattern{core: `(?i:begin[ A-Z0-9_-]{0,40}private key(?: block)?)[^0-9A-Za-z]{1,32}(` + lines + `)`},
			window:  stretchOf(400), keep: keepBase64,
		},
		{
			id: "private-key-body", keywords: keyHeads(), group: 1,
			pattern: pattern{left: `(?:^|[^0-9A-Za-z+/])`, core: `((?:` + strings.Join(keyHeads(), "|") + `)` + lines + `)`, flags: `(?i)`},
			window:  stretchOf(200), keep: keepKeyBody,
		},
		{
			id: "openvpn-static-key", keywords: []string{"openvpn static key"}, group: 1,
			pattern: pattern{core: `(?i:openvpn static key v\d)[^0-9A-Za-z]{1,16}([0-9a-f]{32}[ \t\r\n>]{1,8}[0-9a-f]{32})`},
			window:  stretchOf(200),
		},
		{
			id: "putty-private-key", keywords: []string{"private-lines:"}, group: 1,
			pattern: pattern{core: `(?i:private-lines:)[ \t]{0,4}\d{1,3}[ \t\r\n>]{1,12}([0-9A-Za-z+/=]{24,64})`},
			window:  stretchOf(200),
		},
		{
			id: "json-web-key", keywords: []string{`"d"`}, group: 1,
			pattern: pattern{core: `"d"[ \t]{0,4}:[ \t]{0,4}"([\w-]{40,700})"`},
			window:  within(720), keep: keepWebKey,
		},
	}
	for i := range rules {
		rules[i].severity = sanitize.SeverityHard
	}
	return rules
}

// keyHeads are the first bytes of private keys in base64, in small letters: RSA
// of both standards, elliptic curves, Ed25519, OpenSSH.
func keyHeads() []string {
	return []string{
		"miieowibaakcaqea", "miiepaibaakcaqea", "miiepqibaakcaqea", "miijkaibaakcagea", "miijkqibaakcagea",
		"miievgibadanbgkqhkig", "miievqibadanbgkqhkig", "miiejqibadanbgkqhkig", "miijqgibadanbgkqhkig", "miijqwibadanbgkqhkig",
		"mhccaqeei", "migkageab", "mighageambmgbyqgsm49", "mc4caqawbqydk2vwbcie", "b3blbnnzac1rzxktdjea",
	}
}

// stretchOf reads reach bytes to either side, over lines.
func stretchOf(reach int) func(measures) windowFunc {
	return func(measures) windowFunc {
		return func(text string, hit, _ span) (span, bool) { return around(hit, reach, reach, text), true }
	}
}

// keepBase64 drops words behind the name of a key.
func keepBase64(c candidate) bool {
	v := strings.Join(strings.Fields(c.value()), "")
	return has(v, isDigit) && has(v, isUpper) && naturalness(v) < 0.6
}

// keepKeyBody tells a head from the same letters in another case.
func keepKeyBody(c candidate) bool {
	v := c.value()
	return strings.HasPrefix(v, "M") && keepBase64(c) || strings.HasPrefix(v, "b3Blb")
}

// keepWebKey drops members named "d" of other objects.
func keepWebKey(c candidate) bool {
	near := around(c.match, 1024, 1024, c.text)
	return strings.Contains(c.text[near.start:near.end], `"kty"`) && naturalness(c.value()) < 0.6
}
