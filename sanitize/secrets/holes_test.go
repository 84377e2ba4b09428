package secrets

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// hole is a text with a secret that the library's defaults let pass.
type hole struct {
	name string
	text func(g generator) string
	// depth tells that the library finds it when told to decode as we do.
	depth bool
	// path is a name of the text that makes the library pass it over.
	path string
}

func holes() []hole {
	open := func(name, template string) hole {
		return hole{name: name, text: func(g generator) string { return g.fill(template) }}
	}
	named := func(name, path string) hole {
		return hole{name: name, path: path, text: func(g generator) string { return g.fill("ghp_<b36>") }}
	}
	return []hole{
		open("allow comment", "ghp_<b36> # gitleaks:"+"allow"),
		open("token begins with true", "token = \"true<b28>\""),
		open("token contains false", "ghp_<b16>false<b15>"),
		open("token contains False", "glpat-<u6>False<u9>"),
		open("token ends in null", "ghp_<b32>null"),
		open("payment key contains false", "sk_live_<b10>false<b9>"),
		{name: "private key contains false", text: func(g generator) string {
			return strings.Replace(g.pem("RSA PRIVATE KEY", 12), "\n", "\nfalse", 1)
		}},
		{name: "private key contains an alphabet", text: func(g generator) string {
			return strings.Replace(g.pem("EC PRIVATE KEY", 3), "\n", "\n"+lowers, 1)
		}},
		open("alphabet inside", "ghp_<b5>"+lowers+"<b5>"),
		open("stop word admin", "api_key = \"<b10>admin<b10>\""),
		open("stop word md5", "api_key = \"<b10>md5<b12>\""),
		open("stop word auth", "api_key = \"<b10>auth<b10>\""),
		open("generic of letters only", "api_key = \"<L28>\""),
		open("generic under public key", "public_key = \"<b32>\""),
		named("path of modules", "team/node_modules/a.md"),
		named("path of vendored code", "vendor/github.com/a/b.md"),
		named("path of an environment", "env/lib/python3.12/a.md"),
		named("name of its own file", "notes-on-gitleaks.toml"),
		{name: "rule for Kubernetes files", text: func(g generator) string {
			return "```yaml\nkind: Secret\ndata:\n  dsn: " + toBase64(g.random("b", 18)) + "\n```"
		}},
		open("rule for Terraform files", "```hcl\nadministrator_login_password = \"<b4>!<b4>@<b6>\"\n```"),
		open("rule for NuGet files", "```xml\n<add key=\"ClearTextPassword\" value=\"<b18>\" />\n```"),
		{name: "base64", depth: true, text: func(g generator) string { return toBase64(g.fill("the token ghp_<b36>")) }},
		{name: "hexadecimal", depth: true, text: func(g generator) string { return toHex(g.fill("the token ghp_<b36>")) }},
		{name: "percent", depth: true, text: func(g generator) string { return "token=ghp%5F" + g.random("b", 36) }},
		open("zero width", "ghp_<b9>\u200b<b27>"),
		open("fullwidth", "ghp\uff3f<b36>"),
		open("two lines", "ghp_<b16>\n<b20>"),
		open("URL", "postgres://app:<b20>@db.internal/app"),
		open("password with punctuation", "password: <p12>!"),
	}
}

// libraryFinds asks the library the way its callers do.
func libraryFinds(d *detect.Detector, h hole, text string) bool {
	return len(d.Detect(fragment(text, h.path))) > 0
}

func fragment(text, path string) detect.Fragment { //nolint:staticcheck // deprecated for a version that is not out
	return detect.Fragment{Raw: text, FilePath: path} //nolint:staticcheck // as above
}

// TestHoles holds each hole of the library's defaults against what we do: they
// miss the secret, we find it.
func TestHoles(t *testing.T) {
	t.Parallel()
	cfg := libraryConfig(t)
	plain, deep := detect.NewDetector(cfg), library(cfg)
	for _, h := range holes() {
		for seed := range uint64(6) {
			text := intro + h.text(newGenerator(seed+70)) + outro
			if libraryFinds(plain, h, text) || !h.depth && libraryFinds(deep, h, text) {
				t.Errorf("%s, seed %d: the library finds it, so it is no hole", h.name, seed)
			}
			if h.depth && !libraryFinds(deep, h, text) {
				t.Errorf("%s, seed %d: the library does not find it at our depth of decoding", h.name, seed)
			}
			if len(scan(t, text)) == 0 {
				t.Errorf("%s, seed %d: not found", h.name, seed)
			}
		}
	}
	sample := newGenerator(1).fill("AKIA<t9>EXAMPLE") // how the identifiers in the documentation of AWS end
	if len(scan(t, sample)) > 0 {
		t.Error("a documented sample is a finding")
	}
}

// TestHoles_OutOfTime holds that the library answers with a part when its time is
// over, and that we answer with an error.
func TestHoles_OutOfTime(t *testing.T) {
	t.Parallel()
	text := newGenerator(1).fill("ghp_<b36>")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if found := library(libraryConfig(t)).DetectContext(over, fragment(text, "")); len(found) > 0 {
		t.Errorf("the library finds %d secrets without time", len(found))
	}
	if found, err := scanner(t).Scan(over, text); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("Scan = %v, %v; want an error", found, err)
	}
}

// TestHoles_Redaction holds that the library's redacted line shows what else is
// a secret in it, and that our excerpt does not.
func TestHoles_Redaction(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	one, two := g.fill("ghp_<b36>"), g.fill("glpat-<u20>")
	text := "from " + one + " to " + two + " in May"
	shown := false
	for _, f := range library(libraryConfig(t)).DetectString(text) {
		f.Redact(100)
		shown = shown || strings.Contains(f.Line, one) || strings.Contains(f.Line, two)
	}
	if !shown {
		t.Error("the library's redaction is whole, so it is no hole")
	}
	for _, f := range scan(t, text) {
		excerpt, err := scanner(t).Excerpt(t.Context(), text, f)
		if err != nil || excerpt != "from "+mask+" to "+mask+" in May" {
			t.Errorf("excerpt %q, %v", excerpt, err)
		}
	}
}

// asChild tells the test below that it is its own child.
const asChild = "TEAMMEM_TEST_USE_DEFAULT"

// TestHoles_UseDefault holds that a process which extends the library's defaults
// has no rules from the third time on, and that ours has them. It is a process
// of its own, since the library never forgets how often it was asked.
func TestHoles_UseDefault(t *testing.T) {
	t.Parallel()
	if os.Getenv(asChild) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestHoles_UseDefault$")
		child.Env = append(os.Environ(), asChild+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	rules := 0
	for range 3 {
		v := viper.New()
		v.SetConfigType("toml")
		var vc config.ViperConfig
		if err := errors.Join(v.ReadConfig(strings.NewReader("[extend]\nuseDefault = true\n")), v.Unmarshal(&vc)); err != nil {
			t.Fatal(err)
		}
		cfg, err := vc.Translate()
		if err != nil {
			t.Fatal(err)
		}
		rules = len(cfg.Rules)
	}
	if rules > 0 {
		t.Errorf("the library has %d rules the third time, so it is no hole", rules)
	}
	for range 3 {
		s, err := New() // which tries its rules
		if err != nil {
			t.Fatal(err)
		}
		if len(s.near.rules) < 200 {
			t.Errorf("only %d rules", len(s.near.rules))
		}
	}
}
