package sanitize_test

import (
	"errors"
	"fmt"

	"github.com/teammem/teammem/sanitize"
)

func ExampleParseKey() {
	for _, raw := range []string{
		"testing/db.md",
		"Cafe\u0301.md", // decomposed, as a Mac may list it
		"../../.ssh/config.md",
		"notes/%2e%2e/db.md",
		"todo\u2026.md",
		"CLAUDE.md",
	} {
		key, err := sanitize.ParseKey(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(key)
	}
	// Output:
	// testing/db.md
	// Café.md
	// traversal at byte 0: a name cannot lead to the folder above; leave out the ".."
	// url_encoded at byte 6: a percent sign and the letters or digits after it read as an encoded character; put a space after the percent sign or spell it out
	// unicode at byte 4: U+2026 turns into '.' on some systems; use another character
	// reserved at byte 0: agents load files of this name as instructions; choose another name
}

func ExamplePathError() {
	_, err := sanitize.ParseKey("notes\\db.md")
	if e, ok := errors.AsType[*sanitize.PathError](err); ok {
		fmt.Println(e.Layer, e.Offset)
	}
	// Output: backslash 5
}

func ExampleNames() {
	var names sanitize.Names
	names.Add("Testing/db.md")
	fmt.Println(names.Check("Testing/cache.md"))
	fmt.Println(names.Check("testing/cache.md"))
	// Output:
	// <nil>
	// case at byte 0: "Testing" is there already and is the same name on some systems; use that or another name
}

func ExampleSkeleton() {
	fmt.Println(sanitize.Skeleton("STRASSE.md") == sanitize.Skeleton("straße.md"))
	// Output: true
}

func ExampleCheckText() {
	fmt.Println(sanitize.CheckText([]byte("# Notes\n")))
	fmt.Println(sanitize.CheckText([]byte("# Notes\n\nCaf\xe9 au lait\n")))
	// Output:
	// <nil>
	// invalid UTF-8 at byte 12 (line 3, column 4)
}

func ExampleFinding() {
	f := sanitize.Finding{Rule: "private-key", Severity: sanitize.SeverityHard, Line: 12, Column: 1}
	fmt.Println(f)
	// Output: private-key (line 12, column 1)
}
