package memory

import (
	_ "embed"
	"strings"
)

// rotations says where secrets are made anew.
//
//go:embed rotation.txt
var rotations string

// Rotation is what to do about a secret that others have read.
type Rotation struct {
	Provider string
	Where    string
	Steps    []string
}

// RotationOf returns what to do about what a rule finds.
func RotationOf(rule string) Rotation {
	r := Rotation{Provider: "whoever accepts it", Where: "where it was made"}
	longest := 0
	for line := range strings.Lines(rotations) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") || len(columns) != 3 {
			continue
		}
		for _, beginning := range strings.Fields(columns[0]) {
			if strings.HasPrefix(rule, beginning) && len(beginning) > longest {
				longest, r.Provider, r.Where = len(beginning), columns[1], columns[2]
			}
		}
	}
	r.Steps = []string{
		"make a new value and put it where the old one is used",
		"end the old one: " + r.Where,
		"look for what was done with it since it was shared",
		"take it out of the file, and have a maintainer purge what is stored of it",
		"say that it is done: in the console, or with teammem findings resolve",
	}
	return r
}
