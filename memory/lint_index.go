package memory

// LintIndex compares an index, the MEMORY.md at the top of team/, with the
// entries there are.
func LintIndex(index string, paths []Path) []Lint { return nil }
