package promises_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/internal/promises"
)

const root = "../.."

// The page says what the source has: each scenario, each of its tests, no test
// that is not there, and that each test passed.
func TestPage_IsCurrent(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join(root, "docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	tests, err := promises.Tests(root)
	if err != nil {
		t.Fatal(err)
	}
	passed, caught := promises.ReadMarks(page)
	want := promises.Page{Tests: tests, Passed: passed, Caught: caught}
	if diff := cmp.Diff(want.String(), page); diff != "" {
		t.Errorf("docs/promises.md is not what the source has; run make promises (-source +page):\n%s", diff)
	}
	for _, name := range promises.Named(page) {
		if !slices.ContainsFunc(tests, func(t promises.Test) bool { return t.String() == name }) {
			t.Errorf("docs/promises.md names %s, which is not there", name)
		}
	}
	for _, name := range want.Shown() {
		if !passed[name] {
			t.Errorf("docs/promises.md does not say that %s passed; run make promises", name)
		}
	}
}

// Each fault fits the source, exactly once.
func TestFaults_Fit(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, f := range promises.Faults() {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Apply(string(source)); err != nil {
			t.Error(err)
		}
		if names[f.Name] || f.Old == f.New {
			t.Errorf("%q is there twice, or changes nothing", f.Name)
		}
		names[f.Name] = true
	}
}

// The scenarios are numbered without a gap, and each promise is about some.
func TestScenarios_Numbered(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for i, s := range promises.Scenarios() {
		if want := "S" + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)); s.ID != want {
			t.Errorf("scenario %s stands where %s should", s.ID, want)
		}
		known[s.ID] = true
	}
	for _, p := range promises.Promises() {
		for _, id := range p.Scenarios {
			if !known[id] {
				t.Errorf("%s is about %s, which is not there", p.ID, id)
			}
		}
	}
}
