package sanitize

import (
	"strings"
	"unicode/utf8"
)

// reservedHint says what a segment means to an agent, git or Windows, or
// returns "".
func reservedHint(s segment) string {
	switch {
	case isAgentFile(s.skeleton):
		return "agents load files of this name as instructions; choose another name"
	case isGitFolder(s.skeleton):
		return "git takes this name for its own folder; choose another name"
	case isDevice(s.skeleton):
		return "Windows takes this name for a device; choose another name"
	case isShortAlias(s.skeleton), isShortAlias(s.name): // a ligature is several letters in one, and one in the other
		return "Windows takes this name for the short form of a longer one; choose another name"
	}
	return ""
}

// IsAgentFile reports whether agents load files of this name as instructions.
// No key may hold such a name, but the text of the file may be shared under
// others.
func IsAgentFile(name string) bool { return isAgentFile(Skeleton(name)) }

// isAgentFile reports whether an agent would read the segment as instructions
// or settings, rather than as notes from teammates. MEMORY.md is not among
// them: it is an ordinary entry.
func isAgentFile(skeleton string) bool {
	switch skeleton {
	case "claude.md", "claude.local.md", "agents.md", "agent.md", "gemini.md", "skill.md":
		return true
	}
	return strings.HasPrefix(skeleton, ".claude")
}

func isGitFolder(skeleton string) bool {
	rest, ok := strings.CutPrefix(skeleton, ".git")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == ' ')
}

// isDevice knows the names that Windows looks for in every folder, whatever
// extension, stream or run of spaces follows.
func isDevice(skeleton string) bool {
	name, _, _ := strings.Cut(skeleton, ".")
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, " ")
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$":
		return true
	}
	if len(name) != len("com0") || name[3] < '0' || name[3] > '9' {
		return false
	}
	return name[:3] == "com" || name[:3] == "lpt"
}

// isShortAlias reports whether the segment has the form of an 8.3 name that
// Windows makes up beside a long one, such as git~1 or gi7eba~1.
func isShortAlias(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	tilde := strings.LastIndexByte(base, '~')
	if tilde < 0 || strings.Contains(extension, ".") || utf8.RuneCountInString(extension) > 3 {
		return false
	}
	letters, number := utf8.RuneCountInString(base[:tilde]), base[tilde+1:]
	return 1 <= letters && letters <= 6 &&
		1 <= len(number) && len(number) <= 6 && strings.Trim(number, "0123456789") == ""
}
