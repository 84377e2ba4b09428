package secrets

import (
	"strings"
	"testing"
)

// TestScan_Memory holds what agents note of the things they work with: names, numbers
// and sums that look random and open nothing.
func TestScan_Memory(t *testing.T) {
	t.Parallel()
	for _, s := range concat(memoryOfCode(), memoryOfMachines(), memoryOfDocumentation()) {
		for seed := range uint64(8) {
			if found := scan(t, intro+s.text(newGenerator(seed+300))+outro); len(found) > 0 {
				t.Errorf("%s, seed %d: found %v, want nothing", s.name, seed, found)
			}
		}
	}
}

func concat(groups ...[]shape) (all []shape) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// memoryOfCode is from repositories, packages and pages.
func memoryOfCode() []shape {
	return []shape{
		is("commits in a table", "| change | commit |\n|---|---|\n| token refresh | <h40> |\n| key cache | `<h12>` |"),
		is("log of git", "commit <h40> (HEAD -> main, origin/main)\nAuthor: Kim <kim@example.com>\n\n    auth: rotate the signing key\n\n<h7> token: fix refresh\n<h9> key: drop the cache"),
		is("range of commits", "git log <h40>..<h40> -- auth/token.go"),
		is("submodule", "-<h40> third_party/keyring (v1.2.3-4-g<h7>)"),
		is("branch with a hash", "branch key-rotation-<h8>, tag auth-v1.4.2-<h7>"),
		is("lines of a lock file", "    \"@acme/auth-token\": {\n      \"version\": \"7.2.1\",\n      \"resolved\": \"https://registry.npmjs.org/@acme/auth-token/-/auth-token-7.2.1.tgz\",\n      \"integrity\": \"sha512-<B86>==\"\n    }"),
		is("yarn lock", "token-bucket@^1.0.2:\n  version \"1.0.2\"\n  resolved \"https://registry.yarnpkg.com/token-bucket/-/token-bucket-1.0.2.tgz#<h40>\"\n  integrity sha1-<B27>="),
		is("yarn berry", "  checksum: 10c0/<h128>\n  languageName: node"),
		is("pnpm lock", "  /auth-token@2.0.0(react@18.2.0):\n    resolution: {integrity: sha512-<B86>==}"),
		is("cargo lock", "name = \"secrecy\"\nversion = \"0.8.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"<h64>\""),
		is("pip hashes", "cryptography==42.0.5 \\\n    --hash=sha256:<h64> \\\n    --hash=sha256:<h64>"),
		is("poetry lock", "{file = \"token_bucket-0.3.0-py2.py3-none-any.whl\", hash = \"sha256:<h64>\"}"),
		is("go.sum", "github.com/golang-jwt/jwt/v5 v5.2.1 h1:<B43>=\ngithub.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:<B43>="),
		is("pseudo version", "golang.org/x/crypto v0.0.0-20240304153451-<h12>"),
		is("nix", "sha256 = \"sha256-<B43>=\";\nhash = \"sha256-<B43>=\"; # /nix/store/<l32>-openssl-3.0.13"),
		is("flake", "\"narHash\": \"sha256-<B43>=\",\n\"rev\": \"<h40>\","),
		is("subresource", "<script src=\"/auth.js\" integrity=\"sha384-<B64>\" crossorigin=\"anonymous\"></script>"),
		is("bundles", "dist/assets/auth-<b8>.js 14.2 kB │ token.<h8>.css │ main.<h20>.chunk.js │ key-<h16>.woff2"),
		is("classes of styles", ".css-<l7> { color: #fff } .Token_root__<b5> {} .sc-<L6>.<L6> .jsx-<d10> .svelte-<l6> .makeStyles-key-<d3>"),
		is("minified", "!function(e,t){\"object\"==typeof exports?module.exports=t():e.Token=t()}(this,function(){var n={},r=Object.prototype.hasOwnProperty;return n.key=function(e){return r.call(e,\"key\")},n});"),
		is("source map", "{\"version\":3,\"sources\":[\"auth.ts\"],\"mappings\":\"AAAA,SAASA,MAAMC,GAAG;IAChB,OAAOC,KAAKC,MAAMD,IAAI,CAACE,KAAKC\"}"),
		is("colours", "key colours: #<h6>, #<h6>, #<h3>; --token-primary: #<h6>; --key-shadow: rgba(12, 34, 56, .4);"),
		{"picture", func(g generator) string {
			return "![key](data:image/png;base64,iVBORw0KGgo" + g.random("B", 900) + "=)"
		}},
		{"font", func(g generator) string {
			return "src: url(data:font/woff2;base64,d09GMgAB" + g.random("B", 1200) + "==)"
		}},
		is("snapshot of a test", "exports[`token list renders 1`] = `<div data-key=\"item-3\" class=\"Token_item__<b5>\"></div>`;"),
		is("mangled names", "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$u7b$$u7b$closure$u7d$$u7d$$GT$17h<h16>E"),
		is("crate files", "target/debug/deps/libauth_token-<h16>.rlib"),
	}
}

// memoryOfMachines is from clouds, clusters, logs and services.
func memoryOfMachines() []shape {
	return []shape{
		is("image", "registry.example.com/auth/token-service:1.4.2@sha256:<h64>"),
		is("image with a commit", "ghcr.io/acme/auth-api:main-<h40>"),
		is("containers", "<h12>   auth-api   \"/entrypoint.sh\"   Up 3 hours\ncontainer_id=<h64> volume=auth_data_<h64>"),
		is("pods", "auth-api-<h10>-x7k2p   1/1   Running\ntoken-refresher-28493820-9wz4k   0/1   Completed\nkey-rotation-<l9>-<l5>"),
		is("uids", "uid: <h8>-<h4>-4<h3>-a<h3>-<h12>\nresourceVersion: \"184467\"\nownerReferences: auth-<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("secrets by name", "secretName: auth-tls-<l8>\nimagePullSecrets:\n  - name: registry-credentials-<l5>\nserviceAccountToken: projected"),
		is("arn", "arn:aws:secretsmanager:eu-central-1:<d12>:secret:prod/auth/Token-<b6>\narn:aws:kms:eu-central-1:<d12>:key/<h8>-<h4>-4<h3>-a<h3>-<h12>\narn:aws:iam::<d12>:role/TokenRotation"),
		is("ids of a cloud", "vpc-0<h16> subnet-0<h16> sg-0<h16> i-0<h16> ami-0<h16> vol-0<h16> rtb-0<h16> eipalloc-0<h16> cks-<h17>"),
		is("ids under labels", "\"KeyId\": \"<h8>-<h4>-4<h3>-a<h3>-<h12>\",\n\"AccessPolicyId\": \"vatp-<h17>\",\n\"SSHPublicKeyId\": \"APKA<U16>\",\n\"credentialId\": \"cred-<l20>\""),
		is("bucket", "s3://acme-auth-tokens-eu/key-material/2024/05/01/part-00000-<h8>-<h4>-4<h3>-a<h3>-<h12>.snappy.parquet"),
		is("terraform", "random_id.key (ID: <u11>)\naws_kms_key.token: Refreshing state... [id=<h8>-<h4>-4<h3>-a<h3>-<h12>]\n+ name = (known after apply)"),
		is("state of a service", "projects/acme-prod/secrets/auth-token/versions/3 projects/acme/locations/global/keyRings/auth/cryptoKeys/token"),
		is("accessor", "\"accessor\": \"auth_token_<h8>\", \"mount_accessor\": \"auth_userpass_<h8>\""),
		is("pages of a list", "{\"items\": [], \"nextPageToken\": \"<B40>==\", \"next_token\": \"<b60>\", \"continuationToken\": \"<u80>\", \"cursor\": \"<B32>\"}"),
		is("idempotency", "Idempotency-Key: <h8>-<h4>-4<h3>-a<h3>-<h12>\nclient_token = \"<h8>-<h4>-4<h3>-a<h3>-<h12>\"\n\"LockToken\": \"<h8>-<h4>-4<h3>-a<h3>-<h12>\""),
		is("ulid", "run 01<U24>, event evt_01<U24>, user_01<l24>"),
		is("nanoid", "session <u21>, share link https://acme.example/s/<u21>"),
		is("ids of services", "cus_<b14> pi_<b24> price_<b24> evt_<b24> acct_<b16> req_<b24> msg_01<b22> toolu_01<b22> chatcmpl-<b29> asst_<b24> file-<b22>"),
		is("ids of responses", "resp_<h48> batch_<h32> vs_<h32> thread_<b24> run_<b24>"),
		is("chat", "#auth-alerts is C0<U9>, Kim is U0<U9>, the team T0<U9>, https://acme.slack.com/archives/C0<U9>/p<d16>"),
		is("tickets", "AUTH-1423, KEY-77, https://acme.atlassian.net/browse/TOKEN-9 and https://linear.app/acme/issue/AUT-311/rotate-keys"),
		is("log lines", "2024-05-01T10:20:30.123Z INFO [auth,<h16>,<h16>] token refreshed request_id=<h32> trace_id=<h32> span_id=<h16> user=42 dur=12ms"),
		is("trace", "traceparent: 00-<h32>-<h16>-01\nx-request-id: <h32>\nx-amzn-trace-id: Root=1-<h8>-<h24>"),
		is("etag", "ETag: W/\"<h32>\"\nIf-None-Match: \"<h40>\""),
		is("measurements", "varnish,section=MAIN s_pass=0i,s_pipe=0i,s_pipe_hdrbytes=0i 1570696322000000000\nnfs vfsaccess=7203852i,vfsflush=117405i\npassed=6i,rejected=9i"),
		is("coordinates", "key places: 48.13743,11.57549; 52.520008, 13.404954; geohash u281z<l5>; H3 8<h14>"),
		is("network", "fe80::<h4>:<h4>:<h4>:<h4>, 00:1B:44:11:3A:B7, key exchange over 10.0.0.0/8"),
		is("key of a host", "ED25519 key fingerprint is SHA256:<B43>.\n256 SHA256:<B43> kim@laptop (ED25519)\nMD5:<h2>:<h2>:<h2>:<h2>:<h2>:<h2>:<h2>:<h2>"),
		is("authorised keys", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC<B360>= kim@laptop\necdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB<B86>= ci"),
		is("known hosts", "git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43>\n|1|<B27>=|<B27>= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43>"),
		is("gpg", "gpg: Signature made using RSA key <U0>4AEE18F83AFDEB23\nGPG key: <h40>\ngpg key ID <h16>\nuser.signingKey <h16>"),
		is("certificates", "serial <h32>, thumbprint <h40>, SHA-256 fingerprint <h2>:<h2>:<h2>:<h2>:<h2>:<h2>:<h2>:<h2>, key id <h40>"),
		is("wireguard", "[Peer]\nPublicKey = <B43>=\nAllowedIPs = 10.0.0.0/24"),
		is("chains", "contract 0x<h40>, tx 0x<h64>, bc1q<l38>, ipfs Qm<b44>, bafybei<l52>"),
	}
}

// memoryOfDocumentation is what examples, manuals and templates say.
func memoryOfDocumentation() []shape {
	return []shape{
		is("cut short", "export API_TOKEN=eyJhbGciOiJIUzI1Ni...\nAuthorization: Bearer abcd1234...\ntoken: \"eyJhbGc...Qssw5c\"\nKey 1: wcBMA37rwGt6FS1VAQ..."),
		is("without a signature", "The header eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 says HS256.\nauth_bearer_token = \"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\""),
		is("names of algorithms", "Key exchange: X25519MLKEM768, SecP256r1MLKEM768.\nkey algorithm: ECDSA-P256-SHA256, cipher AES256-GCM-SHA384, key: secp256k1"),
		is("samples", "secret_key = \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"\naccess_key: AKIA"+"IOSFODNN7EXAMPLE"),
		is("sequences", "api_key: abcdef123456\ntoken = \"0123456789abcdef0123456789abcdef\"\nsecret: 1234567890abcdefghij"),
		is("badge", "[![coverage](https://codecov.io/gh/acme/app/graph/badge.svg?token=<b10>)](https://codecov.io/gh/acme/app)"),
		{"key without its body", func(generator) string {
			const rule = "-----"
			return rule + "BEGIN OPENSSH PRIVATE KEY" + rule + "\n    ...\n    (as in the vault, and never in this file, see the runbook of the platform team)\n" + rule + "END OPENSSH PRIVATE KEY" + rule
		}},
		is("configuration of words", "kind: Secret\nmetadata:\n  name: notifications\nstringData:\n  service.teams: |\n    recipientUrls:\n      general: $url"),
		is("reference", "clientSecret: $oidc.auth0.clientSecret\npassword: ${vault:auth/db#password}\ntoken: !Ref AuthToken\nsecret: op://prod/auth/token"),
		is("addresses", "the issuer in aws is https://oidc.eks.us-east-2.amazonaws.com/id/DALSJ343KE23J3RN45653DSKJTT647TYD\nhttp://login:pass@localhost:9001/RPC2\nqueue=http://amqp.example.org:15672,vhost=app,node=rabbit@amqp.example.org"),
		is("sudoers", "deploy ALL=(root) NOPASSWD: /usr/local/bin/restart-auth2"),
		is("variables", "AUTH_TOKEN_TTL=3600 KEY_ROTATION_DAYS=90 PASSWORD_MIN_LENGTH=12 SECRET_NAME=prod/auth/token TOKEN_URL=https://auth.example.com/oauth2/token"),
		is("columns of names", "| setting | key |\n|---|---|\n| rotation | `auth.key.rotationIntervalDays` |\n| cache | user:profile:v2:{id} |"),
		is("translations", "auth.token.expired.title_v2 = Ihr Token ist abgelaufen\nkey.reset.hint_2024 = …"),
	}
}

// TestScan_InDisguiseOfMemory holds that what makes a value harmless does so for
// nothing more than it should.
func TestScan_InDisguiseOfMemory(t *testing.T) {
	t.Parallel()
	const rule, uuid = "-----", "<h8>-<h4>-4<h3>-a<h3>-<h12>"
	for _, s := range []shape{
		is("token in a table of commits", "| change | commit |\n|---|---|\n| refresh | ghp_<b36> |"),
		is("token as the name of a secret", "secret_name: ghp_<b36>"),
		is("token as a place in a list", "nextPageToken: ghp_<b36>"),
		is("token named like a file", "acme_<b40>.prod"),
		is("key in the address of a badge", "https://acme.example/badge.svg?api_key=<b40>"),
		is("key in a list of keys", "stripe_key,<h32>"),
		is("key cut short behind its end", "api_key: <h32>..."),
		is("pass phrase of a key", "gpg passphrase: <h40>"),
		is("identifier that opens", "POSTMARK_API_TOKEN="+uuid),
		is("identifier as a password", "password: "+uuid),
		is("code to pass", "passCode: <b24>"),
		{"key among words", func(g generator) string {
			words := strings.Repeat("This key belongs to the machine that builds our releases, and nobody else has got it. ", 12)
			return rule + "BEGIN EC PRIVATE KEY" + rule + "\n" + words + "\n" + g.random("B", 64) + "\n" + words + "\n" + rule + "END EC PRIVATE KEY" + rule
		}},
	} {
		for seed := range uint64(4) {
			if len(scan(t, intro+s.text(newGenerator(seed+400))+outro)) == 0 {
				t.Errorf("%s, seed %d: nothing found", s.name, seed)
			}
		}
	}
}
