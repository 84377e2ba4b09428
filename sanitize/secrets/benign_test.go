package secrets

import (
	"strings"
	"testing"
)

// TestScan_Benign holds what stands in notes every day and is no secret.
func TestScan_Benign(t *testing.T) {
	t.Parallel()
	for _, tt := range []shape{
		is("commit id", "Fixed in commit <h40>."),
		is("short commit id", "The token bug: commit <h10>"),
		is("commit under a key label", "cache key for the commit: <h40>"),
		is("token at a revision", "token = <h40> # git rev"),
		is("sha256 checksum", "sha256: <h64>"),
		is("checksum of a key file", "key checksum: <h64>"),
		is("checksum list", "<h64>  release-key.tar.gz"),
		is("image digest", "image: registry.example.com/auth-api@sha256:<h64>"),
		is("integrity", "\"integrity\": \"sha512-<B86>==\""),
		is("integrity of a key", "\"key\": \"sha512-<B86>==\""),
		is("etag", "etag: \"<h32>\""),
		is("uuid", "request_id: <h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("uuid under a token label", "token id: <h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("go.sum line", "github.com/acme/keyring v1.2.3 h1:<B43>="),
		is("ssh public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43> kim@laptop"),
		is("ssh public key with a label", "deploy key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43> kim@laptop"),
		is("public key", "public key: <B43>="),
		{"certificate", func(g generator) string { return g.pem("CERTIFICATE", 20) }},
		{"public key block", func(g generator) string { return g.pem("PUBLIC KEY", 6) }},
		is("environment", "export API_TOKEN=${CI_TOKEN}"),
		is("environment, short", "password=$DB_PASSWORD"),
		is("workflow secret", "token: ${{ secrets.GITHUB_TOKEN }}"),
		is("template", "api_key: {{ .Values.apiKey }}"),
		is("angle brackets", "password: <your-password-here>"),
		is("windows variable", "password=%DB_PASSWORD%"),
		is("stand-in", "api_key = \"YOUR_API_KEY_HERE\""),
		is("crosses", "token: xxxxxxxxxxxxxxxxxxxx"),
		is("stars", "password: ****************"),
		is("prefix alone", "Tokens that begin with ghp_ or xoxb- are refused."),
		is("prefix and dots", "GITHUB_TOKEN=ghp_..."),
		is("documented aws id", "AKIA"+"IOSFODNN7EXAMPLE"),
		is("url without password", "postgres://app@db.internal:5432/app"),
		is("url with a stand-in", "postgres://user:password@localhost:5432/app"),
		is("url with a variable", "postgres://app:${DB_PASSWORD}@db.internal/app"),
		is("url with a template", "https://oauth2:{token}@git.example.com/team/app.git"),
		is("guest", "amqp://guest:guest@localhost:5672/"),
		is("slug", "key: token-bucket-rate-limiter"),
		is("names of prefixes", "We refuse `ghp_`, `gho_`, `glpat-`, `xoxb-`, `sk_live_`, `AKIA`, `sk-ant-api03-` and `npm_`."),
		is("name of a key for git", "signingkey = 0x<h16>\nsigningkey = <h16>"),
		is("address on a chain", "0x<h40> and 0x<h64>"),
		is("bytes of words", "[72, 101, 108, 108, 111,\n 44, 32, 119, 111, 114, 108, 100]\n0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x77, 0x6f, 0x72, 0x6c, 0x64"),
		is("paths", "/opt/sk-project/lib/sk_live_docs/ https://x.example/sk-learn-tutorial/ /path/npm_config_cache/_logs"),
		is("identifiers", "authProvider: KeycloakAuthenticationProviderFactory"),
		is("member", "password=self.settings.database_password,"),
		is("call", "password = os.environ[\"DB_PASSWORD\"]"),
		is("policy", "The password policy is documented in SecurityHandbook2024.md"),
		is("prose", "The password is stored in the team vault, see the runbook."),
		is("table of words", "| token | meaning |\n|---|---|\n| access-token | short-lived credential |"),
		is("version", "api version: 2024-11-05.1"),
		is("file name", "Key design: STM32er.py is a thin bridge"),
		is("curl with a variable", "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com"),
		is("curl with a stand-in", "curl -u user:password https://api.example.com"),
		is("manifest with a template", "kind: Secret\ndata:\n  password: {{ .Values.password }}"),
		is("manifest of two documents", "kind: Secret\nmetadata: x\n---\nkind: ConfigMap\ndata:\n  greeting: <l20>"),
		is("pair of words", "credentials: name:administrator"),
		is("dashes in a long word", "key: <h8>-<h4>-<h4>-<h4>-<h12>"),
		is("null", "secret: null"),
		is("percent", "token%20bucket and password%20policy"),
		{"base64 of words", func(generator) string { return toBase64("nothing to see here, only words") }},
		{"emoji and ellipsis", func(generator) string { return "Token refresh… works ✅️ — see café notes" }},
		{"long base64", func(g generator) string { return "![logo](data:image/png;base64," + g.random("B", 6000) + ")" }},
		{"wrapped base64", func(g generator) string { return strings.Repeat(g.random("B", 64)+"\n", 1) + g.random("B", 64) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				if found := scan(t, intro+tt.text(newGenerator(seed))+outro); len(found) > 0 {
					t.Errorf("seed %d: found %v, want nothing", seed, found)
				}
			}
		})
	}
}
