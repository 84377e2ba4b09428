package memory

import "strings"

// Kinds returns the kinds in the order in which they matter to a reader:
// feedback acts as an instruction, user notes are rarely a team's business.
func Kinds() []Kind { return []Kind{KindFeedback, KindProject, KindReference, KindUser} }

// ParseKind reads a type as an entry states it, in any case. An unknown type
// counts as project.
func ParseKind(stated string) (kind Kind, known bool) {
	switch k := Kind(strings.ToLower(strings.TrimSpace(stated))); k {
	case KindUser, KindFeedback, KindProject, KindReference:
		return k, true
	}
	return KindProject, false
}
