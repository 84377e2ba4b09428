package claude

import (
	"os"
	"path/filepath"
	"strings"
)

// configValue returns the first value of a key in git's configuration, "" if
// there is none. It reads what people write by hand, too; included files and
// values over several lines it does not follow.
func configValue(gitDir, section, subsection, key string) string {
	b, err := os.ReadFile(filepath.Join(gitDir, "config"))
	if err != nil {
		return ""
	}
	inside := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if header, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(line, "[") {
			inside = isSection(header[1:], section, subsection)
			line = strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		if inside && ok && strings.EqualFold(strings.TrimSpace(name), key) {
			return plainValue(value)
		}
	}
	return ""
}

// isSection compares the inside of a header: the section without case, the
// quoted subsection as it is.
func isSection(header, section, subsection string) bool {
	name, quoted, _ := strings.Cut(header, `"`)
	sub, _, _ := strings.Cut(quoted, `"`)
	return strings.EqualFold(strings.TrimSpace(name), section) && sub == subsection
}

// plainValue takes quotes and a comment off.
func plainValue(value string) string {
	var b strings.Builder
	quoted := false
	for _, r := range value {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && (r == '#' || r == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
