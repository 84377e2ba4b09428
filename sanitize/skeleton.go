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
	// Folding on both sides of upper-casing also joins letters that share only their capital, such as i and dotless ı.
	fold, upper := cases.Fold(), cases.Upper(language.Und)
	s := canonical
	if strings.ContainsFunc(s, hasIotaSubscript) {
		s = fold.String(norm.NFD.String(s))
	}
	return norm.NFKC.String(fold.String(upper.String(fold.String(norm.NFKC.String(s)))))
}

// hasIotaSubscript reports whether r is or may hold the one mark that folds to
// a letter. Other marks stand behind it in a composed form but before it in
// the decomposed one, which is what Unicode (section 3.13, D146) and Macs fold.
func hasIotaSubscript(r rune) bool {
	return r == 0x0345 || 0x1F80 <= r && r <= 0x1FFF
}
