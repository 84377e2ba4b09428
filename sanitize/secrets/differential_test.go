package secrets

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// library is gitleaks as it comes, at the depth of decoding that we use.
func library(t testing.TB) (*detect.Detector, config.Config) {
	t.Helper()
	vc, err := libraryConfig()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := vc.Translate()
	if err != nil {
		t.Fatal(err)
	}
	d := detect.NewDetector(cfg)
	d.MaxDecodeDepth = decodeDepth
	return d, cfg
}

// TestScan_LibraryRules asks for each rule of the library whether we still find
// what it finds, in values made from the rule's own expression.
func TestScan_LibraryRules(t *testing.T) {
	t.Parallel()
	oracle, cfg := library(t)
	tried := 0
	for _, id := range cfg.OrderedRules {
		r := cfg.Rules[id]
		if r.Regex == nil || r.Path != nil {
			continue
		}
		expr, err := syntax.Parse(r.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(8) {
			g := newGenerator(seed)
			text := intro + strings.Join(r.Keywords, " ") + "\n" + g.sample(expr) + outro
			if !found(oracle.DetectString(text), id) {
				continue
			}
			tried++
			if len(scan(t, text)) == 0 && !tightened(id) {
				t.Errorf("rule %s, seed %d: the library finds a secret, we do not", id, seed)
			}
		}
	}
	t.Logf("%d secrets of the library's rules", tried)
}

// tightened names the rules that we ask for more than the library does.
func tightened(id string) bool {
	return id == "sourcegraph-access-token" // 40 hexadecimal digits beside the product's name are a commit
}

func found(findings []report.Finding, id string) bool {
	for _, f := range findings {
		if f.RuleID == id {
			return true
		}
	}
	return false
}

// sample makes a text that re matches.
func (g generator) sample(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(g.member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return g.random("b", 1)
	case syntax.OpAlternate:
		return g.sample(re.Sub[g.IntN(len(re.Sub))])
	case syntax.OpConcat, syntax.OpCapture:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(g.sample(sub))
		}
		return b.String()
	}
	least, most := 0, 0
	switch re.Op {
	case syntax.OpQuest:
		most = 1
	case syntax.OpStar:
		most = 4
	case syntax.OpPlus:
		least, most = 8, 16
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
		if most < 0 {
			most = least + 8
		}
	default:
		return ""
	}
	var b strings.Builder
	for range least + g.IntN(most-least+1) {
		b.WriteString(g.sample(re.Sub[0]))
	}
	return b.String()
}

// member picks a printable ASCII rune of a class, or its first rune.
func (g generator) member(class []rune) rune {
	var from []rune
	for i := 0; i < len(class); i += 2 {
		for r := max(class[i], ' '); r <= min(class[i+1], '~'); r++ {
			from = append(from, r)
		}
	}
	if len(from) == 0 {
		return class[0]
	}
	return from[g.IntN(len(from))]
}
