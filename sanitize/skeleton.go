package sanitize

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Skeleton returns the collision key of a canonical key: whatever two keys
// some file system takes for one another, in case, in Unicode form or both,
// have the same one. It is for comparing only, never for showing or opening.
//
// It joins more than any one system does (straße and strasse, x² and x2), so
// that no client has to know the rules of another's disk.
func Skeleton(canonical string) string {
	if isASCII(canonical) {
		return strings.ToLower(canonical)
	}
	// Folding twice around upper-casing also joins letters that share only their capital, such as i and dotless ı.
	// Decomposing comes first because of the iota subscript, a mark that folds to a letter: marks that follow it in the
	// composed form stand before it in the decomposed one, and case is compared on that (Unicode 3.13, D146).
	fold, upper := cases.Fold(), cases.Upper(language.Und)
	return norm.NFKC.String(fold.String(upper.String(fold.String(norm.NFKD.String(canonical)))))
}
