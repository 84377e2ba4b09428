package view

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each cause that the rules have is said in words, and there are words for no
// other.
func TestRiskLabels_EveryCause(t *testing.T) {
	t.Parallel()
	labels, seen := map[string]bool{}, map[string]bool{}
	for _, l := range riskLabels() {
		if labels[l.cause] || seen[l.label] || l.label == "" {
			t.Errorf("%q is there twice, or has no words of its own: %q", l.cause, l.label)
		}
		labels[l.cause], seen[l.label] = true, true
	}
	if diff := cmp.Diff(causes(t), labels); diff != "" {
		t.Errorf("causes without words, and words without a cause (-causes +words):\n%s", diff)
	}
}

// causes are the constants of the type Cause in the source of package sanitize,
// which this package does not import.
func causes(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../sanitize/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, named := spec.Type.(*ast.Ident)
			value, literal := spec.Values[0].(*ast.BasicLit)
			if named && literal && kind.Name == "Cause" {
				cause, _ := strconv.Unquote(value.Value)
				found[cause] = true
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatal("package sanitize has no causes")
	}
	return found
}

// However many places there are, the notice ends, says how many are not named,
// and shows what it does not know as text.
func TestRiskNotice_Bounded(t *testing.T) {
	t.Parallel()
	var risks []Risk
	for n := range 250 {
		risks = append(risks, Risk{Cause: "instruction", High: true, Line: n + 1}, Risk{Cause: fmt.Sprintf("<b>%d\u202e", n), Line: n + 1})
	}
	var page bytes.Buffer
	if err := riskNotice(Frame{}, risks, "/raw").Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	for _, want := range []string{"251 reasons to look closely", "An instruction: always, never or must", "and 242 more", "and 201 more reasons", "&lt;b&gt;0", ">U+202E<"} {
		if !strings.Contains(html, want) {
			t.Errorf("the notice does not say %q", want)
		}
	}
	if strings.Contains(html, "<b>") || strings.Contains(html, "\u202e") || len(html) > 20_000 {
		t.Errorf("a cause stands in the notice as it is, or it has no end: %d bytes", len(html))
	}
}
