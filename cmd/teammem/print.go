package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
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
