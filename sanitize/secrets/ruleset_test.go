package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// foundBy is what the scanner finds in the texts of TestRuleSet_Revision, by the
// revision that finds it.
const (
	foundByRevision = "tm7"
	foundByDigest   = "ab80634ad2d764ee"
)

// TestRuleSet_Revision holds that what is found changes together with the name of
// the rules: else what passed other rules would never be looked at again.
func TestRuleSet_Revision(t *testing.T) {
	t.Parallel()
	digest := sha256.New()
	for i, text := range judgedTexts() {
		for _, f := range scan(t, text) {
			fmt.Fprintln(digest, i, f.Rule, f.Severity, f.Line, f.Column)
		}
	}
	if got := hex.EncodeToString(digest.Sum(nil))[:16]; got != foundByDigest {
		t.Errorf("other things are found than by revision %s: raise the revision of compile.go, and note it here with digest %s", foundByRevision, got)
	}
	if revision != foundByRevision {
		t.Errorf("the revision is %s: note it here", revision)
	}
}

// judgedTexts are the shapes, a token in all places, and values between words and random characters
// under labels of many kinds.
func judgedTexts() []string {
	const words, size = "internal-service.accountNameOfTheBuildMachine_production", 32
	var all []string
	for i, s := range shapes() {
		all = append(all, intro+s.text(newGenerator(uint64(i)))+outro)
	}
	inPlace := places()
	for i, name := range slices.Sorted(maps.Keys(inPlace)) {
		all = append(all, intro+inPlace[name](newGenerator(uint64(i)).fill("npm_<b36>"))+outro)
	}
	for i, context := range []string{
		"api_key = %", "password: %", "The password is % since May.", "| token | % |", "credentials: kim:%", "the client secret is %",
		"--token %", "Authorization: Bearer %", "Cookie: session=%", "https://kim:%@a.example/x", "acme_live_%", "ab_%", "sk-%", "hf_%",
		"commit token %", "machine a login b password %",
	} {
		for natural := range size {
			g := newGenerator(uint64(100*i + natural))
			value := g.random("b", size-natural) + words[:natural]
			all = append(all, intro+strings.Replace(context, "%", value, 1)+outro)
		}
	}
	return all
}

// TestCompiler_Name holds that each part of a rule takes part in the name.
func TestCompiler_Name(t *testing.T) {
	t.Parallel()
	base := func() definition {
		return definition{id: "a", severity: "soft", keywords: []string{"k"}, pattern: pattern{core: "k(b)"}, entropy: 3, group: 1, allowed: [][]string{{"c"}}}
	}
	names := []string{}
	for _, change := range []func(*definition){
		func(*definition) {},
		func(d *definition) { d.id = "b" },
		func(d *definition) { d.severity = "hard" },
		func(d *definition) { d.keywords = []string{"b"} },
		func(d *definition) { d.keywords = append(d.keywords, "b") },
		func(d *definition) { d.pattern.flags = "(?i)" },
		func(d *definition) { d.pattern.left = "x" },
		func(d *definition) { d.pattern.core = "k(c)" },
		func(d *definition) { d.pattern.right = "x" },
		func(d *definition) { d.entropy = 3.5 },
		func(d *definition) { d.group = 0 },
		func(d *definition) { d.allowed = nil },
		func(d *definition) { d.allowed = [][]string{{"c", "d"}} },
		func(d *definition) { d.allowed = [][]string{{"c"}, {"d"}} },
	} {
		d := base()
		change(&d)
		c := compiler{digest: sha256.New()}
		c.add(d, nil)
		if name := c.finish().name; slices.Contains(names, name) {
			t.Errorf("%+v has the name of another rule", d)
		} else {
			names = append(names, name)
		}
	}
}
