package promises

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Page is what docs/promises.md says.
type Page struct {
	Tests  []Test
	Passed map[string]bool // tests that passed in a run
	Caught map[string]bool // faults, by name, that their test found
}

// marks of a page that is there.
var (
	passedMark = regexp.MustCompile("`([\\w/]+\\.Test\\w+)` passed")
	caughtMark = regexp.MustCompile("(?m)^\\| (.*) \\| `[^`]*` \\| `[^`]*` \\| found \\|$")
	namedMark  = regexp.MustCompile("`([\\w/]+\\.Test\\w+)`")
)

// ReadMarks returns what an earlier run has shown.
func ReadMarks(page string) (passed, caught map[string]bool) {
	passed, caught = map[string]bool{}, map[string]bool{}
	for _, m := range passedMark.FindAllStringSubmatch(page, -1) {
		passed[m[1]] = true
	}
	for _, m := range caughtMark.FindAllStringSubmatch(page, -1) {
		caught[m[1]] = true
	}
	return passed, caught
}

// Named returns the tests that a page names.
func Named(page string) []string {
	var names []string
	for _, m := range namedMark.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Shown returns the tests that show something, of which the page says whether
// they passed.
func (p Page) Shown() []string {
	var names []string
	for _, r := range Promises() {
		names = append(names, r.Tests...)
	}
	for _, t := range p.Tests {
		if len(t.IDs) > 0 {
			names = append(names, t.String())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const head = `# What teammem promises, and what shows it

<!-- Made from a run of the tests by "make promises"; do not edit. -->

A promise is worth as much as the test that breaks when it is broken. Each row names the tests that run its situation with
the real client, server and database. "passed" is what the last run of them said; all of them run before each change is
merged. Where no test is named yet, the promise is meant, and not shown.

`

// String writes the page.
func (p Page) String() string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("## Promises\n\n| | promise | situations | and besides |\n|---|---|---|---|\n")
	for _, r := range Promises() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Title, strings.Join(r.Scenarios, " "), p.marks(r.Tests))
	}
	b.WriteString("\n## Situations\n\n| | situation | what has to be so | shown by |\n|---|---|---|---|\n")
	for _, s := range Scenarios() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s.ID, s.Title, s.Mark, p.marks(p.of(s.ID)))
	}
	b.WriteString("\n## Troubles that others reported\n\n| | shown by |\n|---|---|\n")
	for _, id := range p.fields() {
		fmt.Fprintf(&b, "| %s | %s |\n", id, p.marks(p.of(id)))
	}
	b.WriteString("\n## Mistakes that are found\n\nEach of these was put into the source by itself, and the test named beside it failed.\n\n")
	b.WriteString("| mistake | file | test | |\n|---|---|---|---|\n")
	for _, f := range Faults() {
		mark := "not tried"
		if p.Caught[f.Name] {
			mark = "found"
		}
		fmt.Fprintf(&b, "| %s | `%s` | `%s` | %s |\n", f.Name, f.File, f.Test, mark)
	}
	return b.String()
}

// of lists the tests of a scenario.
func (p Page) of(id string) []string {
	var names []string
	for _, t := range p.Tests {
		if slices.Contains(t.IDs, id) {
			names = append(names, t.String())
		}
	}
	return names
}

// fields lists the reported troubles that have a test.
func (p Page) fields() []string {
	var all []string
	for _, t := range p.Tests {
		for _, id := range t.IDs {
			if strings.HasPrefix(id, "F") {
				all = append(all, id)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (p Page) marks(tests []string) string {
	var marks []string
	for _, name := range tests {
		mark := "`" + name + "`"
		if p.Passed[name] {
			mark += " passed"
		}
		marks = append(marks, mark)
	}
	if len(marks) == 0 {
		return "-"
	}
	return strings.Join(marks, "<br>")
}
