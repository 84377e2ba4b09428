package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
)

// query is a parsed query string.
type query map[string]string

// parseQuery is the only reader of queries. It refuses what the standard
// reading silently drops: a bad escape, a semicolon, a repeated or unknown
// name. The error names no name and no value of the query.
func parseQuery(raw, takes string) (query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, memory.Invalid("", "the query is not well-formed: escape ; and % as %3B and %25")
	}
	q := query{}
	known := strings.Fields(takes)
	for name, all := range values {
		switch {
		case !slices.Contains(known, name):
			return nil, memory.Invalid("", "the query has a parameter that is not known here; known are: "+strings.Join(known, ", "))
		case len(all) > 1:
			return nil, memory.Invalid(name, "this is given twice")
		}
		q[name] = all[0]
	}
	return q, nil
}

// number reads a number from 1 to most; 0 if it is absent.
func (q query) number(name string, most int64) (int64, error) {
	s, given := q[name]
	if !given {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > most || s[0] == '+' {
		return 0, memory.Invalid(name, "this is a number from 1 to "+strconv.FormatInt(most, 10))
	}
	return n, nil
}
