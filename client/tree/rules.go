package tree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Rules say what a member leaves out of the mirror, in both directions. They
// are written like git's ignore files, for paths below team/. The zero value
// leaves nothing out.
type Rules struct {
	text  string
	rules []rule
}

// rule is one line.
type rule struct {
	globs   []string // one for each segment of a path; "**" stands for any number of them
	keeps   bool     // what an earlier line leaves out stays in
	folders bool     // it is about folders alone
}

// ParseRules reads the text of an ignore file. A line that has no meaning is an
// error: what it was to leave out must not be sent.
func ParseRules(text string) (Rules, error) {
	r := Rules{text: text}
	if !utf8.ValidString(text) {
		return Rules{}, fmt.Errorf("%s/%s is not in UTF-8: save it as that", FolderName, ignoreName)
	}
	n := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		n++
		one, err := parseRule(norm.NFC.String(strings.TrimSuffix(line, "\r")))
		if err != nil {
			return Rules{}, fmt.Errorf("line %d of %s/%s: %w", n, FolderName, ignoreName, err)
		}
		if len(one.globs) > 0 {
			r.rules = append(r.rules, one)
		}
	}
	return r, nil
}

// parseRule reads one line; that of a comment has no globs.
func parseRule(line string) (r rule, err error) {
	if strings.HasPrefix(line, "#") {
		return rule{}, nil
	}
	if line = trimBlanks(line); line == "" {
		return rule{}, nil
	}
	if err := mayMatch(line); err != nil {
		return rule{}, err
	}
	line, r.keeps = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	if r.globs, err = globsOf(line); err != nil {
		return rule{}, err
	}
	return r, nil
}

// mayMatch refuses lines that git would take and that no entry's name can match,
// so that what they were to leave out would be sent.
func mayMatch(line string) error {
	if strings.HasPrefix(line, " ") {
		return errors.New("no name begins with a blank")
	}
	for _, r := range line {
		if r != ' ' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Z) {
			return fmt.Errorf("%U is a character that no name has", r)
		}
	}
	escaped := false
	for _, r := range line {
		if escaped && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return errors.New(`folders are parted by "/", and "\\" only takes the meaning from a sign`)
		}
		escaped = r == '\\' && !escaped
	}
	return nil
}

// trimBlanks cuts off blanks at the end, but for one after a backslash.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if len(trimmed) < len(line) && slashes%2 == 1 {
		return trimmed + " "
	}
	return trimmed
}

// globsOf takes a pattern apart. One without a slash may match in any folder.
func globsOf(pattern string) ([]string, error) {
	globs := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	if !strings.Contains(pattern, "/") {
		globs = []string{"**", pattern}
	}
	if globs[0] == FolderName {
		return nil, fmt.Errorf("paths begin below %s/: leave that away, or write **/%s/ if there is a folder of that name in it", FolderName, FolderName)
	}
	for i, glob := range globs {
		glob = caretted(glob)
		_, err := path.Match(glob, "")
		switch {
		case glob == "" || glob == "." || glob == "..":
			return nil, fmt.Errorf("no name has %q between slashes", glob)
		case err != nil:
			return nil, fmt.Errorf("%+q is no pattern", pattern)
		case strings.Contains(glob, "[:"):
			return nil, errors.New("classes of characters cannot be given by name")
		case glob != "**" && strings.Contains(glob, "**"):
			return nil, errors.New("** stands by itself between slashes")
		}
		globs[i] = glob
	}
	return globs, nil
}

// caretted writes the classes that exclude characters as package path wants them:
// [^a] for [!a].
func caretted(glob string) string {
	out, class := []byte(glob), false
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '\\':
			i++
		case out[i] == ']':
			class = false
		case out[i] == '[' && !class:
			if class = true; i+1 < len(out) && out[i+1] == '!' {
				out[i+1] = '^'
			}
		}
	}
	return string(out)
}

// matches compares segment by segment. What ends with "**" is about all that is
// in a folder, and not about the folder.
func matches(globs, names []string) bool {
	for i, glob := range globs {
		switch {
		case len(names) == 0:
			return false
		case glob != "**":
			if ok, err := path.Match(glob, names[0]); !ok || err != nil {
				return false
			}
			names = names[1:]
		case i == len(globs)-1:
			return true
		default:
			for skip := range names {
				if matches(globs[i+1:], names[skip:]) {
					return true
				}
			}
			return false
		}
	}
	return len(names) == 0
}

// Text is what the rules were read from.
func (r Rules) Text() string { return r.text }

// excludes reports whether a name is left out whose folder is not. The last
// line that says anything of it decides.
func (r Rules) excludes(disk string, folder bool) bool {
	if len(r.rules) == 0 {
		return false
	}
	names := strings.Split(canonical(disk), "/")
	for i := len(r.rules) - 1; i >= 0; i-- {
		one := r.rules[i]
		if (folder || !one.folders) && matches(one.globs, names) {
			return !one.keeps
		}
	}
	return false
}

// LeaveOut reports whether a file is left out, or a folder that it is in: what
// is in one cannot be kept.
func (r Rules) LeaveOut(disk string) bool {
	if len(r.rules) == 0 {
		return false
	}
	for i, c := range disk {
		if c == '/' && r.excludes(disk[:i], true) {
			return true
		}
	}
	return r.excludes(disk, false)
}

// Rules reads what the member leaves out; a missing file is fs.ErrNotExist.
// Whatever keeps the file from being read or understood is an error: nothing
// may be sent then.
func (t *Tree) Rules(ctx context.Context) (Rules, error) {
	content, _, err := t.settled(ctx, t.team, ignoreName, Stamp{}, patience)
	if err != nil {
		return Rules{}, fmt.Errorf("read what is left out: %w", err)
	}
	return ParseRules(string(content))
}

// Apply makes the tree leave out what the rules say: it is not listed, and not
// written, moved or deleted.
func (t *Tree) Apply(r Rules) { t.rules = r }
