package secrets

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// soak is the variable of the environment that asks for the long run of tests
// that have one.
const soak = "TEAMMEM_SOAK"

func soaking() bool { return os.Getenv(soak) != "" }

// libraryConfig is the library's configuration as it comes.
func libraryConfig(t testing.TB) config.Config {
	t.Helper()
	vc := viperRules(t)
	cfg, err := vc.Translate()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// library is gitleaks as it comes, at the depth of decoding that we use.
func library(cfg config.Config) *detect.Detector {
	d := detect.NewDetector(cfg)
	d.MaxDecodeDepth = decodeDepth
	return d
}

// TestScan_LibraryRules asks for each rule of the library whether we still find
// what it finds, in values made from the rule's own expression.
func TestScan_LibraryRules(t *testing.T) {
	t.Parallel()
	cfg := libraryConfig(t)
	tried := 0
	ids := cfg.OrderedRules
	for _, id := range ids {
		r := cfg.Rules[id]
		if r.Regex == nil || r.Path != nil {
			continue
		}
		only := cfg // this rule; what the others find is not compared
		only.Rules = map[string]config.Rule{id: r}
		oracle := library(only)
		expr := parse(t, r.Regex.String())
		for seed := range uint64(4) {
			g := newGenerator(seed)
			text := intro + strings.Join(r.Keywords, " ") + "\n" + g.sample(expr) + outro
			if len(slices.DeleteFunc(oracle.DetectString(text), tightened)) == 0 {
				continue
			}
			tried++
			if len(scan(t, text)) == 0 {
				t.Errorf("rule %s, seed %d: the library finds a secret, we do not", id, seed)
			}
		}
	}
	if tried < 3*len(ids) {
		t.Errorf("only %d secrets of the library's rules were tried", tried)
	}
}

func parse(t testing.TB, expr string) *syntax.Regexp {
	t.Helper()
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return re
}

// tightened names what we leave alone although a rule of the library finds it:
// 40 hexadecimal digits beside the name of a product are a commit, and a JSON
// web token without a signature opens nothing.
func tightened(f report.Finding) bool {
	return f.RuleID == "sourcegraph-access-token" && !strings.HasPrefix(f.Secret, "sgp") ||
		f.RuleID == "jwt" && strings.HasSuffix(f.Secret, ".")
}

// TestScan_Corpus reads real memory files: hardly any may be flagged, and what
// the library flags must be.
func TestScan_Corpus(t *testing.T) {
	t.Parallel()
	names, files := corpusFiles(t) // first, since it may skip
	oracle := library(libraryConfig(t))
	flagged, each := 0, 12 // the library takes ten times as long
	if soaking() {
		each = 1
	}
	for i, text := range files {
		ours := scan(t, text)
		if len(ours) > 0 {
			flagged++
			t.Logf("%s: %v", names[i], ours)
		}
		if i%each == 0 && len(ours) == 0 && len(oracle.DetectString(text)) > 0 {
			t.Errorf("%s: the library finds a secret, we do not", names[i])
		}
	}
	t.Logf("%d of %d files flagged", flagged, len(files))
	if flagged*100 > len(files) {
		t.Errorf("%d of %d files flagged, want at most 1 %%", flagged, len(files))
	}
}

// TestScan_Injected puts the shapes into real files: we find what the library
// finds there, and in the same line.
func TestScan_Injected(t *testing.T) {
	t.Parallel()
	files := corpus(t)
	oracle := library(libraryConfig(t))
	const beside = chunkContext
	both, ours := 0, 0
	for i, s := range shapes() {
		g := newGenerator(uint64(i))
		text := files[g.IntN(len(files))]
		at := strings.IndexByte(text[g.IntN(len(text)):], '\n') + 1 // of a random part: anywhere will do
		// The paragraphs around it; the rest of the file is TestScan_Corpus's.
		before, after := text[max(0, at-beside):at], text[at:min(at+beside, len(text))]
		text = before + "\n" + s.text(g) + "\n" + after
		lines := map[int]bool{}
		for _, f := range scan(t, text) {
			lines[f.Line] = true
		}
		if len(lines) > 0 {
			ours++
		}
		for _, f := range oracle.DetectString(text) {
			both++
			if !lines[f.StartLine+1] && !lines[f.EndLine+1] {
				t.Errorf("%s: the library's rule %s finds line %d, we find lines %v", s.name, f.RuleID, f.StartLine+1, lines)
			}
		}
	}
	t.Logf("%d of %d found, %d findings of the library confirmed", ours, len(shapes()), both)
}

// corpus returns the memory files that are shared between projects.
func corpus(t testing.TB) []string {
	t.Helper()
	_, texts := corpusFiles(t)
	return texts
}

func corpusFiles(t testing.TB) (names, texts []string) {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no real memory files: ../shared/corpus is missing")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		names, texts = append(names, path), append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, texts
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
