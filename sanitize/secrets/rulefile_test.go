package secrets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
)

// viperRules reads the library's rules the way the library does, but not into
// the global viper.
func viperRules(t testing.TB) config.ViperConfig {
	t.Helper()
	var vc config.ViperConfig
	v := viper.New()
	v.SetConfigType("toml")
	if err := v.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		t.Fatal(err)
	}
	if err := v.Unmarshal(&vc); err != nil {
		t.Fatal(err)
	}
	return vc
}

// TestReadRules_LikeTheLibrary compares each rule, field by field, with what
// the library reads.
func TestReadRules_LikeTheLibrary(t *testing.T) {
	t.Parallel()
	var want []libraryRule
	for _, r := range viperRules(t).Rules {
		if r.AllowList != nil || len(r.Required) > 0 || r.SkipReport {
			t.Errorf("rule %s has more than we read", r.ID)
		}
		rule := libraryRule{id: r.ID, regex: r.Regex, keywords: r.Keywords, entropy: r.Entropy, group: r.SecretGroup}
		for _, l := range r.Allowlists {
			more := l.Condition+l.RegexTarget != "" || len(l.Commits)+len(l.Paths)+len(l.StopWords) > 0
			rule.lists = append(rule.lists, libraryList{l.Regexes, more})
		}
		want = append(want, rule)
	}
	if len(want) < 200 {
		t.Errorf("the library has only %d rules", len(want))
	}
	got, err := readRules(config.DefaultConfig)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(libraryRule{}, libraryList{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rules (-library +ours):\n%s", diff)
	}
}

// TestReadRules_Unknown holds that nothing of a rule file is passed over.
func TestReadRules_Unknown(t *testing.T) {
	t.Parallel()
	const rule = "[[rules]]\nid = \"a\"\n"
	for name, file := range map[string]string{
		"table":              "[extend]\nuseDefault = true\n",
		"allowlists":         "[[allowlists]]\nregexes = ['''a''']\n",
		"required rules":     rule + "[[rules.required]]\nid = \"b\"\n",
		"list of no rule":    "[[rules.allowlists]]\nregexes = ['''a''']\n",
		"comment after head": "[[rules]] # a\n",
		"key of a rule":      rule + "skipReport = \"true\"\n",
		"key of a list":      rule + "[[rules.allowlists]]\nrule = \"b\"\n",
		"boolean":            rule + "skipReport = true\n",
		"escape":             rule + "regex = \"\\\\d\"\n",
		"text over lines":    rule + "regex = '''\na'''\n",
		"long quotes":        rule + "regex = \"\"\"a\"\"\"\n",
		"single quotes":      rule + "regex = 'a'\n",
		"open text":          rule + "regex = '''a\n",
		"open array":         rule + "keywords = [\"a\"\n",
		"number in letters":  rule + "entropy = \"high\"\n",
		"group in fractions": rule + "secretGroup = 1.5\n",
		"two values":         rule + "entropy = 3 4\n",
		"words among rules":  "[allowlist]\nwords\n" + rule,
		"head before a CR":   "[[rules]]\r\nid = \"a\"\n",
		"no spaces":          rule + "entropy=3\n",
		"dotted key":         rule + "allow.regexes = ['''a''']\n",
	} {
		if rules, err := readRules(file); err == nil {
			t.Errorf("%s: read as %+v, want an error", name, rules)
		}
	}
}
