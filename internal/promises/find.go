package promises

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Test is a test of the module.
type Test struct {
	Package string // below the module
	Name    string
	IDs     []string // of the scenarios that its name has
}

// String is how the page names it.
func (t Test) String() string { return t.Package + "." + t.Name }

var (
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	scenarioID = regexp.MustCompile(`_([SF]\d\d)`)
)

// Tests lists the tests in the source below root, by package and name.
func Tests(root string) ([]Test, error) {
	var tests []Test
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(os.DirFS(root), name)
		if err != nil {
			return err
		}
		for _, found := range testFunc.FindAllSubmatch(source, -1) {
			t := Test{Package: path.Dir(name), Name: string(found[1])}
			if strings.HasPrefix(t.Name, "TestScenario_") || strings.HasPrefix(t.Name, "TestField_") {
				for _, id := range scenarioID.FindAllStringSubmatch(t.Name, -1) {
					t.IDs = append(t.IDs, id[1])
				}
			}
			tests = append(tests, t)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find tests: %w", err)
	}
	slices.SortFunc(tests, func(a, b Test) int { return strings.Compare(a.String(), b.String()) })
	return tests, nil
}

// Apply returns the source of the file of a fault with it in place. The text to
// replace has to be there exactly once, or it is not known what it does.
func (f Fault) Apply(source string) (string, error) {
	if n := strings.Count(source, f.Old); f.Old == "" || n != 1 {
		return "", fmt.Errorf("%q does not fit any more: %s has its text %d times", f.Name, f.File, n)
	}
	return strings.Replace(source, f.Old, f.New, 1), nil
}
