package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// keyed is ScanKeyed without its deadline.
func keyed(t testing.TB, text, key string) []sanitize.Finding {
	t.Helper()
	found, err := scanner(t).look(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return findings(text, found, []byte(key))
}

// TestScanKeyed_SameSecret holds that a fingerprint depends on key, rule and
// secret alone.
func TestScanKeyed_SameSecret(t *testing.T) {
	t.Parallel()
	const key = "the finding key of one project"
	password, token := newGenerator(1).fill("<b16>"), newGenerator(1).fill("ghp_<b36>")
	for _, tt := range []struct {
		rule, secret string
		texts        []string
	}{
		{"password-assignment", password, []string{
			"password: " + password, "DB_PASSWORD=" + password, `"password": "` + password + `",`, "- **password:** `" + password + "`",
			"password: " + toFullwidth(password), "password: " + password[:5] + "\u200b" + password[5:], "> password = '" + password + "';",
		}},
		{"password-prose", password, []string{
			"the password is " + password + ".", "The password for staging is `" + password + "`, ask Kim", "the password is **" + password + "**!",
		}},
		{"url-password", password, []string{
			"postgres://app:" + password + "@db.internal/app", "<https://kim:" + password + "@git.example.com/team/app.git>",
		}},
		{"github-pat", token, []string{
			token, "use **" + token + "** here", toBase64("token " + token), token[:9] + "\n" + token[9:], strings.Replace(token, "_", `\_`, 1),
		}},
	} {
		h := hmac.New(sha256.New, []byte(key))
		h.Write([]byte(tt.rule + "\x00" + tt.secret))
		want := sanitize.Fingerprint(h.Sum(nil))
		for i, text := range tt.texts {
			if got := keyed(t, intro+text+outro, key); len(got) != 1 || got[0].Rule != tt.rule || got[0].Fingerprint != want {
				t.Errorf("%s, text %d: %v, fingerprint known: %t", tt.rule, i, got, len(got) == 1 && got[0].Fingerprint == want)
			}
			if got := keyed(t, intro+text+outro, key+"2"); len(got) != 1 || got[0].Fingerprint == want {
				t.Errorf("%s, text %d: another key makes the same fingerprint", tt.rule, i)
			}
			if got := keyed(t, intro+text+outro, ""); len(got) != 1 || !got[0].Fingerprint.IsZero() {
				t.Errorf("%s, text %d: there is a fingerprint without a key", tt.rule, i)
			}
		}
	}
}

func toFullwidth(s string) string {
	return strings.Map(func(r rune) rune { return r + 0xfee0 }, s)
}

// TestScanKeyed_FullList holds that nothing of a text can be allowed that may
// hold more than was listed.
func TestScanKeyed_FullList(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for seed := range uint64(maxFindings + 1) {
		text.WriteString(newGenerator(seed).fill("password: <b16>\n"))
	}
	for _, f := range keyed(t, text.String(), "key") {
		if !f.Fingerprint.IsZero() {
			t.Fatalf("%v of a full list has a fingerprint", f)
		}
	}
}

// TestScanKeyed_Beyond holds that a finding that may be allowed never hides a
// secret that reaches beyond it.
func TestScanKeyed_Beyond(t *testing.T) {
	t.Parallel()
	r := func(id string, s sanitize.Severity) *rule { return &rule{id: id, severity: s} }
	soft, other, hard := r("a", sanitize.SeveritySoft), r("b", sanitize.SeveritySoft), r("c", sanitize.SeverityHard)
	of := func(r *rule, start, end int) match { return match{rule: r, span: span{start, end}} }
	for _, tt := range []struct {
		name  string
		found []match
		want  int
	}{
		{"the same", []match{of(soft, 3, 9), of(other, 3, 9)}, 1},
		{"a part", []match{of(soft, 3, 9), of(other, 4, 6)}, 1},
		{"more on the right", []match{of(soft, 3, 9), of(other, 3, 30)}, 2},
		{"more on both sides", []match{of(soft, 3, 9), of(other, 1, 30)}, 1},
		{"a hard one overlaps", []match{of(hard, 3, 9), of(soft, 3, 30)}, 1},
		{"a hard one inside", []match{of(soft, 3, 30), of(hard, 3, 9)}, 1},
	} {
		if got := settle(tt.found); len(got) != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, len(got), tt.want)
		}
	}
}

// TestScanKeyed_OneRun holds that each secret of an encoded run is a finding of
// its own, although all of them have the place of the run: were only the first
// one told, whoever allows it would let any other pass beside it.
func TestScanKeyed_OneRun(t *testing.T) {
	t.Parallel()
	const key = "the finding key of one project"
	one, two := newGenerator(1).fill("<b16>"), newGenerator(2).fill("<b16>")
	for _, plain := range []string{
		"password: " + one + "\npassword: " + two + "\n",
		"the password is " + one + ".\npostgres://app:" + two + "@db.internal/app\n",
	} {
		want := keyed(t, plain, key)
		for name, text := range map[string]string{"base64": toBase64(plain), "hex": hex.EncodeToString([]byte(plain))} {
			got := keyed(t, intro+text+outro, key)
			for _, w := range want {
				same := func(f sanitize.Finding) bool { return f.Fingerprint == w.Fingerprint }
				if len(want) != 2 || !slices.ContainsFunc(got, same) {
					t.Errorf("%s: %v of %d is not among %v", name, w, len(want), got)
				}
			}
		}
	}
}
