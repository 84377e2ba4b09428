package secrets

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// libraryRule is one rule as the library's file states it.
type libraryRule struct {
	id, regex string
	keywords  []string
	entropy   float64
	group     int
	lists     []libraryList
}

// libraryList says which secrets a rule lets pass.
type libraryList struct {
	regexes []string
	// more is set if the list looks at more than the secret: at its line, at
	// paths, for stop words.
	more bool
}

// readRules reads the rules out of the library's configuration: only the part
// of TOML that is used there, since a general reader takes as long as all the
// rest of [New]. What it does not know is an error, never left out.
func readRules(file string) ([]libraryRule, error) {
	r := ruleFile{rest: file}
	for r.rest != "" {
		if err := r.statement(); err != nil {
			return nil, fmt.Errorf("line %d: %w", strings.Count(file[:len(file)-len(r.rest)], "\n")+1, err)
		}
	}
	return r.rules, nil
}

// ruleFile is what is left to read, and what was read.
type ruleFile struct {
	rest  string
	table string
	rules []libraryRule
}

var errNotation = errors.New("not in the notation of the library's rules")

// statement reads a comment, the head of a table, or a key with its value.
func (r *ruleFile) statement() error {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	if r.rest == "" || r.rest[0] == '#' {
		_, r.rest, _ = strings.Cut(r.rest, "\n")
		return nil
	}
	if r.rest[0] == '[' {
		return r.head()
	}
	key, rest, ok := strings.Cut(r.rest, " = ")
	if !ok || !all(key, isLetter) {
		return errNotation
	}
	r.rest = rest
	values, err := r.values()
	if err != nil {
		return err
	}
	return r.set(key, values)
}

func (r *ruleFile) head() error {
	r.table, r.rest, _ = strings.Cut(r.rest, "\n")
	switch r.table {
	case "[[rules]]":
		r.rules = append(r.rules, libraryRule{})
	case "[[rules.allowlists]]":
		if len(r.rules) == 0 {
			return errNotation
		}
		rule := &r.rules[len(r.rules)-1]
		rule.lists = append(rule.lists, libraryList{})
	case "[allowlist]": // for all rules; see placeholders
	default:
		return fmt.Errorf("unknown table %s", r.table)
	}
	return nil
}

// values reads a text or a number as one value, an array as all of its texts.
func (r *ruleFile) values() ([]string, error) {
	rest, array := strings.CutPrefix(r.rest, "[")
	if !array {
		value, err := r.value()
		return []string{value}, err
	}
	r.rest = rest
	var values []string
	for {
		r.rest = strings.TrimLeft(r.rest, " \t\r\n,")
		if rest, end := strings.CutPrefix(r.rest, "]"); end {
			r.rest = rest
			return values, nil
		}
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}

func (r *ruleFile) value() (string, error) {
	for _, quote := range []string{`'''`, `"`} {
		rest, quoted := strings.CutPrefix(r.rest, quote)
		if !quoted {
			continue
		}
		value, rest, ended := strings.Cut(rest, quote)
		if !ended || strings.Contains(value, "\n") || quote == `"` && (value == "" || strings.Contains(value, `\`)) {
			return "", errNotation
		}
		r.rest = rest
		return value, nil
	}
	end := strings.IndexFunc(r.rest, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if end <= 0 {
		return "", errNotation
	}
	number := r.rest[:end]
	r.rest = r.rest[end:]
	return number, nil
}

// set stores what a key of the current table says.
func (r *ruleFile) set(key string, values []string) (err error) {
	switch r.table {
	case "[[rules]]":
		return r.rules[len(r.rules)-1].set(key, values)
	case "[[rules.allowlists]]":
		lists := r.rules[len(r.rules)-1].lists
		return lists[len(lists)-1].set(key, values)
	}
	return nil
}

func (r *libraryRule) set(key string, values []string) (err error) {
	first := strings.Join(values[:min(1, len(values))], "")
	switch key {
	case "id":
		r.id = first
	case "regex":
		r.regex = first
	case "keywords":
		r.keywords = values
	case "entropy":
		r.entropy, err = strconv.ParseFloat(first, 64)
	case "secretGroup":
		r.group, err = strconv.Atoi(first)
	case "description", "tags":
	case "path": // a fence in Markdown has no file name
	default:
		return fmt.Errorf("unknown key %s of a rule", key)
	}
	return err
}

func (l *libraryList) set(key string, values []string) error {
	switch key {
	case "regexes":
		l.regexes = values
	case "description":
	case "condition", "regexTarget", "paths", "stopwords", "commits":
		l.more = true
	default:
		return fmt.Errorf("unknown key %s of an allowlist", key)
	}
	return nil
}
