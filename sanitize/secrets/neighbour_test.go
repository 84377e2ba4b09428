package secrets

import (
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// finds tells whether rule id is among the findings in text.
func finds(t *testing.T, id, text string) bool {
	t.Helper()
	return slices.ContainsFunc(scan(t, intro+text+outro), func(f sanitize.Finding) bool { return f.Rule == id })
}

// TestRules_TokenNeighbours holds that neither a token that was cut short nor
// words behind its prefix are one.
func TestRules_TokenNeighbours(t *testing.T) {
	t.Parallel()
	const words = "is-how-the-tokens-begin-that-this-service-gives-to-all-who-ask-for-one-and-there-are-a-good-many-of-them"
	for _, own := range tokenRules() {
		g := newGenerator(3)
		token := g.sample(parse(t, own.pattern.core))
		m, err := measure(own.pattern.core)
		if err != nil {
			t.Fatal(err)
		}
		if short := token[:m.min/2]; finds(t, own.id, "begins with "+short+"…") {
			t.Errorf("%s finds half a token", own.id)
		}
		at := strings.Index(strings.ToLower(token), own.keywords[0])
		if at != 0 {
			continue // what stands before its mark is random already
		}
		text := token[:len(own.keywords[0])] + strings.Repeat(words, 10)
		if finds(t, own.id, text[:len(token)]) || finds(t, own.id, strings.ReplaceAll(text[:len(token)], "-", "_")) {
			t.Errorf("%s finds words", own.id)
		}
	}
}

// TestRules_Neighbours holds, for each rule that needs more than a prefix, what
// it finds and what is much like that and nothing.
func TestRules_Neighbours(t *testing.T) {
	t.Parallel()
	rule := strings.Repeat("-", 5)
	tests := map[string]struct {
		found, left []string
		hard        bool
	}{
		"password-assignment": {found: []string{"password: <b16>", "DB_PASS=<p16>"}, left: []string{"password: $DB_PASSWORD", "password: correct-horse-battery"}},
		"password-prose":      {found: []string{"the password is <b16>"}, left: []string{"the password is stored in Vault2024.md"}},
		"password-table": {
			found: []string{"| wiki password | <b16> |"}, left: []string{"| password rotation | every-quarter |"},
		},
		"credential-pair": {found: []string{"credentials: admin:<b16>"}, left: []string{"credentials: name:administrator"}},
		"secret-prose":    {found: []string{"the api key for staging is <b32>"}, left: []string{"the api key for staging is in-the-team-vault-of-2024"}},
		"key-assignment":  {found: []string{"APP_KEY=base64:<B43>="}, left: []string{"APP_KEY=base64:${RANDOM_KEY_OF_THE_APP}", "cache key = users:by-name:v2:2024-05-01"}},
		"named-token":     {found: []string{"acme_pat_<b40>"}, left: []string{"the_api_names_everything_after_what_it_holds", "acme_pat_example_for_documentation"}},
		"prefixed-token": {
			found: []string{"acme_<b36>", "acme_ci_<b40>", "ACME_<b36>", "acme-ci-<b40>", "acme.<b40>", "acme_<h40>", "acme_ci_<l36>", "ACME_<U40>"},
			left: []string{
				"req_<b24>", "trace_<h32>", "sha256_<h64>", "layer_<l40>", "acme_TheNameOfAClassThatSomebodyHasMade2024", "a.b_<b36>", "commit acme_<h40>",
				"acme-<h40>", "acme.<h40>", "acme_<h32>.png", "aC_<b40>", "acme_id=71<h30>", "acme_<h8>-<h4>-4<h3>-a<h3>-<h12>",
			},
		},
		"url-password":   {found: []string{"redis://app:<b16>@cache.internal"}, left: []string{"redis://app:${PASSWORD}@cache.internal", "redis://cache.internal:6379"}},
		"aws-secret-key": {found: []string{"the aws secret is <B40>"}, left: []string{"aws: see docs/runbooks/regions/frankfurt/operations1"}},
		"azure-sas-signature": {
			found: []string{"?sv=2022&sig=<b42>%3D"}, left: []string{"?sv=2022&sig=YOUR_SIGNATURE"},
		},
		"azure-function-key": {found: []string{"/api/run?code=<u54>=="}, left: []string{"/callback?code=<u20>", "?code=$CODE"}},
		"azure-storage-key":  {found: []string{"AccountKey=<B86>=="}, left: []string{"AccountKey=$STORAGE_KEY", "AccountKey=see-the-portal-of-the-storage"}},
		"azure-devops-pat":   {found: []string{"DEVOPS_PAT=<l52>"}, left: []string{"DEVOPS_PAT=$(az account get-access-token)", "PAT: <l20>"}},
		"npmrc-auth":         {found: []string{"//registry.internal/:_authToken=<b36>"}, left: []string{"//registry.internal/:_authToken=${NPM_TOKEN}"}},
		"vault-legacy-token": {found: []string{"login with s.<b24>"}, left: []string{"the service s.internal.example.com", "items.filterByNameAndOwnerOfAll"}},
		"password-flag":      {found: []string{"sshpass -p <b16> ssh host", "run --password <b16>"}, left: []string{"run --password $PASSWORD", "run --password-file /run/secrets/db"}},
		"login-flag":         {found: []string{"redis-cli -h cache -a <b20> ping"}, left: []string{"redis-cli -h cache -a \"$REDIS_PASSWORD\" ping", "mongosh --port 27017"}},
		"token-flag":         {found: []string{"ngrok config add-authtoken <b27>_<b21>"}, left: []string{"ngrok config add-authtoken $NGROK_TOKEN", "--token-file /run/secrets/deploy-token"}},
		"bearer-token":       {found: []string{"Authorization: Bearer <b40>"}, left: []string{"Authorization: Bearer $TOKEN", "bearer authentication-is-required"}},
		"session-cookie":     {found: []string{"Cookie: theme=dark; session=<u64>"}, left: []string{"Cookie: theme=dark; lang=de", "cookie: session=the-session-of-the-current-member"}},
		"pgpass-line":        {found: []string{"db.internal:5432:app:deploy:<b18>"}, left: []string{"db.internal:5432:app:deploy:$PASSWORD", "127.0.0.1:5432:5432"}},
		"twilio-auth-token":  {found: []string{"twilio <h32>"}, left: []string{"twilio checksum md5 of the call log", "twilio account AC<h32>"}},

		"private-key-text":   {hard: true, found: []string{"-- BEGIN RSA PRIVATE KEY --\n<B64>\n<B64>"}, left: []string{"to begin, a private key is made with ssh-keygen -t ed25519 -C kim@laptop and is put under ~/.ssh/id_ed25519"}},
		"private-key-body":   {hard: true, found: []string{"MIIEvQIBADANBgkqhkiG<B64>\n<B64>"}, left: []string{"MIIEvQIBADANBgkqhkiG begins one", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A<B64>\n<B64>"}},
		"openvpn-static-key": {hard: true, found: []string{rule + "BEGIN OpenVPN Static key V1" + rule + "\n<h32>\n<h32>"}, left: []string{"an OpenVPN Static key V1 is 2048 bits"}},
		"putty-private-key":  {hard: true, found: []string{"Private-" + "Lines: 1\n<B47>="}, left: []string{"Private-" + "Lines: how many follow"}},
		"json-web-key":       {hard: true, found: []string{`{"kty":"OKP","crv":"Ed25519","d":"<u43>"}`}, left: []string{`{"kty":"OKP","crv":"Ed25519","x":"<u43>"}`, `{"a":"b","d":"<u43>"}`}},
	}
	for _, own := range slices.Concat(keyRules(), contextRules()) {
		tt, named := tests[own.id]
		if !named {
			t.Errorf("rule %s has no neighbours", own.id)
		}
		if got := own.severity == sanitize.SeverityHard; got != tt.hard {
			t.Errorf("rule %s: hard = %t, want %t", own.id, got, tt.hard)
		}
		for i, template := range tt.found {
			if !finds(t, own.id, newGenerator(5).fill(template)) {
				t.Errorf("rule %s misses text %d: %v", own.id, i, scan(t, intro+newGenerator(5).fill(template)+outro))
			}
		}
		for i, template := range tt.left {
			if found := scan(t, intro+newGenerator(5).fill(template)+outro); len(found) > 0 {
				t.Errorf("rule %s, neighbour %d: found %v", own.id, i, found)
			}
		}
	}
}
