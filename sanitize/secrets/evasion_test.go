package secrets

import (
	"strings"
	"testing"
)

// TestScan_Evasions holds what switches the library's default rules off.
func TestScan_Evasions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text func(g generator) string
		// sample is set for the one that is left alone: the identifier that
		// AWS prints in its documentation ends like this.
		sample bool
	}{
		{"plain control", func(g generator) string { return g.fill("ghp_<b36>") }, false},
		{"allow comment", func(g generator) string { return g.fill("ghp_<b36>") + " # gitleaks:" + "allow" }, false},
		{"false in a token", func(g generator) string { return g.fill("ghp_<b16>false<b15>") }, false},
		{"False in a token", func(g generator) string { return g.fill("glpat-<u6>False<u9>") }, false},
		{"false in a Stripe key", func(g generator) string { return g.fill("sk_live_<b10>false<b9>") }, false},
		{"false in a private key", func(g generator) string {
			return strings.Replace(g.pem("RSA PRIVATE KEY", 12), "\n", "\nfalse", 1)
		}, false},
		{"ends in null", func(g generator) string { return g.fill("ghp_<b32>null") }, false},
		{"alphabet inside", func(g generator) string { return g.fill("ghp_<b5>" + lowers + "<b5>") }, false},
		{"AWS ending in EXAMPLE", func(g generator) string { return g.fill("AKIA<t9>EXAMPLE") }, true},
		{"generic with admin", func(g generator) string { return g.fill("api_key = \"<b10>admin<b10>\"") }, false},
		{"generic with md5", func(g generator) string { return g.fill("api_key = \"<b10>md5<b12>\"") }, false},
		{"generic of letters only", func(g generator) string { return g.fill("api_key = \"<L28>\"") }, false},
		{"generic under public key", func(g generator) string { return g.fill("public_key = \"<b32>\"") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				found := scan(t, intro+tt.text(newGenerator(seed))+outro)
				if got, want := len(found) > 0, !tt.sample; got != want {
					t.Errorf("seed %d: found = %t, want %t", seed, got, want)
				}
			}
		})
	}
}
