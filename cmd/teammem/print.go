package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
)

// printJSON writes one line of JSON to stdout.
func (a *app) printJSON(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("print result: %w", err)
	}
	_, err = a.stdout.Write(append(b, '\n'))
	return err
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// table prints rows whose cells end in tabs.
func table(out io.Writer, rows func(io.Writer) error) error {
	const gap = 2
	w := tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)
	if err := rows(w); err != nil {
		return err
	}
	return w.Flush()
}

// scopeList writes scopes with something between them.
func scopeList(scopes []memory.Scope, between string) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, between)
}

// orDash is what a cell says that would be empty.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// day is when something was written: the hour does not matter.
func day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// instant is a time to the second: of logins the day alone says too little.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// inUTC is [instant] in words, for a line that a person reads.
func inUTC(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
